import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import OpenAI, { APIError, BadRequestError, NotFoundError, RateLimitError } from 'openai'
import { MANY_CALLERS, makeKey, makeWorld } from '../support/world'
import { breaksAfter, fails, makeModel, says } from './model'

/** The official client of OpenAI, as it is published, against a real socket. */

const model = makeModel()
const world = await makeWorld({ settings: { ...MANY_CALLERS, ...model.settings, FREE_LIMIT_PER_HOUR: '3' } })
const host = world.listen().slice(0, -1)
const key = makeKey(1)
const clientOf = (headers: Record<string, string>) =>
  new OpenAI({ baseURL: `${host}/api/openai`, apiKey: 'unused', maxRetries: 0, defaultHeaders: headers })
const client = clientOf({ 'X-API-Key': key })
const made = await world.call({ key }, 'POST', '/api/notes', {
  title: 'House',
  body: 'The boiler warranty ends on 3 May 2027.',
})

afterAll(async () => {
  await world.close()
  model.stop()
})
beforeEach(() => model.plays(says('Hello', ' there.')))

type Body = OpenAI.ChatCompletionCreateParamsNonStreaming
const messages: Body['messages'] = [{ role: 'user', content: 'When does the boiler warranty end?' }]
const local: Body = { model: 'satchel-local', messages }
const ANSWER = 'From "House": "The boiler warranty ends on 3 May 2027." [1]'
const create = async (body: object) => await client.chat.completions.create(body as Body)

test('an answer as JSON, with its citations as annotations', async () => {
  const { choices, usage, object, ...rest } = await create(local)
  const [choice] = choices
  expect([object, choice?.finish_reason, choice?.message.content]).toEqual(['chat.completion', 'stop', ANSWER])
  const citation = { url: `${host}/api/notes/${made.body.id}`, title: 'House', start_index: 56, end_index: 59 }
  expect(choice?.message.annotations).toEqual([{ type: 'url_citation', url_citation: citation }])
  expect(ANSWER.slice(56, 59)).toBe('[1]')
  expect(usage?.total_tokens).toBe((usage?.prompt_tokens ?? 0) + (usage?.completion_tokens ?? 0))
  expect(rest).toMatchObject({ model: 'satchel-local', x_satchel: { engine: 'local', grounded: true, actions: [] } })
})

test('an answer as a stream: joined deltas equal the JSON, and the usage comes last', async () => {
  const parts: OpenAI.ChatCompletionChunk[] = []
  const options = { stream: true as const, stream_options: { include_usage: true } }
  for await (const part of await client.chat.completions.create({ ...local, ...options })) parts.push(part)
  expect(parts.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe(ANSWER)
  expect(parts[0]?.choices[0]?.delta).toEqual({ role: 'assistant', content: '' })
  const [final, counted] = parts.slice(-2)
  expect(final?.choices[0]?.finish_reason).toBe('stop')
  expect(final).toMatchObject({ x_satchel: { grounded: true } })
  expect([counted?.choices, counted?.usage?.completion_tokens]).toEqual([[], 15])
})

test("the client's own reader of streams puts them together", async () => {
  const whole = await client.chat.completions.stream({ ...local, stream: true }).finalChatCompletion()
  expect(whole.choices[0]?.message.content).toBe(ANSWER)
})

test('a model on another server', async () => {
  expect((await create({ ...local, model: 'big-model' })).choices[0]?.message.content).toBe('Hello there.')
})

test('an answer is sent back, parts of text are joined, and unknown members are named', async () => {
  const [choice] = (await create(local)).choices
  const parts = [
    { type: 'text', text: 'When does the boiler' },
    { type: 'text', text: 'warranty end?' },
  ]
  const user = { role: 'user', content: parts, name: 'me' }
  const body = { ...local, messages: [...messages, choice?.message, user], store: false, max_tokens: null }
  const answer = await create(body)
  expect(answer.choices[0]?.message.content).toBe(ANSWER)
  expect(answer).toMatchObject({ x_satchel: { warnings: ['ignored:store', 'ignored:messages.name'] } })
})

describe('the mode', () => {
  const offered = async (named: string, x_satchel?: object) => {
    await create({ model: named, messages: [{ role: 'user', content: 'Add milk' }], x_satchel })
    return model.asked.at(-1)?.tools?.some(({ function: { name } }) => name === 'create_note')
  }

  test.each<[string, string, object | undefined, boolean]>([
    ['is read', 'big-model', undefined, false],
    ['is write under the second name of a model', 'big-model-write', undefined, true],
    ['is what x_satchel says', 'big-model', { mode: 'write' }, true],
    ['is what x_satchel says, also against the name', 'big-model-write', { mode: 'read' }, false],
  ])('%s', async (_, name, x_satchel, writes) => expect(await offered(name, x_satchel)).toBe(writes))

  test('of the embedded engine is that of its name, too', async () => {
    const say = (named: string) =>
      create({ model: named, messages: [{ role: 'user', content: 'Add a task: buy milk' }] })
    expect(await say('satchel-local')).toMatchObject({ x_satchel: { actions: [] } })
    const written = await say('satchel-local-write')
    expect(written).toMatchObject({ model: 'satchel-local', x_satchel: { actions: [{ status: 'done' }] } })
  })

  test.each(['another-write', 'satchel-local-write-write', '-write', 'auto-write', 'SATCHEL-LOCAL-WRITE'])(
    'is no meaning of %s, which is refused with the names that there are',
    async (name) => {
      const refused = create({ ...local, model: name })
      await expect(refused).rejects.toBeInstanceOf(NotFoundError)
      await expect(refused).rejects.toThrow(
        'Use auto, satchel-local, satchel-local-write, big-model or big-model-write.',
      )
    },
  )

  test('is none of other APIs: their default is write already', async () => {
    for (const [method, path, body] of [
      ['POST', '/api/chat', { messages, model: 'satchel-local-write' }],
      ['POST', '/api/show', { model: 'satchel-local-write' }],
    ] as const)
      expect((await world.call({ key }, method, path, body)).status).toBe(404)
  })
})

describe('an error', () => {
  test.each<[string, object]>([
    ['n', { n: 2 }],
    ['tools', { tools: [{ type: 'function', function: { name: 'f' } }] }],
    ['functions', { functions: [{ name: 'f' }] }],
    ['response_format', { response_format: { type: 'json_object' } }],
    ['parts', { messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: {} }] }] }],
    ['tool', { messages: [...messages, { role: 'tool', content: 'x', tool_call_id: 'c' }] }],
    ['modalities', { modalities: ['text', 'audio'] }],
  ])('for %s has the class of its status and names what is not offered', async (name, members) => {
    const refused = create({ ...local, ...members })
    await expect(refused).rejects.toBeInstanceOf(BadRequestError)
    await expect(refused).rejects.toThrow(name)
  })

  test('empty forms of the same are fine', async () => {
    const empty = {
      n: 1,
      tools: [],
      functions: [],
      response_format: { type: 'text' },
      modalities: ['text'],
      audio: null,
    }
    expect((await create({ ...local, ...empty })).choices[0]?.finish_reason).toBe('stop')
  })

  test('has the class of its status', async () => {
    await expect(create({ ...local, model: 'another' })).rejects.toBeInstanceOf(NotFoundError)
    const free = clientOf({})
    for (let i = 0; i < 3; i++) await free.models.list()
    await expect(free.models.list().then(String)).rejects.toBeInstanceOf(RateLimitError)
  })

  test('before the first byte of a stream has its status', async () => {
    model.plays(fails(500))
    await expect(create({ ...local, model: 'big-model', stream: true })).rejects.toMatchObject({ status: 502 })
  })

  test('in the middle of a stream is thrown after the text so far', async () => {
    model.plays(breaksAfter('So far', ' so good'))
    const said: string[] = []
    const read = async () => {
      const stream = await client.chat.completions.create({ model: 'big-model', messages, stream: true })
      for await (const part of stream) said.push(part.choices[0]?.delta.content ?? '')
    }
    const failed = read()
    await expect(failed).rejects.toBeInstanceOf(APIError)
    await expect(failed).rejects.toThrow('The language model failed to answer.')
    expect(said.join('')).toBe('So far so good')
  })
})

test('models are listed under both names, and each is found by them', async () => {
  const { data } = await client.models.list()
  expect(data.map(({ id }) => id)).toEqual(['satchel-local', 'satchel-local-write', 'big-model', 'big-model-write'])
  for (const one of data) expect(await client.models.retrieve(one.id)).toEqual(one)
})

test('a model is found only by whoever may use it', async () => {
  const nobody = async (name: string) =>
    (await world.call({ address: '192.0.2.7' }, 'GET', `/api/openai/models/${name}`)).status
  expect([await nobody('satchel-local-write'), await nobody('big-model'), await nobody('big-model-write')]).toEqual([
    200, 404, 404,
  ])
  await expect((async () => await client.models.retrieve('a/b'))()).rejects.toBeInstanceOf(NotFoundError)
})

test('every call is answered the same below /v1', async () => {
  const v1 = client.withOptions({ baseURL: `${host}/api/openai/v1` })
  expect((await v1.chat.completions.create(local)).choices[0]?.message.content).toBe(ANSWER)
  expect((await v1.models.list()).data).toEqual((await client.models.list()).data)
  expect(await v1.models.retrieve('big-model')).toEqual(await client.models.retrieve('big-model'))
  await expect((async () => await v1.embeddings.create({ model: 'auto', input: 'a' }))()).rejects.toMatchObject({
    status: 501,
  })
})

test('a title that is asked for beside the answer waits for its turn, and both come', async () => {
  const end = Promise.withResolvers<void>()
  model.plays(async (asked) => {
    await end.promise
    return says(asked.messages.at(-1)?.content.includes('title') ? 'Boiler' : 'In May.')(asked)
  })
  const say = async (content: string) =>
    (await create({ model: 'big-model', messages: [{ role: 'user', content }] })).choices[0]?.message.content
  const both = Promise.all([say('When does the boiler warranty end?'), say('Make a title of three words.')])
  while (model.asked.length === 0) await Bun.sleep(0)
  end.resolve()
  expect(await both).toEqual(['In May.', 'Boiler'])
})
