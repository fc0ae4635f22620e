import { describe, expect, test } from 'bun:test'
import { saying } from './saying'
import type { Reply } from './server'
import { act, outcome, SOURCE, stage } from './support'

/** What families of models and servers do, as their documents and the reports of their users have it. */

const data = (value: object) => `data: ${JSON.stringify(value)}\n\n`
const delta = (value: object) => data({ choices: [{ index: 0, delta: value }] })
const ending = data({ choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] })
const streamed = (...deltas: object[]): Reply => ({ type: 'text/event-stream', chunks: [...deltas.map(delta), ending] })
const call = (more: object = {}) => ({
  tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'search', arguments: '{}' }, ...more }],
})
const words = saying({ text: ['In May.'] })
const refusing = (status: number, message: string): Reply => ({
  status,
  chunks: [JSON.stringify({ error: { message, code: status } })],
})

/** What the turn with the calls has in the next request beside its text. */
async function echoOf(reply: Reply): Promise<object> {
  const { seen, text } = await act({ replies: [reply, words] })
  expect(text).toBe('In May.')
  const { role: _, content: __, ...members } = seen[1]?.body.messages.at(-2) ?? {}
  return members
}

describe('in a loop of tools a model gets back', () => {
  const plain = [{ id: 'a', type: 'function', function: { name: 'search', arguments: '{}' } }]

  test('its reasoning, whole: DeepSeek', async () => {
    const reply = streamed(
      { role: 'assistant', content: null, reasoning_content: '' },
      { reasoning_content: 'The user ' },
      { reasoning_content: 'wants a date.' },
      { content: '', reasoning_content: null },
      call(),
    )
    expect(await echoOf(reply)).toEqual({ reasoning_content: 'The user wants a date.', tool_calls: plain })
  })

  test('its reasoning even where there was none, which DeepSeek demands', async () => {
    const reply = streamed({ role: 'assistant', content: '', reasoning_content: null }, call())
    expect(await echoOf(reply)).toEqual({ reasoning_content: '', tool_calls: plain })
  })

  test('its signed and encrypted reasoning, each block whole: OpenRouter', async () => {
    const block = { type: 'reasoning.text', format: 'anthropic-claude-v1', index: 0 }
    const sealed = { type: 'reasoning.encrypted', data: 'c2Vj', id: 'rs_1', format: 'openai-responses-v1', index: 1 }
    const reply = streamed(
      { role: 'assistant', content: '', reasoning: 'A ', reasoning_details: [{ ...block, text: 'A ' }] },
      { content: '', reasoning: 'date.', reasoning_details: [{ ...block, text: 'date.' }] },
      { content: '', reasoning_details: [{ ...block, signature: 'sig' }] },
      { content: '', reasoning_details: [sealed] },
      call(),
    )
    expect(await echoOf(reply)).toEqual({
      reasoning: 'A date.',
      reasoning_details: [{ ...block, text: 'A date.', signature: 'sig' }, sealed],
      tool_calls: plain,
    })
  })

  test('the signature of the thought at its call: Gemini', async () => {
    const extra_content = { google: { thought_signature: 'CiQ+AbCd==' } }
    expect(await echoOf(streamed({ role: 'assistant', ...call({ extra_content }) }))).toEqual({
      tool_calls: [{ extra_content, ...plain[0] }],
    })
  })

  test('nothing that it did not send, since strict servers refuse what they do not know', async () => {
    expect(await echoOf(streamed({ role: 'assistant', content: null, refusal: null }, call()))).toEqual({
      tool_calls: plain,
    })
  })
})

test('long reasoning drops no result from the prompt, and is bounded', async () => {
  const thinking = streamed({ reasoning_content: 'x'.repeat(50_000) }, call())
  const { seen, warnings } = await act({
    replies: [thinking, words],
    tool: () => outcome({ result: { items: ['y'.repeat(3000)] } }),
  })
  expect([warnings, seen[1]?.body.messages.at(-1)?.content.length]).toEqual([[], 3025])
  const endless = streamed(...Array.from({ length: 5 }, () => ({ opaque: 'x'.repeat(1_000_000) })))
  const { failure } = await act({ replies: [{ ...endless, after: 'silence' }] })
  expect(failure?.cause).toBe('upstream_out_of_tokens')
})

describe('a model without tools', () => {
  test.each([
    ['Ollama', 400, 'registry.ollama.ai/library/gemma:2b does not support tools'],
    ['OpenRouter', 404, 'No endpoints found that support tool use. Try disabling "search".'],
    ['vLLM', 400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'],
    ['llama.cpp', 500, 'Unsupported param: tools'],
    ['Gemini', 400, 'Function calling is not enabled for models/gemma-3-27b-it'],
    ['Groq', 400, '`tool calling` is not supported with this model'],
  ])('%s: is asked again, with what a search found', async (_, status, message) => {
    const note = { type: 'note', id: SOURCE.id, title: 'House' }
    const played = await act({
      replies: [refusing(status, message), saying({ text: ['On 3 May 2027. [1]'] })],
      tool: (name) =>
        outcome(
          name === 'search'
            ? { result: { items: [note] }, sources: [SOURCE] }
            : { result: { ...note, body: 'The boiler warranty ends on 3 May 2027.' }, sources: [SOURCE] },
        ),
    })
    expect([played.text, played.warnings]).toEqual(['On 3 May 2027. [1]', ['upstream_refused_tools']])
    expect(played.calls[0]).toEqual({ tool: 'search', args: { query: 'When does the warranty end?' } })
    const [refused, asked] = played.seen.map(({ body }) => body)
    expect([refused?.tools?.length, asked?.tools]).toEqual([2, undefined])
    expect(asked?.messages[0]?.content).toContain('"mark":"[1]"')
    expect(played.ending).toMatchObject({ reason: 'stop', steps: 1 })
  })

  test('that refuses the request without tools, too, has failed', async () => {
    const refusal = refusing(400, 'm does not support tools')
    const { failure, seen } = await act({ replies: [refusal, refusal] })
    expect([failure?.cause, seen.length]).toEqual(['upstream_failed', 2])
  })

  test('another fault is none of its tools', async () => {
    const { seen, warnings } = await act({ replies: [refusing(400, 'tools: schema is too deep'), words] })
    expect([seen.length, warnings]).toEqual([1, []])
  })
})

test.each([
  ['Mistral', 422, "{'loc': ['body', 'stream_options', 'include_usage'], 'msg': 'Extra inputs are not permitted'}"],
  ['Databricks', 400, 'stream_options: Extra inputs are not permitted'],
])('%s refuses stream_options: asked again without them, and remembered', async (_, status, message) => {
  const { server, engine, run, fresh } = await stage({ replies: [refusing(status, message), words, words] })
  await engine.answer(run)
  await engine.answer(fresh())
  server.stop()
  expect(server.seen.map(({ body }) => 'stream_options' in body)).toEqual([true, false, false])
})

test('a model that takes no images says so, and nothing else is tried', async () => {
  const images = ['iVBORw0KGgo=']
  for (const message of ['No endpoints found that support image input', 'image input is not supported - mmproj']) {
    const playing = act({
      request: { messages: [{ role: 'user', content: 'What is it?', images }] },
      replies: [refusing(404, message), words],
    })
    await expect(playing).rejects.toMatchObject({ code: 'unsupported_parameter' })
  }
})

test('reasoning without an opening is known from the first answer on, also in streams', async () => {
  const reply = saying({ text: ['I see.', '</think>', 'Yes.'] })
  const { server, engine, run, fresh } = await stage({ replies: [reply, reply] })
  await engine.answer(run)
  const next = fresh()
  await engine.answer(next)
  server.stop()
  expect(next.heard.said.join('')).toBe('Yes.')
})

test.each([
  [{ status: 401 }, 'upstream_unauthorized'],
  [{ status: 403 }, 'upstream_unauthorized'],
  [{ status: 402 }, 'upstream_out_of_tokens'],
  [
    refusing(429, 'You exceeded your current quota, please check your plan and billing details.'),
    'upstream_out_of_tokens',
  ],
  [refusing(429, 'Too many requests'), 'upstream_failed'],
  [{ status: 500 }, 'upstream_failed'],
] as const)('the cause of %j is %s', async (reply, cause) => {
  const { failure } = await act({ replies: [reply] })
  expect(failure?.cause).toBe(cause)
})
