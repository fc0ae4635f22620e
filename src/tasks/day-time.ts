import { toDay } from '../lib/civil/day'
import { instantOf, startOfDay } from '../lib/civil/zone'
import { listOccurrences, type Series } from '../lib/recurrence/expand'
import type { TaskRow } from './store'
import { parseTimeOfDay } from './task-date'
import { parseRuleCached } from './task-recurrence'

/** Due dates and starts as day numbers, for arithmetic, and the later dates of a series. */

/** The most days between the dates of two zones at one instant, including a day that one of them skips. */
export const MAX_ZONE_GAP_DAYS = 3

/** A due date or a start: a day, with or without a time of day and its zone. */
export interface DayTime {
  readonly day: number
  /** Minutes after midnight; null is all day. */
  readonly minutes: number | null
  /** Null is floating. */
  readonly time_zone: string | null
}

/** Reads the columns `due_key` and `due_tz`, or those of the start; null if the task has no such date. */
export function readDayTime(key: string, time_zone: string | null): DayTime | null {
  if (key < '0' || key > '9999') return null
  return { day: toDay(key), minutes: key.length > 10 ? parseTimeOfDay(key.slice(11)) : null, time_zone }
}

/**
 * Returns the instant, in milliseconds since 1970, of this time on `day`. A whole day starts when `day` starts in
 * `zone`; a floating time is read in `zone`.
 */
export function toInstantOnDay({ minutes, time_zone }: DayTime, day: number, zone: string): number {
  return minutes === null ? startOfDay(day, zone) : instantOf(day, minutes, time_zone ?? zone)
}

/** The columns that the dates of a series depend on. */
export type SeriesRow = Pick<TaskRow, 'rrule' | 'recurrence_mode' | 'recurrence_skip' | 'anchor' | 'exdates'>

/**
 * Lists the due dates after the current one, from one day to another, both included. In completion mode there are none,
 * since the next one depends on when this one is completed.
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

/** The last days of series with COUNT. Finding one means counting from the anchor, up to 10,000 dates. */
const lastDayCache = new Map<string, number>()
const MAX_CACHED_DAYS = 20_000

/** Returns the last day that COUNT allows. Caches it. */
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
