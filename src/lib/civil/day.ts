/**
 * Civil dates of the proleptic Gregorian calendar as whole days since 1970-01-01, and back. The arithmetic is Howard
 * Hinnant's days_from_civil and civil_from_days ("chrono-Compatible Low-Level Date Algorithms"): years that begin in
 * March put the leap day last, and eras of 400 years repeat.
 */

/** A civil date in its parts: month 1..12, day 1..31. */
interface DateParts {
  readonly year: number
  readonly month: number
  readonly day: number
}

export const MINUTES_PER_DAY = 1440

/** The civil dates that a task can have, both included. */
export const FIRST_DATE = '1900-01-01'
export const LAST_DATE = '2200-12-31'

const DAYS_PER_ERA = 146_097
/** Days from 0000-03-01, where the first era begins, to 1970-01-01. */
const EPOCH_DAYS = 719_468
const ZERO = '0'.charCodeAt(0)

export const FIRST_DAY = toDay(FIRST_DATE)
export const LAST_DAY = toDay(LAST_DATE)

/** Converts a `YYYY-MM-DD`, which must be a real date, to a day. */
export function toDay(date: string): number {
  return dayOf(readTwoDigits(date, 0) * 100 + readTwoDigits(date, 2), readTwoDigits(date, 5), readTwoDigits(date, 8))
}

/** Reads two digits without a substring, since an agenda reads thousands of dates. */
function readTwoDigits(text: string, index: number): number {
  return (text.charCodeAt(index) - ZERO) * 10 + text.charCodeAt(index + 1) - ZERO
}

/** Writes a day in the years 0000 to 9999 as `YYYY-MM-DD`. */
export function fromDay(day: number): string {
  const { year, month, day: ofMonth } = partsOf(day)
  return `${String(year).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(ofMonth)}`
}

function twoDigits(value: number): string {
  return value < 10 ? `0${value}` : String(value)
}

/** Returns the day of a date in parts; month 1..12. A day after the end of the month continues into the next. */
export function dayOf(year: number, month: number, day: number): number {
  const marchYear = month > 2 ? year : year - 1
  const era = Math.floor(marchYear / 400)
  const yearOfEra = marchYear - era * 400
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  return era * DAYS_PER_ERA + dayOfEra - EPOCH_DAYS
}

export function partsOf(day: number): DateParts {
  const shifted = day + EPOCH_DAYS
  const era = Math.floor(shifted / DAYS_PER_ERA)
  const dayOfEra = shifted - era * DAYS_PER_ERA
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const fromMarch = Math.floor((5 * dayOfYear + 2) / 153)
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * fromMarch + 2) / 5) + 1,
  }
}

export function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
}

/** `month` is 1..12. */
export function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

export function isDate({ year, month, day }: DateParts): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month)
}

/** Returns the day of the week, 0 (Monday) to 6 (Sunday). */
export function weekdayOf(day: number): number {
  // 1970-01-01 was a Thursday.
  return modulo(day + 3, 7)
}

/** Returns the first day of the week of a day; weeks begin on `weekStart`, 0 (Monday) to 6 (Sunday). */
export function startOfWeek(day: number, weekStart = 0): number {
  return day - modulo(weekdayOf(day) - weekStart, 7)
}

/**
 * Returns the first day of week 1 of a year: the week with 4 January (ISO 8601), for weeks that begin on `weekStart`.
 */
export function startOfWeekYear(year: number, weekStart = 0): number {
  return startOfWeek(dayOf(year, 1, 4), weekStart)
}

/** Returns the remainder of a division by a positive divisor; never negative. */
export function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor
}

/** The languages in which dates and times are read. Their words, 200 KB, are loaded when a text is to be read. */
export const TIME_LANGUAGES = ['en', 'de', 'fr', 'es'] as const
export type TimeLanguage = (typeof TIME_LANGUAGES)[number]
