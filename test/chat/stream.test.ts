import { describe, expect, test } from 'bun:test'
import type { AnswerHead, EmitAnswer } from '../../src/chat/answer-run'
import { GENERATE_STREAMS } from '../../src/chat/ollama/generate'
import type { ChatAnswer } from '../../src/chat/schema'
import { CHAT_STREAMS, type StreamFormat, streamAnswer } from '../../src/chat/stream'
import { ApiError } from '../../src/http/api-error'

const { ndjson: NDJSON, sse: SSE } = CHAT_STREAMS
const about: AnswerHead = { id: '1', model: 'm', created_at: '2026-03-02T12:00:00.000Z', replayed: false }
const answer = { ...about, message: { role: 'assistant', content: 'Hi' }, done: true } as unknown as ChatAnswer
const logged: object[] = []
const deps = { log: { error: (fields: object) => void logged.push(fields) }, keepAliveMs: 3 }
const asked = { signal: new AbortController().signal, requestId: 'r' }
const stream = (wire: StreamFormat, work: (emit: EmitAnswer, signal: AbortSignal) => Promise<void>) =>
  streamAnswer(deps, asked, wire, async (emit, signal) => {
    emit({ name: 'start' }, about)
    await work(emit, signal)
    return { answer }
  })

describe('silence', () => {
  test.each<[string, StreamFormat, string]>([
    ['a comment', SSE, ': ping\n\n'],
    [
      'an empty part of a generated text',
      GENERATE_STREAMS.ndjson,
      `${JSON.stringify({ model: 'm', created_at: about.created_at, response: '', done: false })}\n`,
    ],
    [
      'an empty delta',
      NDJSON,
      `${JSON.stringify({ model: 'm', created_at: about.created_at, message: { role: 'assistant', content: '' }, done: false })}\n`,
    ],
  ])('is broken by %s, again and again', async (_, wire, sign) => {
    const end = Promise.withResolvers<void>()
    const response = await stream(wire, () => end.promise)
    const read = response.body?.getReader()
    for (let i = 0; i < 2; i++) expect(new TextDecoder().decode((await read?.read())?.value)).toBe(sign)
    end.resolve()
  })

  test('ends with the stream', async () => {
    const text = await (await stream(SSE, async (emit) => emit({ name: 'delta', data: 'Hi' }, about))).text()
    expect(text.split('event: done')).toHaveLength(2)
    expect(text).not.toContain('ping')
  })
})

describe('a failure', () => {
  test('before the first byte is thrown', async () => {
    const refused = stream(SSE, async () => {
      throw new ApiError('upstream_failed', 'no')
    })
    await expect(refused).rejects.toMatchObject({ code: 'upstream_failed' })
  })

  test.each<[string, StreamFormat]>([
    ['SSE', SSE],
    ['NDJSON', NDJSON],
  ])('after it is the one end of the stream in %s, without a word of ours', async (_, wire) => {
    logged.length = 0
    const response = await stream(wire, async (emit) => {
      emit({ name: 'delta', data: 'Hi' }, about)
      throw new Error('SELECT secret')
    })
    const text = await response.text()
    expect(text).toContain('"code":"internal"')
    expect(text).not.toContain('secret')
    expect(text).not.toContain('"done":true')
    expect(logged).toHaveLength(1)
  })
})

test('whoever stops reading aborts the work', async () => {
  const aborted = Promise.withResolvers<boolean>()
  const response = await stream(NDJSON, async (emit, signal) => {
    emit({ name: 'delta', data: 'Hi' }, about)
    signal.addEventListener('abort', () => aborted.resolve(signal.aborted))
    await aborted.promise
  })
  await response.body?.cancel()
  expect(await aborted.promise).toBe(true)
})
