import { dayOf, daysInMonth, isLeapYear, modulo, partsOf, weekdayOf } from '../civil/day'
import type { RecurrenceRule, RuleDay, Skip } from './rule'

/** A set of days of a month as bits: bit 0 is the first day. */
export type MonthBits = number

/** Returns the days of a month (1..12) that a rule allows. */
export type MonthDays = (year: number, month: number) => MonthBits

const ALL_DAYS: MonthBits = 0x7fff_ffff
/** Every seventh day from the first on. */
const SEVENTHS: MonthBits = 0x1020_4081

/**
 * Creates the filter of BYMONTH, BYMONTHDAY, BYYEARDAY and BYDAY. With `backward`, a day that a month or year lacks
 * becomes its last; in DAILY rules BYMONTHDAY only limits, so no such day comes up and nothing moves (RFC 7529).
 */
export function createMonthDays(rule: RecurrenceRule, skip: Skip): MonthDays {
  const monthDays = createByMonthDay(rule, skip === 'backward' && rule.freq !== 'DAILY')
  const yearDays = createYearBits((year) => yearDaysOf(rule.byYearDay, year, skip))
  const weekdays = createByDay(rule)
  let [lastKey, last] = [Number.NaN, 0]
  return (year, month) => {
    if (rule.byMonth.length > 0 && !rule.byMonth.includes(month)) return 0
    const key = year * 12 + month
    if (key === lastKey) return last
    let bits = ALL_DAYS >>> (31 - daysInMonth(year, month))
    if (rule.byMonthDay.length > 0) bits &= monthDays(year, month)
    if (rule.byYearDay.length > 0) bits &= yearDays(year, month)
    if (rule.byDay.length > 0) bits &= weekdays(year, month)
    ;[lastKey, last] = [key, bits]
    return bits
  }
}

/** Creates the filter of BYMONTHDAY, which depends only on the length of a month and is cached by it. */
function createByMonthDay({ byMonthDay }: RecurrenceRule, moves: boolean): MonthDays {
  const byLength: MonthBits[] = []
  return (year, month) => {
    const length = daysInMonth(year, month)
    byLength[length] ??= byMonthDay.reduce((bits, day) => bits | bitOf(indexIn(length, day, moves)), 0)
    return byLength[length]
  }
}

/**
 * Creates the filter of BYDAY. Its numbers count within the month, or within the year if a yearly rule names no month.
 */
function createByDay({ freq, byMonth, byDay }: RecurrenceRule): MonthDays {
  const plain = byDay.filter(({ nth }) => nth === 0)
  const counted = byDay.filter(({ nth }) => nth !== 0)
  const ofYear = freq === 'YEARLY' && byMonth.length === 0
  const inYear = createYearBits((year) => counted.map((day) => nthOfYear(day, year)))
  return (year, month) => {
    const first = weekdayOf(dayOf(year, month, 1))
    let bits = 0
    for (const { weekday } of plain) bits |= SEVENTHS << modulo(weekday - first, 7)
    if (counted.length === 0) return bits
    if (ofYear) return bits | inYear(year, month)
    for (const day of counted) bits |= bitOf(nthIndex(day, first, daysInMonth(year, month)))
    return bits
  }
}

/** Converts days of a year (from 0; those outside are left out) to bits of its months. The last year is cached. */
function createYearBits(daysOf: (year: number) => readonly number[]): MonthDays {
  let [lastYear, months]: [number, MonthBits[]] = [Number.NaN, []]
  return (year, month) => {
    if (year !== lastYear) {
      ;[lastYear, months] = [year, new Array<number>(12).fill(0)]
      for (const index of daysOf(year)) {
        const date = partsOf(dayOf(year, 1, 1) + index)
        if (date.year === year) months[date.month - 1] = (months[date.month - 1] ?? 0) | bitOf(date.day - 1)
      }
    }
    return months[month - 1] ?? 0
  }
}

function yearDaysOf(byYearDay: readonly number[], year: number, skip: Skip): number[] {
  const length = lengthOfYear(year)
  return byYearDay.map((day) => indexIn(length, day, skip === 'backward'))
}

function nthOfYear(day: RuleDay, year: number): number {
  return nthIndex(day, weekdayOf(dayOf(year, 1, 1)), lengthOfYear(year))
}

function lengthOfYear(year: number): number {
  return isLeapYear(year) ? 366 : 365
}

/** The index from 0 of a day (-1 is the last) in a month or year; one outside of it means that there is none. */
function indexIn(length: number, day: number, moves: boolean): number {
  if (day < 0) return beforeStart(length + day)
  return moves ? Math.min(day, length) - 1 : day - 1
}

/** Returns the index from 0 of the nth weekday in a month or year that begins on weekday `first`. */
function nthIndex({ weekday, nth }: RuleDay, first: number, length: number): number {
  const earliest = modulo(weekday - first, 7)
  if (nth > 0) return earliest + 7 * (nth - 1)
  return beforeStart(earliest + 7 * (Math.floor((length - 1 - earliest) / 7) + nth + 1))
}

/** Maps all indexes before the start to -1, so that none is taken for a day of the year before. */
function beforeStart(index: number): number {
  return Math.max(index, -1)
}

function bitOf(index: number): MonthBits {
  return index < 0 || index > 30 ? 0 : 1 << index
}
