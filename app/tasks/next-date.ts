/** What a task that repeats becomes by a completion or a skip, worked out as the server does it. Loaded when it is needed. */
import { type AdvancingTask, advanceTask, type CompletionEvent } from '../../src/tasks/completions/advance'
import { getDueDate, getStartDate, toRecurrenceColumns } from '../../src/tasks/task-date'
import { toRecurrence } from '../../src/tasks/task-recurrence'
import type { Task } from '../api/types'

/** The members of a task that a completion or a skip changes. */
export type Advanced = Pick<
  Task,
  'status' | 'completed_at' | 'cancelled_at' | 'due' | 'due_at' | 'start' | 'recurrence' | 'reminders'
>

export function afterStep(task: Task, step: CompletionEvent): Advanced {
  const row = toRow(task)
  const { after } = advanceTask(row, step)
  const next = { ...row, ...after }
  const instant = (at: number | null | undefined) => (at == null ? null : new Date(at).toISOString())
  return {
    status: after.status ?? task.status,
    completed_at: instant(after.completed_at),
    cancelled_at: instant(after.cancelled_at),
    due: getDueDate(next),
    due_at: after.due_at === undefined ? task.due_at : instant(after.due_at),
    start: getStartDate(next),
    recurrence: toRecurrence(next),
    reminders: JSON.parse(next.reminders),
  }
}

function toRow({ due, start, recurrence, reminders }: Task): AdvancingTask {
  return {
    due_date: due?.date ?? null,
    due_time: due?.time ?? null,
    due_tz: due?.time_zone ?? null,
    start_date: start?.date ?? null,
    start_time: start?.time ?? null,
    start_tz: start?.time_zone ?? null,
    ...toRecurrenceColumns(recurrence),
    reminders: JSON.stringify(reminders),
  }
}
