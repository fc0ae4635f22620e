import { toDay } from '../lib/civil/day'
import { instantOf, startOfDay } from '../lib/civil/zone'
import { listOccurrences, type Series } from '../lib/recurrence/expand'
import type { TaskRow } from './store'
import { parseTimeOfDay } from './task-date'
import { parseRuleCached } from './task-recurrence'

/** Due dates and starts as days that can be reckoned with, and those that are to come. */

/** How many days the dates can be apart that two zones have at one instant, with a day that one of them skips. */
export const MAX_ZONE_GAP_DAYS = 3

/** A day, perhaps a time of it, perhaps in a zone: what `due` and `start` are. */
export interface DayTime {
  readonly day: number
  /** Minutes after midnight; null is all day. */
  readonly minutes: number | null
  /** Null is floating. */
  readonly time_zone: string | null
}

/** Reads the columns `due_key` and `due_tz`, or those of the start; null if there is none. */
export function readDayTime(key: string, time_zone: string | null): DayTime | null {
  if (key < '0' || key > '9999') return null
  return { day: toDay(key), minutes: key.length > 10 ? parseTimeOfDay(key.slice(11)) : null, time_zone }
}

/** The instant of a moment, on a day of its own or another, for somebody in `zone`; all day begins with the day. */
export function toInstantOnDay({ minutes, time_zone }: DayTime, day: number, zone: string): number {
  return minutes === null ? startOfDay(day, zone) : instantOf(day, minutes, time_zone ?? zone)
}

/** The columns that the dates of a series depend on. */
export type SeriesRow = Pick<TaskRow, 'rrule' | 'recurrence_mode' | 'recurrence_skip' | 'anchor' | 'exdates'>

/**
 * The due dates that are to come after the present one, as far as they are known: from one day to another, both
 * included. In completion mode the next one depends on when this one is done.
 */
export function listLaterDays(row: SeriesRow, due: DayTime, from: number, to: number): number[] {
  const begin = Math.max(from, due.day + 1)
  if (row.rrule === null || row.recurrence_mode === 'completion' || begin > to) return []
  const series: Series = {
    rule: parseRuleCached(row.rrule).rule,
    anchor: toDay(row.anchor ?? ''),
    skip: row.recurrence_skip ?? 'backward',
    exdates: row.exdates === '[]' ? NO_DAYS : new Set((JSON.parse(row.exdates) as string[]).map(toDay)),
    time: due.minutes,
    zone: due.time_zone,
  }
  if (series.rule.count === null) return listOccurrences(series, { from: begin, to, limit: to - begin + 1 })
  const endless = { ...series, rule: { ...series.rule, count: null } }
  const last = Math.min(to, findLastCountedDay(row, series))
  return begin > last ? [] : listOccurrences(endless, { from: begin, to: last, limit: last - begin + 1 })
}

const NO_DAYS: ReadonlySet<number> = new Set()

/** Where series with COUNT end: it is found only by counting from their beginning, up to 10,000 dates, so it is kept. */
const lastDayCache = new Map<string, number>()
const MAX_CACHED_DAYS = 20_000

/** The day that COUNT ends with. */
function findLastCountedDay(row: SeriesRow, series: Series): number {
  const name = `${row.rrule} ${row.anchor} ${row.recurrence_skip}`
  let last = lastDayCache.get(name)
  if (last === undefined) {
    last = listOccurrences({ ...series, exdates: NO_DAYS }, { limit: series.rule.count ?? 0 }).at(-1) ?? series.anchor
    if (lastDayCache.size >= MAX_CACHED_DAYS) lastDayCache.clear()
    lastDayCache.set(name, last)
  }
  return last
}
