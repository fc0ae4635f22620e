import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { SETTINGS } from '../../src/config'
import { asObject, type JsonObject } from '../../src/openapi/json-schema'
import { GUIDES, type Guide } from '../../src/openapi/reference-pages'
import { GUIDE_BASE, isCommand, README, readBlocks, runGuide } from '../support/guides'
import { makeWorld } from '../support/world'

/** What the README and the guides name exists, and nothing in them goes unrun. test/server/guides.server.ts runs them. */

const ROOT = join(import.meta.dir, '../..')
const world = await makeWorld({ settings: { FREE_LIMIT_PER_HOUR: '10000' } })
const base = world.listen().slice(0, -1)
afterAll(() => world.close())
const document = (await (await fetch(`${base}/openapi.json`)).json()) as JsonObject

const PAGES: readonly Guide[] = [README, ...GUIDES]

/** What no test runs as it is, by guide and language, and why. */
const NOT_RUN: Readonly<Record<string, string>> = {
  'README plain': 'the tour of the code; a test looks whether the files are there',
  'behind-a-proxy nginx': 'run by test/server/guides.server.ts, at the root and below a path',
  'behind-a-proxy caddyfile': 'Caddy is in no package that CI installs',
  'behind-a-proxy yaml': 'Traefik is no package of Debian',
  'ollama-and-openai-clients console': 'the command lines of Ollama, Claude and VS Code are none either',
  'typescript-client console': 'run by `bun run clients`, which installs the packages',
}
/** Names in capitals that are no settings of the server: of its command line, and of other programs. */
const OUTSIDE = ['SATCHEL_KEY', 'OLLAMA_HOST', 'GENERIC_OPEN_AI_CUSTOM_HEADERS', 'OLLAMA_CONTEXT_LENGTH']

test('every file of docs/guides is a guide', () => {
  const files = readdirSync(join(ROOT, 'docs/guides')).map((name) => name.replace('.md', ''))
  expect(GUIDES.map(({ name }) => name).toSorted()).toEqual(files.toSorted())
})

describe('the runner of guides notices', () => {
  const guide = (...blocks: string[]): Guide => ({ name: 'x', title: 'X', markdown: blocks.join('\n\n') })
  const block = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``

  test.each([
    ['a command that fails', [block('sh', 'false'), block('sh', 'true')], 1, []],
    ['a call that is refused', [block('sh', `curl -sf ${GUIDE_BASE}/api/nothing`)], 22, []],
    ['what was not printed', [block('sh', 'echo one'), block('text', 'one\ntwo')], 0, ['two']],
    [
      'what an earlier block printed',
      [block('sh', 'echo one'), block('sh', 'echo two'), block('text', 'one')],
      0,
      ['one'],
    ],
    ['another order', [block('sh', 'echo one; echo two'), block('text', 'two\none')], 0, ['one']],
  ])('%s', async (_, blocks, code, missing) => {
    expect(await runGuide(guide(...blocks), base)).toMatchObject({ code, missing })
  })

  test('nothing where all is as it says', async () => {
    const saved = block('js say.mjs', 'console.log("from a file")')
    const blocks = [saved, block('sh', 'node say.mjs'), block('text', 'from … file'), block('sh', `satchel version`)]
    expect(await runGuide(guide(...blocks), base)).toMatchObject({ code: 0, missing: [] })
  })
})

test('every block is run, printed or saved and used, or it is listed with a reason', () => {
  const unused = PAGES.flatMap(({ name, markdown }) => {
    const blocks = readBlocks(markdown)
    const commands = blocks.filter(isCommand).map(({ text }) => text)
    return blocks.flatMap((block, i) => {
      if (isCommand(block)) return []
      if (block.file !== '' && commands.some((text) => text.includes(block.file))) return []
      if (block.language === 'text' && block.file === '' && blocks.slice(0, i).some(isCommand)) return []
      return [`${name} ${block.language}`]
    })
  })
  expect([...new Set(unused)].toSorted()).toEqual(Object.keys(NOT_RUN).toSorted())
})

test('no block escapes by another form: a fence that is not closed, or an indent', () => {
  for (const { name, markdown } of PAGES) {
    const fences = markdown.match(/^\s*(```|~~~)/gm) ?? []
    const outside = markdown.replaceAll(/^```[\s\S]*?^```$/gm, '')
    expect([name, fences.length, /^( {4}|\t)\S/m.test(outside)]).toEqual([name, 2 * readBlocks(markdown).length, false])
  }
})

test('the configuration of Traefik is YAML that leads to the server', () => {
  const yaml = GUIDES.flatMap(({ markdown }) => readBlocks(markdown)).find(({ language }) => language === 'yaml')
  const { http } = parse(yaml?.text ?? '')
  expect(Object.keys(http.services)).toContain(http.routers.satchel.service)
  expect(http.services.satchel.loadBalancer.servers).toEqual([{ url: GUIDE_BASE }])
})

test('the addresses in what is not run answer', async () => {
  const texts = GUIDES.flatMap(({ name, markdown }) =>
    readBlocks(markdown).filter(({ language }) => `${name} ${language}` in NOT_RUN),
  ).map(({ text }) => text)
  const paths = new Set(
    texts.flatMap((text) => [...text.matchAll(/127\.0\.0\.1:3000(\/[\w/.]*)?/g)].map(([, path = '/']) => path)),
  )
  expect(paths).toContain('/api/mcp')
  for (const path of paths) {
    const { status, body } = await fetch(base + path, { method: path === '/api/mcp' ? 'POST' : 'GET' })
    await body?.cancel()
    // Without a body, MCP answers what is wrong with it.
    expect([path, status < 500 && status !== 404]).toEqual([path, true])
  }
})

test('each is short, and shows every block on its page', async () => {
  for (const { name, markdown } of GUIDES) {
    expect([name, markdown.split('\n').length <= 150]).toEqual([name, true])
    const page = await (await fetch(`${base}/docs/guides/${name}`)).text()
    expect([name, [...page.matchAll(/<pre class="block">/g)].length]).toEqual([name, readBlocks(markdown).length])
  }
})

test('the settings that they name exist', () => {
  for (const { name, markdown } of PAGES) {
    const named = [...markdown.matchAll(/\b[A-Z]+(?:_[A-Z]+)+\b/g)].map(([setting]) => setting)
    expect([name, named.filter((one) => !(one in SETTINGS) && !OUTSIDE.includes(one))]).toEqual([name, []])
  }
})

test('the paths that they name are of the API', () => {
  const templates = Object.keys(asObject(document.paths)).map((path) => path.replaceAll(/\{\w+\}/g, 'x'))
  // A path, what the addresses of clients begin with, or any path, which the README's `ask` is called with.
  const known = new RegExp(`^(${templates.join('|')})$|^/api/openai$|^/api/x$`)
  for (const { name, markdown } of PAGES) {
    const named = [...markdown.matchAll(/(?<=[\s`"}R0])\/(?:api|readyz|metrics|healthz)\b[\w/{}$.-]*/g)].map(([path]) =>
      path
        .replaceAll(/\$\w+|\{\w+\}/g, 'x')
        .replace('/openai/v1', '/openai')
        .replace(/[./]+$/, ''),
    )
    expect([name, named.filter((path) => !known.test(path))]).toEqual([name, []])
  }
})

test('the tour of the code names files that are there', () => {
  const blocks = readBlocks(README.markdown).filter(({ language }) => language === 'plain')
  const rooms = blocks.flatMap(({ text }) => text.match(/^\S+(?= )/gm) ?? [])
  const passed = README.markdown.match(/(?<=`)(?!src)\w+\/[\w-]+\.ts(?=`)/g) ?? []
  expect([rooms.length > 20, passed.length > 10]).toEqual([true, true])
  const named = [...rooms, ...passed.map((path) => `src/${path}`)]
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
})

test('their links lead to pages of the server, and to what is on them', async () => {
  const links = GUIDES.flatMap(({ name, markdown }) =>
    [...markdown.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => ({ name, link })),
  )
  expect(links.length).toBeGreaterThan(10)
  for (const { name, link } of links) {
    const [path = '', anchor] = link.split('#')
    const response = await fetch(base + path)
    const html = await response.text()
    expect([name, link, response.status, !anchor || html.includes(` id="${anchor}"`)]).toEqual([name, link, 200, true])
  }
})

test('the three lines of the overview, with which to begin, do what is said of them', async () => {
  const page = await (await fetch(`${base}/docs`)).text()
  const block = /<pre class="block"><code>([\s\S]*?)<\/code>/.exec(page)?.[1] ?? ''
  const text = block.replaceAll(/&(#x27|quot|amp|lt|gt);/g, (_, name: string) => ENTITIES[name] ?? '')
  const lines = text.replaceAll('curl ', 'curl -sf ').split('\n')
  expect(lines).toHaveLength(3)
  const blocks = [...lines.map((line) => `\`\`\`sh\n${line}\n\`\`\``), '```text\n{"tier":"free",…"remaining":…\n```']
  blocks.splice(1, 0, '```text\n{"id":"…"title":"Trip to Lisbon"…\n```')
  blocks.splice(3, 0, '```text\n…"title":"Trip to Lisbon"…\n```')
  const { code, missing } = await runGuide(
    { name: 'begin', title: 'Begin', markdown: `\n${blocks.join('\n')}\n` },
    base,
  )
  expect([code, missing]).toEqual([0, []])
})

const ENTITIES: Readonly<Record<string, string>> = { '#x27': "'", quot: '"', amp: '&', lt: '<', gt: '>' }
