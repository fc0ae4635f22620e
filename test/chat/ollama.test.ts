import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import { type GenerateResponse, Ollama } from 'ollama'
import { generateAnswer } from '../../src/chat/ollama/generate'
import { makeVectors } from '../support/vectors'
import { MANY_CALLERS, makeKey, makeWorld } from '../support/world'
import { breaksAfter, fails, makeModel, says, waitsAfter } from './model'

/** The official client of Ollama, as it is published, against a real socket. */

const model = makeModel()
const vectors = makeVectors()
const world = await makeWorld({ settings: { ...MANY_CALLERS, ...model.settings, FREE_LIMIT_PER_HOUR: '1000' } })
const embedding = await makeWorld({ settings: { ...MANY_CALLERS, ...vectors.settings } })
const host = world.listen().slice(0, -1)
const key = makeKey(1)
const headers = { 'X-API-Key': key }
const client = new Ollama({ host, headers })
const keyless = new Ollama({ host })
const embedder = new Ollama({ host: embedding.listen().slice(0, -1), headers })
await world.call({ key }, 'POST', '/api/notes', { title: 'House', body: 'The boiler warranty ends on 3 May 2027.' })

afterAll(async () => {
  await world.close()
  await embedding.close()
  model.stop()
  await vectors.stop()
})
beforeEach(() => model.plays(says('Hello', ' there.')))

const prompt = 'When does the boiler warranty end?'
const local = { model: 'satchel-local', prompt }
const messages = [{ role: 'user', content: prompt }]
const chatting = { model: 'satchel-local', messages }
const ANSWER = 'From "House": "The boiler warranty ends on 3 May 2027." [1]'
const post = (path: string, body: unknown, more: Record<string, string> = {}) =>
  fetch(`${host}${path}`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json', ...more },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
const generate = async (body: object) => (await (await post('/api/generate', body)).json()) as Record<string, unknown>

test('an answer as JSON', async () => {
  const answer = await client.chat(chatting)
  expect(answer.message).toEqual({ role: 'assistant', content: ANSWER })
  expect([answer.done, answer.done_reason, answer.model]).toEqual([true, 'stop', 'satchel-local'])
})

test('an answer as a stream, whose last part is the end', async () => {
  const parts = []
  for await (const part of await client.chat({ ...chatting, stream: true })) parts.push(part)
  expect(parts.map(({ message }) => message.content).join('')).toBe(ANSWER)
  expect(parts.map(({ done }) => done)).toEqual([...parts.slice(1).map(() => false), true])
})

test('a model on another server, as JSON and as a stream', async () => {
  expect((await client.chat({ model: 'big-model', messages })).message.content).toBe('Hello there.')
  const parts = []
  for await (const part of await client.chat({ model: 'big-model', messages, stream: true }))
    parts.push(part.message.content)
  expect(parts.join('')).toBe('Hello there.')
  expect(parts.length).toBeGreaterThan(2)
})

test('an answer is sent back as a part of the conversation', async () => {
  const { message } = await client.chat(chatting)
  const again = await client.chat({ ...chatting, messages: [...messages, message, ...messages] })
  expect(again.message.content).toBe(ANSWER)
})

describe('an error of chat', () => {
  test('is thrown with its status and its sentence', async () => {
    const refused = client.chat({ model: 'another', messages })
    await expect(refused).rejects.toMatchObject({
      status_code: 404,
      error: 'There is no such model. Use auto, satchel-local or big-model.',
    })
    await expect(client.chat({ ...chatting, tools: [{ type: 'function', function: {} }] })).rejects.toThrow('tools')
  })

  test('of the gate is thrown with its sentence', async () => {
    await expect(new Ollama({ host, headers: { 'X-API-Key': 'short' } }).list()).rejects.toThrow('X-API-Key')
  })

  test('before the first byte of a stream has its status', async () => {
    model.plays(fails(500))
    await expect(client.chat({ model: 'big-model', messages, stream: true })).rejects.toMatchObject({
      status_code: 502,
    })
  })

  test('in the middle of a stream is thrown after the text so far', async () => {
    model.plays(breaksAfter('So far', ' so good'))
    const said: string[] = []
    const read = async () => {
      for await (const part of await client.chat({ model: 'big-model', messages, stream: true }))
        said.push(part.message.content)
    }
    await expect(read()).rejects.toThrow('The language model failed to answer.')
    expect(said.join('')).toBe('So far so good')
  })
})

test('models are listed, those that the caller may use', async () => {
  expect((await client.list()).models.map(({ name }) => name)).toEqual(['satchel-local:latest', 'big-model:latest'])
  expect((await keyless.list()).models.map(({ model }) => model)).toEqual(['satchel-local:latest'])
  await expect(keyless.chat({ model: 'big-model', messages })).rejects.toMatchObject({ status_code: 404 })
})

test('a model is shown, and none is loaded', async () => {
  expect((await client.show({ model: 'big-model' })).capabilities).toEqual(['completion'])
  await expect(keyless.show({ model: 'big-model' })).rejects.toMatchObject({ status_code: 404 })
  expect((await client.ps()).models).toEqual([])
  expect((await client.version()).version).toMatch(/^\d+\.\d+\.\d+$/)
})

describe('generate', () => {
  test('answers with exactly the members of its schema, those of chat among them', async () => {
    const answer = await client.generate(local)
    expect([...Value.Errors({ ...generateAnswer, additionalProperties: false }, answer)]).toEqual([])
    expect(answer).toMatchObject({
      model: 'satchel-local',
      response: ANSWER,
      done: true,
      done_reason: 'stop',
      context: [],
      prompt_eval_count: 9,
      grounded: true,
      citations: [{ n: 1, title: 'House', cited: true }],
    })
  })

  test('streams: joined parts and the last one equal the whole answer', async () => {
    const parts: GenerateResponse[] = []
    for await (const part of await client.generate({ ...local, stream: true })) parts.push(part)
    expect(parts.map(({ response }) => response).join('')).toBe(ANSWER)
    expect(parts.map(({ done }) => done)).toEqual([...parts.slice(1).map(() => false), true])
    expect(parts.at(-1)).toMatchObject({ response: '', context: [], citations: [{ n: 1 }] })
    for (const part of parts) expect(part).not.toHaveProperty('message')
  })

  test('streams Server-Sent Events to whoever accepts them by name', async () => {
    const text = await (await post('/api/generate', local, { Accept: 'text/event-stream' })).text()
    expect(text).toStartWith('event: delta\ndata: {"model":"satchel-local"')
    expect(text.split('event: done\n')[1]).toContain('"response":""')
  })

  test('does what a prompt asks for, and mode read does not', async () => {
    const add = (members: object) => generate({ model: 'satchel-local', prompt: 'add a task buy milk', ...members })
    expect((await add({ mode: 'read' })).actions).toEqual([])
    expect((await add({})).actions).toMatchObject([{ tool: 'create_task', status: 'done' }])
  })

  test('asks a model on another server with the system message first', async () => {
    const answer = await client.generate({ model: 'big-model', prompt: 'Hi', system: 'Be brief.' })
    expect(answer.response).toBe('Hello there.')
    const sent = model.asked[0]?.messages.map(({ content }) => content) ?? []
    expect(sent.slice(-2)).toEqual([expect.stringContaining('Be brief.'), 'Hi'])
  })

  test('is done once under an Idempotency-Key', async () => {
    const once = { 'Idempotency-Key': 'generate-once' }
    const first = await post('/api/generate', local, once)
    const again = await post('/api/generate', local, once)
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(await again.json()).toEqual(await first.json())
    expect((await post('/api/generate', { ...local, mode: 'read' }, once)).status).toBe(409)
  })

  test.each<[object, string[]]>([
    [{ keep_alive: '5m', think: false }, ['ignored:keep_alive', 'ignored:think']],
    [{ raw: true, template: '{{ .Prompt }}', context: [1, 2] }, ['ignored:raw', 'ignored:template', 'ignored:context']],
    [{ raw: false, template: '', context: [], suffix: '', images: [], format: '', system: '' }, []],
    [{ options: { num_ctx: 4096, temperature: 0 } }, ['ignored:num_ctx']],
  ])('takes %j, and names what has no effect', async (members, ignored) => {
    const { warnings, response } = await generate({ ...local, ...members })
    expect([(warnings as string[]).toSorted(), response]).toEqual([ignored.toSorted(), ANSWER])
  })

  test.each<[object, string, string]>([
    [{ suffix: 'return x' }, 'unsupported_parameter', '/suffix'],
    [{ images: ['iVBORw0KGgo='], system: 'Be brief.' }, 'unsupported_parameter', '/images'],
    [{ format: 'json' }, 'unsupported_parameter', '/format'],
    [{ prompt: '', images: ['iVBORw0KGgo='] }, 'unsupported_parameter', '/images'],
    [{ prompt: ' \n' }, 'invalid_request', '/prompt'],
    [{ prompt: '', confirm: ['x'] }, 'invalid_request', '/prompt'],
    [{ prompt: 'ä'.repeat(8193) }, 'invalid_request', '/prompt'],
    [{ prompt: ['x'] }, 'invalid_request', '/prompt'],
    [{ messages: [] }, 'invalid_request', '/messages'],
  ])('refuses %j and points at it', async (members, code, pointer) => {
    const response = await post('/api/generate', { ...local, ...members })
    expect([response.status, await response.json()]).toMatchObject([400, { code, errors: [{ pointer }] }])
  })

  test('of 16 KiB is answered', async () => {
    expect((await post('/api/generate', { ...local, prompt: 'ä'.repeat(8192) })).status).toBe(200)
  })
})

describe('a request without a question', () => {
  const LOADED = { model: 'satchel-local', created_at: expect.any(String), done: true }

  test.each<[string, object]>([
    ['load', {}],
    ['load', { prompt: '' }],
    ['load', { keep_alive: '10m' }],
    ['load', { keep_alive: -1 }],
    ['load', { keep_alive: '0.5s' }],
    ['load', { keep_alive: 0.5 }],
    ['load', { stream: true }],
    ['unload', { keep_alive: 0 }],
    ['unload', { keep_alive: '0' }],
    ['unload', { keep_alive: '0s' }],
  ])('has the reason %s with %j, in generate and in chat', async (done_reason, members) => {
    const asked = { model: 'satchel-local:latest', ...members }
    expect(await generate(asked)).toEqual({ ...LOADED, done_reason, response: '' })
    const chat = await post('/api/chat', { ...asked, prompt: undefined, messages: [] })
    expect(await chat.json()).toEqual({ ...LOADED, done_reason, message: { role: 'assistant', content: '' } })
  })

  test("ends the stream of the client's", async () => {
    const parts = []
    for await (const part of await client.chat({ model: 'satchel-local', messages: [], stream: true }))
      parts.push(part.done_reason)
    expect(parts).toEqual(['load'])
  })

  test('of a model that is not here is refused', async () => {
    for (const name of ['llama3.2', 'satchel-local:7b', 'satchel'])
      await expect(client.generate({ model: name, prompt: '' })).rejects.toMatchObject({ status_code: 404 })
  })
})

describe('a name of a model', () => {
  test.each(['satchel-local', 'satchel-local:latest', 'auto', 'auto:latest', 'big-model', 'big-model:latest'])(
    '%s is known in chat, generate and show',
    async (name) => {
      const { model: answered } = await client.chat({ model: name, messages })
      expect(answered).toBe(name.startsWith('satchel') ? 'satchel-local' : 'big-model')
      expect((await client.generate({ model: name, prompt })).model).toBe(answered)
      expect((await client.show({ model: name })).capabilities).toContain('completion')
    },
  )

  test.each(['satchel-local:', 'satchel-local:7b', 'satchel-local:latest:latest', 'SATCHEL-LOCAL', ':latest', ''])(
    '%j is not',
    async (name) => {
      for (const call of [
        () => client.chat({ model: name, messages }),
        () => client.generate({ model: name, prompt }),
        () => client.show({ model: name }),
      ])
        await expect(call()).rejects.toMatchObject({ status_code: 404 })
    },
  )

  test('of embeddings may have the tag as well', async () => {
    for (const name of ['small-vectors', 'small-vectors:latest', 'auto'])
      expect((await embedder.embed({ model: name, input: 'a' })).model).toBe('small-vectors')
    for (const name of ['small-vectors:7b', 'satchel-local', 'vectors:latest'])
      await expect(embedder.embed({ model: name, input: 'a' })).rejects.toMatchObject({ status_code: 404 })
  })

  test('with a tag of its own in the settings is known by that, and without it if it is latest', async () => {
    const tagged = await makeWorld({ settings: { ...model.settings, CHAT_MODEL: 'qwen3:latest' } })
    await using other = await makeWorld({ settings: { ...model.settings, CHAT_MODEL: 'qwen3:4b' } })
    const show = async (one: typeof world, name: string) =>
      (await one.call({ key }, 'POST', '/api/show', { model: name })).status
    expect([await show(tagged, 'qwen3'), await show(tagged, 'qwen3:latest'), await show(tagged, 'qwen3:4b')]).toEqual([
      200, 200, 404,
    ])
    expect([await show(other, 'qwen3:4b'), await show(other, 'qwen3'), await show(other, 'qwen3:latest')]).toEqual([
      200, 404, 404,
    ])
    const { body } = await other.call({ key }, 'GET', '/api/tags')
    expect(body.models.map(({ name }: { name: string }) => name)).toEqual(['satchel-local:latest', 'qwen3:4b'])
    await tagged.close()
  })
})

test('the older call for an embedding gives the same vector', async () => {
  const { embeddings } = await embedder.embed({ model: 'auto', input: 'boiler' })
  expect(await embedder.embeddings({ model: 'auto', prompt: 'boiler' })).toEqual({ embedding: embeddings[0] ?? [] })
  await expect(client.embeddings({ model: 'auto', prompt: 'boiler' })).rejects.toMatchObject({ status_code: 501 })
})

test('abort ends a stream in the middle, for the client and for the model', async () => {
  const never = Promise.withResolvers<void>()
  model.plays(waitsAfter(['So far'], never.promise))
  const aborting = new Ollama({ host, headers })
  const said: string[] = []
  const read = async () => {
    for await (const { response } of await aborting.generate({ model: 'big-model', prompt, stream: true })) {
      said.push(response ?? '')
      aborting.abort()
    }
  }
  await expect(read()).rejects.toThrow('abort')
  expect(said.join('')).toStartWith('So')
  const { signal } = model.asked[0] ?? {}
  if (signal && !signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
  never.resolve()
})

describe('an error', () => {
  test('before the first byte of a stream has its status and its sentence', async () => {
    model.plays(fails(500))
    await expect(client.generate({ model: 'big-model', prompt, stream: true })).rejects.toMatchObject({
      status_code: 502,
      error: 'The language model failed to answer.',
    })
  })

  test('in the middle of a stream is its last line', async () => {
    model.plays(breaksAfter('So far', ' so good'))
    const text = await (await post('/api/generate', { model: 'big-model', prompt, stream: true })).text()
    const last = JSON.parse(text.trim().split('\n').at(-1) ?? '')
    const detail = 'The language model failed to answer.'
    expect(last).toEqual({
      type: '/docs/errors#upstream_failed',
      title: 'Upstream failed',
      status: 502,
      code: 'upstream_failed',
      detail,
      error: detail,
      request_id: expect.any(String),
      actions: [],
      undo: null,
    })
  })

  test.each([
    ['pull', () => client.pull({ model: 'llama3.2' })],
    ['push', () => client.push({ model: 'me/llama3.2' })],
    ['create', () => client.create({ model: 'mario', from: 'llama3.2' })],
    ['copy', () => client.copy({ source: 'llama3.2', destination: 'mine' })],
    ['delete', () => client.delete({ model: 'llama3.2' })],
  ])('of %s, which is not offered, is a 404 that the client can read', async (_, call) => {
    await expect(call().then(String)).rejects.toMatchObject({
      status_code: 404,
      error: 'There is nothing at this path.',
    })
  })
})
