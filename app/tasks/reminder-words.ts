/** Reminders of tasks, and lengths of time, in words. */
import type { Reminder } from '../api/types'
import { dateOf, timeOf } from '../data/clock'
import { locale, say } from '../words/say'
import { dayMonthYear, timeInWords } from './dates'

/** So many of a unit of time. */
export const AMOUNTS = {
  minute: (count: number) => (count === 1 ? say`a minute` : say`${count} minutes`),
  hour: (count: number) => (count === 1 ? say`an hour` : say`${count} hours`),
  day: (count: number) => (count === 1 ? say`a day` : say`${count} days`),
  week: (count: number) => (count === 1 ? say`a week` : say`${count} weeks`),
  month: (count: number) => (count === 1 ? say`a month` : say`${count} months`),
  year: (count: number) => (count === 1 ? say`a year` : say`${count} years`),
}
/** In minutes. */
const LENGTHS = [
  ['week', 10_080],
  ['day', 1440],
  ['hour', 60],
  ['minute', 1],
] as const

const list = new Intl.ListFormat(locale)

/** “a, b and c”, each but once. @param article comes before all but the first */
export const listOf = (parts: readonly string[], article = ''): string =>
  list
    .formatToParts(new Set(parts))
    .map(({ type, value }) => (type === 'literal' ? value + article : value))
    .join('')

/** “30 minutes before”, “a day and 2 hours before it starts”, “when it is due” or “3 May 2027, 09:00”. */
export function reminderInWords({ at, offset_minutes, from }: Reminder): string {
  if (at !== null) {
    const moment = new Date(at)
    return `${dayMonthYear(dateOf(moment))}, ${timeInWords(timeOf(moment))}`
  }
  const minutes = offset_minutes ?? 0
  const length = lengthInWords(Math.abs(minutes))
  if (minutes === 0) return from === 'start' ? say`when it starts` : say`when it is due`
  if (from === 'start') return minutes < 0 ? say`${length} before it starts` : say`${length} after it starts`
  return minutes < 0 ? say`${length} before` : say`${length} after`
}

/** A length in minutes as “an hour”, “90 minutes” would be “an hour and 30 minutes”. */
export function lengthInWords(minutes: number): string {
  let left = minutes
  return listOf(
    LENGTHS.flatMap(([unit, minutes]) => {
      const count = Math.floor(left / minutes)
      left -= count * minutes
      return count === 0 ? [] : [AMOUNTS[unit](count)]
    }),
  )
}

/** A length in minutes as “1h 30m”. */
export function shortLength(minutes: number): string {
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
  const narrow = (count: number, unit: string) =>
    count === 0 ? [] : [count.toLocaleString(locale, { style: 'unit', unit, unitDisplay: 'narrow' })]
  return [...narrow(hours, 'hour'), ...narrow(rest, 'minute')].join(' ')
}
