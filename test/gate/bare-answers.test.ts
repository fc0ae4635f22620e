import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { requestText, sendBytes } from '../support/wire'
import { makeWorld } from '../support/world'

/** The table of docs/operating.md of what Bun answers by itself, held against a real socket. */

const world = await makeWorld({ settings: { FREE_LIMIT_PER_HOUR: '1000' } })
const base = world.listen()
afterAll(world.close)

/** Header lines that Bun takes, and bytes of a request line with its headers, and of a chunk extension with its `;`. */
const MOST = { lines: 198, head: 16_384, extension: 16_384 }

type Exchanged = { status: number; headers: [string, string][]; text: string }

const HOST = 'Host: localhost'
const JSON_TYPE = 'Content-Type: application/json'
const CHUNKED = 'Transfer-Encoding: chunked'
const get = (...headers: string[]) => requestText('GET /api HTTP/1.1', [HOST, ...headers])
const line = (text: string) => requestText(text, [HOST])
const post = (headers: string[], body: string) =>
  requestText('POST /api/notes HTTP/1.1', [HOST, JSON_TYPE, ...headers]) + body
const note = (title: string) => {
  const body = JSON.stringify({ title })
  return post([`Content-Length: ${body.length}`], body)
}
const chunks = (body: string) => post([CHUNKED], body)
/** A request with so many lines of headers; requestText and get() make two of them. */
const lines = (count: number) => get(...Array.from({ length: count - 2 }, (_, i) => `X-${i}: 1`))
/** A request whose head has so many bytes, by its headers or by its request line. */
const head = (bytes: number) => get(`X: ${'a'.repeat(bytes - get('X: ').length)}`)
const target = (bytes: number) => line(`GET /api#${'a'.repeat(bytes - line('GET /api# HTTP/1.1').length)} HTTP/1.1`)
const extended = (bytes: number) => chunks(`2;${'a'.repeat(bytes - 1)}\r\n{}\r\n0\r\n\r\n`)

/** Requests of each row of the table. */
const REFUSED: Record<string, readonly string[]> = {
  'HTTP/1.1 without a `Host` line': [requestText('GET /api HTTP/1.1', []), requestText('GET / HTTP/1.1', ['A: b'])],
  'a broken request line or header line, a target that is no path': [
    'hello\r\n\r\n',
    '\x16\x03\x01\x02\x00\r\n\r\n',
    ...[line('GET api HTTP/1.1'), line('OPTIONS * HTTP/1.1')],
    ...['X-A : 1', 'X-A: 1\r\n 2', 'no colon', 'X-A: a\0b', 'X(A: 1'].map((header) => get(header)),
  ],
  'a broken `Content-Length`, two that differ, one beside chunks': [
    ...['x', '-1', '99999999999999999999'].map((length) => post([`Content-Length: ${length}`], '{}')),
    post(['Content-Length: 2', 'Content-Length: 3'], '{}'),
    post(['Content-Length: 2', CHUNKED], '2\r\n{}\r\n0\r\n\r\n'),
  ],
  'a `Transfer-Encoding` other than `chunked`': [
    post(['Transfer-Encoding: gzip, chunked'], '2\r\n{}\r\n0\r\n\r\n'),
    post(['Transfer-Encoding: identity', 'Content-Length: 2'], '{}'),
  ],
  'a broken chunk, trailers': [
    ...['zz\r\n{}', '1\r\n{}', '\r\n{}', '2 \r\n{}', '2\n{}'].map((chunk) => chunks(`${chunk}\r\n0\r\n\r\n`)),
    chunks('2\r\n{}\r\n0\r\nX: y\r\n\r\n'),
  ],
  'a chunk extension over 16 KiB (a shorter one is skipped)': [extended(MOST.extension + 1)],
  'a request line and headers over 16 KiB in all, over 198 header lines': [
    ...[head(MOST.head + 1), target(MOST.head + 1), lines(MOST.lines + 1)],
  ],
  'a version other than 1.0 and 1.1, a blank in the path, lines that end in LF': [
    ...['GET /api HTTP/2.0', 'GET /api HTTP/1.2', 'GET /api HTTP/0.9', 'GET /api', 'GET /a pi HTTP/1.1'].map(line),
    get().replaceAll('\r\n', '\n'),
  ],
  'a method that Bun does not know': [line('BREW /api HTTP/1.1'), line('get /api HTTP/1.1')],
  'a change followed at once by another request (pipelining)': [
    ...[get(), note('second')].map((next) => note('first').replace('Connection: close\r\n', '') + next),
  ],
}

const page = await Bun.file(join(import.meta.dir, '../../docs/operating.md')).text()
const table = /\| request +\| answer \| counted \|\n.*\n((?: *\|.*\n)+)/.exec(page)?.[1] ?? ''
const told = table
  .trimEnd()
  .split('\n')
  .map((row) => row.split('|').map((cell) => cell.trim()))
  .map(([, request = '', answer = '', counted = '']) => ({ request, answer, counted }))

test('each row of the table is tried here', () => {
  expect(told.map(({ request }) => request)).toEqual(Object.keys(REFUSED))
})

test.each(told)('$request: the answer is $answer and bare, counted: $counted', async (row) => {
  const left = async () => Number((await sendBytes(base, get())).headers.get('X-RateLimit-Remaining'))
  const bare: Exchanged =
    row.answer === 'none'
      ? { status: Number.NaN, headers: [], text: '' }
      : { status: Number(row.answer), headers: [['connection', 'close']], text: '' }
  const requests = REFUSED[row.request] ?? []
  const before = await left()
  for (const request of requests) {
    const { status, headers, text } = await sendBytes(base, request)
    expect({ request, status, headers: [...headers], text }).toEqual({ request, ...bare })
  }
  expect(before - 1 - (await left())).toBe(row.counted === 'yes' ? requests.length : 0)
})

test('a change followed at once by another request is not made', async () => {
  const { items } = (await world.call({ address: '127.0.0.1' }, 'GET', '/api/notes')).body
  expect(items.map((one: { title: string }) => one.title)).not.toContain('first')
})

test('reads that are answered at once can be pipelined', async () => {
  const { text } = await sendBytes(base, get().replace('Connection: close\r\n', '') + get())
  expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(1)
})

test.each<[string, string, number]>([
  ['the most header lines', lines(MOST.lines), 200],
  ['the longest head', head(MOST.head), 200],
  ['the longest request line', target(MOST.head), 404],
  ['chunks', chunks('2\r\n{}\r\n0\r\n\r\n'), 201],
  ['the longest extension of a chunk', extended(MOST.extension), 201],
  ['the same length twice', post(['Content-Length: 2', 'Content-Length: 2'], '{}'), 201],
  ['a method that Bun knows', line('PROPFIND /api HTTP/1.1'), 405],
])('%s is answered by the server itself, with the headers', async (_, request, expected) => {
  const { status, headers } = await sendBytes(base, request)
  expect([status, headers.get('X-Tier')]).toEqual([expected, 'free'])
})
