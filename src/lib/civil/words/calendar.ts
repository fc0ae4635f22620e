import { dayOf, daysInMonth, isDate, modulo, partsOf, startOfWeek, weekdayOf } from '../day'
import type { Amount } from './cursor'

/** Arithmetic on whole days since 1970-01-01 (day.ts); weekdays are 0 (Monday) to 6 (Sunday). */

/** Returns the day of these parts; null if there is none, or not between 1900 and 2200. */
export function dayOfParts(year: number, month: number, day: number): number | null {
  return year >= 1900 && year <= 2200 && isDate({ year, month, day }) ? dayOf(year, month, day) : null
}

/** Returns the first such date on or after `from`; null if no year has it. 29 February may be eight years away. */
export function nextMonthDay(from: number, month: number, day: number): number | null {
  const { year } = partsOf(from)
  for (let ahead = 0; ahead <= 8; ahead++) {
    const found = dayOfParts(year + ahead, month, day)
    if (found !== null && found >= from) return found
  }
  return null
}

/** Returns the first such day of a month on or after `from`, on that weekday if given; null if none is within 3 years. */
export function nextDayOfMonth(from: number, day: number, weekday: number | null = null): number | null {
  const { year, month } = partsOf(from)
  // Friday the 13th comes within 14 months; a 31st on a given weekday may take longer.
  for (let ahead = 0; ahead <= 36; ahead++) {
    const found = dayOfParts(year + Math.floor((month + ahead - 1) / 12), ((month + ahead - 1) % 12) + 1, day)
    if (found !== null && found >= from && (weekday === null || weekdayOf(found) === weekday)) return found
  }
  return null
}

export function nextWeekday(from: number, weekday: number): number {
  return from + modulo(weekday - weekdayOf(from), 7)
}

/** Returns that weekday in the week after the one of `from`; weeks begin on Monday. */
export function weekdayOfNextWeek(from: number, weekday: number): number {
  return startOfWeek(from) + 7 + weekday
}

/** Adds months; a day that the month lacks becomes its last day. */
export function addMonths(day: number, months: number): number {
  const { year, month, day: ofMonth } = partsOf(day)
  const index = year * 12 + month - 1 + months
  const [toYear, toMonth] = [Math.floor(index / 12), modulo(index, 12) + 1]
  return dayOf(toYear, toMonth, Math.min(ofMonth, daysInMonth(toYear, toMonth)))
}

/** Adds working days, Monday to Friday. */
export function addWorkdays(day: number, count: number): number {
  let [at, left] = [day, count]
  while (left > 0) {
    at += 1
    if (weekdayOf(at) < 5) left -= 1
  }
  return at
}

/** Adds an amount to a day, or subtracts it with the sign -1; null for half a day, minutes and weekends. */
export function addAmount(day: number, { count, unit }: Amount, sign: 1 | -1): number | null {
  if (!Number.isInteger(count) || count > 100_000) return null
  if (unit === 'day') return day + sign * count
  if (unit === 'week') return day + sign * count * 7
  if (unit === 'fortnight') return day + sign * count * 14
  if (unit === 'month') return addMonths(day, sign * count)
  if (unit === 'quarter') return addMonths(day, sign * count * 3)
  if (unit === 'year') return addMonths(day, sign * count * 12)
  return unit === 'workday' && sign > 0 ? addWorkdays(day, count) : null
}

export type PeriodUnit = 'week' | 'month' | 'quarter' | 'year'

export interface CalendarPeriod {
  readonly unit: PeriodUnit
  readonly first: number
  readonly last: number
}

const MONTHS_OF: Readonly<Record<Exclude<PeriodUnit, 'week'>, number>> = { month: 1, quarter: 3, year: 12 }

/** Returns the period of a day, or the one `ahead` periods later. */
export function periodOf(unit: PeriodUnit, day: number, ahead = 0): CalendarPeriod {
  if (unit === 'week') {
    const first = startOfWeek(day) + 7 * ahead
    return { unit, first, last: first + 6 }
  }
  const { year, month } = partsOf(day)
  const length = MONTHS_OF[unit]
  const first = addMonths(dayOf(year, month - ((month - 1) % length), 1), length * ahead)
  return { unit, first, last: addMonths(first, length) - 1 }
}

/** Returns the nth matching day of a period (1: the first, -1: the last); null if there are fewer. */
export function nthDay({ first, last }: CalendarPeriod, nth: number, fits: (day: number) => boolean): number | null {
  let left = Math.abs(nth)
  for (let i = 0; i <= last - first; i++) {
    const day = nth > 0 ? first + i : last - i
    if (fits(day) && --left === 0) return day
  }
  return null
}

export function isWorkday(day: number): boolean {
  return weekdayOf(day) < 5
}
