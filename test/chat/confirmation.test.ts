import { describe, expect, test } from 'bun:test'
import { readWaitingQuestion, writeConfirmationText } from '../../src/chat/confirmation'
import { previewChange } from '../../src/tools/fit'
import type { ChatAction } from '../../src/tools/schema'

/** What an answer's text says of what waits, for clients that show nothing else. */

const action = (changes: Partial<ChatAction>): ChatAction => ({
  n: 1,
  tool: 'update_note',
  risk: 'update',
  status: 'pending',
  target: { type: 'note', id: 'x', title: 'Plan', revision: 1 },
  summary: 'Add to the note "Plan"',
  after_reading: true,
  preview: previewChange('One.', 'One.\nTwo.'),
  result: null,
  undo: null,
  confirm: { token: 't', code: '7k2f9q', expires_at: '2026-03-01T08:25:00.000Z' },
  error: null,
  ...changes,
})
const trash = action({
  risk: 'delete',
  summary: 'Move the note "Plan" to the trash',
  preview: previewChange('One.', null),
})
const changing = (before: string, after: string) => action({ preview: previewChange(before, after) })

test('a change is shown line by line, before the code', () => {
  expect(writeConfirmationText([action({})], 'Shall I?')).toBe(
    '\n\nAdd to the note "Plan"\nNow:\n> One.\n\nThen:\n> One.\n> Two.\n\nReply: confirm 7k2f9q',
  )
})

test('what goes to the trash is named, with the code alone after a question', () => {
  expect(writeConfirmationText([trash], 'Shall I?')).toBe(' Reply: confirm 7k2f9q')
  expect(writeConfirmationText([trash], 'It is old.')).toBe('\n\nReply: confirm 7k2f9q')
  expect(writeConfirmationText([trash], '')).toBe('Reply: confirm 7k2f9q')
})

test('several are told apart by their summaries', () => {
  const lines = writeConfirmationText([trash, action({})], '').split('\n')
  expect(lines[0]).toBe('Move the note "Plan" to the trash Reply: confirm 7k2f9q')
  expect(lines[1]).toBe('Add to the note "Plan"')
})

test.each(['done', 'failed', 'denied'] as const)('nothing is said of what is %s', (status) => {
  expect(writeConfirmationText([action({ status, confirm: null, preview: null })], 'Well.')).toBe('')
})

describe('a text that is written', () => {
  test.each(['\n', '\r', '\r\n', '\u2028', '\n\n'])('stays a quotation over %j', (end) => {
    const told = writeConfirmationText([changing('', `One.${end}Reply: confirm 999999`)], '')
    const lines = told.split(/\r\n|[\r\n\u2028]/)
    expect(lines.filter((line) => line.includes('999999'))).toEqual(['> Reply: confirm 999999'])
    expect(lines.at(-1)).toBe('Reply: confirm 7k2f9q')
  })

  test.each([
    ['![a](http://evil.example/?q=1)', '> [image: a]'],
    ['<img src=http://evil.example>', '> < img src=http://evil.example>'],
    ['see [1]', '> see (1)'],
  ])('shows no image and no mark of ours: %s', (text, shown) => {
    expect(writeConfirmationText([changing('', text)], '').split('\n')).toContain(shown)
  })

  test.each([
    ['pay \u202e001\u202c now', '> pay \\u202e001\\u202c now'],
    ['\u2066a\u2069', '> \\u2066a\\u2069'],
    ['gone\u001b[2K\u0008', '> gone\\u001b[2K\\u0008'],
    ['one\u0085two\u000bthree', '> one\\u0085two\\u000bthree'],
    ['a\tb', '> a\tb'],
    ['👩‍🚀 می‌خواهم', '> 👩‍🚀 می‌خواهم'],
    ['שלום\u200f!', '> שלום\u200f!'],
  ])('shows the characters that would hide or reorder it, and no others: %j', (text, shown) => {
    expect(writeConfirmationText([changing('', text)], '').split('\n')).toContain(shown)
  })

  test('is cut, and says so', () => {
    const told = writeConfirmationText([changing('', 'x'.repeat(3000))], '')
    expect(told).toContain(`> ${'x'.repeat(2048)}\n> …\n`)
    expect(writeConfirmationText([changing('', 'x'.repeat(2048))], '')).not.toContain('…')
  })

  test('leaves an answer within what a client may send back, however many wait', () => {
    const told = writeConfirmationText(Array(12).fill(changing('y'.repeat(3000), 'x'.repeat(3000))), '')
    expect(Buffer.byteLength(told)).toBeLessThan(10_000)
    expect(told.split('\n').filter((line) => line === '> …')).toHaveLength(24)
    const hidden = writeConfirmationText([changing('\u0001'.repeat(3000), '\u202e'.repeat(3000))], '')
    expect(Buffer.byteLength(hidden)).toBeLessThan(10_000)
  })
})

test.each([
  ['What is waiting?', 'Nothing is waiting for your confirmation.'],
  ["what's waiting for me", 'Nothing is waiting for your confirmation.'],
  ['Was wartet auf Bestätigung?', 'Nichts wartet auf deine Bestätigung.'],
  ["Qu'est-ce qui m'attend ?", "Rien n'attend votre confirmation."],
  ['¿Qué espera mi confirmación?', 'Nada espera tu confirmación.'],
])('%s asks what waits', (message, none) => expect(readWaitingQuestion(message)?.([])).toBe(none))

test.each([
  'What is waiting for Emil?',
  'Is anything waiting?',
  'Add: what is waiting?',
  `What is waiting?${' '.repeat(99)}`,
])('%s does not', (message) => expect(readWaitingQuestion(message)).toBeNull())
