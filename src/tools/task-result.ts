import { Type } from '@sinclair/typebox'
import { targetOf } from './find'
import { quoteTitle } from './notes'
import type { UndoStep } from './schema'
import type { ToolDueDate, ToolTask } from './services'
import { textOrNull, type WriteOutcome } from './tool'

/** Writes a due date: `2026-03-05`, or with a time `2026-03-05T09:00`. */
export const writeWhen = ({ date, time }: Pick<ToolDueDate, 'date' | 'time'>): string =>
  time === null ? date : `${date}T${time}`

export const taskResult = {
  id: Type.String(),
  title: Type.String(),
  due: textOrNull(),
  priority: Type.Integer(),
  labels: Type.Array(Type.String()),
  done: Type.Boolean(),
  revision: Type.Integer(),
}

export const toTaskResult = ({ id, title, due, priority, labels, status, revision }: ToolTask) => ({
  id,
  title,
  due: due && writeWhen(due),
  priority,
  labels,
  done: status === 'done',
  revision,
})

/** Returns the outcome of a change of a task, which `undo` takes back. */
export function toTaskOutcome(task: ToolTask, old: ToolTask, verb: string, undo: UndoStep): WriteOutcome {
  return {
    result: toTaskResult(task),
    target: targetOf.task(task),
    summary: `${verb} the task ${quoteTitle(task)}`,
    undo: task.revision === old.revision ? [] : [undo],
  }
}
