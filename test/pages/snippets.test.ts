import { afterAll, describe, expect, test } from 'bun:test'
import { type Language, mcpLine, snippet } from '../../public/snippets.js'
import { makeKey } from '../support/keys'

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

describe('what connects an agent', () => {
  const url = "http://127.0.0.1:3000/sub/it's/api/mcp"
  const keys = [makeKey(1), `a'b"c$(d)\\e`, null]

  /** The arguments that a shell hands to the command of a line. */
  const argumentsOf = (line: string, command: string): string[] => {
    const script = `${command}() { printf '%s\\0' "$@"; }; ${line}`
    return Bun.spawnSync(['sh', '-c', script]).stdout.toString().split('\0').slice(0, -1)
  }

  test.each(keys)('is a command that a shell reads as it is meant, with the key %p', (key) => {
    const header = key === null ? [] : ['--header', `X-API-Key: ${key}`]
    const added = ['mcp', 'add', '--transport', 'http', 'satchel', url, ...header]
    expect(argumentsOf(mcpLine('Claude Code', url, key), 'claude')).toEqual(added)
    const [flag, json = ''] = argumentsOf(mcpLine('VS Code', url, key), 'code')
    const headers = key === null ? {} : { headers: { 'X-API-Key': key } }
    expect(flag).toBe('--add-mcp')
    expect(JSON.parse(json)).toEqual({ name: 'satchel', type: 'http', url, ...headers })
  })

  test.each(keys)('is JSON for settings, with the key %p', (key) => {
    const headers = key === null ? {} : { 'X-API-Key': key }
    expect(JSON.parse(mcpLine('Cursor', url, key))).toEqual({
      mcpServers: { satchel: { url, ...(key !== null && { headers }) } },
    })
    expect(JSON.parse(mcpLine('Open WebUI', url, key))).toEqual(headers)
  })
})
