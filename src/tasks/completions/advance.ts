import { writeInstant } from '../../http/values'
import { FIRST_DAY, fromDay, LAST_DAY, MINUTES_PER_DAY, modulo, toDay } from '../../lib/civil/day'
import { civilOf, instantOf } from '../../lib/civil/zone'
import { isTimedRule, namesDays } from '../../lib/recurrence/rule'
import { fromSlot, listSlots, nextSlot, type Series, type SlotDate, toSlot } from '../../lib/recurrence/slots'
import type { SeriesRow } from '../day-time'
import type { Recurrence, Reminder, TaskDate } from '../schema'
import type { TaskRow } from '../store'
import { getDueDate, getStartDate, prefixDateColumns, slotOfName, toDateColumns, toStatusColumns } from '../task-date'
import {
  decrementCount,
  findMoved,
  isTimed,
  nameOccurrence,
  parseRuleCached,
  toRecurrence,
  toSeries,
} from '../task-recurrence'

/** The calculation of a task's state after it is completed or skipped. */

/** The most missed dates that one completion lists: the last ones. */
const MAX_MISSED_DATES = 1000

export interface CompletionEvent {
  readonly kind: 'done' | 'skip'
  /** When it was done, in milliseconds since 1970. */
  readonly at: number
  /** The time zone for tasks that have none: an IANA name. */
  readonly time_zone: string
}

export type AdvancingTask = SeriesRow &
  Pick<TaskRow, 'due_date' | 'due_time' | 'due_tz' | 'start_date' | 'start_time' | 'start_tz' | 'reminders'>

interface AdvanceResult {
  readonly after: Partial<TaskRow>
  /** The next due date; null if the task is done. */
  readonly next_due: string | null
  /** Due dates between the one completed and the next. */
  readonly missed: string[]
}

/**
 * Returns the changes by a step. A task is done, unless it repeats and has a next date, to which it moves.
 * @param handled names of later occurrences that were completed already, as an import can say: they are passed over
 */
export function advanceTask(
  task: AdvancingTask,
  step: CompletionEvent,
  handled: ReadonlySet<string> = NONE_HANDLED,
): AdvanceResult {
  const recurrence = toRecurrence(task)
  const due = getDueDate(task)
  const { slot, missed, ...changed } = recurrence && due ? findNextSlot(recurrence, due, step, handled) : NO_NEXT
  if (slot === null || !due || !recurrence)
    return { after: toStatusColumns('done', step.at), next_due: null, missed: [...missed] }
  const next = { ...due, ...fromSlot(slot, due.time === null) }
  return {
    after: { ...toStatusColumns('open', step.at), ...changed, ...moveToDate(task, due, next, step.time_zone) },
    next_due: nameOccurrence(recurrence.rrule, next),
    missed: [...missed],
  }
}

interface Next {
  /** The slot (src/lib/recurrence/slots.ts) of the next due date; null if there is none. */
  readonly slot: number | null
  readonly missed: readonly string[]
  readonly anchor?: string
  readonly rrule?: string
  readonly moved?: string
}

const NO_NEXT: Next = { slot: null, missed: [] }
const NONE_HANDLED: ReadonlySet<string> = new Set()

function findNextSlot(
  recurrence: Recurrence,
  due: TaskDate,
  step: CompletionEvent,
  handled: ReadonlySet<string>,
): Next {
  if (recurrence.mode === 'completion') return findNextAfterCompletion(recurrence, due, step)
  const series = toSeries(recurrence, due)
  const toSlotOf = (name: string) => slotOfName(name, series.time)
  const present = findMoved(recurrence.moved, nameOccurrence(recurrence.rrule, due))
  const from = (present ? toSlotOf(present.occurrence) : toSlot(due)) + 1
  // Skipping advances by one date, even into the past. Completing never leads to a date before the day of completion, or
  // in a series by time before its minute.
  const earliest = step.kind === 'done' ? Math.max(from, getSlotOfStep(recurrence, step, due)) : from
  const toName = (slot: number) => nameOccurrence(recurrence.rrule, fromSlot(slot, due.time === null))
  const later = recurrence.moved.filter((entry) => toSlotOf(entry.occurrence) >= from)
  const moved = new Map(later.map((entry) => [entry.occurrence, toSlotOf(entry.moved_to)]))
  let slot = nextSlot(series, earliest - 1)
  while (slot !== null && (handled.has(toName(slot)) || moved.has(toName(slot)))) slot = nextSlot(series, slot)
  // A moved occurrence keeps its turn, and comes unless it was moved to a date that is past. The first of them is enough.
  const next = later.find(
    ({ occurrence, moved_to }) =>
      !handled.has(occurrence) && (step.kind === 'skip' || toSlotOf(moved_to) >= earliest) && isBefore(occurrence),
  )
  const chosen = next ? toSlotOf(next.occurrence) : slot
  const last = chosen === null ? Math.max(earliest, ...later.map((entry) => toSlotOf(entry.occurrence) + 1)) : chosen
  const missed = listMissedSlots(series, from, last - 1).map(toName)
  return {
    slot: next ? toSlotOf(next.moved_to) : slot,
    missed: missed.filter((name) => !handled.has(name)),
    ...(recurrence.moved.length > 0 && {
      moved: JSON.stringify(later.filter(({ occurrence }) => chosen !== null && toSlotOf(occurrence) >= chosen)),
    }),
  }

  function isBefore(occurrence: string): boolean {
    return slot === null || toSlotOf(occurrence) < slot
  }
}

/**
 * Returns the next date counted from the day of completion. COUNT counts completions: each one lowers it by one. A rule
 * that names days counts from the due date if that is later: what was due on the 1st is not due again on the same 1st.
 */
function findNextAfterCompletion(recurrence: Recurrence, due: TaskDate, step: CompletionEvent): Next {
  const isDone = step.kind === 'done'
  const at = fromSlot(getSlotOfStep(recurrence, step, due), false)
  const isEarly = at.date < due.date && namesDays(parseRuleCached(recurrence.rrule).rule)
  const done = isEarly ? { ...at, date: due.date } : at
  const anchor = isDone ? nameOccurrence(recurrence.rrule, done) : recurrence.anchor
  const rrule = isDone ? decrementCount(recurrence.rrule) : recurrence.rrule
  if (rrule === null) return NO_NEXT
  const series = toSeries({ ...recurrence, anchor }, due)
  const after = isDone ? toSlot({ ...done, time: isTimed(rrule) ? done.time : due.time }) : toSlot(due)
  const slot = nextSlot({ ...series, rule: { ...series.rule, count: null } }, after)
  return slot === null ? NO_NEXT : { slot, missed: [], anchor, rrule }
}

/** Returns the first slot of the civil day of a step, in a series by time that of its minute. */
function getSlotOfStep({ rrule }: Recurrence, { at, time_zone }: CompletionEvent, due: TaskDate): number {
  const { day, minutes } = civilOf(at, due.time_zone ?? time_zone)
  return day * MINUTES_PER_DAY + (isTimed(rrule) ? minutes : 0)
}

/** Lists the slots of a series from one to another, both included: at most the last MAX_MISSED_DATES. */
function listMissedSlots(series: Series, from: number, to: number): number[] {
  if (to < from) return []
  // Searches backwards from the end: a daily task may have been overdue for decades.
  const unit = isTimedRule(series.rule) ? 1 : MINUTES_PER_DAY
  for (let span = MAX_MISSED_DATES; ; span *= 4) {
    const begin = Math.max(from, to - span * unit)
    const found = listSlots(series, { from: begin, to, limit: span + 1 })
    if (begin === from || found.length >= MAX_MISSED_DATES) return found.slice(-MAX_MISSED_DATES)
  }
}

/** Returns the members after a move of the due date: start and reminders move by as much. */
function moveToDate(task: AdvancingTask, due: TaskDate, next: TaskDate, time_zone: string): Partial<TaskRow> {
  const start = getStartDate(task)
  const minutes = toSlot(next) - toSlot(due)
  const reminders: Reminder[] = JSON.parse(task.reminders)
  const shift = (reminder: Reminder) => shiftReminder(reminder, minutes, due.time_zone ?? time_zone)
  return {
    ...prefixDateColumns('due', toDateColumns(next)),
    ...(start && prefixDateColumns('start', toDateColumns(moveDate(start, due, next)))),
    ...(reminders.some(({ at }) => at !== null) && { reminders: JSON.stringify(reminders.map(shift)) }),
  }
}

/** Returns the dates of a part of a task that moves to another due date: they move by as much. Its own series stays. */
export function movePart(part: AdvancingTask, due: TaskDate, next: TaskDate, time_zone: string): Partial<TaskRow> {
  if (part.rrule !== null) return {}
  const own = getDueDate(part)
  if (own) return moveToDate(part, own, moveDate(own, due, next), time_zone)
  const start = getStartDate(part)
  return start ? prefixDateColumns('start', toDateColumns(moveDate(start, due, next))) : {}
}

/** Moves a date by as much as the due date moved; a whole day moves by days. */
function moveDate(date: TaskDate, due: SlotDate, next: SlotDate): TaskDate {
  // What counts from completions can move back if it was completed early, and what moves may be before or after the due date.
  const clamp = (day: number) => fromDay(Math.min(Math.max(day, FIRST_DAY), LAST_DAY))
  if (date.time === null) return { ...date, date: clamp(toDay(date.date) + toDay(next.date) - toDay(due.date)) }
  const moved = fromSlot(toSlot(date) + toSlot(next) - toSlot(due), false)
  return { ...date, ...moved, date: clamp(toDay(moved.date)) }
}

function shiftReminder(reminder: Reminder, minutes: number, zone: string): Reminder {
  if (reminder.at === null) return reminder
  const at = Date.parse(reminder.at)
  const civil = civilOf(at, zone)
  const moved = civil.day * MINUTES_PER_DAY + civil.minutes + minutes
  const day = Math.floor(moved / MINUTES_PER_DAY)
  return { ...reminder, at: writeInstant(instantOf(day, moved - day * MINUTES_PER_DAY, zone) + modulo(at, 60_000)) }
}
