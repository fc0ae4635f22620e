import { describe, expect, test } from 'bun:test'
import { TIME_LANGUAGES, type TimeLanguage } from '../../../../src/lib/civil/day'
import { isReadDay, readDate, readDateWords } from '../../../../src/lib/civil/words/date'
import { readTime } from '../../../../src/lib/civil/words/read'
import { ABBREVIATIONS } from '../../../../src/lib/civil/words/zones'
import { offsetAt } from '../../../../src/lib/civil/zone'
import { makeContext } from './support'

describe('a text that is a date', () => {
  test.each([
    ['next friday 9am', '2026-03-13 09:00'],
    ['Tomorrow', '2026-03-03 null'],
    ['on 5 May at 14:30.', '2026-05-05 14:30'],
    ['mon', '2026-03-02 null'],
    ['in 2 hours', '2026-03-02 12:00'],
    ['9am', '2026-03-03 09:00'],
    ['end of month', '2026-03-31 null'],
    ['(friday)', '2026-03-06 null'],
  ])('%s', (text, expected) => {
    const read = readDate(text, makeContext())
    expect(isReadDay(read) && `${read.date} ${read.time}`).toBe(expected)
  })

  test.each([
    ['next friday or so', 'or so'],
    ['call Ann tomorrow', 'call Ann'],
    ['soon', 'soon'],
    ['yesterday', 'yesterday'],
    ['tomorrow until 5', 'tomorrow until 5'],
    ['03/04', '03/04'],
    ['friday 13 people', 'friday 13'],
    ['every day', 'every day'],
    ['tomorrow for 30 min', 'tomorrow for 30 min'],
    ['5-7 may', '5-7 may'],
    ['tomorrow remind 1 h before', 'tomorrow remind 1 h before'],
    ['> tomorrow', '>'],
    ['tomorrow 🎂', '🎂'],
    ['', ''],
  ])('%s is none, and what is in the way is named', (text, rest) => {
    const read = readDate(text, makeContext())
    expect(isReadDay(read) ? read : text.slice(read.start, read.end)).toBe(rest)
  })

  test('a past day is one where it is allowed', () => {
    expect(readDate('yesterday', makeContext({ past: true }))).toMatchObject({ date: '2026-03-01' })
    expect(readDate('2025-12-24', makeContext({ past: true }))).toMatchObject({ date: '2025-12-24' })
    expect(readDate('3 days ago', makeContext({ past: true }))).toMatchObject({ date: '2026-02-27' })
    expect(readDate('vor 3 Tagen', makeContext({ past: true, language: 'de' }))).toMatchObject({ date: '2026-02-27' })
  })
})

describe('for chat', () => {
  const now = Date.parse('2026-03-02T09:00:00Z')

  test('a day and a time on the clock of the zone', () => {
    expect(readDateWords('friday at 9am', { now, time_zone: 'Europe/Berlin', languages: ['de', 'en'] })).toEqual({
      date: '2026-03-06',
      time: '09:00',
    })
    expect(readDateWords('übermorgen um 9', { now, time_zone: 'Europe/Berlin', languages: ['de', 'en'] })).toEqual({
      date: '2026-03-04',
      time: '09:00',
    })
    expect(readDateWords('friday', { now, time_zone: 'Europe/Berlin', languages: ['de', 'en'] })).toEqual({
      date: '2026-03-06',
      time: null,
    })
    expect(readDateWords('friday 11pm EST', { now, time_zone: 'Europe/Berlin', languages: ['de', 'en'] })).toEqual({
      date: '2026-03-07',
      time: '05:00',
    })
  })

  test('an abbreviation means an offset that its zone has', () => {
    const offsets = (zone: string) => [1, 7].map((month) => offsetAt(Date.UTC(2026, month), zone) / 60_000)
    const wrong = Object.entries(ABBREVIATIONS).filter(
      ([, [zone, own]]) => own !== null && !offsets(zone).includes(own),
    )
    expect(wrong).toEqual([])
  })

  const inAny = (words: string, first: TimeLanguage) =>
    readDateWords(words, { now, time_zone: 'UTC', languages: [first, ...TIME_LANGUAGES] })?.date ?? null

  test.each(['do', 'to do', 'mar', 'Mi', 'so', 'dom', 'do 9:00', 'sam.', 'next mar'])(
    'an abbreviation of another language that is a word of its own is none: %s',
    (words) => expect(inAny(words, 'en')).toBeNull(),
  )

  test('nor is one of English that is a name, in another language', () => {
    expect([inAny('tom', 'de'), inAny('tom', 'en')]).toEqual([null, '2026-03-03'])
  })

  test.each([
    ['do', 'de', '2026-03-05'],
    ['mar', 'fr', '2026-03-03'],
    ['sat', 'en', '2026-03-07'],
    ['Donnerstag', 'en', '2026-03-05'],
    ['mardi', 'en', '2026-03-03'],
    ['hoy', 'en', '2026-03-02'],
    ['fri', 'de', '2026-03-06'],
  ] as const)('a day in the first language, or a whole word of another one: %s in %s', (words, first, date) =>
    expect(inAny(words, first)).toBe(date),
  )

  test.each(['whenever', 'every friday', 'friday for an hour', 'friday 9am CST', ' '.repeat(201)])(
    'none: %s',
    (words) => {
      expect(readDateWords(words, { now, time_zone: 'Europe/Berlin', languages: ['de', 'en'] })).toBeNull()
    },
  )
})

describe('clocks', () => {
  const at = (instant: string, text: string, time_zone: string | null = 'Europe/Berlin') =>
    readTime(text, makeContext({ now: Date.parse(instant), time_zone })).due

  test('hours are added to the instant, not to the clock: spring', () => {
    // 01:30 in Berlin; at 02:00 the clocks go on to 03:00.
    expect(at('2026-03-29T00:30:00Z', 'call in 2 hours')).toMatchObject({ date: '2026-03-29', time: '04:30' })
    expect(at('2026-03-29T00:30:00Z', 'call in 30 min')).toMatchObject({ time: '03:00' })
    expect(at('2026-03-28T09:00:00Z', 'call in 24 hours')).toMatchObject({ date: '2026-03-29', time: '11:00' })
  })

  test('autumn: an hour that comes twice is told in UTC where the second is meant', () => {
    // 01:30 in Berlin; at 03:00 the clocks go back to 02:00.
    expect(at('2026-10-24T23:30:00Z', 'call in 1 hour')).toEqual({
      date: '2026-10-25',
      time: '02:30',
      time_zone: 'Europe/Berlin',
    })
    expect(at('2026-10-24T23:30:00Z', 'call in 2 hours')).toEqual({
      date: '2026-10-25',
      time: '01:30',
      time_zone: 'UTC',
    })
    expect(at('2026-10-24T23:30:00Z', 'call in 3 hours')).toMatchObject({ time: '03:30', time_zone: 'Europe/Berlin' })
  })

  test('days are added to the day', () => {
    expect(at('2026-03-28T09:00:00Z', 'call in 1 day at 10:00')).toMatchObject({ date: '2026-03-29', time: '10:00' })
  })

  test('what is past is told by the clock of the zone that is named', () => {
    // 10:00 in Berlin, 04:00 in New York, 18:00 in Tokyo.
    expect(at('2026-03-02T09:00:00Z', 'call 9am EST')).toMatchObject({ date: '2026-03-02', time: '09:00' })
    expect(at('2026-03-02T09:00:00Z', 'call 5pm JST')).toMatchObject({ date: '2026-03-03', time: '17:00' })
  })

  test('without a zone times float, and today is that of UTC', () => {
    expect(at('2026-03-02T23:30:00Z', 'call today at 23:45', null)).toEqual({
      date: '2026-03-02',
      time: '23:45',
      time_zone: null,
    })
  })
})
