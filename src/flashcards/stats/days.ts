import { invalid } from '../../http/api-error'
import { readCivilDate } from '../../http/values'
import { fromDay, toDay } from '../../lib/civil/day'
import { offsetAt } from '../../lib/civil/zone'
import { DAY_MS } from '../scheduling/study-day'

/** The study days that a question is about, both included: whole days since 1970-01-01. */
export interface StudyDayRange {
  readonly from: number
  readonly to: number
}

/** Days of one request at most: ten years. */
export const MAX_DAYS = 3660
/** Days in an answer, unless asked otherwise. */
export const PAST_DAYS = 365
export const COMING_DAYS = 30

interface DaysQuery {
  readonly from?: string
  readonly to?: string
}

/** The days up to `to`, or up to today. Throws invalid_request. */
export function readPastDays({ from, to }: DaysQuery, today: number): StudyDayRange {
  const last = readDay(to, '/to') ?? today
  return requireDays({ from: readDay(from, '/from') ?? last - PAST_DAYS + 1, to: last })
}

/** The days from `from` on, or from today on. Throws invalid_request. */
export function readComingDays({ from, to }: DaysQuery, today: number): StudyDayRange {
  const first = readDay(from, '/from') ?? today
  return requireDays({ from: first, to: readDay(to, '/to') ?? first + COMING_DAYS - 1 })
}

/** Each of the days. */
export function listDays({ from, to }: StudyDayRange): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i)
}

function readDay(text: string | undefined, pointer: string): number | null {
  return text === undefined ? null : toDay(readCivilDate(text, pointer))
}

function requireDays({ from, to }: StudyDayRange): StudyDayRange {
  if (to < from) throw invalid('/to', 'before_from', `to must not be before from, ${fromDay(from)}`)
  if (to - from >= MAX_DAYS) throw invalid('/to', 'too_many_days', `from and to must be at most ${MAX_DAYS} days`)
  return { from, to }
}

/** No zone changes its clocks twice within these. */
const STEP = 2 * DAY_MS
/** How far the study day of an answer may lie from its instant: it was computed in the zone of that time. */
const MARGIN_DAYS = 3

/** From when on a zone's clocks are so far ahead of UTC, both in milliseconds. */
export interface OffsetFrom {
  readonly from: number
  readonly offset: number
}

/** How far a zone's clocks are ahead of UTC around these study days, from when on each. */
export function listOffsets({ from, to }: StudyDayRange, zone: string): OffsetFrom[] {
  const end = (to + MARGIN_DAYS) * DAY_MS
  const first = (from - MARGIN_DAYS) * DAY_MS
  let before = offsetAt(first, zone)
  const offsets: OffsetFrom[] = [{ from: first, offset: before }]
  for (let at = first; at < end; at += STEP) {
    const after = offsetAt(at + STEP, zone)
    if (before !== after) offsets.push({ from: findOffsetChange(at, before, zone), offset: after })
    before = after
  }
  return offsets
}

/** The first instant behind `at`, within STEP, at which the offset is another. */
function findOffsetChange(at: number, before: number, zone: string): number {
  let [low, high] = [at, at + STEP]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetAt(middle, zone) === before) low = middle
    else high = middle
  }
  return high
}
