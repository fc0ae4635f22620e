import { toDay } from '../civil/day'
import {
  addDuration,
  isMomentAfter,
  isSameMoment,
  minutesBetween,
  nameItemOccurrence,
  readItemOccurrence,
  toKindOf,
} from './dates'
import type { CalendarItem, ItemMembers, ItemMoment, ItemRecurrence, ItemReminder } from './item'
import { choosePriority, type ItemPlace, PLACE_PROPERTIES, WRITTEN_STATUSES, writePlaceLines } from './members'
import { readRestLines } from './properties'
import { writeRule } from './recurrence'
import { escapeText, foldAll, writeIcsDuration, writeIcsInstant, writeIcsMoment, writeTextLine } from './text'
import { writeVtimezone } from './zones'

const PRODID = '-//Satchel//Tasks//EN'
/** Years after the last written date for which zones are described. */
const YEARS_AHEAD = 10
/** The properties that are never taken from the rest, since they are written from the task. */
const REPLACED = new Set([
  ...['UID', 'DTSTAMP', 'CREATED', 'LAST-MODIFIED', 'SUMMARY', 'DESCRIPTION', 'STATUS', 'COMPLETED', 'PRIORITY'],
  ...['DTSTART', 'DUE', 'DURATION', 'CATEGORIES', 'RECURRENCE-ID', ...PLACE_PROPERTIES],
])
const RULES = ['RRULE', 'RDATE', 'EXRULE', 'EXDATE']

/** An occurrence, and the date to which it was moved, by their names. In a file it is an item of its own. */
interface MovedItem {
  readonly occurrence: string
  readonly moved_to: string
}

interface WrittenDates {
  readonly dtstart: ItemMoment | null
  readonly due: ItemMoment | null
  /** The start, where DTSTART cannot be it. */
  readonly ownStart: ItemMoment | null
}

/** A task of the API with the data that an import kept. `uid` is the UID from the import, else its id. */
export type ExportTask = Omit<ItemMembers, 'created_at' | 'updated_at' | 'recurrence'> &
  Pick<CalendarItem, 'uid' | 'parent_uid' | 'blocked_by_uids' | 'priority_read' | 'rest'> & {
    readonly created_at: string
    readonly updated_at: string
    /** The project and the section; null is the inbox. */
    readonly place: ItemPlace | null
    /** Identifies what the task says, so that an import knows whether it was changed since the export. */
    readonly revision: string | null
    readonly recurrence: (ItemRecurrence & { readonly moved?: readonly MovedItem[] }) | null
  }

interface CalendarWriter {
  head(): string
  todo(task: ExportTask): string
  /**
   * Writes the zones of the tasks, and the end: in pieces, since a zone of many years takes 20 ms. Zones come last, since
   * their years are known only then.
   */
  end(): Generator<string>
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
      return foldAll([...writeTodoLines(toSeries(task)), ...writeMovedTodos(task)])
    },
    end: () => writeEnd(years),
  }
}

type Years = ReadonlyMap<string, { readonly first: number; readonly last: number }>

function* writeEnd(years: Years): Generator<string> {
  const zones = [...years].sort(([a], [b]) => (a < b ? -1 : 1))
  for (const [zone, { first, last }] of zones) yield foldAll(writeVtimezone(zone, first, last + YEARS_AHEAD))
  yield foldAll(['END:VCALENDAR'])
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
    ...writePlaceLines(task.place),
    ...writeRelationLines(task),
    ...writeTextLine('X-SATCHEL-REVISION', task.revision),
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
function writeDateLines(task: ExportTask): string[] {
  const { duration_minutes, recurrence } = task
  const { dtstart, due, ownStart } = chooseDates(task)
  return [
    ...writeMomentLine('DTSTART', dtstart),
    ...writeMomentLine('DUE', due),
    ...(due && dtstart && recurrence ? writeRepeatLines(due, dtstart, recurrence) : []),
    // X- properties name their VALUE, since other programs cannot know their types.
    ...writeMomentLine(ownStart?.time == null ? 'X-SATCHEL-START' : 'X-SATCHEL-START;VALUE=DATE-TIME', ownStart),
    ...(duration_minutes === null ? [] : [`X-SATCHEL-DURATION;VALUE=DURATION:${writeIcsDuration(duration_minutes)}`]),
  ]
}

function writeMomentLine(name: string, moment: ItemMoment | null): string[] {
  return moment ? [`${name}${writeIcsMoment(moment)}`] : []
}

/**
 * Chooses DTSTART, which is of the kind of DUE and not after it. Other programs count a recurrence from DTSTART, Satchel
 * from the due date: so DTSTART is the due date, unless the task starts and is due on one day.
 */
function chooseDates({ due, start, recurrence }: Pick<ExportTask, 'due' | 'start' | 'recurrence'>): WrittenDates {
  if (!due || !start) return { dtstart: recurrence ? due : start, due, ownStart: null }
  if (recurrence && !isWithinDay(start, due, recurrence)) return { dtstart: due, due, ownStart: start }
  const dtstart = toKindOf(start, due)
  if (isMomentAfter(dtstart, due)) return { dtstart: null, due, ownStart: start }
  return { dtstart, due, ownStart: isSameMoment(dtstart, start) ? null : start }
}

/** Whether a rule means the same counted from the start. UNTIL with a time, and rules by time, know the time of day. */
function isWithinDay(start: ItemMoment, due: ItemMoment, { rrule, anchor }: ItemRecurrence): boolean {
  const isByDay = anchor.length === 10 && !/UNTIL=\d{8}T/i.test(rrule)
  const isSameKind = start.time !== null && due.time !== null && start.tz === due.tz
  return isByDay && isSameKind && start.date === due.date && start.time < due.time
}

/** Writes a recurrence that others count from DTSTART. Its exceptions are of the kind of DTSTART. */
function writeRepeatLines(due: ItemMoment, dtstart: ItemMoment, recurrence: ItemRecurrence): string[] {
  const { rrule, skip, mode, anchor, exdates, rdates = [] } = recurrence
  const written = writeRule(recurrence, due)
  const anchorMoment = readItemOccurrence(anchor, due)
  const anchored = writeIcsMoment({ ...anchorMoment, tz: null, ...(anchor.length === 10 && { time: null }) })
  return [
    `RRULE:${written}`,
    ...writeOccurrenceLines('RDATE', rdates, anchor, dtstart),
    ...writeOccurrenceLines('EXDATE', exdates, anchor, dtstart),
    ...(written === rrule ? [] : [`X-SATCHEL-RRULE;VALUE=RECUR:${rrule}`]),
    ...(skip === 'backward' ? ['X-SATCHEL-SKIP:BACKWARD'] : []),
    ...(mode === 'completion' ? ['X-SATCHEL-MODE:COMPLETION'] : []),
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

/** Returns the entry of the current occurrence if that was moved; a finished series has none. */
function findMovedCurrent({ due, recurrence, status }: ExportTask): MovedItem | undefined {
  if (!due || !recurrence?.moved || status === 'done' || status === 'cancelled') return undefined
  const present = nameItemOccurrence(due, due, recurrence.anchor.length > 10)
  return recurrence.moved.find(({ moved_to }) => moved_to === present)
}

/** Returns the task as its series is: due where the rule has the current occurrence, which may have been moved. */
function toSeries(task: ExportTask): ExportTask {
  const { due, start } = task
  const current = findMovedCurrent(task)
  if (!due || !current) return task
  const slot = readItemOccurrence(current.occurrence, due)
  const moved = start && addDuration(start, { days: toDay(slot.date) - toDay(due.date), seconds: 0 })
  return { ...task, due: slot, start: moved && isMomentAfter(moved, slot) ? null : moved }
}

function writeMovedTodos(task: ExportTask): string[] {
  const { uid, title, updated_at, due, recurrence } = task
  const { dtstart } = chooseDates(toSeries(task))
  if (!due || !dtstart || !recurrence?.moved) return []
  const current = findMovedCurrent(task)
  const present = nameItemOccurrence(due, due, recurrence.anchor.length > 10)
  const moved = recurrence.moved.filter((entry) => entry === current || entry.moved_to !== present)
  return moved.flatMap((entry) => [
    'BEGIN:VTODO',
    ...writeTextLine('UID', uid),
    `DTSTAMP:${writeIcsInstant(updated_at)}`,
    ...writeMomentLine('RECURRENCE-ID', readItemOccurrence(entry.occurrence, dtstart)),
    ...writeTextLine('SUMMARY', title),
    `STATUS:${entry === current ? WRITTEN_STATUSES[task.status] : 'NEEDS-ACTION'}`,
    ...(entry === current && task.start
      ? writeMomentLine('DTSTART', chooseDates({ ...task, recurrence: null }).dtstart)
      : []),
    ...writeMomentLine('DUE', readItemOccurrence(entry.moved_to, due)),
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

/** Writes a trigger. If DTSTART is not the start, an offset from it is converted to one from the due date. */
function writeTriggerLines(reminder: ItemReminder, task: ExportTask): string[] {
  if (reminder.at !== null) return [`TRIGGER;VALUE=DATE-TIME:${writeIcsInstant(reminder.at)}`]
  const { offset_minutes, from } = reminder
  if (from === 'due') return [`TRIGGER;RELATED=END:${writeIcsDuration(offset_minutes)}`]
  const fromStart = `RELATED=START:${writeIcsDuration(offset_minutes)}`
  const { due, ownStart } = chooseDates(task)
  if (!due || !ownStart) return [`TRIGGER;${fromStart}`]
  return [
    `TRIGGER;RELATED=END:${writeIcsDuration(minutesBetween(due, ownStart) + offset_minutes)}`,
    `X-SATCHEL-TRIGGER;VALUE=DURATION;${fromStart}`,
  ]
}
