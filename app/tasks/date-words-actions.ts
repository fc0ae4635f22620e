/** Dates and repeats as they were read from words. */
import type { TimeReading } from '../../src/lib/civil/words/reading'
import type { Task } from '../api/types'
import { today } from '../data/clock'
import type { Workspace } from '../data/workspace'
import { say } from '../words/say'
import { dayInSentence, fullDate } from './dates'
import { repeatInWords } from './repeat-words'
import { nameOf, rescheduleTasks, type TaskChange, updateTasks } from './task-actions'

/** Gives tasks the date that was read, and their repeat if one was. A time that is not named stays. Null: no date. */
export function setDate(workspace: Workspace, tasks: readonly Task[], reading: TimeReading | null): void {
  const due = reading?.due
  if (!due) {
    rescheduleTasks(workspace, tasks, null)
    return
  }
  const { recurrence } = reading
  const [name, day] = [nameOf(tasks), dayInSentence(due.date, today.peek())]
  const words = recurrence
    ? say`Moved ${name} to ${day}, ${repeatInWords(recurrence.rrule, recurrence.mode)}.`
    : say`Moved ${name} to ${day}.{# date}`
  updateTasks(workspace, tasks, words, (task) => ({
    ...changeOf(reading),
    due: due.time === null && !reading.recurrence && task.due ? { ...task.due, date: due.date } : due,
  }))
}

/** The members of a task that a reading sets. */
export function changeOf({ due, start, recurrence, duration_minutes, reminders }: TimeReading): TaskChange {
  return {
    due,
    ...(start && { start }),
    ...(recurrence && { recurrence: { ...recurrence, exdates: [...recurrence.exdates] } }),
    ...(duration_minutes !== null && { duration_minutes }),
    ...(reminders.length > 0 && { reminders: [...reminders] }),
  }
}

/** What was read, as a sentence: “Tomorrow, 24 Nov 2026, 09:00, every day”. */
export function readingInWords({ due, recurrence }: TimeReading): string {
  if (!due) return ''
  return fullDate(due) + (recurrence ? `, ${repeatInWords(recurrence.rrule, recurrence.mode)}` : '')
}
