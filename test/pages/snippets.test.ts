import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { connectLine } from '../../public/connect.js'
import { type Language, snippet } from '../../public/snippets.js'
import { makeKey } from '../support/keys'
import { makeWorld } from '../support/world'

const HOSTILE = `It's "quoted" \\ \`$(id)\` \${1} %s {x}\n\ttwo\u2028lines – 漢字 🎒 </script>`
const KEY = `k'"\\$(id)\`{}~!x`

/** What the server got last. */
let got: { method: string; path: string; key: string | null; body: unknown } | undefined
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    const text = await request.text()
    const path = new URL(request.url).pathname
    got = { method: request.method, path, key: request.headers.get('X-API-Key'), body: text ? JSON.parse(text) : null }
    return Response.json({ items: [] }, { headers: { 'X-RateLimit-Remaining': '993' } })
  },
})
const base = server.url.href.slice(0, -1)
afterAll(() => server.stop(true))

const INTERPRETERS: [Language, string, string[]][] = [
  ['TypeScript', process.execPath, ['-e']],
  ['curl', 'sh', ['-c']],
  ['Python', 'python3', ['-c']],
]
const read = (stream: ReadableStream<Uint8Array<ArrayBuffer>>) => new Response(stream).text()
const here = (language: Language, command: string) => Bun.which(language === 'curl' ? 'curl' : command) !== null

describe.each(INTERPRETERS)('%s', (language, command, flags) => {
  /** Runs the program as a person would, who pasted it. */
  async function run(program: string) {
    const child = Bun.spawn([command, ...flags, program], { stdout: 'pipe', stderr: 'pipe' })
    const [output, errors] = await Promise.all([read(child.stdout), read(child.stderr), child.exited])
    return output || `nothing but ${errors}`
  }

  test.skipIf(!here(language, command))('sends what was typed and the key, whatever signs are in them', async () => {
    const body = { messages: [{ role: 'user', content: HOSTILE }] }
    const output = await run(snippet(language, { method: 'POST', path: 'api/chat', body }, base, KEY))
    expect(got).toEqual({ method: 'POST', path: '/api/chat', key: KEY, body })
    expect(output).toContain('993')
  })

  test.skipIf(!here(language, command))('without a key sends no key', async () => {
    const output = await run(snippet(language, { method: 'GET', path: 'api/notes' }, base, null))
    expect(got).toEqual({ method: 'GET', path: '/api/notes', key: null, body: null })
    expect(output).toContain('993')
  })
})

describe('what connects a program', () => {
  const base = "http://127.0.0.1:3000/sub/it's"
  const url = `${base}/api/mcp`
  const keys = [makeKey(1), `a'b"c$(d)\\e`, null]

  /** The arguments that a shell hands to the command of a line. */
  const argumentsOf = (line: string, command: string): string[] => {
    const script = `${command}() { printf '%s\\0' "$@"; }; ${line}`
    return Bun.spawnSync(['sh', '-c', script]).stdout.toString().split('\0').slice(0, -1)
  }

  test.each(keys)('is a command that a shell reads as it is meant, with the key %p', (key) => {
    const header = key === null ? [] : ['--header', `X-API-Key: ${key}`]
    const added = ['mcp', 'add', '--transport', 'http', 'satchel', url, ...header]
    expect(argumentsOf(connectLine('claude', base, key), 'claude')).toEqual(added)
    const [flag, json = ''] = argumentsOf(connectLine('code', base, key), 'code')
    const headers = key === null ? {} : { headers: { 'X-API-Key': key } }
    expect(flag).toBe('--add-mcp')
    expect(JSON.parse(json)).toEqual({ name: 'satchel', type: 'http', url, ...headers })
    const asked = [`${base}/api/notes`, ...(key === null ? [] : ['-H', `X-API-Key: ${key}`])]
    expect(argumentsOf(connectLine('curl', base, key), 'curl')).toEqual(asked)
  })

  test.each(keys)('is JSON for settings, with the key %p', (key) => {
    const headers = key === null ? {} : { 'X-API-Key': key }
    expect(JSON.parse(connectLine('cursor', base, key))).toEqual({
      mcpServers: { satchel: { url, ...(key !== null && { headers }) } },
    })
    expect(JSON.parse(connectLine('webui', base, key))).toEqual(headers)
  })
})

/** Programs run against a server below a path of a proxy, with the real packages of the clients. */
const QUESTION = `{ model: 'satchel-local', messages: [{ role: 'user', content: 'When does the boiler warranty end?' }] }`
describe.each([
  ['openai', `(await openai.chat.completions.create(${QUESTION})).choices[0]`],
  ['ollama', `(await ollama.chat(${QUESTION})).message`],
  ['typescript', `(await satchel.GET('/api/notes')).data?.items`],
])('a program with the client %s', (client, asked) => {
  const SENTENCE = 'The boiler warranty ends on 3 May 2027.'
  test.each([['its own key'], ['a key of another make'], ['no key']])('works with %s', async (whose) => {
    const key = { 'its own key': makeKey(2), 'a key of another make': `a'b"c$(d)\\e\`f`, 'no key': null }[whose] ?? null
    const world = await makeWorld()
    const below = `/sub/it's`
    const proxy = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: async (request) => {
        const { pathname, search } = new URL(request.url)
        if (!pathname.startsWith(`${below}/`)) return new Response(`not below the path: ${pathname}`, { status: 404 })
        return fetch(new URL(pathname.slice(below.length) + search, home), {
          method: request.method,
          headers: request.headers,
          ...(request.body && { body: await request.arrayBuffer() }),
        })
      },
    })
    const home = world.listen()
    const headers = { 'Content-Type': 'application/json', ...(key !== null && { 'X-API-Key': key }) }
    const body = JSON.stringify({ title: 'House', body: SENTENCE })
    expect((await fetch(`${home}api/notes`, { method: 'POST', headers, body })).status).toBe(201)
    // beside the packages, which a program in another folder would not find
    const folder = mkdtempSync(join(import.meta.dir, 'program-'))
    await Bun.write(
      join(folder, 'program.ts'),
      `${connectLine(client, proxy.url.origin + below, key)}\nconsole.log(${asked})`,
    )
    const child = Bun.spawn([process.execPath, 'program.ts'], { cwd: folder, stdout: 'pipe', stderr: 'pipe' })
    const ended = Promise.all([read(child.stdout), read(child.stderr), child.exited])
    const [output, errors] = await ended.finally(() => rmSync(folder, { recursive: true }))
    await proxy.stop(true)
    await world.close()
    expect(output || errors).toContain(SENTENCE)
  })
})
