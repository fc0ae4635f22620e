import { afterEach, describe, expect, test } from 'bun:test'
import { AnswerFault } from '../../../src/http/outgoing'
import { createRemoteEncoder } from '../../../src/search/meaning/remote'
import { play, type Reply } from '../../chat/upstream/server'

/** A model on another server: real sockets of loopback, and what such servers do. */

const KEY = 'sk-secret-of-the-operator'
const NOW = Date.parse('2026-03-02T12:00:00Z')
const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

async function stage(replies: Reply[], settings: { apiKey?: string | null; totalMs?: number } = {}) {
  const server = await play(...replies)
  stops.push(server.stop)
  const logged: unknown[] = []
  const keep = (level: string) => (fields: object, message: string) => void logged.push({ level, ...fields, message })
  const encoder = createRemoteEncoder(
    { baseUrl: `${server.url}/v1`, model: 'm', apiKey: KEY, totalMs: 20_000, ...settings },
    { now: () => NOW, log: { info: keep('info'), warn: keep('warn'), error: keep('error') } },
  )
  return { ...server, encoder, logged }
}

const json = (value: unknown): Reply => ({ type: 'application/json', chunks: [JSON.stringify(value)] })
const vectors = (...embeddings: unknown[]) =>
  json({ data: embeddings.map((embedding, index) => ({ object: 'embedding', index, embedding })) })
const rounded = (made: Float32Array[]) => made.map((vector) => Array.from(vector, (value) => Number(value.toFixed(6))))

describe('vectors', () => {
  test('are asked for by name, with the key, and come as unit vectors', async () => {
    const { encoder, seen } = await stage([vectors([3, 4], [0, -2])])
    expect(encoder.name).toBe('m')
    expect(rounded(await encoder.embed(['one', 'two']))).toEqual([
      [0.6, 0.8],
      [0, -1],
    ])
    const [{ path, headers, body } = {}] = seen as unknown as Record<string, Record<string, string>>[]
    expect([path as unknown, headers?.authorization]).toEqual(['/v1/embeddings', `Bearer ${KEY}`])
    expect(body as object).toEqual({ model: 'm', input: ['one', 'two'], encoding_format: 'float' })
  })

  test('have the order of the texts, whatever the order of the answer', async () => {
    const data = [
      { index: 1, embedding: [0, 1] },
      { index: 0, embedding: [1, 0] },
    ]
    expect(rounded(await (await stage([json({ data })])).encoder.embed(['a', 'b']))).toEqual([
      [1, 0],
      [0, 1],
    ])
  })

  test('come from servers that say neither index nor type, and from one that wants no key', async () => {
    const data = [{ embedding: [1, 0] }, { embedding: [0, 1] }]
    const { encoder, seen } = await stage([{ chunks: [JSON.stringify({ data })] }], { apiKey: null })
    expect(await encoder.embed(['a', 'b'])).toHaveLength(2)
    expect(seen[0]?.headers).not.toHaveProperty('authorization')
  })

  test('of no text are none, and nobody is asked', async () => {
    const { encoder, seen } = await stage([])
    expect([await encoder.embed([]), seen]).toEqual([[], []])
  })

  test('of more texts than one request takes come from several', async () => {
    const { encoder, seen } = await stage([vectors(...Array(64).fill([1, 0])), vectors([0, 1])])
    const made = await encoder.embed(Array(65).fill('a'))
    expect([made.length, rounded(made.slice(63))]).toEqual([
      65,
      [
        [1, 0],
        [0, 1],
      ],
    ])
    expect(seen).toHaveLength(2)
  })

  test('of one text as long as they may be, with all their digits, fit into what is read', async () => {
    const longest = Array.from({ length: 8192 }, (_, i) => -Math.abs(Math.sin(i)) * 1e-9)
    const { encoder } = await stage([vectors(longest)])
    expect((await encoder.embed(['text']))[0]?.length).toBe(8192)
  })

  test('of a whole batch in long vectors fit into what is read', async () => {
    const long = Array.from({ length: 4096 }, (_, i) => Math.sin(i) / 64)
    const { encoder } = await stage([vectors(...Array(64).fill(long))])
    const made = await encoder.embed(Array(64).fill('text'))
    expect([made.length, made[63]?.length, Math.hypot(...(made[63] ?? [])).toFixed(5)]).toEqual([64, 4096, '1.00000'])
  })
})

describe('what is no answer', () => {
  const bodies: [what: string, reply: Reply, why: string][] = [
    ['too few', vectors([1]), 'the answer holds 1 vectors for 2 texts'],
    ['too many', vectors([1], [1], [1]), 'the answer holds 3 vectors for 2 texts'],
    ['two lengths', vectors([1, 0], [1]), 'no usable vectors'],
    ['zeros', vectors([1, 0], [0, 0]), 'no usable vectors'],
    ['no numbers at all', vectors([], []), 'no usable vectors'],
    ['a number that is none', vectors([1, 0], [1, null]), 'no usable vectors'],
    ['numbers as text', vectors([1, 0], ['1', '0']), 'no usable vectors'],
    ['base64 that nobody asked for', vectors('AACAPwAAAAA=', 'AACAPwAAAAA='), 'no usable vectors'],
    [
      'numbers beyond the finite',
      { chunks: ['{"data":[{"embedding":[1e999]},{"embedding":[1]}]}'] },
      'no usable vectors',
    ],
    ['the same index twice', json({ data: [1, 1].map((index) => ({ index, embedding: [1] })) }), 'no usable vectors'],
    ['a far index', json({ data: [0, 4e9].map((index) => ({ index, embedding: [1] })) }), 'no usable vectors'],
    ['vectors beyond the limit', vectors(...Array(2).fill(Array(8193).fill(1))), 'no usable vectors'],
    ['no JSON', { chunks: [`not ${KEY}`] }, 'the answer is not JSON'],
    ['an error with 200', json({ error: { message: KEY } }), 'the answer is an error'],
    ['nothing', { chunks: [] }, 'the answer is not JSON'],
    ['another form', json({ embeddings: [[1], [1]] }), 'the answer holds 0 vectors for 2 texts'],
    ['more than its texts can be', { chunks: Array(3).fill(' '.repeat(2 ** 18)) }, 'the answer is over 0.5 MiB'],
    ...[400, 401, 403, 404, 429, 500, 503].map(
      (status) => [String(status), { status, chunks: [KEY] }, `answered ${status}`] as [string, Reply, string],
    ),
  ]
  test.each(bodies)('%s', async (_, reply, why) => {
    const { encoder, logged } = await stage([reply])
    const error = await encoder.embed(['a', 'b']).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(AnswerFault)
    expect(error).toMatchObject({ code: 'upstream_failed', retryAfterMs: null })
    expect(String(error)).toContain(why)
    expect(logged).toHaveLength(1)
    expect(`${error} ${JSON.stringify([error, logged])}`).not.toContain(KEY)
  })

  test.each([
    [401, 'error'],
    [429, 'warn'],
    [500, 'warn'],
  ])('%i is of the level %s in the log', async (status, level) => {
    const { encoder, logged } = await stage([{ status }])
    await encoder.embed(['a']).catch(() => {})
    expect(logged).toMatchObject([{ level }])
  })

  test('that goes on is one line in the log, one more if a key is not taken, and another when it begins again', async () => {
    const replies = [
      { status: 500 },
      { status: 503 },
      { chunks: ['x'] },
      { status: 401 },
      { status: 500 },
      { status: 401 },
    ]
    const { encoder, logged } = await stage([...replies, vectors([1]), { status: 500 }, { status: 500 }])
    for (let i = 0; i < 9; i++) await encoder.embed(['a']).catch(() => {})
    expect(logged).toMatchObject([{ status: 500 }, { level: 'error', status: 401 }, { level: 'warn', status: 500 }])
  })

  test('a redirect is not followed: the key would go along', async () => {
    const other = await play(vectors([1]))
    stops.push(other.stop)
    const { encoder } = await stage([{ status: 307, headers: { Location: `${other.url}/v1/embeddings` } }])
    await expect(encoder.embed(['a'])).rejects.toThrow('answered 307')
    expect(other.seen).toEqual([])
  })

  test.each([
    ['20', 20_000],
    ['Mon, 02 Mar 2026 12:01:00 GMT', 60_000],
    ['Mon, 02 Mar 2026 11:00:00 GMT', 0],
    ['soon', null],
    ['6.5', null],
  ])('a busy server that says %j is tried again then', async (after, retryAfterMs) => {
    const { encoder } = await stage([{ status: 429, headers: { 'Retry-After': after } }])
    await expect(encoder.embed(['a'])).rejects.toMatchObject({ retryAfterMs })
  })

  test.each<[string, Reply]>([
    ['nothing', { silent: true }],
    ['half an answer', { type: 'application/json', chunks: ['{"data":['], after: 'silence' }],
    ['half a refusal', { status: 500, chunks: ['wait'], after: 'silence' }],
  ])('a server that says %s is left', async (_, reply) => {
    const { encoder, closed } = await stage([reply], { totalMs: 50 })
    await expect(encoder.embed(['a'])).rejects.toMatchObject({ name: 'AnswerFault', code: 'upstream_timeout' })
    await closed
  })

  test('a connection that breaks, and a server that is not there', async () => {
    const broken = await stage([{ type: 'application/json', chunks: ['{"data":['], after: 'break' }])
    broken.said()
    await expect(broken.encoder.embed(['a'])).rejects.toBeInstanceOf(AnswerFault)
    const gone = await stage([])
    gone.stop()
    await expect(gone.encoder.embed(['a'])).rejects.toThrow('the connection failed')
  })

  test.each([
    ['a reason of its own', new Error('gone'), 'Error: gone'],
    ["the platform's, which has a code as failures of the network have", undefined, 'AbortError'],
  ])('an abort with %s is no fault of the server, and closes the connection', async (_, reason, thrown) => {
    const { encoder, asked, closed, logged } = await stage([{ silent: true }])
    const controller = new AbortController()
    const made = encoder.embed(['a'], controller.signal).catch((error: unknown) => error)
    await asked
    controller.abort(reason)
    expect(String(await made)).toStartWith(thrown)
    await closed
    expect(logged).toEqual([])
  })
})
