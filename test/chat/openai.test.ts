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

test('the mode is read unless x_satchel says otherwise', async () => {
  const asks = (x_satchel?: object) =>
    create({ model: 'big-model', messages: [{ role: 'user', content: 'Add milk' }], x_satchel })
  await asks()
  expect(model.asked[0]?.tools?.map(({ function: { name } }) => name)).not.toContain('create_note')
  await asks({ mode: 'write' })
  expect(model.asked[1]?.tools?.map(({ function: { name } }) => name)).toContain('create_note')
})

describe('an error', () => {
  test.each<[string, object]>([
    ['n', { n: 2 }],
    ['tools', { tools: [{ type: 'function', function: { name: 'f' } }] }],
    ['functions', { functions: [{ name: 'f' }] }],
    ['response_format', { response_format: { type: 'json_object' } }],
    ['parts', { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] }] }],
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

test('models are listed', async () => {
  const { data } = await client.models.list()
  expect(data.map(({ id }) => id)).toEqual(['satchel-local', 'big-model'])
})
