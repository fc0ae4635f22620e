import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { TIME_LANGUAGES } from '../../../../src/lib/civil/day'
import { readDate } from '../../../../src/lib/civil/words/date'
import { readTime } from '../../../../src/lib/civil/words/read'
import { makeContext, restOf } from './support'

const DAYS = {
  tomorrow: '2026-03-03',
  friday: '2026-03-06',
  'next friday': '2026-03-13',
  'on 5 may 2027': '2027-05-05',
  'in 3 days': '2026-03-05',
  'by the end of the month': '2026-03-31',
  'for monday': '2026-03-02',
  '2026-12-11': '2026-12-11',
} as const
const TIMES = { 'at 11am': '11:00', '17:30': '17:30', 'at noon': '12:00', '14h30': '14:30' } as const
const RULES = {
  'every day': 'FREQ=DAILY',
  'every 2 weeks': 'FREQ=WEEKLY;INTERVAL=2',
  'ev month': 'FREQ=MONTHLY',
} as const
const WORDS = ['call Ann', 'the blue car', 'buy eggs', 'write to Bob', 'fix it', 'café ☕', 'p. 12 of it'] as const
/** Words of time that mean nothing behind a day or a time. */
const RESTS = [
  '3rd floor',
  'weeks later on',
  'of 2031',
  'until 5 or so',
  'daily things',
  'every 0 days',
  'quarter',
] as const

const keys = <Key extends string>(record: Readonly<Record<Key, unknown>>) =>
  fc.constantFrom(...(Object.keys(record) as Key[]))
const word = fc.constantFrom(...WORDS)

describe('texts of known pieces', () => {
  test('a day and a time in any order and at any place are read, and nothing else is taken', () => {
    const order = fc.shuffledSubarray(['day', 'time', 'word', 'more'] as const, { minLength: 4 })
    fc.assert(
      fc.property(keys(DAYS), keys(TIMES), word, word, order, (day, time, first, second, kinds) => {
        const pieces = { day, time, word: first, more: second }
        const text = kinds.map((kind) => pieces[kind]).join(' ')
        const { due, warnings } = readTime(text, makeContext())
        expect({ text, due, warnings }).toEqual({
          text,
          due: { date: DAYS[day], time: TIMES[time], time_zone: 'Europe/Berlin' },
          warnings: [],
        })
        const left = kinds.flatMap((kind) => (kind === 'word' || kind === 'more' ? [pieces[kind]] : [])).join(' ')
        expect(restOf(text, readTime(text, makeContext()))).toBe(left)
      }),
      { numRuns: 2000 },
    )
  })

  test('a rule begins on the day that is named beside it', () => {
    fc.assert(
      fc.property(keys(DAYS), keys(RULES), word, fc.boolean(), (day, rule, title, first) => {
        const text = first ? `${rule} ${title} ${day}` : `${title} ${day} ${rule}`
        const { due, recurrence, warnings } = readTime(text, makeContext())
        expect({ text, warnings }).toEqual({ text, warnings: [] })
        expect([due?.date, recurrence?.rrule, recurrence?.anchor]).toEqual([DAYS[day], RULES[rule], DAYS[day]])
      }),
      { numRuns: 500 },
    )
  })
})

describe('a piece that is not understood', () => {
  const pieces = fc.oneof(keys(DAYS), keys(TIMES), keys(RULES))

  test('touches: a warning names it, no date is set, and all of it is left', () => {
    fc.assert(
      fc.property(word, pieces, fc.constantFrom(...RESTS), (title, piece, rest) => {
        const text = `${title} ${piece} ${rest}`
        const { due, recurrence, warnings } = readTime(text, makeContext())
        expect({ text, due, recurrence }).toEqual({ text, due: null, recurrence: null })
        const from = text.length - rest.length
        const named = warnings.some(
          ({ code, start, end }) => code === 'not_understood' && start < text.length && end > from,
        )
        expect({ text, named }).toEqual({ text, named: true })
        expect(restOf(text, readTime(text, makeContext()))).toBe(text)
      }),
      { numRuns: 1000 },
    )
  })

  test('touches nothing: the date is that of the pieces, or a warning says what is not', () => {
    fc.assert(
      fc.property(keys(DAYS), keys(TIMES), word, fc.constantFrom(...RESTS), (day, time, title, rest) => {
        const text = `${title} ${rest} ${title} ${day} ${time}`
        const { due, warnings } = readTime(text, makeContext())
        if (warnings.length === 0) expect({ text, due: due?.date }).toEqual({ text, due: DAYS[day] })
        else expect(due === null || due.date === DAYS[day]).toBe(true)
      }),
      { numRuns: 500 },
    )
  })
})

const ANYTHING = [
  ...'every|every!|day|other|mon|sun|friday|last|month|on|the|31st|2|weeks|of|29 feb|until|starting|from'.split('|'),
  ...'to|-|and|,|at|9am|12:30|25:00|for|30 min|1 h|remind|before|tomorrow|next|in|EST|Europe/Berlin'.split('|'),
  ...'christmas|eom|daily|half|past|jeden|alle|Tag|am|5.|Mai|um|9 Uhr|bis|tous les|jours|à|le|lundi'.split('|'),
  ...'prochain|cada|el|lunes|a las|y media|que viene|"|\'|`|(|)|.|!|\u0000|\ufffc|\ufffd|\ud83d|İ|ß|٣|日本'.split('|'),
  ..."\u202e|99999999999999999999|0|l'|d'|+|/|:".split('|'),
]
const typed = fc
  .array(fc.tuple(fc.constantFrom(...ANYTHING), fc.constantFrom(' ', ' ', '', '\n')), { maxLength: 16 })
  .map((pieces) => pieces.flat().join(''))
const line = fc.oneof(
  typed,
  typed,
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
)

test('any text is read in any language: spans and warnings are in order and inside of it, dates are real', () => {
  const dateOrder = fc.constantFrom(null, 'dmy' as const, 'mdy' as const)
  const now = fc.constantFrom(
    '2026-03-02T09:00:00Z',
    '2024-02-29T23:59:00Z',
    '2200-12-31T12:00:00Z',
    '1970-01-01T00:00:00Z',
  )
  fc.assert(
    fc.property(line, fc.constantFrom(...TIME_LANGUAGES), dateOrder, now, (text, language, order, at) => {
      const context = makeContext({ language, dateOrder: order, now: Date.parse(at) })
      const reading = readTime(text, context)
      let last = 0
      for (const { start, end } of reading.spans) {
        expect(start).toBeGreaterThanOrEqual(last)
        expect(end).toBeGreaterThan(start)
        last = end
      }
      expect(last).toBeLessThanOrEqual(text.length)
      for (const { start, end } of reading.warnings) expect(start >= 0 && end > start && end <= text.length).toBe(true)
      for (const day of [reading.due, reading.start]) {
        if (day) expect(new Date(day.date).toISOString().slice(0, 10)).toBe(day.date)
      }
      expect(readTime(text, context)).toEqual(reading)
      readDate(text, context)
    }),
    { numRuns: 1500 },
  )
})
