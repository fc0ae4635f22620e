/** What can be done with tasks: each is shown at once, sent to the server, and can be undone. */

import { Refused } from '../api/client'
import type { Task, TaskCompletion } from '../api/types'
import { timeZone, today } from '../data/clock'
import type { NameChange } from '../data/name-lists'
import type { Inverse, Workspace } from '../data/workspace'
import { textsOf, type Write } from '../data/writes'
import { actWithUndo } from '../shell/act'
import { say } from '../words/say'
import { dayInSentence, moveDate } from './dates'

export type TaskOp = Extract<Write, { type: 'task' }>['op']
export type TaskChange = Extract<TaskOp, { op: 'update' }>['data']

export const write = (op: TaskOp): Write & { type: 'task' } => ({ type: 'task', op })

/** Completes tasks, or the present date of those that repeat. */
export function completeTasks(workspace: Workspace, tasks: readonly Task[]): void {
  const [repeating, once] = [tasks.filter(repeats), tasks.filter((task) => !repeats(task))]
  const reopened = once.map(({ id }) => write({ op: 'reopen', id }))
  const inverse: Inverse =
    repeating.length === 0
      ? reopened
      : async () => {
          await undoCompletions(workspace, repeating)
          await workspace.outbox.add(reopened)
        }
  withNextDates(tasks, tasks.map(completion), 'done').then((writes) =>
    actWithUndo(workspace, say`Completed ${nameOf(tasks)}.`, writes, inverse),
  )
}

/** Adds to writes what they make of tasks that repeat, so that their next date is shown at once. */
async function withNextDates(
  tasks: readonly Task[],
  writes: readonly (Write & { type: 'task' })[],
  kind: 'done' | 'skip',
): Promise<readonly Write[]> {
  if (!tasks.some(repeats)) return writes
  // Without it, the server says what comes next.
  const loaded = await import('./occurrences').catch(() => null)
  if (!loaded) return writes
  const step = { kind, at: Date.now(), time_zone: timeZone }
  return writes.map((each, place) => {
    const task = tasks[place]
    return task && repeats(task) ? { ...each, after: loaded.afterStep(task, step) } : each
  })
}

const repeats = ({ recurrence }: Task) => recurrence !== null

/** The write that completes a task. Its date is named, so that a repeat of the request does not complete the next one. */
function completion(task: Task): Write & { type: 'task' } {
  const occurrence = occurrenceOf(task)
  return write({
    op: 'complete',
    id: task.id,
    ...(occurrence !== null && { data: { occurrence, time_zone: timeZone } }),
  })
}

/** Goes on to the next date of tasks that repeat, without completing the present one. */
export function skipDates(workspace: Workspace, tasks: readonly Task[]): void {
  const writes = tasks.map((task) => {
    const occurrence = occurrenceOf(task)
    return write({ op: 'skip', id: task.id, data: { time_zone: timeZone, ...(occurrence !== null && { occurrence }) } })
  })
  withNextDates(tasks, writes, 'skip').then((all) =>
    actWithUndo(workspace, say`Skipped this date of ${nameOf(tasks)}.`, all, () => undoCompletions(workspace, tasks)),
  )
}

/** The name of the date that a repeating task is due on: with its time where the rule counts hours or minutes. */
function occurrenceOf({ due, recurrence }: Task): string | null {
  if (!due || !recurrence) return null
  return /FREQ=HOURLY|BYHOUR|BYMINUTE/i.test(recurrence.rrule) && due.time !== null
    ? `${due.date}T${due.time}`
    : due.date
}

/**
 * Takes back the last completion or skip of tasks that repeat, which are given as they were before it: here if it was
 * never sent, else only the server knows what it changed. Throws Refused, Unreachable.
 */
async function undoCompletions({ api, copy, outbox }: Workspace, tasks: readonly Task[]): Promise<void> {
  const sent: Task[] = []
  for (const task of tasks) if (!(await outbox.withdrawStep(task.id, occurrenceOf(task)))) sent.push(task)
  if (sent.length > 0) await outbox.flush()
  for (const task of sent) {
    const path = `api/tasks/${task.id}/completions`
    const { items } = await api.call<{ items: TaskCompletion[] }>({ path, query: { limit: 1 } })
    const named = occurrenceOf(task)
    const names = [named, task.recurrence?.moved.find(({ moved_to }) => moved_to === named)?.occurrence]
    const [last] = items
    if (!last || !names.includes(last.occurrence ?? undefined))
      throw new Refused(409, 'not_latest', say`“${task.title}” has been completed again since.`, null)
    const undone = await api.call<Task>({ method: 'DELETE', path: `${path}/${last.id}` })
    await copy.confirm([{ type: 'task', id: task.id, resource: undone }])
  }
}

export function reopenTasks(workspace: Workspace, tasks: readonly Task[]): void {
  actWithUndo(
    workspace,
    say`Reopened ${nameOf(tasks)}.`,
    tasks.map(({ id }) => write({ op: 'reopen', id })),
    tasks.map(completion),
  )
}

/** Moves tasks to a day, as YYYY-MM-DD, or takes their date away (null). Their times of day stay. */
export function rescheduleTasks(workspace: Workspace, tasks: readonly Task[], date: string | null): void {
  const words =
    date === null
      ? say`Removed the date from ${nameOf(tasks)}.`
      : say`Moved ${nameOf(tasks)} to ${dayInSentence(date, today.peek())}.{# date}`
  updateTasks(workspace, tasks, words, (task) =>
    date === null ? { due: null, ...(task.recurrence && { recurrence: null }) } : { due: moveDate(task, date) },
  )
}

/**
 * A change of members of a task. With a text it names the revision and the text that were seen, so that one that was
 * changed elsewhere, too, is merged with it.
 */
export function updateOf({ outbox }: Workspace, task: Task, data: TaskChange): Write & { type: 'task' } {
  const { id, revision } = task
  const change = write({ op: 'update', id, data })
  const typed = Object.keys(textsOf(change)) as ('title' | 'notes')[]
  if (typed.length === 0) return change
  const if_revision = outbox.latestOwn('task', id, revision)
  const base = Object.fromEntries(typed.map((member) => [member, task[member]]))
  return { type: 'task', op: { op: 'update', id, if_revision, data }, base }
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
    changes.map(({ task, data }) => updateOf(workspace, task, data)),
    changes.map(({ task, data }) => write({ op: 'update', id: task.id, data: formerly(task, data) })),
  )
}

export function labelTask(
  workspace: Workspace,
  { id }: Task,
  words: string,
  { add = [], remove = [] }: NameChange,
): void {
  const change = (labels_add: readonly string[], labels_remove: readonly string[]) =>
    write({ op: 'update', id, data: { labels_add: [...labels_add], labels_remove: [...labels_remove] } })
  actWithUndo(workspace, words, [change(add, remove)], [change(remove, add)])
}

/** The members of a change as the task has them. */
export function formerly(task: Task, data: TaskChange): TaskChange {
  return Object.fromEntries(Object.keys(data).map((name) => [name, task[name as keyof Task]])) as TaskChange
}

/** Gives tasks a priority: 1 is the most urgent, 0 none. */
export function prioritizeTasks(workspace: Workspace, tasks: readonly Task[], priority: number): void {
  const words =
    priority === 0 ? say`Removed the priority from ${nameOf(tasks)}.` : say`Gave ${nameOf(tasks)} priority ${priority}.`
  updateTasks(workspace, tasks, words, () => ({ priority }))
}

/** Moves tasks to the trash. */
export function deleteTasks(workspace: Workspace, tasks: readonly Task[]): void {
  actWithUndo(
    workspace,
    say`Deleted ${nameOf(tasks)}.`,
    tasks.map(({ id }) => write({ op: 'delete', id })),
    tasks.map(({ id }) => write({ op: 'restore', id })),
  )
}

/** “Call mum” in quotes, or how many. */
export const nameOf = (tasks: readonly Task[]) =>
  tasks.length === 1 ? say`“${tasks[0]?.title ?? ''}”` : say`${tasks.length} {task|tasks}`
