/** What can be done with tasks: each is shown at once, sent to the server, and can be undone. */
import type { Task } from '../api/types'
import { today } from '../data/clock'
import type { Workspace } from '../data/workspace'
import type { Write } from '../data/writes'
import { actWithUndo } from '../shell/act'
import { dateInWords, moveDate } from './dates'

type TaskOp = Extract<Write, { type: 'task' }>['op']
export type TaskChange = Extract<TaskOp, { op: 'update' }>['data']

const write = (op: TaskOp): Write => ({ type: 'task', op })

export const isOpen = ({ status }: Task) => status === 'open' || status === 'in_progress'

/** Completes tasks, or the present date of those that repeat. */
export function completeTasks(workspace: Workspace, tasks: readonly Task[]): void {
  const writes = tasks.map(({ id, due, recurrence }) =>
    // Named, so that a repeat of the request does not complete the next date.
    write({
      op: 'complete',
      id,
      ...(recurrence && due && { data: { occurrence: occurrenceOf(recurrence.rrule, due) } }),
    }),
  )
  // A repeating task goes on to its next date: only the server can take that back, by the completion.
  const inverse = tasks.every(({ recurrence }) => recurrence === null)
    ? tasks.map(({ id }) => write({ op: 'reopen', id }))
    : []
  actWithUndo(workspace, `Completed ${nameOf(tasks)}.`, writes, inverse)
}

/** The name of a date of a repeat: with its time where the rule counts hours or minutes. */
function occurrenceOf(rrule: string, due: NonNullable<Task['due']>): string {
  return /FREQ=(?:HOURLY|MINUTELY)|BYHOUR|BYMINUTE/.test(rrule) && due.time !== null
    ? `${due.date}T${due.time}`
    : due.date
}

export function reopenTasks(workspace: Workspace, tasks: readonly Task[]): void {
  actWithUndo(
    workspace,
    `Reopened ${nameOf(tasks)}.`,
    tasks.map(({ id }) => write({ op: 'reopen', id })),
    tasks.map(({ id }) => write({ op: 'complete', id })),
  )
}

/** Moves tasks to a day, as YYYY-MM-DD, or takes their date away (null). Their times of day stay. */
export function rescheduleTasks(workspace: Workspace, tasks: readonly Task[], date: string | null): void {
  const words =
    date === null
      ? `Took the date of ${nameOf(tasks)} away.`
      : `Moved ${nameOf(tasks)} to ${dateInWords(date, today.peek()).toLowerCase()}.`
  updateTasks(workspace, tasks, words, ({ due }) => ({ due: date === null ? null : moveDate(due, date) }))
}

/** Changes members of tasks. Undo gives them back what they had. */
export function updateTasks(
  workspace: Workspace,
  tasks: readonly Task[],
  words: string,
  change: (task: Task) => TaskChange,
): void {
  const changes = tasks.map((task) => ({ task, data: change(task) }))
  actWithUndo(
    workspace,
    words,
    changes.map(({ task: { id }, data }) => write({ op: 'update', id, data })),
    changes.map(({ task, data }) => {
      const before = Object.fromEntries(Object.keys(data).map((name) => [name, task[name as keyof Task]]))
      return write({ op: 'update', id: task.id, data: before as TaskChange })
    }),
  )
}

/** Moves tasks to the trash. */
export function deleteTasks(workspace: Workspace, tasks: readonly Task[]): void {
  actWithUndo(
    workspace,
    `Deleted ${nameOf(tasks)}.`,
    tasks.map(({ id }) => write({ op: 'delete', id })),
    tasks.map(({ id }) => write({ op: 'restore', id })),
  )
}

const nameOf = (tasks: readonly Task[]) => (tasks.length === 1 ? `“${tasks[0]?.title}”` : `${tasks.length} tasks`)
