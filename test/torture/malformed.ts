import fc from 'fast-check'
import { faultsOf } from './judge'

/** Bytes that are no HTTP, or nearly are. The server answers some of these before any of our code runs. */

const LINES = [
  ...['GET /api HTTP/1.1', 'GET /api/notes?limit=x HTTP/1.1', 'GET http://user@x/api/notes HTTP/1.1'],
  ...['GET //api/notes HTTP/1.1', 'GET /zz/api/notes HTTP/1.1', 'GET * HTTP/1.1'],
  ...['GET /api/../api/notes/./x HTTP/1.1', 'GET /api\\notes HTTP/1.1', 'GET /api/\u00ff\u00fe HTTP/1.1'],
  ...['GET  /api  HTTP/1.1', 'GET /api', 'GET /api HTTP/0.9', 'GET /api HTTP/2.0', 'PRI * HTTP/2.0'],
  ...['CONNECT x:443 HTTP/1.1', 'TRACE /api HTTP/1.1', 'BREW /api/notes HTTP/1.1', 'get /api HTTP/1.1'],
  `GET /api/${'a'.repeat(20_000)} HTTP/1.1`,
  'POST /api/notes HTTP/1.1',
  'POST /api/chat HTTP/1.1',
  '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003',
  '',
]

const FIELDS = [
  ...['Host: localhost', 'Host: ', 'Host: a b', 'Host: x/api/notes?', 'Host: a\r\nHost: b', 'X-API-Key: '],
  ...['X-API-Key: a\r\nX-API-Key: b', 'Content-Length: 5', 'Content-Length: -1', 'Content-Length: 5, 6'],
  ...['Content-Length: 99999999999999999999', 'Transfer-Encoding: chunked', 'Transfer-Encoding: gzip, chunked'],
  ...['Transfer-Encoding : chunked', 'Expect: 100-continue', 'Upgrade: websocket\r\nConnection: Upgrade'],
  ...['Content-Type: application/json', 'no colon', ': no name', ' folded', 'A\u0000B: c', 'A: b\u0000c'],
  'A: \u00ff\u00fe',
  `A: ${'x'.repeat(20_000)}`,
  Array.from({ length: 150 }, (_, i) => `A${i}: b`).join('\r\n'),
]

const BODIES = [
  ...['', '{"a":1}', '5\r\n{"a":\r\n0\r\n\r\n', 'zz\r\n', 'ffffffffffffffff\r\nx', '\r\n\r\n\r\n'],
  'GET / HTTP/1.1\r\n\r\n',
]

/** Whole heads and broken ones, each byte a character of it. */
export const malformed: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom(...LINES),
    fc.array(fc.constantFrom(...FIELDS), { maxLength: 4 }),
    fc.constantFrom(...BODIES),
    fc.constantFrom('\r\n', '\r\n', '\r\n', '\n', '\r'),
    fc.oneof(fc.constant(null), fc.nat(400)),
  )
  .map(([line, fields, body, end, cut]) => {
    const head = [line, ...fields, 'Connection: close'].join(end)
    return (head + end + end + body).slice(0, cut ?? undefined)
  })

/** Milliseconds after which a server that waits for more is left alone. */
const PATIENCE_MS = 300

/** Sends these bytes and half closes; whatever came until the server closed, or we lost patience. */
export async function sendRaw(port: number, text: string): Promise<string> {
  const chunks: Uint8Array[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port,
    allowHalfOpen: true,
    socket: {
      data: (_, chunk) => void chunks.push(new Uint8Array(chunk)),
      close: () => resolve(),
      error: () => resolve(),
    },
  })
  socket.write(Buffer.from(text, 'latin1'))
  socket.shutdown()
  const timer = setTimeout(resolve, PATIENCE_MS)
  await promise
  clearTimeout(timer)
  socket.terminate()
  return Buffer.concat(chunks).toString('latin1')
}

/** What the server may say by itself, without our headers, to what is no HTTP. */
const BARE = [400, 408, 413, 414, 431, 501, 505]

/** What is wrong with the first of the answers, in words. Silence is none: there may have been no request. */
export function rawFaults(whole: string): string[] {
  const answer = whole.replace(/^(HTTP\/1\.1 100 [^\r]*\r\n\r\n)+/, '')
  if (answer === '') return []
  const [head = ''] = answer.split('\r\n\r\n', 1)
  const [line = '', ...fields] = head.split('\r\n')
  const status = Number(line.split(' ')[1])
  const headers = new Headers(
    fields.map((field): [string, string] => [field.split(':', 1)[0] ?? '', field.split(': ')[1] ?? '']),
  )
  if (!headers.has('X-Tier') && BARE.includes(status)) return []
  // The path is not known for sure: errors of chat tell their own type, and no request here is for OpenAI's.
  const isChat = /^application\/json/.test(headers.get('Content-Type') ?? '')
  const path = headers.has('X-Tier') ? (isChat ? '/api/chat' : '/api') : '/'
  const body = answer.slice(head.length + 4, head.length + 4 + Number(headers.get('Content-Length') ?? 0))
  return faultsOf({ status, headers, text: body }, path)
}
