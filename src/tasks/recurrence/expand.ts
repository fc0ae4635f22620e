import { dayOf } from '../../civil/day'
import type { Rule, Skip } from './rule'

/** The first and the last day that can be an occurrence. */
export const FIRST_DAY = dayOf(1900, 1, 1)
export const LAST_DAY = dayOf(2200, 12, 31)

/** A rule with all that its dates depend on. */
export interface Series {
  readonly rule: Rule
  /** The day (src/civil/day.ts) that all is counted from. It is an occurrence only if it fits the rule. */
  readonly anchor: number
  readonly skip: Skip
  /** Days that are no occurrences; COUNT counts them all the same. */
  readonly exdates: ReadonlySet<number>
  /** Minutes after midnight; null or absent is all day. With `zone` it tells what UNTIL with a time is compared with. */
  readonly time?: number | null
  /** A zone as isZone takes it; null or absent is floating. */
  readonly zone?: string | null
}

/** Which occurrences: days from `from` up to `to`, both included, and how many at most. */
export interface Window {
  readonly from?: number
  readonly to?: number
  readonly limit: number
}

/** The days of a series in order, none twice. */
export function occurrences(_series: Series, _window: Window): number[] {
  throw new Error('not built yet')
}

/** The first occurrence after a day, or null if there is none up to LAST_DAY. */
export function nextOccurrence(series: Series, after: number): number | null {
  return occurrences(series, { from: after + 1, limit: 1 })[0] ?? null
}

/** The first of all, or null: such a rule never occurs. */
export function firstOccurrence(series: Series): number | null {
  return occurrences(series, { limit: 1 })[0] ?? null
}

export function isOccurrence(series: Series, day: number): boolean {
  return occurrences(series, { from: day, to: day, limit: 1 }).length > 0
}
