import { invalid } from '../http/api-error'
import { fromDay, toDay } from '../lib/civil/day'
import { civilOf } from '../lib/civil/zone'
import type { AsOf } from './filter/store'
import { FIRST_DAY, LAST_DAY } from './recurrence/expand'
import { readTaskDate } from './when'

/** The days that a question is about. */

/** Days (src/civil/day.ts), both included. */
export interface DayRange {
  readonly from: number
  readonly to: number
}

/** The day on which it is now: the nearest that a task can have. */
export function todayOf({ now, tz }: AsOf): number {
  return clampDay(civilOf(now, tz).day)
}

/** The nearest day that a task can have. */
export function clampDay(day: number): number {
  return Math.min(Math.max(day, FIRST_DAY), LAST_DAY)
}

/** Reads a civil date that a task can have as a day, or takes another day. Throws invalid_request. */
export function readDay(text: string | undefined, pointer: string, otherwise: number): number {
  return text === undefined ? clampDay(otherwise) : toDay(readTaskDate(text, pointer))
}

/** Refuses days in the wrong order, or more than `most` of them. Throws invalid_request. */
export function requireDays({ from, to }: DayRange, most: number): DayRange {
  if (to < from) throw invalid('/to', 'before_from', `to must not be before from, ${fromDay(from)}`)
  if (to - from >= most) throw invalid('/to', 'too_many_days', `from and to must be at most ${most} days`)
  return { from, to }
}
