import type { Session } from '../../db/database'
import { civilOf, startOfDay } from '../../lib/civil/zone'
import { todayOf } from '../days'
import type { AsOf } from '../filter/store'
import { FIRST_DAY } from '../recurrence/expand'
import { activeIn, lastDoneBefore } from './store'

/** Days that are looked at in one step. */
const STEP = 366

/** Days in a row on which something was done: the present row, and the longest there ever was. */
export interface Streak {
  readonly current: number
  readonly longest: number
}

/**
 * Goes back from today through all days on which something was done, from 1900 on; years without are passed over. Today
 * does not break a row while nothing is done on it yet.
 */
export async function streakOf(session: Session, asOf: AsOf): Promise<Streak> {
  const today = todayOf(asOf)
  let [current, longest, row, next] = [0, 0, 0, today]
  for await (const day of activeDays(session, asOf)) {
    row = day === next ? row + 1 : 1
    next = day - 1
    longest = Math.max(longest, row)
    // The row that reaches to today, or to yesterday.
    if (day + row - 1 >= today - 1) current = row
  }
  return { current, longest }
}

/** The days on which something was done up to now, the last first. */
async function* activeDays({ db, workspace }: Session, { now, tz }: AsOf): AsyncGenerator<number> {
  let before = now + 1
  for (;;) {
    const at = await lastDoneBefore(db, workspace.id, before)
    const last = at === null ? FIRST_DAY - 1 : civilOf(at, tz).day
    if (last < FIRST_DAY) return
    const first = last - STEP + 1
    const starts = Array.from({ length: STEP + 1 }, (_, i) => Math.min(startOfDay(first + i, tz), before))
    const spans = starts.slice(0, -1).map((from, i) => ({ from, to: starts[i + 1] ?? from }))
    for (const span of (await activeIn(db, workspace.id, spans)).reverse()) yield first + span
    before = starts[0] ?? 0
  }
}
