import { fromDay, toDay } from '../civil/day'
import { minutesBetween, nameItemOccurrence, readItemOccurrence } from './dates'
import type { CalendarItem, ItemMembers, ItemMoment, ItemRecurrence, ItemReminder } from './item'
import { readRestLines } from './properties'
import { writeRule } from './recurrence'
import { choosePriority, WRITTEN_STATUSES } from './status'
import { escapeText, foldLine, writeIcsDate, writeIcsDuration, writeIcsInstant, writeIcsMoment } from './text'
import { writeVtimezone } from './zones'

const PRODID = '-//Satchel//Tasks//EN'
/** Years after the last written date for which zones are described. */
const YEARS_AHEAD = 10
/** The properties that are never taken from the rest, since they are written from the task. */
const REPLACED = new Set([
  ...['UID', 'DTSTAMP', 'CREATED', 'LAST-MODIFIED', 'SUMMARY', 'DESCRIPTION', 'STATUS', 'COMPLETED', 'PRIORITY'],
  ...['DTSTART', 'DUE', 'DURATION', 'CATEGORIES', 'RECURRENCE-ID'],
])
const RULES = ['RRULE', 'RDATE', 'EXRULE', 'EXDATE']

/** An occurrence, and the date to which it was moved, by their names. In a file it is an item of its own. */
interface MovedItem {
  readonly occurrence: string
  readonly moved_to: string
}

/** A task of the API with the data that an import kept. `uid` is the UID from the import, else its id. */
export type ExportTask = Omit<ItemMembers, 'created_at' | 'updated_at' | 'recurrence'> &
  Pick<CalendarItem, 'uid' | 'parent_uid' | 'blocked_by_uids' | 'priority_read' | 'rest'> & {
    readonly created_at: string
    readonly updated_at: string
    readonly recurrence: (ItemRecurrence & { readonly moved?: readonly MovedItem[] }) | null
  }

interface CalendarWriter {
  head(): string
  todo(task: ExportTask): string
  /** Writes the zones of the tasks, and the end. Zones come last, since their years are known only then. */
  end(): string
  /** The same in pieces, since a zone of many years takes 20 ms. */
  endInPieces(): Generator<string>
}

/** Writes a calendar piece by piece. The same tasks in the same order give the same bytes. */
export function createCalendarWriter(): CalendarWriter {
  const years = new Map<string, { first: number; last: number }>()
  const countYear = (moment: ItemMoment | null) => {
    if (moment?.time == null || moment.tz === null || moment.tz === 'UTC') return
    const year = Number(moment.date.slice(0, 4))
    const { first, last } = years.get(moment.tz) ?? { first: year, last: year }
    years.set(moment.tz, { first: Math.min(first, year), last: Math.max(last, year) })
  }
  return {
    head: () => foldAll(['BEGIN:VCALENDAR', 'VERSION:2.0', `PRODID:${PRODID}`, 'CALSCALE:GREGORIAN']),
    todo(task) {
      countYear(task.due)
      countYear(task.start)
      return foldAll([...writeTodoLines(task), ...writeMovedTodos(task)])
    },
    end: () => [...writeEnd(years)].join(''),
    endInPieces: () => writeEnd(years),
  }
}

type Years = ReadonlyMap<string, { readonly first: number; readonly last: number }>

function* writeEnd(years: Years): Generator<string> {
  const zones = [...years].sort(([a], [b]) => (a < b ? -1 : 1))
  for (const [zone, { first, last }] of zones) yield foldAll(writeVtimezone(zone, first, last + YEARS_AHEAD))
  yield foldAll(['END:VCALENDAR'])
}

/** Folds and joins content lines. */
function foldAll(lines: readonly string[]): string {
  return lines.map(foldLine).join('')
}

/** Writes a text member as a content line; none if it is null or empty. */
function writeTextLine(name: string, text: string | null): string[] {
  return text === null || text === '' ? [] : [`${name}:${escapeText(text)}`]
}

function writeTodoLines(task: ExportTask): string[] {
  const replaced = new Set([...REPLACED, ...(task.recurrence ? RULES : []), ...replacedByStatus(task)])
  const priority = choosePriority(task.priority, task.priority_read)
  return [
    'BEGIN:VTODO',
    ...writeTextLine('UID', task.uid),
    `DTSTAMP:${writeIcsInstant(task.updated_at)}`,
    `CREATED:${writeIcsInstant(task.created_at)}`,
    `LAST-MODIFIED:${writeIcsInstant(task.updated_at)}`,
    ...writeTextLine('SUMMARY', task.title),
    ...writeTextLine('DESCRIPTION', task.notes),
    ...writeStatusLines(task),
    ...(priority === null ? [] : [`PRIORITY:${priority}`]),
    ...writeDateLines(task),
    ...(task.labels.length > 0 ? [`CATEGORIES:${task.labels.map(escapeText).join()}`] : []),
    ...writeRelationLines(task),
    ...readRestLines(task.rest, replaced),
    ...task.reminders.flatMap((reminder) => writeAlarmLines(reminder, task)),
    'END:VTODO',
  ]
}

function replacedByStatus({ status }: ExportTask): string[] {
  return status === 'done' || status === 'cancelled' ? ['PERCENT-COMPLETE'] : []
}

function writeStatusLines({ status, completed_at, cancelled_at }: ExportTask): string[] {
  const lines = [`STATUS:${WRITTEN_STATUSES[status]}`]
  if (status === 'done') lines.push('PERCENT-COMPLETE:100')
  if (status === 'done' && completed_at) lines.push(`COMPLETED:${writeIcsInstant(completed_at)}`)
  if (status === 'cancelled' && cancelled_at)
    lines.push(`X-SATCHEL-CANCELLED;VALUE=DATE-TIME:${writeIcsInstant(cancelled_at)}`)
  return lines
}

/** Writes the dates. RFC 5545 allows DUE or DURATION, not both, so the duration has a separate X- property. */
function writeDateLines({ due, start, duration_minutes, recurrence }: ExportTask): string[] {
  const duration =
    duration_minutes === null ? [] : [`X-SATCHEL-DURATION;VALUE=DURATION:${writeIcsDuration(duration_minutes)}`]
  if (due && recurrence) return [...writeRepeatLines(due, start, recurrence), ...duration]
  return [...writeMomentLine('DTSTART', start), ...writeMomentLine('DUE', due), ...duration]
}

function writeMomentLine(name: string, moment: ItemMoment | null): string[] {
  return moment ? [`${name}${writeIcsMoment(moment)}`] : []
}

/**
 * Writes a recurrence. Other programs count from DTSTART, Satchel from the due date: so DTSTART is the due date, and
 * the start is an X- property. X- properties name their VALUE, since other programs cannot know their types.
 */
function writeRepeatLines(due: ItemMoment, start: ItemMoment | null, recurrence: ItemRecurrence): string[] {
  const { rrule, mode, skip, anchor, exdates, rdates = [] } = recurrence
  const written = writeRule(recurrence, due)
  const anchorMoment = readItemOccurrence(anchor, due)
  const anchored = writeIcsMoment({ ...anchorMoment, tz: null, ...(anchor.length === 10 && { time: null }) })
  return [
    ...writeMomentLine('DTSTART', due),
    ...writeMomentLine('DUE', due),
    `RRULE:${written}`,
    ...writeOccurrenceLines('RDATE', rdates, anchor, due),
    ...writeOccurrenceLines('EXDATE', exdates, anchor, due),
    ...writeMomentLine(start?.time == null ? 'X-SATCHEL-START' : 'X-SATCHEL-START;VALUE=DATE-TIME', start),
    ...(written === rrule ? [] : [`X-SATCHEL-RRULE;VALUE=RECUR:${rrule}`]),
    ...(mode === 'completion' ? ['X-SATCHEL-MODE:COMPLETION'] : []),
    ...(skip === 'backward' ? ['X-SATCHEL-SKIP:BACKWARD'] : []),
    ...(minutesBetween(anchorMoment, due) === 0
      ? []
      : [`X-SATCHEL-ANCHOR${anchored.replace(/^:/, ';VALUE=DATE-TIME:')}`]),
  ]
}

/** Writes occurrences as one line; in a series by time, whose anchor has one, whole days as a line of their own. */
function writeOccurrenceLines(name: string, occurrences: readonly string[], anchor: string, due: ItemMoment): string[] {
  const isTimed = anchor.length > 10
  const wholeDays = occurrences.filter((date) => isTimed && date.length === 10)
  const others = occurrences.filter((date) => !wholeDays.includes(date)).map((date) => readItemOccurrence(date, due))
  return [others, wholeDays.map((date) => ({ date, time: null, tz: null }))].flatMap((moments) => {
    const written = moments.map(writeIcsMoment)
    const [first] = written
    const values = written.map((value) => value.slice(value.lastIndexOf(':') + 1))
    return first ? [`${name}${first.slice(0, first.lastIndexOf(':'))}:${values.join()}`] : []
  })
}

/** Writes an item for each later occurrence that was moved; the current one is the series itself. */
function writeMovedTodos({ uid, title, updated_at, due, recurrence }: ExportTask): string[] {
  if (!due || !recurrence?.moved) return []
  const present = nameItemOccurrence(due, due, recurrence.anchor.length > 10)
  const later = recurrence.moved.filter(({ moved_to }) => moved_to !== present)
  return later.flatMap(({ occurrence, moved_to }) => [
    'BEGIN:VTODO',
    ...writeTextLine('UID', uid),
    `DTSTAMP:${writeIcsInstant(updated_at)}`,
    ...writeMomentLine('RECURRENCE-ID', readItemOccurrence(occurrence, due)),
    ...writeTextLine('SUMMARY', title),
    'STATUS:NEEDS-ACTION',
    ...writeMomentLine('DUE', readItemOccurrence(moved_to, due)),
    'END:VTODO',
  ])
}

function writeRelationLines({ parent_uid, blocked_by_uids }: ExportTask): string[] {
  return [
    ...writeTextLine('RELATED-TO;RELTYPE=PARENT', parent_uid),
    ...blocked_by_uids.flatMap((uid) => writeTextLine('RELATED-TO;RELTYPE=DEPENDS-ON', uid)),
  ]
}

function writeAlarmLines(reminder: ItemReminder, task: ExportTask): string[] {
  return [
    'BEGIN:VALARM',
    'ACTION:DISPLAY',
    ...writeTextLine('DESCRIPTION', task.title),
    ...writeTriggerLines(reminder, task),
    'END:VALARM',
  ]
}

/** Writes a trigger. If DTSTART is the due date, an offset from the start is converted to one from the due date. */
function writeTriggerLines(reminder: ItemReminder, { due, start, recurrence }: ExportTask): string[] {
  if (reminder.at !== null) return [`TRIGGER;VALUE=DATE-TIME:${writeIcsInstant(reminder.at)}`]
  const { offset_minutes, from } = reminder
  if (from === 'due') return [`TRIGGER;RELATED=END:${writeIcsDuration(offset_minutes)}`]
  const fromStart = `RELATED=START:${writeIcsDuration(offset_minutes)}`
  if (!recurrence || !due || !start) return [`TRIGGER;${fromStart}`]
  return [
    `TRIGGER;RELATED=END:${writeIcsDuration(minutesBetween(due, start) + offset_minutes)}`,
    `X-SATCHEL-TRIGGER;VALUE=DURATION;${fromStart}`,
  ]
}

// Feeds have single items in UTC or by date, with recurrences expanded, so that no client needs rules or zones.

const FEED_PRODID = '-//Satchel//Feed//EN'
/** The interval at which calendars should fetch the feed; its token has 60 requests an hour. */
const REFRESH = 'PT1H'

/** One date of a task. */
export interface FeedItem {
  readonly uid: string
  /** The civil date of the occurrence if the task repeats; it makes the UID unique. */
  readonly occurrence: string | null
  readonly title: string
  readonly notes: string | null
  /** An instant (RFC 3339, UTC), or a civil date for tasks that are all day or floating. */
  readonly when: { readonly at: string } | { readonly date: string }
  readonly duration_minutes: number | null
  readonly status: ItemMembers['status']
  readonly completed_at: string | null
  /** RFC 3339, UTC. */
  readonly updated_at: string
}

/** Writes the beginning of a feed. `name` is shown by calendars. */
export function writeFeedHead(name: string): string {
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

/** Writes the end of a feed. */
export function writeFeedEnd(): string {
  return foldAll(['END:VCALENDAR'])
}

/** Writes an item as an event that does not count as busy time. */
export function writeFeedEvent(item: FeedItem): string {
  const { when, duration_minutes } = item
  const timed = 'at' in when
  const length = duration_minutes === null ? [] : [`DURATION:${writeIcsDuration(duration_minutes)}`]
  return foldAll([
    'BEGIN:VEVENT',
    ...writeCommonLines(item),
    timed ? `DTSTART:${writeIcsInstant(when.at)}` : `DTSTART;VALUE=DATE:${writeIcsDate(when.date)}`,
    ...(timed ? length : [`DTEND;VALUE=DATE:${writeIcsDate(fromDay(toDay(when.date) + 1))}`]),
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ])
}

/** Writes an item as a to-do, for calendars that show them. */
export function writeFeedTodo(item: FeedItem): string {
  const { when, status, completed_at } = item
  return foldAll([
    'BEGIN:VTODO',
    ...writeCommonLines(item),
    'at' in when ? `DUE:${writeIcsInstant(when.at)}` : `DUE;VALUE=DATE:${writeIcsDate(when.date)}`,
    `STATUS:${WRITTEN_STATUSES[status]}`,
    ...(status === 'done' && completed_at ? [`COMPLETED:${writeIcsInstant(completed_at)}`] : []),
    'END:VTODO',
  ])
}

function writeCommonLines({ uid, occurrence, title, notes, updated_at }: FeedItem): string[] {
  return [
    ...writeTextLine('UID', occurrence === null ? uid : `${uid}-${writeIcsDate(occurrence)}`),
    `DTSTAMP:${writeIcsInstant(updated_at)}`,
    ...writeTextLine('SUMMARY', title),
    ...writeTextLine('DESCRIPTION', notes),
  ]
}
