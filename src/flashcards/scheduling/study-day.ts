import { listClockChanges, offsetAt } from '../../lib/civil/zone'

/**
 * Study days. A study day begins at the rollover hour of the study zone, not at midnight, so that cards answered late
 * at night belong to the evening. It is numbered as the civil date on which it begins: whole days since 1970-01-01, as
 * in src/lib/civil/day.ts.
 */

/** Where a workspace's study days begin: the two members of its study settings. */
export interface StudyClock {
  /** A zone of the IANA database, checked by isZone. */
  readonly time_zone: string
  /** The rollover, 0..23. */
  readonly day_starts_at_hour: number
}

export const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

/** Milliseconds whose UTC day is the study day. Two differ by real time unless the clocks are changed between. */
export function pseudoTime(at: number, clock: StudyClock): number {
  return at + offsetAt(at, clock.time_zone) - clock.day_starts_at_hour * HOUR_MS
}

/** Returns the study day of an instant. If clocks go back over the rollover, a day occurs twice. */
export function studyDay(at: number, clock: StudyClock): number {
  return Math.floor(pseudoTime(at, clock) / DAY_MS)
}

/**
 * Counts whole study days from one instant to a later one; never below 0, even if clocks went back over the rollover.
 */
export function countStudyDays(from: number, to: number, clock: StudyClock): number {
  return Math.max(0, studyDay(to, clock) - studyDay(from, clock))
}

/**
 * Returns the first instant of a study day, in milliseconds since 1970. Where clocks skip the rollover it is the
 * instant of the change; a day that they skip whole begins with the one after it. The day before ends where this one
 * begins.
 */
export function startOfStudyDay(day: number, clock: StudyClock): number {
  // No zone is a day ahead of UTC or behind it, and none changes its clocks twice within these two days.
  const local = day * DAY_MS + clock.day_starts_at_hour * HOUR_MS
  const [early, late] = [offsetAt(local - DAY_MS, clock.time_zone), offsetAt(local + DAY_MS, clock.time_zone)]
  const before = local - early
  if (early === late) return before
  // With the old offset if the change comes later: it may go back over the rollover, and the first of two is meant.
  const [change] = listClockChanges(local - DAY_MS, local + DAY_MS, clock.time_zone)
  return !change || before < change.at ? before : Math.max(change.at, local - late)
}
