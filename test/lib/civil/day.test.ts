import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  dayOf,
  daysInMonth,
  fromDay,
  isDate,
  isLeapYear,
  modulo,
  partsOf,
  startOfWeek,
  startOfWeekYear,
  toDay,
  weekdayOf,
} from '../../../src/lib/civil/day'
import { runs } from '../../support/full'

const MS = 86_400_000
/** Years 0000 to 9999. */
const [FIRST, LAST] = [-719_528, 2_932_896]
const days = fc.integer({ min: FIRST, max: LAST })

describe('a day', () => {
  test.each([
    ['1970-01-01', 0],
    ['1969-12-31', -1],
    ['2000-02-29', 11_016],
    ['1900-01-01', -25_567],
    ['2200-12-31', 84_370],
    ['0000-01-01', FIRST],
    ['9999-12-31', LAST],
  ])('%s is day %i', (date, day) => {
    expect(toDay(date)).toBe(day)
    expect(fromDay(day)).toBe(date)
  })

  test('is the date that Date has, on each day from 1890 to 2210', () => {
    for (let day = toDay('1890-01-01'); day <= toDay('2210-12-31'); day++) {
      const date = new Date(day * MS)
      const parts = { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() }
      expect(partsOf(day)).toEqual(parts)
      expect(dayOf(parts.year, parts.month, parts.day)).toBe(day)
      expect(weekdayOf(day)).toBe((date.getUTCDay() + 6) % 7)
    }
  })

  test('and its date are one and the same in the years 0000 to 9999', () => {
    fc.assert(
      fc.property(days, (day) => {
        expect(fromDay(day)).toBe(new Date(day * MS).toISOString().slice(0, 10))
        expect(toDay(fromDay(day))).toBe(day)
        expect(isDate(partsOf(day))).toBe(true)
      }),
      { numRuns: runs(1000) },
    )
  })
})

describe('the calendar', () => {
  test.each([
    [2026, 2, 28],
    [2024, 2, 29],
    [2000, 2, 29],
    [1900, 2, 28],
    [2026, 4, 30],
    [2026, 12, 31],
  ])('has in %i-%i %i days', (year, month, length) => {
    expect(daysInMonth(year, month)).toBe(length)
    expect(isDate({ year, month, day: length })).toBe(true)
    expect(isDate({ year, month, day: length + 1 })).toBe(false)
    expect(isLeapYear(year)).toBe(daysInMonth(year, 2) === 29)
  })

  test.each([
    { year: 2026, month: 0, day: 1 },
    { year: 2026, month: 13, day: 1 },
    { year: 2026, month: 1, day: 0 },
    { year: 2026, month: 1, day: Number.NaN },
  ])('has no date of %o', (parts) => {
    expect(isDate(parts)).toBe(false)
  })
})

describe('weeks', () => {
  test.each([
    ['2026-03-04', 0, '2026-03-02'],
    ['2026-03-02', 0, '2026-03-02'],
    ['2026-03-04', 6, '2026-03-01'],
    ['2026-03-04', 3, '2026-02-26'],
  ])('%s is in the one that begins on weekday %i at %s', (date, start, expected) => {
    expect(fromDay(startOfWeek(toDay(date), start))).toBe(expected)
  })

  test('a day is within seven days of the start of its week, which is the weekday that weeks begin on', () => {
    fc.assert(
      fc.property(days, fc.integer({ min: 0, max: 6 }), (day, start) => {
        const first = startOfWeek(day, start)
        expect(weekdayOf(first)).toBe(start)
        expect(day - first).toBe(modulo(day - first, 7))
      }),
    )
  })

  // ISO 8601: 2026 has 53 weeks.
  test.each([
    [2020, '2019-12-30'],
    [2021, '2021-01-04'],
    [2026, '2025-12-29'],
    [2027, '2027-01-04'],
  ])('week 1 of %i begins at %s', (year, date) => {
    expect(fromDay(startOfWeekYear(year))).toBe(date)
  })
})
