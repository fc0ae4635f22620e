/** Dates of tasks, in words and on the calendar of the device. */
import { dayOf, daysInMonth, fromDay, partsOf, toDay, weekdayOf } from '../../src/lib/civil/day'
import type { Task, TaskDate } from '../api/types'
import { dateOf } from '../data/clock'

/** When a task is due where the device is: the date as YYYY-MM-DD, and the time as HH:MM or null for all day. */
export function localDue({ due, due_at }: Pick<Task, 'due' | 'due_at'>): { date: string; time: string | null } | null {
  if (!due) return null
  // Only a date with a time and a zone is a moment, which may be on another day here.
  if (due_at === null || due.time === null) return { date: due.date, time: due.time }
  const moment = new Date(due_at)
  return { date: dateOf(moment), time: moment.toTimeString().slice(0, 5) }
}

/** The date `days` later, or earlier if negative. */
export const addDays = (date: string, days: number): string => fromDay(toDay(date) + days)

/** The next Monday after a date. */
export function nextMonday(date: string): string {
  const weekday = weekdayOf(toDay(date)) // 0 is Monday
  return addDays(date, 7 - weekday)
}

/** The Saturday on or after a date. */
export const nextSaturday = (date: string): string => addDays(date, (12 - weekdayOf(toDay(date))) % 7)

/** The same day of the next month, or its last if that has none. */
export function nextMonth(date: string): string {
  const { year, month, day } = partsOf(toDay(date))
  return fromDay(dayOf(year, month + 1, Math.min(day, daysInMonth(year, month + 1))))
}

const weekday = new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' })
const sameYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const otherYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })
const shortDay = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' })

/** “Mon 3 May”, of YYYY-MM-DD. */
export const weekdayAndDay = (date: string) => shortDay.format(new Date(`${date}T00:00Z`))
/** “3 May 2027”, of YYYY-MM-DD. */
export const dayMonthYear = (date: string) => otherYear.format(new Date(`${date}T00:00Z`))

/** A date as one says it on the day `today`: “Today”, “Tomorrow”, “Friday” within a week, else “3 May” or “3 May 2027”. */
export function dateInWords(date: string, today: string): string {
  const distance = toDay(date) - toDay(today)
  if (distance === 0) return 'Today'
  if (distance === 1) return 'Tomorrow'
  if (distance === -1) return 'Yesterday'
  const moment = new Date(`${date}T00:00Z`)
  if (distance > 1 && distance < 7) return weekday.format(moment)
  return (date.slice(0, 4) === today.slice(0, 4) ? sameYear : otherYear).format(moment)
}

/** Whether it is due before now. A date without time is not over until its day is. */
export function isOverdue(task: Pick<Task, 'due' | 'due_at'>, today: string, timeOfDay: string): boolean {
  const due = localDue(task)
  if (!due) return false
  return due.date < today || (due.date === today && due.time !== null && due.time < timeOfDay)
}

/** The date of a task moved to another day here, with its time of day and its zone, where it may be on another day. */
export function moveDate(task: Pick<Task, 'due' | 'due_at'>, date: string): TaskDate {
  const { due } = task
  if (!due) return { date, time: null, time_zone: null }
  const days = toDay(date) - toDay(localDue(task)?.date ?? due.date)
  return { ...due, date: addDays(due.date, days) }
}
