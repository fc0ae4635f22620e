/** Repeats in words: every rule that the server takes can be told, and no part of it is left out. */
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import { repeatInWords } from '../../app/tasks/repeat-words'
import { readTime } from '../../src/lib/civil/words/read'
import { parseRule } from '../../src/lib/recurrence/parse'
import { type Freq, type RecurrenceRule, RuleError, writeRecurrenceRule } from '../../src/lib/recurrence/rule'
import { runs } from '../support/full'

const ROOT = join(import.meta.dir, '../..')

describe('a repeat in words', () => {
  test.each([
    ['FREQ=DAILY', 'every day'],
    ['FREQ=DAILY;INTERVAL=3', 'every 3 days'],
    ['FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR', 'every weekday'],
    ['FREQ=WEEKLY;BYDAY=FR', 'every Friday'],
    ['FREQ=WEEKLY;INTERVAL=2;BYDAY=FR,MO', 'every 2 weeks on Monday and Friday'],
    ['FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;WKST=SU', 'every 2 weeks on Monday with weeks that begin on Sunday'],
    ['FREQ=MONTHLY;BYMONTHDAY=15', 'every month on the 15th'],
    ['FREQ=MONTHLY;BYMONTHDAY=31', 'every month on the 31st, or the last day'],
    ['FREQ=MONTHLY;BYMONTHDAY=1,-1', 'every month on the 1st and last day'],
    ['FREQ=MONTHLY;BYDAY=-1FR', 'every month on the last Friday'],
    ['FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1', 'every month on the last weekday'],
    ['FREQ=MONTHLY;BYMONTHDAY=13;BYDAY=FR', 'every month on the 13th if it is a Friday'],
    ['FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=3', 'every year on 3 May'],
    ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29', 'every year on 29 February'],
    ['FREQ=YEARLY;BYMONTH=9;BYDAY=1MO', 'every year on the 1st Monday in September'],
    ['FREQ=YEARLY;BYDAY=20MO', 'every year on the 20th Monday of the year'],
    ['FREQ=YEARLY;BYWEEKNO=20', 'every year in week 20 of the year'],
    ['FREQ=DAILY;BYHOUR=9,17;BYMINUTE=0', 'every day at 09:00 and 17:00'],
    ['FREQ=HOURLY;INTERVAL=2;BYHOUR=9,10,11,12', 'every 2 hours in the hours of 9 to 12'],
    ['FREQ=WEEKLY;COUNT=10', 'every week, 10 times'],
    ['FREQ=WEEKLY;UNTIL=20270503', 'every week, until 3 May 2027'],
    ['FREQ=WEEKLY;UNTIL=20270503T080000Z', 'every week, until 3 May 2027, 08:00 UTC'],
  ])('%s', (rrule, words) => expect(repeatInWords(rrule, 'schedule')).toBe(words))

  test.each([
    ['FREQ=DAILY;INTERVAL=3', '3 days after it is done'],
    ['FREQ=HOURLY', 'an hour after it is done'],
    ['FREQ=MONTHLY;BYMONTHDAY=1', 'every month on the 1st, counted from the day it is done'],
    ['FREQ=WEEKLY;COUNT=4', 'a week after it is done, 4 times'],
  ])('%s, from completion', (rrule, words) => expect(repeatInWords(rrule, 'completion')).toBe(words))

  test('a month that lacks the day is left out with skip=omit', () => {
    expect(repeatInWords('FREQ=MONTHLY;BYMONTHDAY=31', 'schedule', 'omit')).toBe('every month on the 31st')
    expect(repeatInWords('RSCALE=GREGORIAN;FREQ=MONTHLY;BYMONTHDAY=31;SKIP=OMIT', 'schedule')).toBe(
      'every month on the 31st',
    )
  })

  test('a rule of a newer server is not shown raw', () => {
    expect(repeatInWords('FREQ=SECONDLY', 'schedule')).toBe('by a rule of its own')
    expect(repeatInWords('FREQ=DAILY;BYMOON=1', 'schedule')).toBe('by a rule of its own')
  })

  test.each([
    [
      'de',
      'alle 2 Wochen am Montag und Freitag',
      'jeden Monat am 31., sonst am letzten Tag',
      '30 Minuten vorher',
      'Heute',
    ],
    [
      'fr',
      'toutes les 2 semaines le lundi et le vendredi',
      'tous les mois le 31, ou le dernier jour',
      '30 minutes avant',
      'Aujourd’hui',
    ],
    ['es', 'cada 2 semanas el lunes y el viernes', 'cada mes el 31, o el último día', '30 minutos antes', 'Hoy'],
  ])('and a reminder and a day, in the language of the page: %s', (language, ...words) => {
    // In a process: the language is fixed once the code is loaded.
    const script = `globalThis.addEventListener = () => {}
      Object.defineProperty(globalThis, 'navigator', { value: { languages: ['${language}'] } })
      await (await import('./app/words/say')).loadSentences()
      const { repeatInWords } = await import('./app/tasks/repeat-words')
      const { reminderInWords } = await import('./app/tasks/reminder-words')
      const { dateInWords } = await import('./app/tasks/dates')
      const rules = ['FREQ=WEEKLY;INTERVAL=2;BYDAY=FR,MO', 'FREQ=MONTHLY;BYMONTHDAY=31']
      const reminder = reminderInWords({ at: null, offset_minutes: -30, from: 'due' })
      const told = [...rules.map((rule) => repeatInWords(rule, 'schedule')), reminder, dateInWords('2026-01-01', '2026-01-01')]
      console.log(JSON.stringify(told))
      process.exit()`
    const { stdout } = Bun.spawnSync([process.execPath, '-e', script], { cwd: ROOT })
    expect(JSON.parse(String(stdout))).toEqual(words)
  })

  test('every rule that the server takes has words of its own', () => {
    fc.assert(
      fc.property(rules, fc.constantFrom('schedule' as const, 'completion' as const), (rule, mode) => {
        const rrule = writeRecurrenceRule(rule)
        fc.pre(isTaken(rrule))
        const words = repeatInWords(rrule, mode)
        expect(words).toMatch(/^(?:every|an? |\d)/)
        expect(words).not.toMatch(/undefined|null|NaN|[=;_]|\b(?!UTC)[A-Z]{2}|own| {2}|,,|[ ,]$/)
      }),
      { numRuns: runs(3000) },
    )
  })

  test('no part of a rule is left out', () => {
    fc.assert(
      fc.property(rules, fc.constantFrom(...PARTS), (rule, part) => {
        const without = { ...rule, [part]: NONE[part] }
        const [whole, less] = [writeRecurrenceRule(rule), writeRecurrenceRule(without)]
        fc.pre(whole !== less && isTaken(whole) && isTaken(less))
        expect(repeatInWords(whole, 'schedule')).not.toBe(repeatInWords(less, 'schedule'))
      }),
      { numRuns: runs(3000) },
    )
  })

  test.each([
    'every day',
    'every 3 days',
    'every friday',
    'every weekday',
    'every 2 weeks on monday and friday',
    'every month on the 15th',
    'every last friday',
    'every year on 3 may',
    'every hour',
    'every friday until 3 may 2027',
    'every week 10 times',
  ])('what is read from “%s” can be read again', (typed) => {
    const first = read(typed)
    expect(first).not.toBeNull()
    if (!first) return
    const words = repeatInWords(first.rrule, first.mode)
    const again = read(words)
    expect({ words, rrule: again?.rrule, mode: again?.mode }).toEqual({ words, rrule: first.rrule, mode: first.mode })
  })
})

const now = Date.parse('2026-11-23T12:00:00Z')
const read = (text: string) =>
  readTime(text, { now, time_zone: 'UTC', dateOrder: null, firstOccurrence: (_, from) => from }).recurrence

function isTaken(rrule: string): boolean {
  try {
    parseRule(rrule)
    return true
  } catch (error) {
    if (error instanceof RuleError) return false
    throw error
  }
}

const few = (min: number, max: number) =>
  fc.oneof(
    { arbitrary: fc.constant([]), weight: 3 },
    { arbitrary: fc.uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength: 4 }), weight: 1 },
  )
const signed = (max: number) => few(-max, max).map((numbers) => numbers.filter((number) => number !== 0))
const rules: fc.Arbitrary<RecurrenceRule> = fc.record({
  freq: fc.constantFrom<Freq>('HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'),
  interval: fc.integer({ min: 1, max: 5 }),
  count: fc.option(fc.integer({ min: 1, max: 40 })),
  until: fc.option(
    fc.record({
      day: fc.integer({ min: 20_000, max: 30_000 }),
      seconds: fc.option(fc.integer({ min: 0, max: 86_399 })),
      utc: fc.boolean(),
    }),
  ),
  byMonth: few(1, 12),
  byWeekNo: signed(53),
  byYearDay: signed(366),
  byMonthDay: signed(31),
  byDay: fc.uniqueArray(
    fc.record({ weekday: fc.integer({ min: 0, max: 6 }), nth: fc.constantFrom(0, 0, 0, 1, 2, -1) }),
    { maxLength: 5, selector: ({ weekday, nth }) => `${weekday} ${nth}` },
  ),
  byHour: few(0, 23),
  byMinute: few(0, 59),
  bySetPos: signed(4),
  weekStart: fc.constant(0),
})
const { freq: _, weekStart: __, ...NONE } = parseRule('FREQ=DAILY').rule
const PARTS = Object.keys(NONE) as (keyof typeof NONE)[]
