import { afterAll, describe, expect, test } from 'bun:test'
import { dirname, join } from 'node:path'
import { ERRORS } from '../src/http/api-error'
import { noteExample, outlineExample } from '../src/notes/schema'
import { asList, asObject, type JsonObject } from '../src/openapi/json-schema'
import { findings, operations, resolve } from './support/openapi'
import { settingsTable } from './support/settings-table'
import { makeVectors } from './support/vectors'
import { makeKey, makeWorld } from './support/world'

const ROOT = join(import.meta.dir, '..')

/** What the documents say of the real app: nothing that exists is left out, and nothing is said that is not so. */

const vectors = makeVectors()
const world = await makeWorld({ settings: vectors.settings })
afterAll(async () => {
  await world.close()
  await vectors.stop()
})

const document: JsonObject = (await world.call({}, 'GET', '/docs/json')).body
const documented = operations(document)
/** What is there beside /api for whoever runs the server. */
const PROBES = ['GET /healthz', 'GET /metrics', 'GET /readyz']
const routes = world.app.routes
  // The second path of OpenAI's routes is not repeated, and a wildcard cannot be expressed.
  .filter(({ method, path }) => method !== 'ALL' && /^\/api(?!\/openai\/v1)(\/|$)/.test(path) && !path.endsWith('/*'))
  .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`)

/** Reads the table of settings of a page, without what lines up its columns. */
async function readSettings(path: string): Promise<string[]> {
  const table = /^\| name .*\n(?:\|.*\n)+/m.exec(await Bun.file(join(ROOT, path)).text())?.[0] ?? 'no table of settings'
  return narrow(table.replaceAll(/-{3,}/g, '---'))
}

const narrow = (table: string) =>
  table
    .trim()
    .replaceAll(/ *\| */g, '|')
    .split('\n')

test('docs/settings.md lists every setting with its default, unit and meaning, and no other', async () => {
  expect(await readSettings('docs/settings.md')).toEqual(narrow(settingsTable()))
})

test('the README lists fifteen of them, in the same words and order', async () => {
  const some = await readSettings('README.md')
  expect(some).toHaveLength(2 + 15)
  expect(some).toEqual(narrow(settingsTable()).filter((row) => some.includes(row)))
})

test('every route under /api is in the document, the probes, and nothing else', () => {
  expect(documented.map(({ method, path }) => `${method.toUpperCase()} ${path}`).toSorted()).toEqual(
    [...routes, ...PROBES].toSorted(),
  )
})

test.each(documented)('$method $path says what it does, and shows a body where it takes one', ({ operation }) => {
  expect(operation.summary).toMatch(/^[A-Z].{3,}[^.]$/)
  expect(operation.description).toMatch(/\.$/)
  const content = asObject(asObject(operation.requestBody).content)
  // A file speaks for itself.
  if (!('application/json' in content)) return
  const media = asObject(content['application/json'])
  const schema = resolve(document, media.schema)
  expect([...asList(schema.examples), ...asList(media.example)]).not.toBeEmpty()
})

test('every object that the document shows twice has a name', () => {
  const times = new Map<string, number>()
  const visit = (node: unknown, isNamed = false): void => {
    if (Array.isArray(node)) for (const one of node) visit(one)
    if (typeof node !== 'object' || node === null) return
    const schema = asObject(node)
    const text = JSON.stringify(schema)
    if (!isNamed && schema.type === 'object' && 'properties' in schema) times.set(text, (times.get(text) ?? 0) + 1)
    for (const [name, value] of Object.entries(schema)) if (!/^(examples?|default|enum|const)$/.test(name)) visit(value)
  }
  visit(document.paths)
  for (const schema of Object.values(asObject(asObject(document.components).schemas))) visit(schema, true)
  expect(times.size).toBeGreaterThan(50)
  expect([...times].filter(([, n]) => n > 1).map(([text]) => text.slice(0, 200))).toEqual([])
})

test('every operation is named by its route, as verb and noun', () => {
  const names = documented.map(({ operation }) => String(operation.operationId))
  expect(names.filter((name) => !/^[a-z]+([A-Z][a-z]+)*$/.test(name))).toEqual([])
  // What the plugin makes of a path, where a route has no name.
  expect(names.filter((name) => /^(get|put|post|patch|delete)(Api|Healthz|Readyz)/.test(name))).toEqual([])
})

const answering = documented.flatMap(({ method, path, operation }) => {
  const successes = Object.entries(asObject(operation.responses)).filter(([status]) => status.startsWith('2'))
  const bodies = successes.flatMap(([, success]) => asObject(asObject(success).content)['application/json'] ?? [])
  return bodies.length === 0 ? [] : [{ method, path, bodies }]
})

test.each(answering)('$method $path shows an answer', ({ bodies }) => {
  for (const body of bodies) expect(resolve(document, asObject(body).schema).examples).not.toBeEmpty()
})

test('the examples of bodies are served as they stand', async () => {
  // With a key: so many requests are more than the free tier has.
  const me = { key: makeKey(1) }
  const note = await world.call(me, 'POST', '/api/notes', {})
  const attachment = await world.call(me, 'POST', '/api/notes/attachments?name=a.png', 'bytes')
  // What the example of a collection makes is what the examples below it are sent to.
  const ids = new Map([
    ['/api/notes', note.body.id],
    ['/api/notes/attachments', attachment.body.id],
  ])
  for (const { path, method, operation } of documented.filter(({ operation }) => operation.requestBody)) {
    const media = asObject(asObject(asObject(operation.requestBody).content)['application/json'])
    for (const example of asList(resolve(document, media.schema).examples)) {
      const own = path.replace(/^(.*)\/\{id\}/, (_, collection) => `${collection}/${ids.get(collection)}`)
      const filled = own.replace('{date}', '2026-03-01').replace('{n}', '1')
      const { status, body } = await world.call(me, method.toUpperCase(), filled, example)
      // There is no log yet to learn from, nor the review that must be the last.
      const isServed =
        status < 300 ||
        body.code === 'not_enough_reviews' ||
        (path === '/api/flashcards/reviews/undo' && body.code === 'not_found')
      expect([path, isServed]).toEqual([path, true])
      if (status === 201 && !ids.has(path)) ids.set(path, body.id)
      // Cards are made by their facts.
      if (path === '/api/flashcards/facts')
        ids.set('/api/flashcards/cards', (await world.call(me, 'GET', '/api/flashcards/cards')).body.items[0].id)
    }
  }
})

test('the note of the examples is as the server would show it', async () => {
  const { title, body, folder, tags, properties, ...rest } = noteExample
  const made = await world.call({}, 'POST', '/api/notes', { title, body, folder, tags, properties })
  const { excerpt, word_count, checklist, inline_tags } = rest
  expect(made.body).toMatchObject({ excerpt, word_count, checklist, inline_tags })
  const outline = await world.call({}, 'GET', `/api/notes/${made.body.id}/outline`)
  expect(outline.body).toEqual(outlineExample)
})

test('the whole document is valid OpenAPI 3.1, with our rules', async () => {
  expect(await findings(document)).toEqual([])
})

test('a note that is not there is shown as not_found, not as the chat model that another path misses', () => {
  const get = documented.find(({ method, path }) => method === 'get' && path === '/api/notes/{id}')
  const missing = resolve(document, asObject(get?.operation.responses)[404])
  expect(missing.content).toMatchObject({ 'application/problem+json': { example: { code: 'not_found' } } })
})

test('every code of an error is explained at the anchor that errors point at, with what to do', async () => {
  const html: string = (await world.call({}, 'GET', '/docs/errors')).body
  for (const [code, { status, title, help }] of Object.entries(ERRORS)) {
    const section = new RegExp(`<article class="problem" id="${code}">.*?</article>`, 's').exec(html)?.[0] ?? ''
    expect(section).toContain(`${status} ${Bun.escapeHTML(title)}`)
    const said = section.replaceAll(/<\/?code>/g, '')
    expect(said).toContain(Bun.escapeHTML(help).replaceAll('`', ''))
  }
})

/** What cannot be opened as it is: it answers other methods alone, or needs a query. */
const UNOPENED: Readonly<Record<string, number>> = {
  '/api/chat': 405,
  '/api/mcp': 405,
  '/api/workspace': 405,
  '/api/trash': 405,
  '/api/import': 405,
  '/api/search': 400,
}

test('the service document has a link into every group of endpoints', async () => {
  const { links } = (await world.call({}, 'GET', '/api')).body
  const group = (path: string) => path.split('/')[2]
  const linked = new Set((Object.values(links) as string[]).map(group))
  // What programs that speak to Ollama ask for beside the list of models.
  const ofOllama = ['version', 'embed', 'embeddings', 'show', 'ps', 'generate']
  const groups = documented.map(({ path }) => path).filter((path) => path.startsWith('/api/'))
  expect(groups.filter((path) => !linked.has(group(path)) && !ofOllama.includes(group(path) ?? ''))).toEqual([])
})

/** How Markdown on the web names the place of a heading. */
const anchorOf = (title: string) =>
  title
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')

test('every link of the service document leads somewhere', async () => {
  const { links } = (await world.call({}, 'GET', '/api')).body
  const base = world.listen()
  for (const path of Object.values(links) as string[]) {
    const { status, body } = await fetch(new URL(path, base))
    await body?.cancel()
    expect([path, status]).toEqual([path, UNOPENED[path] ?? 200])
  }
})

test.each(['README.md', 'CHANGELOG.md', 'docs/features.md', 'docs/operating.md', 'docs/settings.md'])(
  'every link of %s leads somewhere',
  async (page) => {
    const markdown = (await Bun.file(join(ROOT, page)).text()).replaceAll(/`[^`\n]*`/g, '')
    for (const [, link = ''] of markdown.matchAll(/\]\((?!https?:)([^)]+)/g)) {
      const [file, anchor] = link.split('#')
      const text = await Bun.file(file ? join(ROOT, dirname(page), file) : join(ROOT, page)).text()
      const anchors = [...text.matchAll(/^#+ (.+)/gm)].map(([, title = '']) => anchorOf(title))
      expect([link, !anchor || anchors.includes(anchor)]).toEqual([link, true])
    }
  },
)

/** Lists the releases of a changelog, but the first one, that do not begin with how to upgrade, in 1 to 25 lines. */
function listWithoutUpgrading(changelog: string): string[] {
  const releases = changelog.split(/^## /m).slice(1, -1)
  return releases.flatMap((release) => {
    const [title = '', first = ''] = release.split(/^### /m)
    const [heading, ...lines] = first.split('\n').filter((line) => line.trim() !== '')
    return heading === 'Upgrading' && lines.length >= 1 && lines.length <= 25 ? [] : [title.trim()]
  })
}

describe('each release of the changelog', () => {
  const first = '## 0.1.0\n\n### Added\n\n- All of it.\n'
  const release = (...lines: string[]) => `# Changelog\n\n## 1.0.0\n\n${lines.join('\n')}\n\n${first}`
  const note = '- Make a backup.'

  test('begins with how to upgrade, and the first one is 0.1.0', async () => {
    const changelog = await Bun.file(join(ROOT, 'CHANGELOG.md')).text()
    expect(changelog.match(/^## .*/gm)?.at(-1)).toBe('## 0.1.0')
    expect(listWithoutUpgrading(changelog)).toEqual([])
  })

  test.each([
    ['has no such heading', release('### Added', '', note)],
    ['has it later', release('### Added', '', note, '', '### Upgrading', '', note)],
    ['says nothing below it', release('### Upgrading', '', '### Added', '', note)],
    ['has 26 lines', release('### Upgrading', '', ...Array<string>(26).fill(note))],
  ])('is found where it %s', (_, changelog) => {
    expect(listWithoutUpgrading(changelog)).toEqual(['1.0.0'])
  })

  test.each([
    ['one line', release('### Upgrading', '', note)],
    ['25 lines', release('### Upgrading', '', ...Array<string>(25).fill(note), '', '### Added', '', note, note)],
    ['a second release', release('### Upgrading', '', note, '', '## 0.9.0', '', '### Upgrading', '', note)],
    ['only the first release', `# Changelog\n\n${first}`],
  ])('may have %s', (_, changelog) => {
    expect(listWithoutUpgrading(changelog)).toEqual([])
  })
})
