import { fromDay, toDay } from '../civil/day'
import { minutesBetween } from './dates'
import type { CalendarItem, ItemMembers, ItemMoment, ItemRecurrence, ItemReminder } from './item'
import { restLines } from './properties'
import { writtenRule } from './recurrence'
import { WRITTEN_STATUSES, writtenPriority } from './status'
import { escapeText, foldLine, icsDate, icsDuration, icsInstant, icsMoment } from './text'
import { vtimezone } from './zones'

const PRODID = '-//Satchel//Tasks//EN'
/** Years for which zones are described beyond the last date that is written. */
const YEARS_AHEAD = 10
/** What is never taken from the rest, since the task tells it. */
const REPLACED = new Set([
  ...['UID', 'DTSTAMP', 'CREATED', 'LAST-MODIFIED', 'SUMMARY', 'DESCRIPTION', 'STATUS', 'COMPLETED', 'PRIORITY'],
  ...['DTSTART', 'DUE', 'DURATION', 'CATEGORIES', 'RECURRENCE-ID'],
])
const RULES = ['RRULE', 'RDATE', 'EXRULE', 'EXDATE']

/** A task of the API with what an import kept of it. `uid` is the UID it was imported with, else its id. */
export type ExportTask = Omit<ItemMembers, 'created_at' | 'updated_at'> &
  Pick<CalendarItem, 'uid' | 'parent_uid' | 'blocked_by_uids' | 'priority_read' | 'rest'> & {
    readonly created_at: string
    readonly updated_at: string
  }

interface CalendarWriter {
  head(): string
  todo(task: ExportTask): string
  /** The zones that the tasks spoke of, and the end; their years are known only then. */
  end(): string
  /** The same in pieces: the zone of many years takes 20 ms. */
  ending(): Generator<string>
}

/** Writes a calendar piece by piece. The same tasks in the same order give the same bytes. */
export function createCalendarWriter(): CalendarWriter {
  const years = new Map<string, { first: number; last: number }>()
  const see = (moment: ItemMoment | null) => {
    if (moment?.time == null || moment.tz === null || moment.tz === 'UTC') return
    const year = Number(moment.date.slice(0, 4))
    const { first, last } = years.get(moment.tz) ?? { first: year, last: year }
    years.set(moment.tz, { first: Math.min(first, year), last: Math.max(last, year) })
  }
  return {
    head: () => foldAll(['BEGIN:VCALENDAR', 'VERSION:2.0', `PRODID:${PRODID}`, 'CALSCALE:GREGORIAN']),
    todo(task) {
      see(task.due)
      see(task.start)
      return foldAll(todoLines(task))
    },
    end: () => [...ending(years)].join(''),
    ending: () => ending(years),
  }
}

type Years = ReadonlyMap<string, { readonly first: number; readonly last: number }>

function* ending(years: Years): Generator<string> {
  const zones = [...years].sort(([a], [b]) => (a < b ? -1 : 1))
  for (const [zone, { first, last }] of zones) yield foldAll(vtimezone(zone, first, last + YEARS_AHEAD))
  yield foldAll(['END:VCALENDAR'])
}

/** Content lines as bytes of a file. */
function foldAll(lines: readonly string[]): string {
  return lines.map(foldLine).join('')
}

/** Members as content lines; null and empty ones have none. */
function textLine(name: string, text: string | null): string[] {
  return text === null || text === '' ? [] : [`${name}:${escapeText(text)}`]
}

function todoLines(task: ExportTask): string[] {
  const replaced = new Set([...REPLACED, ...(task.recurrence ? RULES : []), ...percentReplaced(task)])
  const priority = writtenPriority(task.priority, task.priority_read)
  return [
    'BEGIN:VTODO',
    ...textLine('UID', task.uid),
    `DTSTAMP:${icsInstant(task.updated_at)}`,
    `CREATED:${icsInstant(task.created_at)}`,
    `LAST-MODIFIED:${icsInstant(task.updated_at)}`,
    ...textLine('SUMMARY', task.title),
    ...textLine('DESCRIPTION', task.notes),
    ...statusLines(task),
    ...(priority === null ? [] : [`PRIORITY:${priority}`]),
    ...dateLines(task),
    ...(task.labels.length > 0 ? [`CATEGORIES:${task.labels.map(escapeText).join()}`] : []),
    ...relationLines(task),
    ...restLines(task.rest, replaced),
    ...task.reminders.flatMap((reminder) => alarmLines(reminder, task)),
    'END:VTODO',
  ]
}

function percentReplaced({ status }: ExportTask): string[] {
  return status === 'done' || status === 'cancelled' ? ['PERCENT-COMPLETE'] : []
}

function statusLines({ status, completed_at, cancelled_at }: ExportTask): string[] {
  const lines = [`STATUS:${WRITTEN_STATUSES[status]}`]
  if (status === 'done') lines.push('PERCENT-COMPLETE:100')
  if (status === 'done' && completed_at) lines.push(`COMPLETED:${icsInstant(completed_at)}`)
  if (status === 'cancelled' && cancelled_at)
    lines.push(`X-SATCHEL-CANCELLED;VALUE=DATE-TIME:${icsInstant(cancelled_at)}`)
  return lines
}

/** RFC 5545 allows DUE or DURATION, not both: the duration has a line of our own. */
function dateLines({ due, start, duration_minutes, recurrence }: ExportTask): string[] {
  const duration =
    duration_minutes === null ? [] : [`X-SATCHEL-DURATION;VALUE=DURATION:${icsDuration(duration_minutes)}`]
  if (due && recurrence) return [...repeatLines(due, start, recurrence), ...duration]
  return [...momentLine('DTSTART', start), ...momentLine('DUE', due), ...duration]
}

function momentLine(name: string, moment: ItemMoment | null): string[] {
  return moment ? [`${name}${icsMoment(moment)}`] : []
}

/**
 * Others count a rule from DTSTART, Satchel from the due date: so DTSTART is the due date, and the start our own line.
 * Lines of our own say VALUE, since nobody else can know their type.
 */
function repeatLines(due: ItemMoment, start: ItemMoment | null, recurrence: ItemRecurrence): string[] {
  const { rrule, mode, skip, anchor, exdates } = recurrence
  const written = writtenRule(recurrence, due)
  const except = exdates.map((date) => icsMoment({ ...due, date }))
  const values = except.map((value) => value.slice(value.lastIndexOf(':') + 1))
  return [
    ...momentLine('DTSTART', due),
    ...momentLine('DUE', due),
    `RRULE:${written}`,
    ...(except[0] ? [`EXDATE${except[0].slice(0, except[0].lastIndexOf(':'))}:${values.join()}`] : []),
    ...momentLine(start?.time == null ? 'X-SATCHEL-START' : 'X-SATCHEL-START;VALUE=DATE-TIME', start),
    ...(written === rrule ? [] : [`X-SATCHEL-RRULE;VALUE=RECUR:${rrule}`]),
    ...(mode === 'completion' ? ['X-SATCHEL-MODE:COMPLETION'] : []),
    ...(skip === 'backward' ? ['X-SATCHEL-SKIP:BACKWARD'] : []),
    ...(anchor === due.date ? [] : [`X-SATCHEL-ANCHOR;VALUE=DATE:${icsDate(anchor)}`]),
  ]
}

function relationLines({ parent_uid, blocked_by_uids }: ExportTask): string[] {
  return [
    ...textLine('RELATED-TO;RELTYPE=PARENT', parent_uid),
    ...blocked_by_uids.flatMap((uid) => textLine('RELATED-TO;RELTYPE=DEPENDS-ON', uid)),
  ]
}

function alarmLines(reminder: ItemReminder, task: ExportTask): string[] {
  return [
    'BEGIN:VALARM',
    'ACTION:DISPLAY',
    ...textLine('DESCRIPTION', task.title),
    ...triggerLines(reminder, task),
    'END:VALARM',
  ]
}

/** Where DTSTART is the due date, what counts from the start is written as counted from the due date. */
function triggerLines(reminder: ItemReminder, { due, start, recurrence }: ExportTask): string[] {
  if (reminder.at !== null) return [`TRIGGER;VALUE=DATE-TIME:${icsInstant(reminder.at)}`]
  const { offset_minutes, from } = reminder
  if (from === 'due') return [`TRIGGER;RELATED=END:${icsDuration(offset_minutes)}`]
  const own = `RELATED=START:${icsDuration(offset_minutes)}`
  if (!recurrence || !due || !start) return [`TRIGGER;${own}`]
  return [
    `TRIGGER;RELATED=END:${icsDuration(minutesBetween(due, start) + offset_minutes)}`,
    `X-SATCHEL-TRIGGER;VALUE=DURATION;${own}`,
  ]
}

/** Feeds: single items in UTC or by date, repeats already expanded, so that no client computes rules or zones. */

const FEED_PRODID = '-//Satchel//Feed//EN'
/** How often a calendar should come back; a feed's token has 60 requests an hour. */
const REFRESH = 'PT1H'

/** One date of one task. */
export interface FeedItem {
  readonly uid: string
  /** The civil date of the occurrence if the task repeats: each has a UID of its own. */
  readonly occurrence: string | null
  readonly title: string
  readonly notes: string | null
  /** An instant (RFC 3339, UTC), or a civil date for what is all day or floating. */
  readonly when: { readonly at: string } | { readonly date: string }
  readonly duration_minutes: number | null
  readonly status: ItemMembers['status']
  readonly completed_at: string | null
  /** RFC 3339, UTC. */
  readonly updated_at: string
}

/** The beginning of a feed; `name` is what calendars show for it. */
export function feedHead(name: string): string {
  return foldAll([
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    `PRODID:${FEED_PRODID}`,
    'CALSCALE:GREGORIAN',
    `NAME:${escapeText(name)}`,
    `X-WR-CALNAME:${escapeText(name)}`,
    `REFRESH-INTERVAL;VALUE=DURATION:${REFRESH}`,
    `X-PUBLISHED-TTL:${REFRESH}`,
  ])
}

export function feedEnd(): string {
  return foldAll(['END:VCALENDAR'])
}

/** An item as an event that takes up no time in a calendar's free and busy hours. */
export function feedEvent(item: FeedItem): string {
  const { when, duration_minutes } = item
  const timed = 'at' in when
  const length = duration_minutes === null ? [] : [`DURATION:${icsDuration(duration_minutes)}`]
  return foldAll([
    'BEGIN:VEVENT',
    ...commonLines(item),
    timed ? `DTSTART:${icsInstant(when.at)}` : `DTSTART;VALUE=DATE:${icsDate(when.date)}`,
    ...(timed ? length : [`DTEND;VALUE=DATE:${icsDate(fromDay(toDay(when.date) + 1))}`]),
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ])
}

/** An item as a to-do, for the calendars that show them. */
export function feedTodo(item: FeedItem): string {
  const { when, status, completed_at } = item
  return foldAll([
    'BEGIN:VTODO',
    ...commonLines(item),
    'at' in when ? `DUE:${icsInstant(when.at)}` : `DUE;VALUE=DATE:${icsDate(when.date)}`,
    `STATUS:${WRITTEN_STATUSES[status]}`,
    ...(status === 'done' && completed_at ? [`COMPLETED:${icsInstant(completed_at)}`] : []),
    'END:VTODO',
  ])
}

function commonLines({ uid, occurrence, title, notes, updated_at }: FeedItem): string[] {
  return [
    ...textLine('UID', occurrence === null ? uid : `${uid}-${icsDate(occurrence)}`),
    `DTSTAMP:${icsInstant(updated_at)}`,
    ...textLine('SUMMARY', title),
    ...textLine('DESCRIPTION', notes),
  ]
}
