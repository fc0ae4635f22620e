import { describe, expect, test } from 'bun:test'
import { saying } from './saying'
import { ADDED, act, KEY, outcome, SOURCE, stage } from './support'

const ask = (name: string, args: object) => saying({ calls: [{ name, args }] })
const search = (query: string) => ask('search', { query })
const words = saying({ text: ['In ', 'May.'] })
const silence = { silent: true }

describe('asking', () => {
  test('an answer is said as it comes, with what the server counted', async () => {
    const { ending, said, seen } = await act({ replies: [words] })
    expect(said).toEqual(['In ', 'May.'])
    expect(ending).toEqual({ reason: 'stop', steps: 1, tokens: { prompt: 10, completion: 5, estimated: false } })
    expect(seen[0]).toMatchObject({ path: '/chat/completions', headers: { authorization: `Bearer ${KEY}` } })
  })

  test('what the server does not count is estimated, and said to be', async () => {
    const { ending } = await act({ replies: [saying({ text: ['In May.'], usage: null })] })
    expect(ending?.tokens).toMatchObject({ completion: 2, estimated: true })
    expect(ending?.tokens?.prompt).toBeGreaterThan(100)
  })

  test('a server that wants no key gets none', async () => {
    const { seen } = await act({ settings: { apiKey: null }, replies: [words] })
    expect(seen[0]?.headers).not.toHaveProperty('authorization')
  })

  test('a tool runs, its result goes back with the marks of its sources, and the answer follows', async () => {
    const { ending, text, calls, seen } = await act({
      replies: [search('warranty'), saying({ text: ['In May. [1]'] })],
      tool: () => outcome({ result: { items: [{ id: 'x' }] }, sources: [SOURCE] }),
    })
    expect(calls).toEqual([{ tool: 'search', args: { query: 'warranty' } }])
    expect(text).toBe('In May. [1]')
    expect(ending).toMatchObject({ steps: 2, tokens: { prompt: 20, completion: 10 } })
    const [asked, told] = seen[1]?.body.messages.slice(-2) ?? []
    expect(asked).toMatchObject({ role: 'assistant', tool_calls: [{ function: { name: 'search' } }] })
    expect(told?.role).toBe('tool')
    expect(JSON.parse(told?.content ?? '')).toEqual({
      result: { items: [{ id: 'x' }] },
      sources: [{ mark: '[1]', id: SOURCE.id, title: 'House', begins: SOURCE.text }],
    })
  })

  test('calls run in their order, and what is said before them stands in a paragraph of its own', async () => {
    const both = {
      calls: [
        { name: 'search', args: { query: '1' } },
        { name: 'create_task', args: { title: '2' } },
      ],
    }
    const { calls, text } = await act({ replies: [saying({ text: ['I look.'], ...both }), words] })
    expect(calls.map(({ tool }) => tool)).toEqual(['search', 'create_task'])
    expect(text).toBe('I look.\n\nIn May.')
  })

  test('a fault of a tool goes to the model; of an action it learns the status and never the confirmation', async () => {
    const fault = { code: 'not_found', detail: 'There is no such note.' }
    const outcomes = [
      outcome({ result: {}, fault }),
      outcome({ result: { id: 'x' }, action: { ...ADDED, status: 'pending' } }),
    ]
    const { seen } = await act({
      replies: [search('a'), ask('create_task', {}), words],
      tool: () => outcomes.shift() ?? outcome(),
    })
    expect(JSON.parse(seen[1]?.body.messages.at(-1)?.content ?? '')).toEqual({ error: fault, result: {} })
    expect(JSON.parse(seen[2]?.body.messages.at(-1)?.content ?? '')).toEqual({
      status: 'pending',
      result: { id: 'x' },
    })
    expect(JSON.stringify(seen)).not.toContain('secret-token')
    expect(JSON.stringify(seen)).not.toContain('7k2f9q')
  })

  test('in mode read only what reads is offered, and nothing else can be called', async () => {
    const { seen, calls } = await act({ request: { mode: 'read' }, replies: [ask('create_task', {}), words] })
    expect(seen[0]?.body.tools?.map((tool) => tool.function.name)).toEqual(['search'])
    expect(calls).toEqual([])
  })
})

describe('budgets', () => {
  test('the last step is asked without tools and ends the answer with length', async () => {
    const replies = [search('1'), search('2'), words]
    const { ending, text, seen, warnings } = await act({ limits: { maxSteps: 3 }, replies })
    expect(seen.map(({ body }) => body.tools !== undefined)).toEqual([true, true, false])
    expect([text, ending?.reason, ending?.steps, warnings]).toEqual(['In May.', 'length', 3, ['budget_exhausted']])
  })

  test('a call in the step without tools is not run', async () => {
    const replies = [search('1'), saying({ text: ['Well.'], calls: [{ name: 'create_task', args: {} }] })]
    const { calls, text } = await act({ limits: { maxSteps: 2 }, replies })
    expect(calls.map(({ tool }) => tool)).toEqual(['search'])
    expect(text).toBe('Well.')
  })

  test('calls beyond the budget are not run, each has a result, and words end it', async () => {
    const calls = ['1', '2', '3', '4'].map((query) => ({ name: 'search', args: { query } }))
    const played = await act({ limits: { maxToolCalls: 2 }, replies: [saying({ calls }), words] })
    expect(played.calls).toHaveLength(2)
    expect(played.ending?.reason).toBe('length')
    expect(played.warnings).toEqual(['budget_exhausted'])
    const last = played.seen[1]?.body
    expect(last?.tools).toBeUndefined()
    expect(last?.messages.filter(({ role }) => role === 'tool')).toHaveLength(4)
  })

  test('the tokens of all steps together are limited, and each step is told what is left', async () => {
    const replies = [saying({ calls: [{ name: 'search', args: {} }], usage: { prompt: 9, completion: 60 } }), words]
    const { seen } = await act({ limits: { maxOutputTokens: 100 }, replies })
    const limits = seen.map(({ body }) => body.max_tokens)
    expect(limits).toEqual([100, 40])
  })

  test('an answer that the server cut at the limit ends with length', async () => {
    const { ending, warnings } = await act({ replies: [saying({ text: ['And so'], finish: 'length' })] })
    expect([ending?.reason, warnings]).toEqual(['length', ['budget_exhausted']])
  })

  test('reasoning has tokens beside those of the answer, once the model is seen to think; without a word then, it has failed', async () => {
    const thinking = saying({ thought: 'Hmm', finish: 'length', usage: { prompt: 9, completion: 900 } })
    const { failure, seen } = await act({ replies: [thinking, thinking] })
    expect(seen.map(({ body }) => body.max_tokens)).toEqual([1024, 1024 + 8192])
    expect(failure).toMatchObject({
      code: 'upstream_failed',
      cause: 'upstream_out_of_tokens',
      progress: { began: false, tokens: { completion: 1800 } },
    })
  })

  test.each([
    ['as the server counts it', { reasoning: 8000 }],
    ['by its share of the text, where it does not', {}],
  ])('reasoning takes none of the tokens of the answer: %s', async (_, counted) => {
    const thought = 'x'.repeat(8000)
    const usage = { prompt: 9, completion: 8060, ...counted }
    const calls = [{ name: 'search', args: { query: 'y'.repeat(40) } }]
    const { seen, text } = await act({ replies: [saying({ thought, calls, usage }), words] })
    expect(text).toBe('In May.')
    const [first, second] = seen.map(({ body }) => Number(body.max_tokens))
    expect(first).toBe(1024)
    expect(second).toBeWithin(1024 + 8192 - 100, 1024 + 8192)
  })

  test('a server that ignores the limit is cut off', async () => {
    const { server, engine, run } = await stage({
      limits: { maxOutputTokens: 10 },
      replies: [{ ...saying({ text: Array(100).fill('word '), finish: null }), after: 'silence' }],
    })
    const ending = await engine.answer(run)
    await server.closed
    server.stop()
    expect(ending.reason).toBe('length')
    expect(run.heard.said.length).toBeLessThan(40)
  })

  test.each([
    ['a stop sequence, also across two pieces', { stop: ['ab'] }, ['xxa', 'byy', 'never'], 'stop'],
    ['the limit of tokens of the request', { num_predict: 1 }, ['xxa', 'byy', 'never'], 'length'],
  ] as const)('%s ends the answer, and the model is stopped', async (_, options, text, reason) => {
    const { server, engine, run } = await stage({
      request: { options: { ...options, stop: 'stop' in options ? [...options.stop] : [] } },
      replies: [{ ...saying({ text, finish: null }), after: 'silence' }],
    })
    expect(await engine.answer(run)).toMatchObject({ reason })
    await server.closed
    server.stop()
    expect(run.heard.said).toEqual(['xxa', 'byy'])
  })
})

describe('failure', () => {
  test('after nothing but reading, another engine may still answer', async () => {
    const { failure } = await act({ replies: [search('a'), { status: 500 }] })
    expect(failure).toMatchObject({ progress: { began: false, steps: 2, tokens: { prompt: 10, completion: 5 } } })
  })

  test('after a word or an action it may not', async () => {
    const added = await act({
      replies: [ask('create_task', {}), { status: 500 }],
      tool: () => outcome({ action: ADDED }),
    })
    expect(added.failure?.progress.began).toBe(true)
    const said = await act({ replies: [saying({ text: ['In'], finish: null })] })
    expect(said.failure?.progress.began).toBe(true)
  })

  test('nobody listens there', async () => {
    const { server, engine, run, logged } = await stage({ replies: [] })
    server.stop()
    const failure = await engine.answer(run).catch((error: unknown) => error)
    expect(failure).toMatchObject({ cause: 'upstream_unreachable', progress: { began: false } })
    expect(logged).toHaveLength(1)
  })

  test('a fault of our own is not taken for one of the model', async () => {
    const tool = () => {
      throw new TypeError('ours')
    }
    await expect(act({ replies: [search('a')], tool })).rejects.toThrow('ours')
  })

  test('the whole time is over before another tool runs', async () => {
    const calls = ['1', '2'].map((query) => ({ name: 'search', args: { query } }))
    const over = (totalMs: number) =>
      act({
        limits: { totalMs },
        replies: [saying({ calls })],
        tool: async () => {
          await Bun.sleep(totalMs + 20)
          return outcome()
        },
      })
    // On a busy machine the whole time may be over before the first tool: then there is more of it.
    let played = await over(300)
    for (let totalMs = 600; played.calls.length === 0 && totalMs < 20_000; totalMs *= 2) played = await over(totalMs)
    expect(played.failure?.code).toBe('upstream_timeout')
    expect(played.calls).toHaveLength(1)
  })
})

describe('a caller who goes away', () => {
  const gone = new Error('the caller has gone')

  test.each([
    ['before the first byte', silence],
    ['midway', { ...saying({ text: ['In'], finish: null }), after: 'silence' as const }],
  ])('%s: the connection to the server is closed', async (_, reply) => {
    const caller = new AbortController()
    const { server, engine, run } = await stage({ replies: [reply], signal: caller.signal })
    const answer = engine.answer(run).catch((error: unknown) => error)
    await ('silent' in reply ? server.asked : server.heard)
    caller.abort(gone)
    // Not by the limits of time, which are 10 s.
    expect(await Promise.race([answer, Bun.sleep(5000).then(() => 'it waits')])).toBe(gone)
    await server.closed
    server.stop()
  })

  test('while the server wants us to wait: nothing more is asked', async () => {
    const caller = new AbortController()
    const busy = { status: 429, headers: { 'Retry-After': '5' } }
    const { server, engine, run } = await stage({ replies: [busy, words], signal: caller.signal, reallyWait: true })
    const answer = engine.answer(run).catch((error: unknown) => error)
    await server.closed
    caller.abort(gone)
    expect(await Promise.race([answer, Bun.sleep(4000).then(() => 'it waits')])).toBe(gone)
    server.stop()
    expect(server.seen).toHaveLength(1)
  })

  test('between two tools: the second does not run', async () => {
    const caller = new AbortController()
    const calls = ['1', '2'].map((query) => ({ name: 'search', args: { query } }))
    const { server, engine, run } = await stage({
      signal: caller.signal,
      replies: [saying({ calls })],
      tool: () => {
        caller.abort(gone)
        return outcome()
      },
    })
    expect(await engine.answer(run).catch((error: unknown) => error)).toBe(gone)
    server.stop()
    expect(run.heard.calls).toHaveLength(1)
    expect(server.seen).toHaveLength(1)
  })

  test('in a tool that fails by that: it is the caller who went, and no fault', async () => {
    const caller = new AbortController()
    const { server, engine, run, logged } = await stage({
      signal: caller.signal,
      replies: [search('a')],
      tool: () => {
        caller.abort(gone)
        throw new Error('the transaction was given up')
      },
    })
    expect(await engine.answer(run).catch((error: unknown) => error)).toBe(gone)
    server.stop()
    expect(logged).toEqual([])
  })

  test('before anything is asked: nothing is', async () => {
    const { server, engine, run } = await stage({ replies: [words], signal: AbortSignal.abort(gone) })
    expect(await engine.answer(run).catch((error: unknown) => error)).toBe(gone)
    server.stop()
    expect(server.seen).toEqual([])
  })
})

test('that max_tokens is refused is remembered by the next run', async () => {
  const words = saying({ text: ['Hello.'] })
  const refusal = { status: 400, chunks: ['{"error":{"param":"max_tokens","code":"unsupported_parameter"}}'] }
  const { server, engine, run, fresh } = await stage({ replies: [refusal, words, words] })
  await engine.answer(run)
  await engine.answer(fresh())
  server.stop()
  const names = server.seen.map(({ body }) => Object.keys(body).filter((name) => name.startsWith('max_')))
  expect(names).toEqual([['max_tokens'], ['max_completion_tokens'], ['max_completion_tokens']])
})

test('ids of calls and results fit together where the server gave none, or one twice', async () => {
  const call = (id: object) => `{"choices":[{"delta":{"tool_calls":[${JSON.stringify(id)}]}}]}`
  const named = (index: number, id?: string) =>
    `data: ${call({ index, ...(id === undefined ? {} : { id }), function: { name: 'search', arguments: `{"query":"${index}"}` } })}\n\n`
  const reply = {
    type: 'text/event-stream',
    chunks: [named(0), named(1), named(2, 'a'), named(3, 'a'), 'data: [DONE]\n\n'],
  }
  const { seen } = await act({ replies: [reply, saying({ text: ['Hello.'] })] })
  const messages = seen[1]?.body.messages ?? []
  const made = messages.flatMap(({ tool_calls = [] }) => tool_calls.map((one) => (one as { id: string }).id))
  expect(new Set(made).size).toBe(4)
  expect(made.filter((id) => /^[a-z0-9]{9}$/.test(id))).toHaveLength(3)
  expect(messages.flatMap(({ tool_call_id }) => tool_call_id ?? [])).toEqual(made)
})

test('the server is shown no broken call again', async () => {
  const call = { index: 0, id: 'a', function: { name: 'find it!', arguments: '{"brok' } }
  const chunks = [`data: {"choices":[{"delta":{"tool_calls":[${JSON.stringify(call)}]},"finish_reason":"stop"}]}\n\n`]
  const { seen } = await act({ replies: [{ type: 'text/event-stream', chunks }, saying({ text: ['Hello.'] })] })
  expect(seen[1]?.body.messages.at(-2)?.tool_calls).toEqual([
    { id: 'a', type: 'function', function: { name: 'unknown', arguments: '{}' } },
  ])
})

test('a key that the server sends back at the cut of the log is not half of it in the log', async () => {
  const { logged } = await act({ replies: [{ status: 500, chunks: [`${'x'.repeat(2040)}${KEY}`] }] })
  expect(logged[0]?.fields.excerpt).toBe(`${'x'.repeat(2040)}********`)
})

test('a key of ours that a caller wrote and the server sends back is not in the log', async () => {
  const { logged } = await act({ replies: [{ status: 500, chunks: ['no: "I am satchel_abcDEF123", you said'] }] })
  expect(logged[0]?.fields.excerpt).toBe('no: "I am satchel_***", you said')
})

test('a redirect takes the key nowhere', async () => {
  const elsewhere = await stage({ replies: [saying({ text: ['Stolen.'] })] })
  const headers = { Location: `${elsewhere.server.url}/chat/completions` }
  const { failure } = await act({ replies: [{ status: 307, headers }] })
  elsewhere.server.stop()
  expect(failure?.code).toBe('upstream_failed')
  expect(elsewhere.server.seen).toEqual([])
})
