import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import OpenAI, { BadRequestError, InternalServerError, NotFoundError, RateLimitError } from 'openai'
import { type As, MANY_CALLERS, makeKey, makeWorld } from '../support/world'
import { breaksAfter, calls, fails, makeModel, says } from './model'

/** Tools and formats of OpenAI's clients, which are for the language model: over a real socket, with the official client. */

const model = makeModel()
const limits = { FREE_LIMIT_PER_HOUR: '1000', CHAT_TOKENS_PER_DAY: '60' }
const world = await makeWorld({ settings: { ...MANY_CALLERS, ...model.settings, ...limits } })
const alone = await makeWorld({ settings: MANY_CALLERS })
const host = world.listen().slice(0, -1)
const PATH = '/api/openai/chat/completions'
let keys = 0
let me: As & { key: string }
let client: OpenAI

afterAll(async () => {
  await world.close()
  await alone.close()
  model.stop()
})
beforeEach(() => {
  me = { key: makeKey(++keys) }
  const defaultHeaders = { 'X-API-Key': me.key }
  client = new OpenAI({ baseURL: `${host}/api/openai`, apiKey: 'unused', maxRetries: 0, defaultHeaders })
  model.plays(says('Fine', '.'))
})

const user = { role: 'user' as const, content: 'How is the weather in Rome?' }
const toolNamed = (name: string) => ({
  type: 'function' as const,
  function: { name, description: 'D', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
})
const weather = toolNamed('get_weather')
const asked = { model: 'big-model', messages: [user], tools: [weather] }
const call = { id: 'c', type: 'function' as const, function: { name: 'get_weather', arguments: '{"city":"Rome"}' } }
const called = { role: 'assistant' as const, content: null, tool_calls: [call] }
const result = { role: 'tool' as const, tool_call_id: 'c', content: 'Sunny.' }
const create = async (body: object) =>
  await client.chat.completions.create(body as OpenAI.ChatCompletionCreateParamsNonStreaming)
const count = async () => {
  const { body } = await world.call(me, 'GET', '/api/changes')
  return body.items.length
}

describe('tools of the client', () => {
  test('are the model’s: its calls come back, their results go to it, and it answers', async () => {
    model.plays(calls('get_weather', { city: 'Rome' }), says('Sunny.'))
    const { choices, usage, ...rest } = await create(asked)
    expect(choices[0]).toMatchObject({ finish_reason: 'tool_calls', message: { content: null, tool_calls: [call] } })
    expect(usage).toEqual({ prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } as never)
    expect(rest).toMatchObject({ x_satchel: { engine: 'upstream', actions: [], citations: [], warnings: [] } })
    const again = await create({ ...asked, messages: [user, choices[0]?.message, result] })
    expect(again.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'Sunny.' } })
    expect(again.choices[0]?.message).not.toHaveProperty('tool_calls')
    expect(model.asked.map(({ messages }) => messages.map(({ role }) => role))).toEqual([
      ['user'],
      ['user', 'assistant', 'tool'],
    ])
  })

  test("the client's own runner of tools reaches the end", async () => {
    model.plays(calls('get_weather', { city: 'Rome' }), says('Sunny', ' in Rome.'))
    const asks: unknown[] = []
    const run = (args: string) => {
      asks.push(JSON.parse(args))
      return 'Sunny.'
    }
    const runner = client.chat.completions.runTools({
      model: 'big-model',
      messages: [user],
      tools: [{ type: 'function', function: { ...weather.function, function: run } }],
    })
    expect(await runner.finalContent()).toBe('Sunny in Rome.')
    expect(asks).toEqual([{ city: 'Rome' }])
  })

  test('are streamed as the client puts them together', async () => {
    model.plays(calls('get_weather', { city: 'Rome' }))
    const stream = client.chat.completions.stream({ ...asked, stream: true, stream_options: { include_usage: true } })
    const finish: unknown[] = []
    for await (const { choices } of stream) finish.push(...choices.map(({ finish_reason }) => finish_reason))
    const { choices, usage } = await stream.finalChatCompletion()
    expect(choices[0]?.message.tool_calls).toMatchObject([call])
    expect([finish.at(-1), choices[0]?.finish_reason, usage?.total_tokens]).toEqual(['tool_calls', 'tool_calls', 15])
  })

  test('called twice at once are two calls in a stream, too', async () => {
    const both = ['Rome', 'Oslo'].map((city, index) => ({
      index,
      id: city,
      function: { name: 'get_weather', arguments: JSON.stringify({ city }) },
    }))
    const chunk = { choices: [{ delta: { tool_calls: both }, finish_reason: 'tool_calls' }] }
    const headers = { 'Content-Type': 'text/event-stream' }
    model.plays(() => new Response(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`, { headers }))
    const whole = await client.chat.completions.stream({ ...asked, stream: true }).finalChatCompletion()
    expect(whole.choices[0]?.message.tool_calls).toMatchObject([{ id: 'Rome' }, { id: 'Oslo' }])
  })

  test.each(['create_note', 'trash_item', 'search'])(
    'named %s like ours are not ours, whatever the mode: nothing is read or changed',
    async (name) => {
      await world.call(me, 'POST', '/api/notes', { title: 'House', body: 'The boiler is blue.' })
      const before = await count()
      model.plays(calls(name, { title: 'x', query: 'boiler', type: 'note' }))
      for (const named of ['big-model', 'big-model-write']) {
        const body = { ...asked, model: named, tools: [toolNamed(name)], x_satchel: { mode: 'write' } }
        const answer = await create(body)
        expect(answer.choices[0]?.message.tool_calls).toMatchObject([{ function: { name } }])
        expect(answer).toMatchObject({
          x_satchel: { actions: [], citations: [], warnings: ['ignored:x_satchel.mode'] },
        })
      }
      expect(await count()).toBe(before)
      for (const { tools, messages } of model.asked) {
        expect(tools?.map((tool) => tool.function.name)).toEqual([name])
        expect(JSON.stringify(messages)).toBe(JSON.stringify([user]))
      }
    },
  )

  test('cannot confirm what waits, and a message that looks like it is for the model', async () => {
    const { body } = await world.call(me, 'POST', '/api/notes', { title: 'Old plan' })
    const ask = { messages: [{ role: 'user', content: 'Trash the note "Old plan"' }], model: 'satchel-local' }
    const waits = (await world.call(me, 'POST', '/api/chat', ask)).body.actions[0].confirm
    const refused = create({ ...asked, x_satchel: { confirm: [waits.token] } })
    await expect(refused).rejects.toThrow('confirm is not offered beside tools')
    await create({ ...asked, messages: [{ role: 'user', content: `confirm ${waits.code}` }] })
    expect(model.asked).toHaveLength(1)
    expect((await world.call(me, 'GET', `/api/notes/${body.id}`)).body.deleted_at).toBeNull()
  })

  test('under an Idempotency-Key the model is asked once, as JSON and as a stream', async () => {
    model.plays(calls('get_weather', { city: 'Rome' }))
    for (const stream of [false, true]) {
      const headers = { 'Idempotency-Key': `${stream}` }
      const send = () => world.call(me, 'POST', PATH, { ...asked, stream }, headers)
      const [first, again] = [await send(), await send()]
      expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true'])
      if (!stream) expect(again.body).toEqual(first.body)
      else expect(String(again.body).match(/"tool_calls":\[.*?\]/)?.[0]).toContain('get_weather')
    }
    expect(model.asked).toHaveLength(2)
  })
})

describe('a format of the client', () => {
  const response_format = {
    type: 'json_schema' as const,
    json_schema: { name: 'city', strict: true, schema: { type: 'object', properties: { city: { type: 'string' } } } },
  }

  test('is passed on, and the answer comes back to the letter', async () => {
    const json = '{"city": "[1] ![x](http://h/y.png)"}'
    model.plays(says(json))
    const { choices } = await create({ model: 'big-model', messages: [user], response_format })
    expect(choices[0]?.message.content).toBe(json)
    expect(model.asked[0]).toMatchObject({ response_format, messages: [user] })
    expect(model.asked[0]).not.toHaveProperty('tools')
  })

  test.each([[{ type: 'text' }], [null], [undefined]])(
    '%j is none: chat answers with its own tools',
    async (format) => {
      await create({ model: 'big-model', messages: [user], response_format: format })
      expect(model.asked[0]?.tools?.map(({ function: { name } }) => name)).toContain('search')
    },
  )

  test.each<[object, string]>([
    [{ type: 'grammar' }, 'text, json_object and json_schema'],
    [{ type: 'json_schema' }, 'schema must be an object'],
    [{ type: 'json_schema', json_schema: { schema: [] } }, 'schema must be an object'],
  ])('%j is refused', async (format, sentence) => {
    const refused = create({ model: 'big-model', messages: [user], response_format: format })
    await expect(refused).rejects.toBeInstanceOf(BadRequestError)
    await expect(refused).rejects.toThrow(sentence)
    expect(model.asked).toEqual([])
  })
})

describe('who may', () => {
  const RULES = 'it is a rule-based engine that answers from what is stored'
  const parts: [string, object][] = [
    ['tools', { tools: [weather] }],
    ['response_format', { response_format: { type: 'json_object' } }],
    ['tool_calls', { messages: [user, called, result] }],
  ]

  test.each(parts)('%s: the embedded engine refuses them, and names the model', async (name, members) => {
    for (const named of ['satchel-local', 'satchel-local-write']) {
      const refused = create({ model: named, messages: [user], ...members })
      await expect(refused).rejects.toBeInstanceOf(BadRequestError)
      await expect(refused).rejects.toThrow(
        `${name} is not offered by satchel-local: ${RULES}. Name the model big-model`,
      )
    }
    expect(model.asked).toEqual([])
  })

  test.each(parts)('%s: whoever has no model is refused in any case', async (_, members) => {
    const body = { messages: [user], ...members }
    for (const [place, as] of [
      [world, { address: '192.0.2.9' }],
      [alone, { key: makeKey(1) }],
    ] as const) {
      const auto = await place.call(as, 'POST', PATH, body)
      expect([auto.status, auto.body.code ?? auto.body.error.code]).toEqual([400, 'unsupported_parameter'])
      expect(JSON.stringify(auto.body)).toContain('there is none for you here')
      expect((await place.call(as, 'POST', PATH, { ...body, model: 'big-model' })).status).toBe(404)
    }
    expect(model.asked).toEqual([])
  })

  test('auto is the model, and never the embedded engine instead of it', async () => {
    await create({ ...asked, model: 'auto' })
    expect(model.asked).toHaveLength(1)
    model.plays(fails(500))
    await expect(create({ ...asked, model: 'auto' })).rejects.toBeInstanceOf(InternalServerError)
    model.plays(fails(400))
    await expect(create({ ...asked, model: 'auto' })).rejects.toThrow('may not support these tools')
  })

  test('the tokens of the day are counted, and hold', async () => {
    for (let i = 0; i < 4; i++) await create(asked)
    for (const named of ['big-model', 'auto'])
      await expect(create({ ...asked, model: named })).rejects.toBeInstanceOf(RateLimitError)
    expect(model.asked).toHaveLength(4)
  })

  test('an unknown name is no model for tools either', async () => {
    await expect(create({ ...asked, model: 'another' })).rejects.toBeInstanceOf(NotFoundError)
  })
})

describe('what is malformed', () => {
  test.each<[string, object, string]>([
    ['a result without a call', { messages: [user, result] }, 'tool_call_id must be the id of a call'],
    ['a result of another call', { messages: [user, called, { ...result, tool_call_id: 'd' }] }, 'tool_call_id'],
    ['two results of a call', { messages: [user, called, result, result] }, 'tool_call_id'],
    ['a result without an id', { messages: [user, called, { role: 'tool', content: 'x' }] }, 'tool_call_id'],
    ['a result after the next question', { messages: [user, called, user, result] }, 'must have a result'],
    ['a call without a result', { messages: [user, called] }, 'must have a result'],
    ['two calls with one id', { messages: [user, { ...called, tool_calls: [call, call] }, result] }, 'must differ'],
    [
      'an answer at the end',
      { messages: [user, { role: 'assistant', content: 'x' }] },
      'must be of the role user or tool',
    ],
    ['no message but instructions', { messages: [{ role: 'system', content: 'x' }] }, 'must be of the role'],
    [
      'a picture as result',
      { messages: [user, called, { ...result, content: [{ type: 'image_url' }] }] },
      'other than text',
    ],
    ['an unknown role', { messages: [{ role: 'bot', content: 'x' }] }, 'role must be one of'],
    [
      'a choice of no tool',
      { tool_choice: { type: 'function', function: { name: 'other' } } },
      'must name one of the tools',
    ],
    ['an unknown choice', { tool_choice: 'any' }, 'tool_choice'],
    ['a tool without a name', { tools: [{ type: 'function', function: {} }] }, 'name'],
    ['a tool with a name of blanks', { tools: [toolNamed('a b')] }, 'name'],
    ['a tool of another type', { tools: [{ type: 'web_search' }] }, 'tools'],
    ['129 tools', { tools: Array(129).fill(weather) }, 'tools'],
    [
      'arguments as an object',
      { messages: [user, { ...called, tool_calls: [{ ...call, function: { name: 'f', arguments: {} } }] }, result] },
      'arguments',
    ],
  ])('%s is refused in a sentence, and the model is not asked', async (_, members, sentence) => {
    const refused = create({ ...asked, ...members })
    await expect(refused).rejects.toBeInstanceOf(BadRequestError)
    await expect(refused).rejects.toThrow(sentence)
    expect(model.asked).toEqual([])
  })

  test.each<[string, object]>([
    [
      'two calls with their results, in any order',
      {
        messages: [
          user,
          { ...called, tool_calls: [call, { ...call, id: 'd' }] },
          { ...result, tool_call_id: 'd' },
          result,
        ],
      },
    ],
    ['calls of two answers with one id', { messages: [user, called, result, called, result] }],
    ['instructions after the question', { messages: [user, { role: 'developer', content: 'Be brief.' }] }],
    [
      'results as parts of text, and no tools any more',
      { tools: [], messages: [user, called, { ...result, content: [{ type: 'text', text: 'Sunny.' }] }] },
    ],
    [
      '128 tools',
      { tools: Array.from({ length: 128 }, (_, i) => ({ type: 'function', function: { name: `f${i}` } })) },
    ],
    ['a choice, and no calls at once', { tool_choice: 'required', parallel_tool_calls: false }],
    ['more tokens than there are', { max_completion_tokens: 100_000 }],
  ])('%s are fine', async (_, members) => {
    expect((await create({ ...asked, ...members })).choices[0]?.message.content).toBe('Fine.')
  })

  test('without tools a choice means nothing, and the answer says so', async () => {
    const answer = await create({
      model: 'big-model',
      messages: [user],
      tool_choice: 'auto',
      parallel_tool_calls: true,
    })
    expect(answer).toMatchObject({
      x_satchel: { warnings: ['ignored:tool_choice', 'ignored:parallel_tool_calls'] },
    })
  })
})

test('an answer that breaks off is an error at the end of the stream', async () => {
  model.plays(breaksAfter('So far'))
  const read = async () => {
    for await (const _ of await client.chat.completions.create({ ...asked, stream: true }));
  }
  await expect(read()).rejects.toThrow('The language model failed to answer.')
})
