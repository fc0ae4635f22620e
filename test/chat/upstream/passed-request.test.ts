import { describe, expect, test } from 'bun:test'
import type { PassThrough } from '../../../src/chat/pass-through'
import { DIALECTS, NAMES, type Name, saying } from './dialects'
import { act, CATALOGUE } from './support'

/** Requests with tools or a format of the client: what the model's server gets, and what comes back of its answer. */

const WEATHER = { name: 'get_weather', description: 'Tells the weather.', input: { type: 'object', properties: {} } }
const CALL = { id: 'call-1', name: 'get_weather', arguments: '{"city":"Rome"}' }
const RULES = { toolChoice: null, parallelToolCalls: null, format: null }
const SCHEMA = { type: 'object', properties: { a: { type: 'number' } } }

const passing = (part: Partial<PassThrough> = {}): PassThrough => ({
  model: 'auto',
  turns: [{ role: 'user', content: 'How is the weather?' }],
  tools: [WEATHER],
  rules: RULES,
  maxTokens: null,
  options: { temperature: null, topP: null, seed: null },
  stop: [],
  parsesArguments: false,
  because: { pointer: '/tools', name: 'tools' },
  ...part,
})

/** Passes a request on to a server that answers in one dialect. */
const pass = (dialect: Name, part: Partial<PassThrough>, ...replies: Parameters<typeof act>[0]['replies']) =>
  act({ settings: { dialect }, request: passing(part), replies })

describe.each(NAMES)('%s', (dialect) => {
  const { type } = DIALECTS[dialect]
  const calling = (name: string, args: object) => saying(dialect, { calls: [{ name, args }] })

  test('the server gets the messages as they are, and no tool but those of the client', async () => {
    const { seen, ending, calls } = await pass(
      dialect,
      { turns: [{ role: 'system', content: 'Be brief.' }, ...passing().turns] },
      saying(dialect, { text: ['Fine.'] }),
    )
    expect(seen).toHaveLength(1)
    const { messages, tools } = seen[0]?.body ?? {}
    expect(messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'How is the weather?' },
    ])
    expect(tools).toEqual([
      {
        type: 'function',
        function: { name: 'get_weather', description: 'Tells the weather.', parameters: WEATHER.input },
      },
    ] as never)
    expect(ending).toEqual({ reason: 'stop', steps: 1, tokens: { prompt: 10, completion: 5, estimated: false } })
    expect(calls).toEqual([])
  })

  test('calls come back and are not run, also those of names that are ours', async () => {
    const both = [
      { name: 'get_weather', args: { city: 'Rome' } },
      { name: CATALOGUE[1]?.name ?? '', args: { title: 'x' } },
    ]
    const tools = [WEATHER, { ...WEATHER, name: 'create_task' }]
    const said = saying(dialect, { text: ['I look.'], calls: both })
    const { returned, calls, text, seen, ending } = await pass(dialect, { tools }, said)
    expect(returned.map(({ name, arguments: sent }) => [name, JSON.parse(sent)])).toEqual([
      ['get_weather', { city: 'Rome' }],
      ['create_task', { title: 'x' }],
    ])
    expect(new Set(returned.map(({ id }) => id)).size).toBe(2)
    expect([calls, text, seen.length, ending?.reason]).toEqual([[], 'I look.', 1, 'stop'])
  })

  test('results go back beside their calls, and ids that are made differ from those before', async () => {
    const turns = [
      ...passing().turns,
      { role: 'assistant' as const, content: '', calls: [{ ...CALL, id: 'c00010000' }] },
      { role: 'tool' as const, content: 'Sunny.', call: { ...CALL, id: 'c00010000' } },
    ]
    const bare = { function: { name: 'get_weather', arguments: {} } }
    const reply =
      dialect === 'openai'
        ? {
            type,
            chunks: [
              `data: ${JSON.stringify({ choices: [{ delta: { tool_calls: [bare] }, finish_reason: 'stop' }] })}\n\n`,
            ],
          }
        : { type, chunks: [`${JSON.stringify({ message: { tool_calls: [bare] }, done: true })}\n`] }
    const { seen, returned } = await pass(dialect, { turns }, reply)
    const [asked, told] = seen[0]?.body.messages.slice(-2) ?? []
    expect(asked?.tool_calls).toMatchObject([{ function: { name: 'get_weather' } }])
    expect(told).toMatchObject(
      dialect === 'openai'
        ? { role: 'tool', tool_call_id: 'c00010000', content: 'Sunny.' }
        : { role: 'tool', tool_name: 'get_weather', content: 'Sunny.' },
    )
    expect(returned).toEqual([{ id: 'c00020000', name: 'get_weather', arguments: '{}' }])
  })

  test('arguments that are broken go back to the server as an object, and come from it as they are', async () => {
    const turns = [
      ...passing().turns,
      { role: 'assistant' as const, content: '', calls: [{ ...CALL, arguments: '{"ci' }] },
      { role: 'tool' as const, content: '?', call: CALL },
    ]
    const { seen } = await pass(dialect, { turns }, saying(dialect, { text: ['Oh.'] }))
    const [call] = (seen[0]?.body.messages[1]?.tool_calls ?? []) as { function: { arguments: unknown } }[]
    expect(call?.function.arguments).toEqual(dialect === 'openai' ? '{}' : {})
    if (dialect === 'ollama') return
    const sent = { index: 0, id: 'x', function: { name: 'get_weather', arguments: '{"ci' } }
    const chunk = { choices: [{ delta: { tool_calls: [sent] }, finish_reason: 'tool_calls' }] }
    const { returned } = await pass(dialect, {}, { type, chunks: [`data: ${JSON.stringify(chunk)}\n\n`] })
    expect(returned).toEqual([{ id: 'x', name: 'get_weather', arguments: '{"ci' }])
  })

  test('for clients that parse arguments, a call without an object is a failure of the model', async () => {
    const reply = (sent: unknown) => {
      const tool_calls = [{ index: 0, id: 'x', function: { name: 'get_weather', arguments: sent } }]
      const openai = { choices: [{ delta: { tool_calls }, finish_reason: 'tool_calls' }] }
      const chunks =
        dialect === 'openai'
          ? [`data: ${JSON.stringify(openai)}\n\n`]
          : [`${JSON.stringify({ message: { tool_calls }, done: true })}\n`]
      return { type, chunks }
    }
    for (const broken of ['{"ci', '[1]', '7']) {
      const { failure, returned } = await pass(dialect, { parsesArguments: true }, reply(broken))
      expect([failure?.code, returned]).toEqual(['upstream_failed', []])
    }
    for (const whole of ['{"city":"Rome"}', '', {}]) {
      const { returned } = await pass(dialect, { parsesArguments: true }, reply(whole))
      expect(returned).toHaveLength(1)
    }
  })

  test('text comes as it is: no mark, image or word in it is ours to change', async () => {
    const json = '{"a": "[1] ![x](http://h/y.png)"}'
    const { text } = await pass(dialect, { tools: [] }, saying(dialect, { text: [json] }))
    expect(text).toBe(json)
  })

  test('what was thought stays out of the answer', async () => {
    const { text } = await pass(dialect, {}, saying(dialect, { thought: 'Hm.', text: ['<think>x</think>', 'Yes.'] }))
    expect(text).toBe('Yes.')
  })

  test('without tools of the client, or with the choice none, calls are not passed on', async () => {
    for (const part of [{ tools: [] }, { rules: { ...RULES, toolChoice: 'none' as const } }])
      expect((await pass(dialect, part, calling('get_weather', {}))).returned).toEqual([])
  })

  test('an answer that is cut off has no calls, and says whose limit it was', async () => {
    const cut = saying(dialect, { text: ['So'], calls: [{ name: 'get_weather', args: {} }], finish: 'length' })
    const ours = await pass(dialect, {}, cut)
    expect([ours.ending?.reason, ours.returned, ours.warnings]).toEqual(['length', [], ['budget_exhausted']])
    const theirs = await pass(dialect, { maxTokens: 7 }, cut)
    expect([theirs.ending?.reason, theirs.returned, theirs.warnings]).toEqual(['length', [], []])
  })

  test.each([
    [null, 1024],
    [7, 7],
    [5000, 1024],
  ])('a limit of %p tokens becomes %i', async (maxTokens, limit) => {
    const { seen } = await pass(dialect, { maxTokens }, saying(dialect, { text: ['x'] }))
    const { body } = seen[0] ?? {}
    const options = body?.options as { num_predict: number } | undefined
    expect(dialect === 'openai' ? body?.max_tokens : options?.num_predict).toBe(limit)
  })

  test('a stop sequence ends the text, and nothing is called after it', async () => {
    const said = saying(dialect, { text: ['One. STOP two.'], calls: [{ name: 'get_weather', args: {} }] })
    const { ending, returned } = await pass(dialect, { stop: ['STOP'] }, said)
    expect([ending?.reason, returned]).toEqual(['stop', []])
  })

  test('an empty answer is one', async () => {
    const { ending, text } = await pass(dialect, {}, saying(dialect, {}))
    expect([ending?.reason, text]).toEqual(['stop', ''])
  })

  test('what does not fit into the context is refused before it is sent, and costs nothing', async () => {
    const long = [
      { turns: [{ role: 'user' as const, content: 'x'.repeat(40_000) }] },
      { tools: [{ ...WEATHER, description: 'x'.repeat(40_000) }] },
      {
        rules: {
          ...RULES,
          format: { type: 'json_schema' as const, json_schema: { schema: { a: 'x'.repeat(40_000) } } },
        },
      },
    ]
    for (const part of long) {
      const { failure, seen } = await pass(dialect, part)
      expect([failure?.code, failure?.progress.tokens.prompt, seen]).toEqual(['too_large', 0, []])
    }
  })

  test.each<[string, number, string]>([
    ['400', 400, 'unsupported_parameter'],
    ['422', 422, 'unsupported_parameter'],
    ['401', 401, 'upstream_failed'],
    ['500', 500, 'upstream_failed'],
    ['404', 404, 'upstream_failed'],
  ])('a server that answers %s is told as such', async (_, status, code) => {
    const { failure } = await pass(dialect, {}, { status, chunks: ['{"error":"secret"}'] })
    expect(failure?.code).toBe(code as never)
    expect(failure?.message).not.toContain('secret')
    expect(failure?.began).toBe(false)
  })

  test('a server that is briefly busy is asked once more', async () => {
    const busy = { status: 503, headers: { 'Retry-After': '2' } }
    const { text, waited } = await pass(dialect, {}, busy, saying(dialect, { text: ['Fine.'] }))
    expect([text, waited]).toEqual(['Fine.', [2000]])
  })

  test('an answer that breaks off fails, and its calls are not passed on', async () => {
    const broken = saying(dialect, { calls: [{ name: 'get_weather', args: {} }], finish: null })
    const { failure, returned } = await pass(dialect, {}, broken)
    expect([failure?.code, returned]).toEqual(['upstream_failed', []])
  })
})

describe('rules', () => {
  const rules = (part: object) => ({ rules: { ...RULES, ...part } })
  const words = (dialect: Name) => saying(dialect, { text: ['x'] })
  const format = { type: 'json_schema' as const, json_schema: { name: 'n', strict: true, schema: SCHEMA } }

  test.each<[object, object]>([
    [{ toolChoice: 'required' }, { tool_choice: 'required' }],
    [{ toolChoice: 'none' }, { tool_choice: 'none' }],
    [{ toolChoice: { name: 'get_weather' } }, { tool_choice: { type: 'function', function: { name: 'get_weather' } } }],
    [{ parallelToolCalls: false }, { parallel_tool_calls: false }],
    [{ format }, { response_format: format }],
    [{ format: { type: 'json_object' } }, { response_format: { type: 'json_object' } }],
  ])('%j are %j for a server like OpenAI', async (part, sent) => {
    const { seen, warnings } = await pass('openai', rules(part), words('openai'))
    expect(seen[0]?.body).toMatchObject(sent)
    expect(warnings).toEqual([])
  })

  test('about tools are left out where there are none, and strict is where it was given', async () => {
    const none = await pass(
      'openai',
      { ...rules({ toolChoice: 'auto', parallelToolCalls: true }), tools: [] },
      words('openai'),
    )
    expect(none.seen).toHaveLength(1)
    for (const name of ['tools', 'tool_choice', 'parallel_tool_calls'])
      expect(none.seen[0]?.body).not.toHaveProperty(name)
    const strict = await pass('openai', { tools: [{ ...WEATHER, strict: true }] }, words('openai'))
    expect(strict.seen[0]?.body.tools?.[0]?.function).toMatchObject({ strict: true })
  })

  test.each<[object, object, string[]]>([
    [{ format }, { format: SCHEMA }, []],
    [{ format: { type: 'json_object' } }, { format: 'json' }, []],
    [{ toolChoice: 'auto' }, { tools: [{}, {}] }, []],
    [{ toolChoice: 'required' }, { tools: [{}, {}] }, ['ignored:tool_choice']],
    [{ toolChoice: { name: 'other' } }, { tools: [{ function: { name: 'other' } }] }, ['ignored:tool_choice']],
    [{ parallelToolCalls: false }, { tools: [{}, {}] }, ['ignored:parallel_tool_calls']],
  ])('%j are %j for Ollama, with the warnings %j', async (part, sent, told) => {
    const tools = [WEATHER, { ...WEATHER, name: 'other' }]
    const { seen, warnings } = await pass('ollama', { ...rules(part), tools }, words('ollama'))
    expect(seen[0]?.body).toMatchObject(sent)
    expect(warnings).toEqual(told)
  })

  test('none is no tools for Ollama', async () => {
    const { seen } = await pass('ollama', rules({ toolChoice: 'none' }), words('ollama'))
    expect(seen[0]?.body).not.toHaveProperty('tools')
  })
})
