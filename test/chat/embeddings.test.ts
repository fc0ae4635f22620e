import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { Ollama } from 'ollama'
import OpenAI, { APIError, BadRequestError, InternalServerError, NotFoundError, RateLimitError } from 'openai'
import { makeVectors, vectorOf } from '../support/vectors'
import { MANY_CALLERS, makeKey, makeWorld, stranger } from '../support/world'

/** The official clients of OpenAI and Ollama against a real socket; the model is a real server of loopback. */

const model = makeVectors()
const { asked } = model
const numbers = (text: string) => {
  const vector = vectorOf(text)
  return vector.map((value) => Math.fround(value / Math.hypot(...vector)))
}

const SETTINGS = { ...MANY_CALLERS, FREE_LIMIT_PER_HOUR: '1000' }
const world = await makeWorld({ settings: { ...SETTINGS, ...model.settings, CHAT_TOKENS_PER_DAY: '1000' } })
const off = await makeWorld({ settings: SETTINGS })
const hosts = [world, off].map((one) => one.listen().slice(0, -1))
const clients = (host: string | undefined, headers: Record<string, string>) => ({
  openai: new OpenAI({ baseURL: `${host}/api/openai`, apiKey: 'unused', defaultHeaders: headers, maxRetries: 0 }),
  ollama: new Ollama({ host: host ?? '', headers }),
})
/** A caller with a key of its own, and so with tokens of its own. */
const caller = () => clients(hosts[0], { 'X-API-Key': stranger().key })

const PATH = '/api/openai/embeddings'
/** A promise of the platform's: the client's own is none. */
const embed = async ({ openai }: { openai: OpenAI }, body: object) =>
  await openai.embeddings.create({ model: 'auto', ...body } as OpenAI.EmbeddingCreateParams)

beforeEach(() => model.reset())
afterAll(async () => {
  await world.close()
  await off.close()
  await model.stop()
})

describe("OpenAI's client", () => {
  test('gets vectors as it asks for them by default, which is base64', async () => {
    const { data, model: name, usage, object } = await embed(caller(), { input: 'ab' })
    expect(data).toEqual([{ object: 'embedding', index: 0, embedding: numbers('ab') }])
    expect([name, usage, object]).toEqual(['small-vectors', { prompt_tokens: 1, total_tokens: 1 }, 'list'])
    expect(asked).toEqual([{ model: 'small-vectors', input: ['ab'], encoding_format: 'float' }])
  })

  test('gets the same as numbers, and several in their order', async () => {
    const input = ['a', 'longer', 'the longest']
    const { data, usage } = await embed(caller(), { input, encoding_format: 'float' })
    expect(data.map(({ index }) => index)).toEqual([0, 1, 2])
    expect(data.map(({ embedding }) => embedding.map(Math.fround))).toEqual(input.map(numbers))
    expect(usage.total_tokens).toBe(1 + 2 + 3)
  })

  test('may name the model, and gets no other for it', async () => {
    const client = caller()
    expect((await embed(client, { model: 'small-vectors', input: 'a' })).data).toHaveLength(1)
    const other = embed(client, { model: 'text-embedding-3-small', input: 'a' })
    await expect(other).rejects.toBeInstanceOf(NotFoundError)
    await expect(other).rejects.toThrow('Use auto or small-vectors.')
  })

  test('sends as many texts as are taken, which go out in batches', async () => {
    const input = Array.from({ length: 256 }, (_, i) => 'x'.repeat((i % 7) + 1))
    const { data } = await embed(caller(), { input })
    expect(asked.map((batch) => batch.input.length)).toEqual([64, 64, 64, 64])
    expect(data.map(({ index, embedding }) => [index, ...embedding])).toEqual(
      input.map((text, i) => [i, ...numbers(text)]),
    )
  })

  test.each<[string, object, string]>([
    ['257 texts', { input: Array(257).fill('a') }, 'input'],
    ['no text', { input: [] }, 'input'],
    ['an empty text', { input: '' }, 'input'],
    ['an empty text among others', { input: ['a', ''] }, 'input'],
    ['a text of 8,193 characters', { input: 'x'.repeat(8193) }, 'input'],
    ['tokens instead of text', { input: [1, 2, 3] }, 'input'],
    ['dimensions', { dimensions: 256 }, 'dimensions'],
    ['another format', { encoding_format: 'int8' }, 'encoding_format'],
    ['an unknown member', { modle: 'auto' }, 'did you mean model'],
  ])('is refused %s in a sentence', async (_, members, named) => {
    const refused = embed(caller(), { input: 'a', ...members })
    await expect(refused).rejects.toBeInstanceOf(BadRequestError)
    await expect(refused).rejects.toThrow(named)
    expect(asked).toEqual([])
  })

  test.each<[string, object]>([
    ['dimensions that are null', { dimensions: null }],
    ['a user', { user: 'me' }],
    ['a text of 8,192 characters', { input: 'x'.repeat(8192) }],
  ])('is not refused %s', async (_, members) => {
    expect((await embed(caller(), { input: 'a', ...members })).data).toHaveLength(1)
  })
})

describe("Ollama's client", () => {
  test('gets vectors of a text and of texts', async () => {
    const { ollama } = caller()
    const one = await ollama.embed({ model: 'auto', input: 'ab' })
    expect(one.embeddings.map((vector) => vector.map(Math.fround))).toEqual([numbers('ab')])
    expect([one.model, one.prompt_eval_count, one.total_duration]).toEqual(['small-vectors', 1, 0])
    const input = ['a', 'longer']
    // LangChain sends `truncate: false` unless it is set otherwise.
    const many = await ollama.embed({ model: 'small-vectors', input, truncate: false, keep_alive: '5m', options: {} })
    expect(many.embeddings.map((vector) => vector.map(Math.fround))).toEqual(input.map(numbers))
  })

  test.each<[string, object, number, string]>([
    ['another model', { model: 'nomic-embed-text' }, 404, 'Use auto or small-vectors.'],
    ['dimensions', { dimensions: 256 }, 400, 'dimensions is not offered'],
    ['too many texts', { input: Array(257).fill('a') }, 400, 'input'],
    ['an empty text', { input: '' }, 400, 'input'],
  ])('is refused %s in a sentence', async (_, members, status_code, named) => {
    const refused = caller().ollama.embed({ model: 'auto', input: 'a', ...members })
    await expect(refused).rejects.toMatchObject({ status_code, error: expect.stringContaining(named) })
    expect(asked).toEqual([])
  })
})

describe('a model that fails', () => {
  test.each<[string, () => Response]>([
    ['a refusal', () => new Response('sk-secret', { status: 500 })],
    ['a page', () => new Response('<h1>sk-secret</h1>', { headers: { 'Content-Type': 'text/html' } })],
    ['too few vectors', () => Response.json({ data: [] })],
  ])('with %s is a 502 that says nothing of what it sent, and costs no tokens', async (_, answer) => {
    model.replies(answer)
    const { openai, ollama } = caller()
    const error = await embed({ openai }, { input: 'x'.repeat(4000) }).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(InternalServerError)
    expect(error).toMatchObject({ status: 502 })
    expect(String(error)).toContain('The model for embeddings is not available: ')
    expect(String(error)).not.toContain('sk-secret')
    await expect(ollama.embed({ model: 'auto', input: 'a' })).rejects.toMatchObject({ status_code: 502 })
    model.reset()
    expect((await embed({ openai }, { input: 'a' })).data).toHaveLength(1)
  })

  test('that is busy hands on when to come back', async () => {
    model.replies(() => new Response('', { status: 429, headers: { 'Retry-After': '7' } }))
    const { status, headers, body } = await world.call(stranger(), 'POST', PATH, { input: 'a' })
    expect([status, body.error.code, headers.get('retry-after')]).toEqual([502, 'upstream_failed', '7'])
  })
})

describe('a caller', () => {
  test('without a key is answered, with the headers of its limit', async () => {
    for (const path of [PATH, '/api/embed']) {
      const { status, headers } = await world.call({ address: '192.0.2.7' }, 'POST', path, { input: 'a' })
      expect([status, headers.get('x-ratelimit-limit'), headers.get('content-type')]).toEqual([
        200,
        '1000',
        expect.stringContaining('application/json'),
      ])
    }
  })

  test('has the tokens of a day, whichever client it uses, and others have theirs', async () => {
    const { openai, ollama } = caller()
    await embed({ openai }, { input: 'x'.repeat(3996) })
    await ollama.embed({ model: 'auto', input: 'x' })
    const refused = embed({ openai }, { input: 'a' })
    await expect(refused).rejects.toBeInstanceOf(RateLimitError)
    await expect(refused).rejects.toThrow('The 1000 tokens of this day are used up.')
    await expect(ollama.embed({ model: 'auto', input: 'a' })).rejects.toMatchObject({ status_code: 429 })
    expect((await embed(caller(), { input: 'a' })).data).toHaveLength(1)
  })

  test('without a key has the tokens of its address, at whichever site', async () => {
    const ask = async (host: string, address: string) =>
      (await world.call({ host, address }, 'POST', '/api/embed', { input: 'x'.repeat(3996) })).status
    expect(await ask('a.example', '192.0.2.8')).toBe(200)
    expect(await ask('b.example', '192.0.2.8')).toBe(200)
    expect(await ask('c.example', '192.0.2.8')).toBe(429)
    expect(await ask('c.example', '192.0.2.9')).toBe(200)
  })

  test('has two requests with the model at once; the others wait, and the end of it makes room, however it ends', async () => {
    const { openai } = caller()
    const held = Promise.withResolvers<void>()
    const came = Promise.withResolvers<void>()
    model.replies(async () => {
      came.resolve()
      await held.promise
      return new Response('', { status: 500 })
    })
    const first = embed({ openai }, { input: 'a' }).catch((thrown: unknown) => thrown)
    await came.promise
    const others = Array.from({ length: 10 }, () =>
      embed({ openai }, { input: 'a' }).then(
        ({ data }) => data.length,
        ({ status }) => status,
      ),
    )
    expect(await Promise.race(others)).toBe(503)
    while (asked.length < 2) await Bun.sleep(0)
    model.reset()
    held.resolve()
    expect(await first).toMatchObject({ status: 502 })
    expect((await Promise.all(others)).toSorted((a, b) => a - b)).toEqual([...Array(8).fill(1), 502, 503])
  })

  test('gets the same again under an Idempotency-Key, and the model is not asked', async () => {
    const me = stranger()
    const send = (path: string, input: string) =>
      world.call(me, 'POST', path, { input }, { 'Idempotency-Key': path.slice(5) })
    for (const path of [PATH, '/api/embed']) {
      const first = await send(path, 'boiler')
      const count = asked.length
      const again = await send(path, 'boiler')
      expect([again.status, again.headers.get('idempotency-replayed'), again.body]).toEqual([200, 'true', first.body])
      expect((await send(path, 'another')).status).toBe(409)
      expect(asked).toHaveLength(count)
    }
  })
})

describe('without a model for embeddings', () => {
  const { openai, ollama } = clients(hosts[1], { 'X-API-Key': makeKey(1) })

  test('both clients get 501 and a sentence, in the shape that they read', async () => {
    const refused = embed({ openai }, { input: 'a' })
    await expect(refused).rejects.toBeInstanceOf(APIError)
    await expect(refused).rejects.toMatchObject({ status: 501 })
    await expect(refused).rejects.toThrow('This server makes no embeddings')
    await expect(ollama.embed({ model: 'nomic-embed-text', input: 'a' })).rejects.toMatchObject({
      status_code: 501,
      error: 'This server makes no embeddings: its operator has set no model for them.',
    })
  })

  test('with a code, and not worth another try', async () => {
    const retrying = new OpenAI({ baseURL: `${hosts[1]}/api/openai`, apiKey: 'unused', maxRetries: 2 })
    const left = async () =>
      Number(
        (await off.call({ address: '127.0.0.1' }, 'GET', '/api/openai/models')).headers.get('x-ratelimit-remaining'),
      )
    const before = await left()
    await embed({ openai: retrying }, { input: 'a' }).catch(() => {})
    for (const path of [PATH, '/api/embed']) {
      const { status, headers, body } = await off.call({ address: '192.0.2.9' }, 'POST', path, { input: 'a' })
      expect([status, (path === PATH ? body.error : body).code, headers.get('content-type')]).toEqual([
        501,
        'embeddings_unavailable',
        'application/json',
      ])
    }
    // One request of the client's, and the one that looks.
    expect(await left()).toBe(before - 2)
  })

  test('what is asked wrongly is still a 400', async () => {
    expect((await off.call({}, 'POST', PATH, { input: [] })).status).toBe(400)
  })
})
