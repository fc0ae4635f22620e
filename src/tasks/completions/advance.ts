import { writeInstant } from '../../http/values'
import { fromDay, modulo, toDay } from '../../lib/civil/day'
import { civilOf, instantOf } from '../../lib/civil/zone'
import { FIRST_DAY, listOccurrences, nextOccurrence, type Series } from '../../lib/recurrence/expand'
import type { Recurrence, Reminder, TaskDate } from '../schema'
import type { TaskRow } from '../store'
import { getDueDate, getStartDate, prefixDateColumns, toStatusColumns } from '../task'
import { toDateColumns } from '../task-date'
import { decrementCount, toRecurrence, toSeries } from '../task-recurrence'

/** The calculation of a task's state after it is completed or skipped. */

/** The most missed dates that one completion lists: the last ones. */
export const MAX_MISSED_DATES = 1000

/** A completion or a skip. */
export interface CompletionEvent {
  readonly kind: 'done' | 'skip'
  /** When it was done, in milliseconds since 1970. */
  readonly at: number
  /** The time zone for tasks that have none: an IANA name. */
  readonly time_zone: string
}

/** The changes of a task by a completion or a skip. */
export interface AdvanceResult {
  /** The members that changed. */
  readonly after: Partial<TaskRow>
  /** The next due date; null if the task is done. */
  readonly next_due: string | null
  /** Due dates between the one completed and the next. */
  readonly missed: string[]
}

/** Returns the changes by a step. A task is done, unless it repeats and has a next date, to which it moves. */
export function advanceTask(task: TaskRow, step: CompletionEvent): AdvanceResult {
  const recurrence = toRecurrence(task)
  const due = getDueDate(task)
  const { date, missed, ...changed } = recurrence && due ? findNextDate(recurrence, due, step) : NO_NEXT
  if (date === null || !due) return { after: toStatusColumns('done', step.at), next_due: null, missed }
  return {
    after: { ...toStatusColumns('open', step.at), ...changed, ...moveToDate(task, due, date, step.time_zone) },
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

const NO_NEXT: Next = { date: null, missed: [] }

function findNextDate(recurrence: Recurrence, due: TaskDate, step: CompletionEvent): Next {
  if (recurrence.mode === 'completion') return findNextAfterCompletion(recurrence, due, step)
  const series = toSeries(recurrence, due)
  const from = toDay(due.date) + 1
  // Skipping advances by one date, even into the past. Completing never leads to a date before the day of completion.
  const earliest = step.kind === 'done' ? Math.max(from, getCivilDay(step, due)) : from
  const next = nextOccurrence(series, earliest - 1)
  return { date: next === null ? null : fromDay(next), missed: listMissedDates(series, from, earliest - 1) }
}

/** Returns the next date counted from the day of completion. COUNT counts completions: each one lowers it by one. */
function findNextAfterCompletion(recurrence: Recurrence, due: TaskDate, step: CompletionEvent): Next {
  const day = step.kind === 'done' ? fromDay(getCivilDay(step, due)) : recurrence.anchor
  const rrule = step.kind === 'done' ? decrementCount(recurrence.rrule) : recurrence.rrule
  if (rrule === null) return NO_NEXT
  const series = toSeries({ ...recurrence, anchor: day }, due)
  const after = toDay(step.kind === 'done' ? day : due.date)
  const next = nextOccurrence({ ...series, rule: { ...series.rule, count: null } }, after)
  return next === null ? NO_NEXT : { date: fromDay(next), missed: [], anchor: day, rrule }
}

/** Returns the civil day of a step, in the zone of the task if it has one. */
function getCivilDay({ at, time_zone }: CompletionEvent, due: TaskDate): number {
  return civilOf(at, due.time_zone ?? time_zone).day
}

/** Lists the dates of a series from one day to another, both included: at most the last MAX_MISSED_DATES. */
function listMissedDates(series: Series, from: number, to: number): string[] {
  if (to < from) return []
  // Searches backwards from the end: a daily task may have been overdue for decades.
  let found: number[] = []
  for (let span = MAX_MISSED_DATES; ; span *= 4) {
    const begin = Math.max(from, to - span)
    found = listOccurrences(series, { from: begin, to, limit: span + 1 })
    if (begin === from || found.length >= MAX_MISSED_DATES) return found.slice(-MAX_MISSED_DATES).map(fromDay)
  }
}

/** Returns the members after a move of the due date: start and reminders move by the same number of days. */
function moveToDate(task: TaskRow, due: TaskDate, date: string, time_zone: string): Partial<TaskRow> {
  const days = toDay(date) - toDay(due.date)
  const start = getStartDate(task)
  const reminders: Reminder[] = JSON.parse(task.reminders)
  return {
    ...prefixDateColumns('due', toDateColumns({ ...due, date })),
    // A task that counts from completions can move back if completed early: its start must not fall before 1900.
    ...(start &&
      prefixDateColumns(
        'start',
        toDateColumns({ ...start, date: fromDay(Math.max(toDay(start.date) + days, FIRST_DAY)) }),
      )),
    ...(reminders.some(({ at }) => at !== null) && {
      reminders: JSON.stringify(reminders.map((reminder) => shiftReminder(reminder, days, due.time_zone ?? time_zone))),
    }),
  }
}

/** Returns the reminder some days later. One at an instant keeps its time of day in `zone`. */
function shiftReminder(reminder: Reminder, days: number, zone: string): Reminder {
  if (reminder.at === null) return reminder
  const at = Date.parse(reminder.at)
  const { day, minutes } = civilOf(at, zone)
  return { ...reminder, at: writeInstant(instantOf(day + days, minutes, zone) + modulo(at, 60_000)) }
}
