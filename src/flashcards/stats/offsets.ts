import { offsetAt } from '../../lib/civil/zone'
import { DAY } from '../scheduling/study-day'
import type { StudyDayRange } from './days'
import type { OffsetFrom } from './review-store'

/** No zone changes its clocks twice within these. */
const STEP = 2 * DAY
/** How far the study day of an answer may lie from its instant: it was reckoned by the zone of then. */
const MARGIN_DAYS = 3

/** How far a zone's clocks are ahead of UTC around these study days, from when on each. */
export function offsetsAround({ from, to }: StudyDayRange, zone: string): OffsetFrom[] {
  const end = (to + MARGIN_DAYS) * DAY
  const first = (from - MARGIN_DAYS) * DAY
  let before = offsetAt(first, zone)
  const offsets: OffsetFrom[] = [{ from: first, offset: before }]
  for (let at = first; at < end; at += STEP) {
    const after = offsetAt(at + STEP, zone)
    if (before !== after) offsets.push({ from: changeWithin(at, before, zone), offset: after })
    before = after
  }
  return offsets
}

/** The first instant behind `at`, within STEP, at which the offset is another. */
function changeWithin(at: number, before: number, zone: string): number {
  let [low, high] = [at, at + STEP]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetAt(middle, zone) === before) low = middle
    else high = middle
  }
  return high
}
