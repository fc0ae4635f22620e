/** Later dates of tasks that repeat, worked out as the server does it. Loaded when a screen shows days ahead. */
import { fromDay, MINUTES_PER_DAY, toDay } from '../../src/lib/civil/day'
import { clockTime, instantOf, parseTimeOfDay } from '../../src/lib/civil/zone'
import { listLaterSlots } from '../../src/tasks/day-time'
import { toRecurrenceColumns } from '../../src/tasks/task-date'
import type { Task } from '../api/types'
import { dateOf, timeOf } from '../data/clock'

// In one file: what works out repeats is loaded once.
export { afterStep } from './next-date'

/** The most dates of one task that are worked out: one may repeat by the minute. */
const MAX_DATES = 200

/** A date of a task where the device is: YYYY-MM-DD, and HH:MM or null for all day. */
export interface LaterDate {
  readonly task: Task
  readonly date: string
  readonly time: string | null
}

/** The dates after its present one of a task that repeats, from one day to another, both included; the first of each day. */
export function laterDates(task: Task, from: string, to: string): LaterDate[] {
  const { due, recurrence } = task
  if (!due || !recurrence) return []
  const minutes = due.time === null ? null : parseTimeOfDay(due.time)
  // A day more on both sides: a time in another zone may be on another day here.
  const days = { from: toDay(from) - 1, to: toDay(to) + 1, limit: MAX_DATES }
  const slots = listLaterSlots(
    toRecurrenceColumns(recurrence),
    { day: toDay(due.date), minutes, time_zone: due.time_zone },
    days,
  )
  const dates = slots
    .map((slot) => toLocal(task, slot, minutes === null))
    .filter(({ date }) => date >= from && date <= to)
  return dates.filter(({ date }, index) => dates[index - 1]?.date !== date)
}

function toLocal(task: Task, slot: number, isAllDay: boolean): LaterDate {
  const day = Math.floor(slot / MINUTES_PER_DAY)
  const minutes = slot - day * MINUTES_PER_DAY
  const zone = task.due?.time_zone
  if (isAllDay || !zone) return { task, date: fromDay(day), time: isAllDay ? null : clockTime(minutes) }
  const moment = new Date(instantOf(day, minutes, zone))
  return { task, date: dateOf(moment), time: timeOf(moment) }
}
