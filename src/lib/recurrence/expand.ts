import { dayOf } from '../civil/day'
import { instantOf } from '../civil/zone'
import { generateDays } from './periods'
import type { RecurrenceRule, Skip } from './rule'

export const FIRST_DAY = dayOf(1900, 1, 1)
export const LAST_DAY = dayOf(2200, 12, 31)

export interface Series {
  readonly rule: RecurrenceRule
  /** The day (lib/civil/day.ts) from which the rule counts. It is an occurrence only if it fits the rule. */
  readonly anchor: number
  /** Minutes after midnight of the anchor: what a rule by time (isTimedRule) counts from. Absent is 0. */
  readonly anchorTime?: number
  readonly skip: Skip
  /** Days that are not occurrences, though COUNT counts them. */
  readonly exdates: ReadonlySet<number>
  /** Slots (slots.ts) that are not occurrences of a rule by time. */
  readonly exslots?: ReadonlySet<number>
  /** Slots that are occurrences beside those of the rule, ascending; COUNT does not count them. */
  readonly rdates?: readonly number[]
  /** Minutes after midnight; null or absent for all day. With `zone`, it is compared with an UNTIL that has a time. */
  readonly time?: number | null
  /** A zone that `isZone` accepts; null or absent for floating. */
  readonly zone?: string | null
}

/** The wanted occurrences: the days from `from` to `to`, both included, at most `limit`. */
interface OccurrenceWindow {
  readonly from?: number
  readonly to?: number
  readonly limit: number
}

/** Days by date, in order, none twice. COUNT counts from the anchor: only with it the search starts there. */
export function listOccurrences(
  series: Series,
  { from = FIRST_DAY, to = LAST_DAY, limit }: OccurrenceWindow,
): number[] {
  const { rule, anchor, skip, exdates } = series
  const found: number[] = []
  if (limit <= 0) return found
  const first = Math.max(from, FIRST_DAY)
  const last = Math.min(to, LAST_DAY, findLastDay(series))
  let left = rule.count ?? Number.POSITIVE_INFINITY
  for (const day of generateDays(rule, anchor, skip, rule.count === null ? first : FIRST_DAY, last)) {
    if (day >= first && !exdates.has(day) && found.push(day) >= limit) break
    left -= 1
    if (left === 0) break
  }
  return found
}

/** Finds the last day on which an occurrence is not after UNTIL. */
function findLastDay({ rule: { until }, time, zone }: Series): number {
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
