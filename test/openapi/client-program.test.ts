import { afterAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { makeKey, makeWorld } from '../support/world'
import { compile, writeProgram } from './typescript'

/** The client of the real document, and the program of its guide against the real server. */

const HOUR_MS = 3_600_000
const world = await makeWorld({ settings: { FREE_LIMIT_PER_HOUR: '2' } })
// A second before the hour is over, so that Retry-After is short.
world.clock.now = Math.ceil(world.clock.now / HOUR_MS) * HOUR_MS + HOUR_MS - 1000
const base = world.listen()
afterAll(() => world.close())

const source = await (await fetch(`${base}client.ts`)).text()
const guide = await Bun.file(join(import.meta.dir, '../../docs/guides/typescript-client.md')).text()
const program = /```ts program\.ts\n([\s\S]*?)```/.exec(guide)?.[1] ?? ''

const EXPECTED = [
  'created Trip at revision 1',
  'saved after a conflict: 200',
  'not modified',
  'added a task',
  'a page of 2',
  'city Braga',
  'city Faro',
  'city Porto',
  'a file of 20 bytes',
  'as HTML: true',
  'the stream begins with event: change',
  'waited for the free tier',
]

/** Lets the hour end once the server has answered 429. */
const passTime: typeof fetch = Object.assign(
  async (...args: Parameters<typeof fetch>) => {
    const response = await realFetch(...args)
    if (response.status === 429) world.clock.now += 1000
    return response
  },
  { preconnect: fetch.preconnect },
)
const realFetch = fetch

describe('/client.ts', () => {
  test('is TypeScript with an ETag, and is sent once', async () => {
    const response = await fetch(`${base}client.ts`)
    expect(response.headers.get('Content-Type')).toBe('text/typescript;charset=utf-8')
    expect(response.headers.get('Cache-Control')).toBe('no-cache')
    const etag = response.headers.get('ETag') ?? ''
    expect(etag).toMatch(/^"\w+\.br"$/)
    expect((await fetch(`${base}client.ts`, { headers: { 'If-None-Match': etag } })).status).toBe(304)
    expect((await fetch(`${base}client.ts`, { headers: { 'If-None-Match': '"other"' } })).status).toBe(200)
  })

  test('is of the size that it says, and names no `any`', async () => {
    const own = await Bun.file(join(import.meta.dir, '../../src/openapi/client-runtime.txt')).text()
    const code = new Bun.Transpiler({ loader: 'ts', minifyWhitespace: true }).transformSync(own)
    expect(code.length).toBeLessThan(4500)
    expect(Bun.gzipSync(code).length).toBeLessThan(2048)
    const withoutComments = source.replaceAll(/\/\*[\s\S]*?\*\/|"(?:[^"\\]|\\.)*"/g, '')
    expect(withoutComments).not.toMatch(/\bany\b/)
  })
})

test('the program of the guide compiles under every strict option, without a cast', async () => {
  expect(program.split('\n').length).toBeGreaterThan(50)
  expect(program.replaceAll(/\/\/.*|`[^`]*`|'[^'\n]*'/g, '')).not.toMatch(/\bas\b|\bany\b|<\w+>\w|@ts-/)
  expect(await compile(await writeProgram({ 'client.ts': source, 'program.ts': program }))).toEqual([])
})

test('and does what it says', async () => {
  const folder = await writeProgram({ 'client.ts': source, 'program.ts': program })
  const { main } = await import(pathToFileURL(join(folder, 'program.ts')).href)
  globalThis.fetch = passTime
  try {
    expect(await main(base, makeKey(1))).toEqual(EXPECTED)
  } finally {
    globalThis.fetch = realFetch
  }
})

describe('what must not compile', () => {
  const good = `await satchel.listNotes({ limit: 5, tag: ['a'] }); await satchel.getNote({ id: '1' }); await satchel.listTasks({ sort: ['-priority', 'due'], status: 'open', ids: ['1'] });`
  const bad: [what: string, statement: string][] = [
    ['a text for a number', `await satchel.listNotes({ limit: 'five' })`],
    ['a text for a boolean', `await satchel.listNotes({ pinned: 'true' })`],
    ['a member that the query does not have', `await satchel.listNotes({ limits: 5 })`],
    ['a member that the body does not have', `await satchel.createNote({ body: { titel: 'Trip' } })`],
    ['a number for a text in the body', `await satchel.createNote({ body: { title: 5 } })`],
    ['no body', `await satchel.createNote()`],
    ['no path parameter', `await satchel.getNote({})`],
    ['an input that is needed', `await satchel.getNote()`],
    ['an input where there is none', `await satchel.getUsage({ limit: 5 })`],
    ['a value that the list does not have', `await satchel.listTasks({ archived: 'maybe' })`],
    ['a value that a list does not have', `await satchel.listTasks({ sort: ['priorty'] })`],
    ['an operation that there is not', `await satchel.listNote()`],
    ['a member that the answer does not have', `(await satchel.getNote({ id: '1' })).data.titel`],
    ['data before its status is known', `(await satchel.getNote({ id: '1', ifNoneMatch: '"1"' })).data.title`],
    ['all pages of what has none', `satchel.getUsage.all()`],
    ['a code that there is not', `new SatchelError(new Response(), {}, 'unknown').code === 'not_fond'`],
  ]

  test('each is refused, and what is beside it is not', async () => {
    const lines = [
      `import { createClient, SatchelError } from './client.ts'`,
      `const satchel = createClient({ url: '' })`,
      good,
      ...bad.map(([, statement]) => `${statement};`),
      good,
    ]
    const errors = await compile(await writeProgram({ 'client.ts': source, 'program.ts': `${lines.join('\n')}\n` }))
    const refused = new Set(errors.map((error) => /^program\.ts\((\d+),/.exec(error)?.[1] ?? error))
    expect([...refused]).toEqual(bad.map((_, i) => String(i + 4)))
  })
})
