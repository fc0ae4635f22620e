import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import { type Message, Ollama, type Tool, type ToolCall } from 'ollama'
import { z } from 'zod'
import { chatAnswer } from '../../src/chat/schema'
import { type As, MANY_CALLERS, makeKey, makeWorld } from '../support/world'
import { calls, fails, makeModel, type Reply, says } from './model'

/** Tools and formats of Ollama's clients, which are for the language model: over a real socket, with the official client. */

const model = makeModel()
const limits = { FREE_LIMIT_PER_HOUR: '1000', CHAT_TOKENS_PER_DAY: '600' }
const world = await makeWorld({ settings: { ...MANY_CALLERS, ...model.settings, ...limits } })
const behind = await makeWorld({
  settings: {
    ...MANY_CALLERS,
    ...model.settings,
    CHAT_BASE_URL: model.settings.CHAT_BASE_URL.replace('/v1', ''),
    CHAT_DIALECT: 'ollama',
  },
})
const alone = await makeWorld({ settings: MANY_CALLERS })
const host = world.listen().slice(0, -1)
const behindHost = behind.listen().slice(0, -1)
let keys = 0
let me: As & { key: string }
let client: Ollama

afterAll(async () => {
  await world.close()
  await behind.close()
  await alone.close()
  model.stop()
})
beforeEach(() => {
  me = { key: makeKey(++keys) }
  client = new Ollama({ host, headers: { 'X-API-Key': me.key } })
  model.plays(says('Fine', '.'))
})

const user = { role: 'user', content: 'How is the weather in Rome?' }
const toolNamed = (name: string): Tool => ({
  type: 'function',
  function: { name, description: 'D', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
})
const weather = toolNamed('get_weather')
const call: ToolCall & { id: string } = { id: 'c', function: { name: 'get_weather', arguments: { city: 'Rome' } } }
const called = { role: 'assistant', content: '', tool_calls: [call] }
const result = { role: 'tool', content: 'Sunny.', tool_name: 'get_weather' }
const asked = { model: 'big-model', messages: [user], tools: [weather] }
const send = (body: object, as: As = me) => world.call(as, 'POST', '/api/chat', body)
const countChanges = async () => (await world.call(me, 'GET', '/api/changes')).body.items.length

/** Answers with calls whose arguments are the model's text. */
const callsWith =
  (...all: [id: string, name: string, args: string][]): Reply =>
  () => {
    const tool_calls = all.map(([id, name, args], index) => ({ index, id, function: { name, arguments: args } }))
    const usage = { prompt_tokens: 10, completion_tokens: 5 }
    const chunk = { choices: [{ delta: { tool_calls }, finish_reason: 'tool_calls' }], usage }
    const headers = { 'Content-Type': 'text/event-stream' }
    return new Response(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`, { headers })
  }

/** Answers as Ollama does. */
const saysAsOllama =
  (message: object): Reply =>
  () => {
    const end = { message, done: true, done_reason: 'stop', prompt_eval_count: 10, eval_count: 5 }
    return new Response(`${JSON.stringify(end)}\n`, { headers: { 'Content-Type': 'application/x-ndjson' } })
  }

/** The loop of the client's documentation: its tools run until the model needs none. */
async function runTools(ollama: Ollama, ran: unknown[], named: (name: string) => object): Promise<Message> {
  const messages: Message[] = [user]
  for (;;) {
    const { message } = await ollama.chat({ ...asked, messages })
    messages.push(message)
    if (!message.tool_calls) return message
    for (const { function: wanted } of message.tool_calls) {
      ran.push([wanted.name, wanted.arguments])
      messages.push({ role: 'tool', content: `Sunny in ${wanted.arguments.city}.`, ...named(wanted.name) })
    }
  }
}

describe('tools of the client', () => {
  test('are the model’s: an answer has exactly the members of its schema, and the calls as Ollama has them', async () => {
    model.plays(calls('get_weather', { city: 'Rome' }))
    const { body, status } = await send(asked)
    expect(status).toBe(200)
    expect([...Value.Errors({ ...chatAnswer, additionalProperties: false }, body)]).toEqual([])
    expect(body.message).toEqual({ role: 'assistant', content: '', tool_calls: [call] })
    expect(body).toMatchObject({ done_reason: 'stop', engine: 'upstream', actions: [], citations: [], warnings: [] })
    expect(body.usage).toMatchObject({ prompt_tokens: 10, completion_tokens: 5, tool_calls: 0 })
    expect(model.asked).toMatchObject([{ messages: [user], tools: [weather] }])
    expect(model.asked[0]?.tools).toHaveLength(1)
  })

  test.each<[string, (name: string) => object]>([
    ['by the names of their tools', (tool_name) => ({ tool_name })],
    ['by their order', () => ({})],
  ])('run in the loop of the documentation, two at once, with results %s', async (_, named) => {
    const both: [string, string, string][] = [
      ['x', 'get_weather', '{"city":"Rome"}'],
      ['y', 'get_weather', '{"city":"Oslo"}'],
    ]
    model.plays(callsWith(...both), says('Sunny', ' in both.'))
    const ran: unknown[] = []
    const { content } = await runTools(client, ran, named)
    expect([content, ran]).toEqual([
      'Sunny in both.',
      [
        ['get_weather', { city: 'Rome' }],
        ['get_weather', { city: 'Oslo' }],
      ],
    ])
    expect(model.asked[1]?.messages.slice(1)).toMatchObject([
      { role: 'assistant', tool_calls: [{ id: 'x' }, { id: 'y' }] },
      { role: 'tool', tool_call_id: 'x', content: 'Sunny in Rome.' },
      { role: 'tool', tool_call_id: 'y', content: 'Sunny in Oslo.' },
    ])
  })

  test('run in the same loop if the model speaks Ollama’s own API', async () => {
    const { id: _, ...bare } = call
    model.plays(saysAsOllama({ content: '', tool_calls: [bare] }), saysAsOllama({ content: 'Sunny in Rome.' }))
    const ran: unknown[] = []
    const ollama = new Ollama({ host: behindHost, headers: { 'X-API-Key': me.key } })
    const { content } = await runTools(ollama, ran, (tool_name) => ({ tool_name }))
    expect([content, ran]).toEqual(['Sunny in Rome.', [['get_weather', { city: 'Rome' }]]])
    expect(model.asked[0]?.messages).toEqual([user])
    expect(model.asked[1]?.messages).toEqual([
      user,
      { role: 'assistant', content: '', tool_calls: [bare] },
      { role: 'tool', tool_name: 'get_weather', content: 'Sunny in Rome.' },
    ] as never)
  })

  test('are streamed: each call is a part of its own, and the end has neither text nor calls', async () => {
    model.plays(callsWith(['x', 'get_weather', '{"city":"Rome"}'], ['y', 'get_weather', '']))
    const parts = []
    for await (const part of await client.chat({ ...asked, stream: true })) parts.push(part)
    expect(parts.map(({ message }) => message)).toEqual([
      { role: 'assistant', content: '', tool_calls: [call].map((one) => ({ ...one, id: 'x' })) },
      { role: 'assistant', content: '', tool_calls: [{ id: 'y', function: { name: 'get_weather', arguments: {} } }] },
      { role: 'assistant', content: '' },
    ] as never)
    expect(parts.map(({ done }) => done)).toEqual([false, false, true])
    expect(parts.at(-1)).toMatchObject({ done_reason: 'stop', eval_count: expect.any(Number) })
    expect(parts.at(-1)).not.toHaveProperty('tool_calls')
  })

  test('are streamed as Server-Sent Events to whoever accepts them', async () => {
    model.plays(calls('get_weather', { city: 'Rome' }))
    const { body } = await world.call(me, 'POST', '/api/chat', asked, { Accept: 'text/event-stream' })
    const [first = '', second = ''] = String(body).split('\n\n')
    expect(first).toStartWith('event: tool_call\ndata: {"model":"big-model"')
    expect(first).toContain(`"tool_calls":[${JSON.stringify(call)}]`)
    expect(second).toStartWith('event: done\n')
    expect(second).not.toContain('get_weather')
  })

  test('a broken call, which Ollama’s clients could not read, is an error of the model, never a call without arguments', async () => {
    for (const args of ['{"ci', '[1]', '"Rome"', '7']) {
      model.plays(callsWith(['x', 'get_weather', args]))
      expect(await send(asked)).toMatchObject({ status: 502, body: { code: 'upstream_failed' } })
    }
    for (const args of ['', 'null', '{}']) {
      model.plays(callsWith(['x', 'get_weather', args]))
      const { body } = await send(asked)
      expect(body.message.tool_calls).toEqual([{ id: 'x', function: { name: 'get_weather', arguments: {} } }])
    }
  })

  test.each(['create_note', 'trash_item', 'search'])(
    'named %s like ours are not ours: nothing is read or changed',
    async (name) => {
      await world.call(me, 'POST', '/api/notes', { title: 'House', body: 'The boiler is blue.' })
      const before = await countChanges()
      model.plays(calls(name, { title: 'x', query: 'boiler', type: 'note' }))
      const { body } = await send({ ...asked, tools: [toolNamed(name)] })
      expect(body.message.tool_calls).toMatchObject([{ function: { name } }])
      expect(body).toMatchObject({ actions: [], citations: [], undo: null, grounded: false, warnings: [] })
      expect(await countChanges()).toBe(before)
      expect(model.asked).toHaveLength(1)
      expect(model.asked[0]?.tools?.map((tool) => tool.function.name)).toEqual([name])
      expect(JSON.stringify(model.asked[0]?.messages)).toBe(JSON.stringify([user]))
    },
  )

  test('a call of ours that the model makes up does not run, whether or not the client has tools', async () => {
    const before = await countChanges()
    model.plays(calls('create_note', { title: 'x' }))
    const history = { model: 'big-model', messages: [user, called, result] }
    for (const body of [asked, history, { model: 'big-model', messages: [user], format: 'json' }])
      expect((await send(body)).body.actions).toEqual([])
    expect(await countChanges()).toBe(before)
    expect(model.asked).toHaveLength(3)
  })

  test.each<[string, object]>([
    ['mode', { mode: 'write' }],
    ['mode', { mode: 'read' }],
    ['scope', { scope: { types: ['note'] } }],
    ['confirm', { confirm: ['x'] }],
  ])('%s beside them is refused, since it would be lost', async (name, members) => {
    for (const sent of [asked, { ...asked, tools: [], format: 'json' }, { ...asked, messages: [user, called, result] }])
      expect(await send({ ...sent, ...members })).toMatchObject({
        status: 400,
        body: { code: 'unsupported_parameter', errors: [{ pointer: `/${name}` }] },
      })
    expect(model.asked).toEqual([])
  })

  test.each<[object, string[]]>([
    [{ scope: {}, confirm: [], think: false }, ['ignored:think']],
    [{ time_zone: 'Europe/Rome', keep_alive: '5m' }, ['ignored:keep_alive', 'ignored:time_zone']],
    [{ options: { num_ctx: 4096 }, temperature: 1 }, ['ignored:temperature', 'ignored:num_ctx']],
  ])('%j beside them is fine, and what has no effect is named', async (members, warnings) => {
    expect((await send({ ...asked, ...members })).body.warnings).toEqual(warnings)
  })

  test('the options reach the model, and a choice among the tools as well', async () => {
    const options = { temperature: 0, top_p: 0.5, seed: 7, num_predict: 20, stop: ['!'] }
    model.plays(says('Fine! And more.'))
    const { body } = await send({ ...asked, options, tool_choice: { type: 'function', name: 'get_weather' } })
    expect(body.message.content).toBe('Fine')
    const tool_choice = { type: 'function', function: { name: 'get_weather' } }
    expect(model.asked[0]).toMatchObject({ temperature: 0, top_p: 0.5, seed: 7, max_tokens: 20, tool_choice } as never)
    for (const choice of ['auto', 'none', 'required']) await send({ ...asked, tool_choice: choice })
    expect(model.asked.slice(1)).toMatchObject(
      ['auto', 'none', 'required'].map((one) => ({ tool_choice: one })) as never,
    )
  })

  test('under an Idempotency-Key the model is asked once, as JSON and as a stream', async () => {
    model.plays(calls('get_weather', { city: 'Rome' }))
    for (const stream of [false, true]) {
      const post = () => world.call(me, 'POST', '/api/chat', { ...asked, stream }, { 'Idempotency-Key': `${stream}` })
      const [first, again] = [await post(), await post()]
      expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true'])
      if (!stream) expect(again.body).toEqual(first.body)
      else expect(String(again.body)).toContain(`"tool_calls":[${JSON.stringify(call)}]`)
    }
    expect(model.asked).toHaveLength(2)
  })
})

describe('a format of the client', () => {
  const country = z.object({ name: z.string(), languages: z.array(z.string()) })
  const json = '{"name": "[1] ![x](http://h/y.png)", "languages": ["it"]}'

  test('is passed on as the documentation shows it, and the answer comes back to the letter', async () => {
    model.plays(says(json))
    const format = z.toJSONSchema(country)
    const { message } = await client.chat({ model: 'big-model', messages: [user], format })
    expect(message.content).toBe(json)
    expect(country.parse(JSON.parse(message.content)).languages).toEqual(['it'])
    const response_format = { type: 'json_schema', json_schema: { name: 'answer', schema: format } }
    expect(model.asked[0]).toMatchObject({ response_format, messages: [user] } as never)
    expect(model.asked[0]).not.toHaveProperty('tools')
  })

  test('is passed on by generate, with its system message, as JSON and as a stream', async () => {
    model.plays(says('{"name":', '"x"}'))
    const ask = { model: 'big-model', prompt: 'Name a country.', system: 'Be brief.', format: 'json' }
    expect((await client.generate(ask)).response).toBe('{"name":"x"}')
    const parts = []
    for await (const { response } of await client.generate({ ...ask, stream: true })) parts.push(response)
    expect(parts).toEqual(['{"name":', '"x"}', ''])
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Name a country.' },
    ]
    const passed = { messages, response_format: { type: 'json_object' } }
    expect(model.asked).toMatchObject([passed, passed] as never)
  })

  test.each(['json', { type: 'object', properties: {} }])('%j reaches Ollama as it is', async (format) => {
    model.plays(saysAsOllama({ content: '{}' }))
    const { body } = await behind.call(me, 'POST', '/api/chat', { model: 'big-model', messages: [user], format })
    expect([body.message.content, model.asked]).toMatchObject(['{}', [{ format, messages: [user] }]] as never)
  })

  test.each([[''], [null], [{}], [undefined]])('%j is none: chat answers with its own tools', async (format) => {
    await send({ model: 'big-model', messages: [user], format, tools: [] })
    await world.call(me, 'POST', '/api/generate', { model: 'big-model', prompt: 'Hello', format })
    for (const { tools } of model.asked) expect(tools?.map(({ function: { name } }) => name)).toContain('search')
    expect(model.asked).toHaveLength(2)
  })

  test.each(['xml', 'JSON', 7, true, ['json']].map((format) => [format]))('%j is refused', async (format) => {
    for (const [path, body] of [
      ['/api/chat', { messages: [user] }],
      ['/api/generate', { prompt: 'Hello' }],
    ] as const) {
      const refused = await world.call(me, 'POST', path, { ...body, model: 'big-model', format })
      expect(refused.body).toMatchObject({ code: 'unsupported_parameter', errors: [{ pointer: '/format' }] })
    }
    expect(model.asked).toEqual([])
  })
})

describe('who may', () => {
  const RULES = 'it is a rule-based engine that answers from what is stored'
  const chat = '/api/chat'
  const parts: [name: string, path: string, members: object][] = [
    ['tools', chat, { messages: [user], tools: [weather] }],
    ['format', chat, { messages: [user], format: 'json' }],
    ['tool_calls', chat, { messages: [user, called, result] }],
    ['format', '/api/generate', { prompt: 'Hello', format: 'json' }],
  ]

  test.each(parts)('%s at %s: the embedded engine refuses them, and names the model', async (name, path, members) => {
    for (const stream of [true, false]) {
      const { status, body } = await world.call(me, 'POST', path, { ...members, model: 'satchel-local:latest', stream })
      expect([status, body.code]).toEqual([400, 'unsupported_parameter'])
      const sentence = `${name} is not offered by satchel-local: ${RULES}. Name the model big-model`
      expect(body.error).toStartWith(sentence)
    }
    expect(model.asked).toEqual([])
  })

  test.each(parts)('%s at %s: whoever has no model is refused in any case', async (_, path, members) => {
    for (const [place, as] of [
      [world, { address: '192.0.2.9' }],
      [alone, { key: makeKey(1) }],
    ] as const) {
      const auto = await place.call(as, 'POST', path, members)
      expect([auto.status, auto.body.code]).toEqual([400, 'unsupported_parameter'])
      expect(auto.body.detail).toContain('there is none for you here')
      expect((await place.call(as, 'POST', path, { ...members, model: 'big-model' })).status).toBe(404)
    }
    expect(model.asked).toEqual([])
  })

  test('auto is the model, and never the embedded engine instead of it', async () => {
    expect((await send({ ...asked, model: 'auto:latest' })).body.model).toBe('big-model')
    model.plays(fails(500))
    expect((await send({ ...asked, model: 'auto' })).status).toBe(502)
    model.plays(fails(400))
    expect(await send({ ...asked, model: 'auto' })).toMatchObject({
      status: 400,
      body: { code: 'unsupported_parameter', error: expect.stringContaining('may not support these tools') },
    })
  })

  test('the tokens of the day are counted, and hold', async () => {
    for (let i = 0; i < 40; i++) await client.chat(asked)
    for (const named of ['big-model', 'auto'])
      await expect(client.chat({ ...asked, model: named })).rejects.toMatchObject({ status_code: 429 })
    expect(model.asked).toHaveLength(40)
  })

  test('a model is loaded whatever tools come with that, and shown with what it takes', async () => {
    for (const named of ['satchel-local', 'big-model'])
      expect((await send({ ...asked, model: named, messages: [] })).body.done_reason).toBe('load')
    expect((await client.show({ model: 'auto' })).capabilities).toEqual(['completion', 'tools'])
    expect((await client.show({ model: 'satchel-local' })).capabilities).toEqual(['completion'])
    expect((await new Ollama({ host }).show({ model: 'auto' })).capabilities).toEqual(['completion'])
  })
})

describe('what is malformed', () => {
  const withCalls = (...tool_calls: object[]) => ({ ...called, tool_calls })

  test.each<[string, object, string]>([
    ['a result without a call', { messages: [user, result] }, '/messages/1/tool_name'],
    ['a result without a call and a name', { messages: [user, { role: 'tool', content: 'x' }] }, '/messages/1/role'],
    ['a result of another tool', { messages: [user, called, { ...result, tool_name: 'f' }] }, '/messages/2/tool_name'],
    [
      'a result of another call',
      { messages: [user, called, { ...result, tool_call_id: 'd' }] },
      '/messages/2/tool_call_id',
    ],
    ['two results of a call', { messages: [user, called, result, result] }, '/messages/3/tool_name'],
    ['a result after the next question', { messages: [user, called, user, result] }, '/messages/2'],
    ['a call without a result', { messages: [user, called] }, '/messages/1'],
    ['two calls and one result', { messages: [user, withCalls(call, { ...call, id: 'd' }), result] }, '/messages/2'],
    ['two calls with one id', { messages: [user, withCalls(call, call), result, result] }, '/messages/1/tool_calls'],
    ['a call by the user', { messages: [{ ...user, tool_calls: [call] }, result] }, '/messages/0/tool_calls'],
    ['an answer at the end', { messages: [user, { role: 'assistant', content: 'x' }] }, '/messages/1/role'],
    ['no message but instructions', { messages: [{ role: 'system', content: 'x' }] }, '/messages/0/role'],
    ['a question without content', { messages: [{ role: 'user' }] }, '/messages/0/content'],
    ['a result without content', { messages: [user, called, { role: 'tool' }] }, '/messages/2/content'],
    ['an answer without content and calls', { messages: [user, { role: 'assistant' }, user] }, '/messages/1/content'],
    [
      'arguments as a text',
      { messages: [user, withCalls({ function: { name: 'f', arguments: '{}' } }), result] },
      '/messages/1/tool_calls/0/function/arguments',
    ],
    ['a call without a name', { messages: [user, withCalls({ function: { arguments: {} } }), result] }, '/messages/1'],
    ['a choice of no tool', { tool_choice: { type: 'function', name: 'f' } }, '/tool_choice/name'],
    ['an unknown choice', { tool_choice: 'any' }, '/tool_choice'],
    ['a tool without a name', { tools: [{ type: 'function', function: {} }] }, '/tools/0/function/name'],
    ['a tool with a name of blanks', { tools: [toolNamed('a b')] }, '/tools/0/function/name'],
    ['a tool of another type', { tools: [{ type: 'web_search' }] }, '/tools/0'],
    ['129 tools', { tools: Array(129).fill(weather) }, '/tools'],
    ['tools that are no list', { tools: { f: weather } }, '/tools'],
  ])('%s is refused and pointed at, and the model is not asked', async (_, members, pointer) => {
    const { status, body } = await send({ ...asked, ...members })
    expect([status, body.code]).toEqual([400, 'invalid_request'])
    expect(body.errors[0].pointer).toStartWith(pointer)
    expect(model.asked).toEqual([])
  })

  test.each<[string, object]>([
    [
      'results by their ids, in any order',
      {
        messages: [
          user,
          withCalls(call, { ...call, id: 'd' }),
          ...['d', 'c'].map((tool_call_id) => ({ ...result, tool_call_id })),
        ],
      },
    ],
    [
      'calls without ids, of two answers',
      {
        messages: [
          user,
          withCalls({ function: call.function }),
          result,
          withCalls({ function: call.function }),
          result,
        ],
      },
    ],
    [
      'an answer with calls and no content',
      {
        messages: [
          user,
          { role: 'assistant', tool_calls: [{ type: 'function', function: { ...call.function, index: 0 } }] },
          result,
        ],
      },
    ],
    [
      'instructions after the question, and no tools any more',
      { tools: [], messages: [user, called, result, { role: 'developer', content: 'Be brief.' }] },
    ],
    [
      '128 tools',
      { tools: Array.from({ length: 128 }, (_, i) => ({ type: 'function', function: { name: `f${i}` } })) },
    ],
    ['no choice', { tool_choice: null }],
  ])('%s are fine', async (_, members) => {
    expect((await send({ ...asked, ...members })).body.message).toEqual({ role: 'assistant', content: 'Fine.' })
  })

  test('results by the names of their tools go to those calls, whatever their order', async () => {
    const other = { id: 'd', function: { name: 'get_time', arguments: {} } }
    await send({ ...asked, messages: [user, withCalls(call, other), { ...result, tool_name: 'get_time' }, result] })
    expect(model.asked[0]?.messages.slice(2)).toMatchObject([{ tool_call_id: 'd' }, { tool_call_id: 'c' }] as never)
  })

  test('calls without ids get some, each its own, and results go to them', async () => {
    const bare = { function: call.function }
    await send({ ...asked, messages: [user, withCalls(bare, bare), result, result] })
    expect(model.asked[0]?.messages.slice(1)).toMatchObject([
      { tool_calls: [{ id: 'c00010000' }, { id: 'c00010001' }] },
      { tool_call_id: 'c00010000' },
      { tool_call_id: 'c00010001' },
    ] as never)
  })

  test('pictures are refused beside tools, too', async () => {
    const pictured = { ...user, images: ['aGk='] }
    for (const sent of [asked, { model: 'big-model' }])
      expect(await send({ ...sent, messages: [pictured] })).toMatchObject({
        status: 400,
        body: { code: 'unsupported_parameter', errors: [{ pointer: '/messages/0/images' }] },
      })
    expect(model.asked).toEqual([])
  })

  test('without tools a choice means nothing, and the answer says so', async () => {
    for (const members of [{}, { format: 'json' }, { tools: [], messages: [user, called, result] }]) {
      const sent = { model: 'big-model', messages: [user], tool_choice: 'auto', ...members }
      expect((await send(sent)).body.warnings).toEqual(['ignored:tool_choice'])
    }
  })
})
