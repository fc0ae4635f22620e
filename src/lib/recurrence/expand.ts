import { dayOf } from '../civil/day'
import { instantOf } from '../civil/zone'
import { daysOfRule } from './periods'
import type { RecurrenceRule, Skip } from './rule'

/** The first and the last day that can be an occurrence. */
export const FIRST_DAY = dayOf(1900, 1, 1)
export const LAST_DAY = dayOf(2200, 12, 31)

/** A rule with all that its dates depend on. */
export interface Series {
  readonly rule: RecurrenceRule
  /** The day (src/civil/day.ts) that all is counted from. It is an occurrence only if it fits the rule. */
  readonly anchor: number
  /** Minutes after midnight of the anchor: what a rule by time (isTimedRule) counts from. Absent is 0. */
  readonly anchorTime?: number
  readonly skip: Skip
  /** Days that are no occurrences; COUNT counts them all the same. */
  readonly exdates: ReadonlySet<number>
  /** Slots (slots.ts) that are no occurrences of a rule by time. */
  readonly exslots?: ReadonlySet<number>
  /** Minutes after midnight; null or absent is all day. With `zone` it tells what UNTIL with a time is compared with. */
  readonly time?: number | null
  /** A zone as isZone takes it; null or absent is floating. */
  readonly zone?: string | null
}

/** Which occurrences: days from `from` up to `to`, both included, and how many at most. */
export interface OccurrenceWindow {
  readonly from?: number
  readonly to?: number
  readonly limit: number
}

/**
 * The days of a series by date in order, none twice. COUNT counts from the anchor (from FIRST_DAY if the anchor is before it):
 * only then the walk begins there.
 */
export function listOccurrences(
  series: Series,
  { from = FIRST_DAY, to = LAST_DAY, limit }: OccurrenceWindow,
): number[] {
  const { rule, anchor, skip, exdates } = series
  const found: number[] = []
  if (limit <= 0) return found
  const first = Math.max(from, FIRST_DAY)
  const last = Math.min(to, LAST_DAY, lastDay(series))
  let left = rule.count ?? Number.POSITIVE_INFINITY
  for (const day of daysOfRule(rule, anchor, skip, rule.count === null ? first : FIRST_DAY, last)) {
    if (day >= first && !exdates.has(day) && found.push(day) >= limit) break
    left -= 1
    if (left === 0) break
  }
  return found
}

/** The first occurrence after a day, or null if there is none up to LAST_DAY. */
export function nextOccurrence(series: Series, after: number): number | null {
  return listOccurrences(series, { from: after + 1, limit: 1 })[0] ?? null
}

/** The first of all, or null: such a rule never occurs. */
export function firstOccurrence(series: Series): number | null {
  return listOccurrences(series, { limit: 1 })[0] ?? null
}

export function isOccurrence(series: Series, day: number): boolean {
  return listOccurrences(series, { from: day, to: day, limit: 1 }).length > 0
}

/** The last day on which an occurrence is not yet after UNTIL. */
function lastDay({ rule: { until }, time, zone }: Series): number {
  if (until === null) return LAST_DAY
  const minutes = time ?? 0
  if (until.seconds === null) return until.day
  if (!until.utc || !zone || typeof time !== 'number') return minutes * 60 <= until.seconds ? until.day : until.day - 1
  const end = (until.day * 86_400 + until.seconds) * 1000
  // Clocks are less than two days from UTC, whichever way they jump.
  let day = until.day + 2
  while (instantOf(day, minutes, zone) > end) day -= 1
  return day
}
