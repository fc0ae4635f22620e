import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { holdsAnswer, keyOf, MAX_TERMS, readQuestion } from '../../../src/chat/local/question'
import { cost } from '../../support/cost'

const words = (message: string) => readQuestion(message).terms.map(({ text }) => text)

test('common words are left out, the rest is kept as written', () => {
  expect(words('When does the boiler warranty end?')).toEqual(['boiler', 'warranty', 'end'])
  expect(words('Please tell me: where are the Zürich tickets?')).toEqual(['Zürich', 'tickets'])
})

test('a question of nothing but common words keeps them', () => {
  expect(words('Who are you?')).toEqual(['Who', 'are', 'you'])
})

test('words around the question count less than its own', () => {
  const { terms } = readQuestion('The boiler makes a noise. When does the warranty end?')
  const weights = Object.fromEntries(terms.map(({ text, weight }) => [text, weight]))
  expect(weights.warranty).toBe(1)
  expect(weights.boiler).toBeLessThan(1)
})

test('forms of one word are one term', () => {
  expect(words('warranty warranties Warranty')).toEqual(['warranty'])
})

test('scripts without spaces are divided into words', () => {
  expect(words('京都のホテルはどこですか？')).toEqual(['京都', 'ホテル'])
})

test.each([
  ['When does it end?', 'time'],
  ['In what year was it built?', 'time'],
  ['Who painted it?', 'person'],
  ['Where is the valve?', 'place'],
  ['How many hives are there?', 'amount'],
  ['How much does the gym cost?', 'money'],
  ['Why did it fail?', 'reason'],
  ["What is Anna's phone number?", 'phone'],
  ["What is Anna's email?", 'email'],
  ['What is the website of the school?', 'link'],
  ['Is it raining?', null],
] as const)('%s asks for %s', (message, wanted) => expect(readQuestion(message).wanted).toBe(wanted))

test.each([
  ['time', 'It ends on 3 May.', 'It ends well.'],
  ['person', 'It was built by Anna Leitner.', 'it was built well.'],
  ['place', 'It is behind the house.', 'It rains.'],
  ['amount', 'There are twelve of them.', 'There are some.'],
  ['money', 'It costs 12 €.', 'It costs a lot.'],
  ['reason', 'It failed because of frost.', 'It failed.'],
  ['phone', 'Call 0664 123 45 67.', 'Call 112.'],
  ['email', 'Write to a@b.example.', 'Write to him @ home.'],
  ['link', 'See https://a.example.', 'See there.'],
] as const)('an answer of the kind %s is told from another sentence', (wanted, yes, no) => {
  expect(holdsAnswer(yes, wanted)).toBe(true)
  expect(holdsAnswer(no, wanted)).toBe(false)
})

describe('any message', () => {
  test('gives at most 32 distinct terms', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (message) => {
        const { terms } = readQuestion(message)
        expect(terms.length).toBeLessThanOrEqual(MAX_TERMS)
        expect(new Set(terms.map((term) => keyOf(term, 'en'))).size).toBe(terms.length)
      }),
    )
  })

  test('of 16 KiB is read in under 50 ms', async () => {
    for (const part of [
      'a',
      'a ',
      '?',
      '"',
      '東',
      '😀',
      'what ',
      'A. ',
      '\n',
      'how much x cost ',
      '\u0000',
      'Zürich? ',
    ]) {
      const message = part.repeat(Math.floor(16384 / Buffer.byteLength(part)))
      expect(await cost(50, () => readQuestion(message))).toBeLessThan(50)
    }
  })
})
