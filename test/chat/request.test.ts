import { describe, expect, test } from 'bun:test'
import { readRequest } from '../../src/chat/request'
import type { ChatRequest } from '../../src/chat/schema'
import { ApiError, type ErrorCode } from '../../src/http/api-error'

const user = { role: 'user' as const, content: 'Where is it?' }
const base: ChatRequest = { messages: [user] }

function refusalOf(request: ChatRequest): { code: string; pointer: string | undefined } {
  try {
    readRequest(request)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const [fault] = error.extra.errors as { pointer: string }[]
    return { code: error.code, pointer: fault?.pointer }
  }
  throw new Error('was not refused')
}

test('defaults: everything may be read, UTC, write, no limits', () => {
  expect(readRequest(base)).toEqual({
    message: 'Where is it?',
    model: 'auto',
    confirm: [],
    messages: [user],
    options: { temperature: null, topP: null, seed: null },
    scope: { types: null, tags: null, ids: null },
    timeZone: 'UTC',
    languages: ['en', 'de', 'fr', 'es'],
    mode: 'write',
    stop: [],
    tokenLimit: null,
    promptTokens: 3,
    needsModel: null,
    warnings: [],
  })
})

describe('messages', () => {
  test('the last user message is the question; system and developer may follow', () => {
    const { message } = readRequest({
      messages: [
        user,
        { role: 'assistant', content: '' },
        { ...user, content: 'And now?' },
        { role: 'developer', content: 'x' },
      ],
    })
    expect(message).toBe('And now?')
  })

  test.each<[ChatRequest['messages'], string]>([
    [[{ role: 'system', content: 'x' }], '/messages'],
    [[user, { role: 'assistant', content: 'There.' }], '/messages/1/role'],
    [[{ role: 'user', content: ' \n\u00a0' }], '/messages/0/content'],
    [[{ role: 'user', content: '' }, user], '/messages/0/content'],
    [[{ role: 'user', content: 'é'.repeat(32 * 1024 + 1) }], '/messages/0/content'],
    [[{ ...user, images: ['R0lGOD'.padEnd(9, '!')] }], '/messages/0/images/0'],
  ])('refused %#', (messages, pointer) => expect(refusalOf({ messages })).toEqual({ code: 'invalid_request', pointer }))

  test.each<[object, ErrorCode | null]>([
    [{ content: 'é'.repeat(8192), images: [] }, null],
    [{ content: 'é'.repeat(8193) }, 'invalid_request'],
    [{ content: 'é'.repeat(32 * 1024) }, 'invalid_request'],
    [{ content: 'What is it?', images: ['/9j/4AAQ'] }, 'unsupported_parameter'],
  ])('only a model takes long messages and images %#', (members, code) =>
    expect(readRequest({ messages: [{ ...user, ...members }] }).needsModel?.code ?? null).toBe(code),
  )

  test('16 KiB of a message and 64 KiB of all are taken, counted in bytes of UTF-8', () => {
    const full = { ...user, content: 'é'.repeat(8192) }
    expect(readRequest({ messages: [full, full, full, full] }).promptTokens).toBe(16384)
  })
})

describe('a long history is shortened with a warning', () => {
  const assistant = { role: 'assistant' as const, content: 'There.' }
  const system = { role: 'system' as const, content: 'Be brief.' }
  const long = { ...user, content: 'é'.repeat(8193) }

  test('an earlier message is cut to 16 KiB, between two characters', () => {
    const { messages, warnings } = readRequest({ messages: [long, assistant, user] })
    expect(messages[0]?.content).toBe('é'.repeat(8192))
    expect(warnings).toEqual(['history_shortened'])
  })

  test('of more than 64 KiB the oldest turns go first, each with its answer', () => {
    const full = (letter: string) => ({ ...user, content: letter.repeat(16 * 1024) })
    const { messages, warnings } = readRequest({
      messages: [system, full('a'), assistant, full('b'), assistant, full('c'), full('d'), user],
    })
    expect(messages.map(({ content }) => content.charAt(0))).toEqual(['B', 'b', 'T', 'c', 'd', user.content.charAt(0)])
    expect(warnings).toEqual(['history_shortened'])
  })

  test('of more than 64 messages the last 64 at most are read, and the last user message with all behind it', () => {
    const turns = Array.from({ length: 500 }, (_, i) => [{ ...user, content: `${i}?` }, assistant]).flat()
    const { message, messages } = readRequest({ messages: [system, ...turns, user, system] })
    expect(messages.length).toBeLessThanOrEqual(64)
    expect(messages.length).toBeGreaterThan(60)
    expect(messages[0]).toEqual(system)
    expect(messages[1]?.role).toBe('user')
    expect(message).toBe(user.content)
    expect(messages.slice(-2)).toEqual([user, system])
  })

  test('system messages go where nothing else is left', () => {
    const prompt = { ...system, content: 'x'.repeat(16 * 1024) }
    const { messages } = readRequest({
      messages: [
        ...Array(5)
          .fill(prompt)
          .map((one) => ({ ...one })),
        user,
      ],
    })
    expect(messages.filter(({ role }) => role === 'system')).toHaveLength(3)
  })

  test.each<[string, ChatRequest['messages']]>([
    ['one message', [user]],
    ['64 KiB', Array.from({ length: 4 }, () => ({ ...user, content: 'a'.repeat(16 * 1024) }))],
    ['64 messages', Array.from({ length: 64 }, () => ({ ...user }))],
  ])('%s is read whole', (_, messages) => {
    const read = readRequest({ messages })
    expect(read.messages).toHaveLength(messages.length)
    expect(read.warnings).toEqual([])
  })
})

describe('what other servers offer', () => {
  test('what has no effect is named in the warnings', () => {
    const options = { num_ctx: 4096, seed: 1 }
    const { warnings } = readRequest({ ...base, keep_alive: '5m', think: false, shift: null, options })
    expect(warnings).toEqual(['ignored:keep_alive', 'ignored:think', 'ignored:num_ctx'])
  })

  test('a name that can be no option is refused', () => {
    const options = { seed: 1, 'Num ctx': 1 }
    expect(refusalOf({ ...base, options })).toEqual({ code: 'invalid_request', pointer: '/options' })
  })
})

test('tokens of confirmations are handed on', () => {
  expect(readRequest({ ...base, confirm: ['token'] }).confirm).toEqual(['token'])
})

test.each(['Europe/Vienna', 'UTC', 'America/Argentina/Ushuaia'])('%s is a time zone', (timeZone) =>
  expect(readRequest({ ...base, time_zone: timeZone }).timeZone).toBe(timeZone),
)

test.each(['', '+02:00', 'Mars/Base', 'Europe/', 'x'.repeat(9999)])('%j is none', (timeZone) =>
  expect(refusalOf({ ...base, time_zone: timeZone })).toEqual({ code: 'invalid_request', pointer: '/time_zone' }),
)
