/** Dates of tasks, in words and on the calendar of the device. */
import { dayOf, daysInMonth, fromDay, partsOf, toDay, weekdayOf } from '../../src/lib/civil/day'
import type { Task, TaskDate } from '../api/types'
import { dateOf, timeOf, today } from '../data/clock'
import { locale } from '../words/say'

/** When a task is due where the device is: the date as YYYY-MM-DD, and the time as HH:MM or null for all day. */
export function localDue({ due, due_at }: Pick<Task, 'due' | 'due_at'>): { date: string; time: string | null } | null {
  if (!due) return null
  // Only a date with a time and a zone is a moment, which may be on another day here.
  if (due_at === null || due.time === null) return { date: due.date, time: due.time }
  const moment = new Date(due_at)
  return { date: dateOf(moment), time: timeOf(moment) }
}

/** The date `days` later, or earlier if negative. */
export const addDays = (date: string, days: number): string => fromDay(toDay(date) + days)

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

const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
const inUtc = (parts: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, { ...parts, timeZone: 'UTC' })
const weekday = inUtc({ weekday: 'long' })
const sameYear = inUtc({ day: 'numeric', month: 'short' })
const otherYear = inUtc({ day: 'numeric', month: 'short', year: 'numeric' })
const shortDay = inUtc({ weekday: 'short', day: 'numeric', month: 'short' })
const clock = inUtc({ hour: '2-digit', minute: '2-digit' })

/** A time as it is written in the language. @param time HH:MM */
export const timeInWords = (time: string) => clock.format(new Date(`1970-01-01T${time}Z`))

/** A date with its time, if it has one: “Tomorrow 09:00”. */
export const withTime = (date: string, time: string | null) =>
  `${date} ${time === null ? '' : timeInWords(time)}`.trim()

/** “Mon 3 May”, of YYYY-MM-DD. */
export const weekdayAndDay = (date: string) => shortDay.format(new Date(`${date}T00:00Z`))
/** “3 May 2027”, of YYYY-MM-DD. */
export const dayMonthYear = (date: string) => otherYear.format(new Date(`${date}T00:00Z`))

/** A date as one says it on the day `today`: “Today”, “Tomorrow”, “Friday” within a week, else “3 May” or “3 May 2027”. */
export function dateInWords(date: string, today: string): string {
  const words = dayInSentence(date, today)
  return words.charAt(0).toLocaleUpperCase(locale) + words.slice(1)
}

/** A date within a sentence: “today”, “Friday”, “3 May”. */
export function dayInSentence(date: string, today: string): string {
  const distance = toDay(date) - toDay(today)
  if (Math.abs(distance) < 2) return relative.format(distance, 'day')
  const moment = new Date(`${date}T00:00Z`)
  if (distance > 1 && distance < 7) return weekday.format(moment)
  return (date.slice(0, 4) === today.slice(0, 4) ? sameYear : otherYear).format(moment)
}

/** “Tomorrow, 24 Nov 2026, 09:00”. */
export function fullDate({ date, time }: Pick<TaskDate, 'date' | 'time'>): string {
  const [name, full] = [dateInWords(date, today.value), dayMonthYear(date)]
  return [...(full.startsWith(name) ? [] : [name]), full, ...(time === null ? [] : [timeInWords(time)])].join(', ')
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
