import { invalid } from '../../http/api-error'
import { readCivilDate } from '../../http/values'
import { fromDay, toDay } from '../../lib/civil/day'
import { listClockChanges, offsetAt } from '../../lib/civil/zone'
import { DAY_MS } from '../scheduling/study-day'

/** The first and the last study day of a query, both included, as whole days since 1970-01-01. */
export interface StudyDayRange {
  readonly from: number
  readonly to: number
}

/** The most days of one request: ten years. */
export const MAX_DAYS = 3660
export const PAST_DAYS = 365
export const FORECAST_DAYS = 30

interface DaysQuery {
  readonly from?: string
  readonly to?: string
}

/** Reads the days up to `to`, or up to today. Throws invalid_request. */
export function readPastDays({ from, to }: DaysQuery, today: number): StudyDayRange {
  const last = readDay(to, '/to') ?? today
  return requireDays({ from: readDay(from, '/from') ?? last - PAST_DAYS + 1, to: last })
}

/** Reads the number of days of a forecast. Throws invalid_request. */
export function readForecastDays(text: string | undefined): number {
  if (text === undefined) return FORECAST_DAYS
  const days = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (days >= 1 && days <= MAX_DAYS) return days
  throw invalid('/forecast_days', 'invalid_value', `forecast_days must be a whole number from 1 to ${MAX_DAYS}`)
}

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

/** How far the study day of an answer may lie from its instant: it was computed in the zone of that time. */
const MARGIN_DAYS = 3

/** An offset of a zone from UTC, and the instant from which it holds, both in milliseconds. */
export interface OffsetFrom {
  readonly from: number
  readonly offset: number
}

/** Returns the offsets of a zone around these study days. */
export function listOffsets({ from, to }: StudyDayRange, zone: string): OffsetFrom[] {
  const first = (from - MARGIN_DAYS) * DAY_MS
  const changes = listClockChanges(first, (to + MARGIN_DAYS) * DAY_MS, zone)
  return [{ from: first, offset: offsetAt(first, zone) }, ...changes.map(({ at, to }) => ({ from: at, offset: to }))]
}
