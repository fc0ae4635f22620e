import { writeInstant } from '../../http/values'
import { fromDay, modulo, toDay } from '../../lib/civil/day'
import { civilOf, instantOf } from '../../lib/civil/zone'
import { FIRST_DAY, findNextOccurrence, listOccurrences, type Series } from '../../lib/recurrence/expand'
import type { Recurrence, Reminder, TaskDate } from '../schema'
import { countedDown, recurrenceOf, seriesOf } from '../series'
import type { TaskRow } from '../store'
import { dueOfTask, startOfTask, statusColumns, whenColumns } from '../task'
import { dateColumns } from '../when'

/** What completing or skipping makes of a task. */

/** Most missed dates that one completion lists: the last ones. */
export const MISSED = 1000

export interface CompletionEvent {
  readonly kind: 'done' | 'skip'
  /** When it was done, in milliseconds since 1970. */
  readonly at: number
  /** The zone that tells the day of a task without one: an IANA name. */
  readonly time_zone: string
}

export interface Advanced {
  /** The members that changed. */
  readonly after: Partial<TaskRow>
  /** The next due date, or null: the task is done. */
  readonly next_due: string | null
  /** Due dates between the one completed and the next. */
  readonly missed: string[]
}

/** The task after a step. One that does not repeat is done; a series goes on to its next date, if there is one left. */
export function advanced(task: TaskRow, step: CompletionEvent): Advanced {
  const recurrence = recurrenceOf(task)
  const due = dueOfTask(task)
  const { date, missed, ...changed } = recurrence && due ? nextDate(recurrence, due, step) : OVER
  if (date === null || !due) return { after: statusColumns('done', step.at), next_due: null, missed }
  return {
    after: { ...statusColumns('open', step.at), ...changed, ...movedTo(task, due, date, step.time_zone) },
    next_due: date,
    missed,
  }
}

interface Next {
  readonly date: string | null
  readonly missed: string[]
  readonly anchor?: string
  readonly rrule?: string
}

const OVER: Next = { date: null, missed: [] }

function nextDate(recurrence: Recurrence, due: TaskDate, step: CompletionEvent): Next {
  if (recurrence.mode === 'completion') return nextAfterCompletion(recurrence, due, step)
  const series = seriesOf(recurrence, due)
  const from = toDay(due.date) + 1
  // SkipTaskBody goes on by one date, wherever that is; completing never leads to a day before it was done.
  const earliest = step.kind === 'done' ? Math.max(from, dayOf(step, due)) : from
  const next = findNextOccurrence(series, earliest - 1)
  return { date: next === null ? null : fromDay(next), missed: passedOver(series, from, earliest - 1) }
}

/** All is counted from the day of completion, and COUNT counts completions: each takes one off it. */
function nextAfterCompletion(recurrence: Recurrence, due: TaskDate, step: CompletionEvent): Next {
  const day = step.kind === 'done' ? fromDay(dayOf(step, due)) : recurrence.anchor
  const rrule = step.kind === 'done' ? countedDown(recurrence.rrule) : recurrence.rrule
  if (rrule === null) return OVER
  const series = seriesOf({ ...recurrence, anchor: day }, due)
  const after = toDay(step.kind === 'done' ? day : due.date)
  const next = findNextOccurrence({ ...series, rule: { ...series.rule, count: null } }, after)
  return next === null ? OVER : { date: fromDay(next), missed: [], anchor: day, rrule }
}

/** The civil day of a step, in the zone of the task if it has one. */
function dayOf({ at, time_zone }: CompletionEvent, due: TaskDate): number {
  return civilOf(at, due.time_zone ?? time_zone).day
}

function passedOver(series: Series, from: number, to: number): string[] {
  if (to < from) return []
  // The last of them, found from the end: a daily task may have lain for decades.
  let found: number[] = []
  for (let span = MISSED; ; span *= 4) {
    const begin = Math.max(from, to - span)
    found = listOccurrences(series, { from: begin, to, limit: span + 1 })
    if (begin === from || found.length >= MISSED) return found.slice(-MISSED).map(fromDay)
  }
}

/** The members that move along when the due date does. */
function movedTo(task: TaskRow, due: TaskDate, date: string, time_zone: string): Partial<TaskRow> {
  const days = toDay(date) - toDay(due.date)
  const start = startOfTask(task)
  const reminders: Reminder[] = JSON.parse(task.reminders)
  return {
    ...whenColumns('due', dateColumns({ ...due, date })),
    // Done early, a task that counts from completions goes back: a start from 1900 stays within what a task can have.
    ...(start &&
      whenColumns('start', dateColumns({ ...start, date: fromDay(Math.max(toDay(start.date) + days, FIRST_DAY)) }))),
    ...(reminders.some(({ at }) => at !== null) && {
      reminders: JSON.stringify(reminders.map((reminder) => shifted(reminder, days, due.time_zone ?? time_zone))),
    }),
  }
}

/** A reminder at an instant keeps its time of day. */
function shifted(reminder: Reminder, days: number, zone: string): Reminder {
  if (reminder.at === null) return reminder
  const at = Date.parse(reminder.at)
  const { day, minutes } = civilOf(at, zone)
  return { ...reminder, at: writeInstant(instantOf(day + days, minutes, zone) + modulo(at, 60_000)) }
}
