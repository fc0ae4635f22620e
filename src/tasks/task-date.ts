import { invalid } from '../http/api-error'
import { readCivilDate, readZone } from '../http/values'
import { FIRST_DATE, FIRST_DAY, fromDay, LAST_DATE, LAST_DAY, toDay } from '../lib/civil/day'
import { civilOf, instantOf, parseTimeOfDay } from '../lib/civil/zone'
import type { ItemMoment } from '../lib/ical/item'
import { type SlotDate, toSlot } from '../lib/recurrence/slots'
import type { AsOf } from './filter/store'
import type { Recurrence, Status, TaskDate, TaskDateChange } from './schema'
import type { TaskDraft, TaskRow } from './store'

/** Due dates and starts: a civil date with or without a time of day and its zone. */

const TIME = /^([01]\d|2[0-3]):[0-5]\d$/

/** Sorts after every date, so that tasks without a date come last. */
const NO_DATE_KEY = '~'

interface DateColumns {
  readonly date: string | null
  readonly time: string | null
  readonly tz: string | null
  /** Milliseconds since 1970, for a time in a zone. */
  readonly at: number | null
  /** Sorts in civil order. */
  readonly key: string
}

/** Removing the time removes its zone. @param name `due` or `start` @throws ApiError invalid_request */
export function patchTaskDate(
  old: TaskDate | null,
  patch: TaskDateChange | null | undefined,
  name: string,
): TaskDate | null {
  if (patch === undefined) return old
  if (patch === null) return null
  const date = patch.date ?? old?.date
  if (date === undefined) throw invalid(`/${name}/date`, 'required', `${name} needs a date`)
  const time = patch.time === undefined ? (old?.time ?? null) : patch.time
  const time_zone = patch.time_zone === undefined ? (time === null ? null : (old?.time_zone ?? null)) : patch.time_zone
  return checkTaskDate({ date, time, time_zone }, name)
}

function checkTaskDate({ date, time, time_zone }: TaskDate, name: string): TaskDate {
  readDateInRange(date, `/${name}/date`)
  if (time !== null && !TIME.test(time))
    throw invalid(`/${name}/time`, 'invalid_time', `${name}/time must be a time of day such as 09:00`)
  if (time_zone !== null) {
    if (time === null)
      throw invalid(`/${name}/time_zone`, 'invalid_zone', `${name}/time_zone needs a time: a whole day has no zone`)
    readZone(time_zone, `/${name}/time_zone`)
  }
  return { date, time, time_zone }
}

/** Reads a civil date from 1900-01-01 to 2200-12-31. Throws invalid_request. */
export function readDateInRange(text: string, pointer: string): string {
  const date = readCivilDate(text, pointer)
  if (date < FIRST_DATE || date > LAST_DATE)
    throw invalid(pointer, 'invalid_date', `${pointer.slice(1)} must be from ${FIRST_DATE} to ${LAST_DATE}`)
  return date
}

/** The name is a civil date, in a series by time with the time, `2026-03-01T08:00`. Throws invalid_request. */
export function readOccurrence(text: string, pointer: string): string {
  const [, time] = /^[^T]*T(.*)$/s.exec(text) ?? []
  if (time !== undefined && !TIME.test(time))
    throw invalid(pointer, 'invalid_date', `${pointer.slice(1)} must be a date such as 2026-03-01, or 2026-03-01T08:00`)
  const date = readDateInRange(time === undefined ? text : text.slice(0, -time.length - 1), pointer)
  return time === undefined ? date : text
}

export function parseOccurrence(name: string): SlotDate {
  return { date: name.slice(0, 10), time: name.length > 10 ? name.slice(11) : null }
}

/** Returns the slot of an occurrence by its name. @param time minutes after midnight for a name without one */
export function slotOfName(name: string, time: number | null | undefined): number {
  return toSlot(parseOccurrence(name)) + (name.length > 10 ? 0 : (time ?? 0))
}

export function toDateColumns(when: TaskDate | null): DateColumns {
  if (when === null) return { date: null, time: null, tz: null, at: null, key: NO_DATE_KEY }
  const { date, time, time_zone } = when
  const at = time === null || time_zone === null ? null : instantOf(toDay(date), parseTimeOfDay(time), time_zone)
  return { date, time, tz: time_zone, at, key: time === null ? date : `${date}T${time}` }
}

export function fromDateColumns(date: string | null, time: string | null, time_zone: string | null): TaskDate | null {
  return date === null ? null : { date, time, time_zone }
}

/** Returns the date for calendar files and archives, where the zone is called `tz` (as in old archives and digests). */
export function toItemMoment(when: TaskDate | null): ItemMoment | null {
  return when && { date: when.date, time: when.time, tz: when.time_zone }
}

/** Returns the date from a calendar file or an archive. */
export function fromItemMoment(moment: ItemMoment | null): TaskDate | null {
  return moment && { date: moment.date, time: moment.time, time_zone: moment.tz }
}

/** Whether one date is certainly later than another: by instant, by time in the same zone, or else by date. */
export function isCertainlyLater(a: DateColumns, b: DateColumns): boolean {
  if (a.date === null || b.date === null) return false
  if (a.at !== null && b.at !== null) return a.at > b.at
  if (a.time !== null && b.time !== null && a.tz === b.tz) return a.key > b.key
  return a.date > b.date
}

/** A range of days (src/lib/civil/day.ts), both included. */
export interface DayRange {
  readonly from: number
  readonly to: number
}

/** Returns today, or the nearest day that a task can have. */
export function getToday({ now, time_zone }: AsOf): number {
  return clampDay(civilOf(now, time_zone).day)
}

function clampDay(day: number): number {
  return Math.min(Math.max(day, FIRST_DAY), LAST_DAY)
}

/** Reads a civil date that a task can have as a day; without one, returns the fallback. Throws invalid_request. */
export function readDay(text: string | undefined, pointer: string, fallback: number): number {
  return text === undefined ? clampDay(fallback) : toDay(readDateInRange(text, pointer))
}

/** Checks that the days are in order, and no more than `maxDays`. Throws invalid_request. */
export function checkDayRange({ from, to }: DayRange, maxDays: number): DayRange {
  if (to < from) throw invalid('/to', 'before_from', `to must not be before from, ${fromDay(from)}`)
  if (to - from >= maxDays) throw invalid('/to', 'too_many_days', `from and to must be at most ${maxDays} days`)
  return { from, to }
}

// The columns of a task's dates, recurrence and status. The app shares them.

type PrefixedDateColumns<Name extends 'due' | 'start'> = Pick<
  TaskDraft,
  `${Name}_date` | `${Name}_time` | `${Name}_tz` | `${Name}_at` | `${Name}_key`
>

export function prefixDateColumns<Name extends 'due' | 'start'>(
  name: Name,
  when: ReturnType<typeof toDateColumns>,
): PrefixedDateColumns<Name> {
  return Object.fromEntries(
    Object.entries(when).map(([part, value]) => [`${name}_${part}`, value]),
  ) as PrefixedDateColumns<Name>
}

export function toRecurrenceColumns(recurrence: Recurrence | null) {
  return {
    rrule: recurrence?.rrule ?? null,
    recurrence_mode: recurrence?.mode ?? null,
    recurrence_skip: recurrence?.skip ?? null,
    anchor: recurrence?.anchor ?? null,
    exdates: JSON.stringify(recurrence?.exdates ?? []),
    rdates: JSON.stringify(recurrence?.rdates ?? []),
    moved: JSON.stringify(recurrence?.moved ?? []),
  }
}

export function isClosed(status: Status): boolean {
  return status === 'done' || status === 'cancelled'
}

export function toStatusColumns(status: Status, at: number) {
  return {
    status,
    closed: isClosed(status) ? 1 : 0,
    completed_at: status === 'done' ? at : null,
    cancelled_at: status === 'cancelled' ? at : null,
  }
}

export function getDueDate(row: Pick<TaskRow, 'due_date' | 'due_time' | 'due_tz'>): TaskDate | null {
  return fromDateColumns(row.due_date, row.due_time, row.due_tz)
}

export function getStartDate(row: Pick<TaskRow, 'start_date' | 'start_time' | 'start_tz'>): TaskDate | null {
  return fromDateColumns(row.start_date, row.start_time, row.start_tz)
}
