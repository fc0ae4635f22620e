import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { readError } from '../support/error-forms'
import { MANY_CALLERS, makeKey, makeWorld } from '../support/world'
import { makeModel, says } from './model'

/** Tools and formats of the client, which every chat API refuses: chat runs only the tools of Satchel. */

const model = makeModel()
const world = await makeWorld({ settings: { ...MANY_CALLERS, ...model.settings } })
const me = { key: makeKey(1) }

afterAll(async () => {
  await world.close()
  model.stop()
})
beforeEach(() => model.plays(says('Fine', '.')))

const user = { role: 'user', content: 'How is the weather in Rome?' }
const tools = [{ type: 'function', function: { name: 'get_weather', parameters: { type: 'object' } } }]
const call = { id: 'c', type: 'function', function: { name: 'get_weather', arguments: '{}' } }
const called = { role: 'assistant', content: '', tool_calls: [call] }
const result = { role: 'tool', content: 'Sunny.', tool_call_id: 'c' }

const CHAT = '/api/chat'
const OPENAI = ['/api/openai/chat/completions', '/api/openai/v1/chat/completions']
const PATHS = [CHAT, ...OPENAI]
const MODELS = ['auto', 'big-model', 'satchel-local']

const send = (path: string, body: object) => world.call(me, 'POST', path, { messages: [user], ...body })

describe.each(PATHS)('%s', (path) => {
  test.each(MODELS)('refuses tools of the client for %s in a sentence, and asks no model', async (name) => {
    for (const members of [{}, { stream: true }, { tool_choice: 'auto' }, { tool_choice: 'required' }]) {
      const { status, body } = await send(path, { model: name, tools, ...members })
      const { code, detail, errors } = readError(path, status, body)
      expect([status, code]).toEqual([400, 'unsupported_parameter'])
      expect(detail).toBe('tools are not offered: chat runs only the tools of Satchel')
      expect(errors).toMatchObject([{ pointer: '/tools', code: 'unsupported_parameter' }])
    }
    expect(model.asked).toEqual([])
  })

  test('refuses calls of such tools in the conversation', async () => {
    const { status, body } = await send(path, { messages: [user, called, user] })
    expect(readError(path, status, body)).toMatchObject({
      code: 'unsupported_parameter',
      errors: [{ pointer: '/messages/1/tool_calls' }],
    })
  })

  test('refuses their results', async () => {
    expect((await send(path, { messages: [user, result] })).status).toBe(400)
  })

  test.each<[object, string[]]>([
    [{ tools: [] }, []],
    [{ tools: null }, []],
    [{ tool_choice: 'none' }, ['ignored:tool_choice']],
    [{ tools: [], tool_choice: 'auto' }, ['ignored:tool_choice']],
    [{ tools, tool_choice: 'none' }, ['ignored:tool_choice', 'ignored:tools']],
  ])(
    '%j is fine, the tools of Satchel are offered to the model, and what has no effect is named',
    async (members, warnings) => {
      const { status, body } = await send(path, { model: 'big-model', ...members })
      expect(status).toBe(200)
      expect((body.x_satchel ?? body).warnings.toSorted()).toEqual(warnings)
      const offered = model.asked.flatMap((asked) => asked.tools?.map((tool) => tool.function.name) ?? [])
      expect(offered).toContain('search')
      expect(offered).not.toContain('get_weather')
    },
  )
})

describe('a format of the answer', () => {
  const schema = { type: 'object', properties: {} }

  test.each<[string, object]>([
    [CHAT, { format: 'json' }],
    [CHAT, { format: schema }],
    [CHAT, { format: 7 }],
    ...OPENAI.flatMap((path): [string, object][] => [
      [path, { response_format: { type: 'json_object' } }],
      [path, { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } } }],
      [path, { response_format: 'json' }],
    ]),
  ])('%s refuses %j, and asks no model', async (path, members) => {
    const { status, body } = await send(path, { model: 'big-model', ...members })
    const pointer = `/${Object.keys(members)[0]}`
    expect(readError(path, status, body)).toMatchObject({ code: 'unsupported_parameter', errors: [{ pointer }] })
    expect(model.asked).toEqual([])
  })

  test('is refused for a prompt of Ollama as well', async () => {
    const asked = { model: 'big-model', prompt: 'Hello', format: schema }
    const { body } = await world.call(me, 'POST', '/api/generate', asked)
    expect(body).toMatchObject({ code: 'unsupported_parameter', errors: [{ pointer: '/format' }] })
  })

  test.each<[string, object]>([
    ...['', null, {}].map((format): [string, object] => [CHAT, { format }]),
    ...OPENAI.flatMap((path) =>
      [{ type: 'text' }, null].map((response_format): [string, object] => [path, { response_format }]),
    ),
  ])('%s takes %j, which is none', async (path, members) => {
    expect((await send(path, { model: 'big-model', ...members })).status).toBe(200)
  })
})
