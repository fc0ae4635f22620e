import { invalid } from '../../http/api-error'
import { readCivilDate } from '../../http/values'
import { fromDay, toDay } from '../../lib/civil/day'

/** The study days that a question is about, both included: whole days since 1970-01-01. */
export interface StudyDayRange {
  readonly from: number
  readonly to: number
}

/** Days that can be asked for at once: ten years. */
export const MAX_DAYS = 3660
/** Days in an answer, unless asked otherwise. */
export const PAST_DAYS = 365
export const COMING_DAYS = 30

interface Asked {
  readonly from?: string
  readonly to?: string
}

/** Days up to one that was asked for, else to today. Throws invalid_request. */
export function pastDays({ from, to }: Asked, today: number): StudyDayRange {
  const last = readDay(to, '/to') ?? today
  return requireDays({ from: readDay(from, '/from') ?? last - PAST_DAYS + 1, to: last })
}

/** Days from one that was asked for, else from today. Throws invalid_request. */
export function comingDays({ from, to }: Asked, today: number): StudyDayRange {
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
