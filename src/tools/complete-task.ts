import { Type } from '@sinclair/typebox'
import type { Precondition } from '../http/responses'
import { type ScopedFinder, targetOf } from './find'
import { previewChange, writeMembers } from './fit'
import { noteResult, quoteTitle } from './notes'
import { type ChangePreview, closedObject, type UndoStep } from './schema'
import type { ToolDueDate, ToolServices, ToolTask } from './services'
import {
  type ChangeTool,
  changeOutput,
  resourceIdSchema,
  type ToolContext,
  textOrNull,
  type WriteOutcome,
} from './tool'

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

export function createTaskClosing({ tasks }: ToolServices) {
  return {
    /** Completes a task, or the current date of one that repeats. */
    async complete(old: ToolTask, { session, timeZone }: ToolContext, revisions: Precondition): Promise<WriteOutcome> {
      const { resource, etag } = await tasks.complete(session, old.id, { time_zone: timeZone }, revisions)
      const { task, completion } = resource
      const path = `/api/tasks/${old.id}/completions/${completion?.id}`
      return toTaskOutcome(task, old, 'Completed', { method: 'DELETE', path, body: null, if_match: etag })
    },

    async reopen(old: ToolTask, { session }: ToolContext, revisions: Precondition): Promise<WriteOutcome> {
      const { resource: task, etag } = await tasks.reopen(session, old.id, revisions)
      const undo = {
        method: 'PATCH',
        path: `/api/tasks/${old.id}`,
        body: { status: old.status },
        if_match: etag,
      } as const
      return toTaskOutcome(task, old, 'Reopened', undo)
    },
  }
}

export function previewStatus({ status, recurrence }: ToolTask, done: boolean): ChangePreview {
  const repeats = done && recurrence !== null ? { repeats: 'moves to its next date, if its rule has one' } : {}
  return previewChange(writeMembers({ status }), writeMembers({ status: done ? 'done' : 'open', ...repeats }))
}

const input = closedObject({ id: resourceIdSchema(), done: Type.Optional(Type.Boolean()) })

export function completeTaskTool(services: ToolServices, find: ScopedFinder): ChangeTool<typeof input> {
  const { complete, reopen } = createTaskClosing(services)
  return {
    name: 'complete_task',
    title: 'Complete a task',
    description: 'Completes a task, or reopens it (done: false). One that repeats moves to next_due.',
    risk: 'update',
    input,
    output: changeOutput({ ...noteResult, done: Type.Boolean(), next_due: textOrNull() }),
    async plan({ id, done = true }, context) {
      const { resource: task } = await find.findTask(context, id)
      return {
        target: targetOf.task(task),
        summary: `${done ? 'Complete' : 'Reopen'} the task ${quoteTitle(task)}`,
        confirm: false,
        preview: () => previewStatus(task, done),
      }
    },
    async run({ id, done = true }, context, precondition) {
      const { resource: old } = await find.findTask(context, id)
      const outcome = await (done ? complete : reopen)(old, context, precondition)
      const { resource: task } = await find.findTask(context, id)
      // Only one that repeats is open after it was completed.
      const next = done && task.status !== 'done' && task.due ? writeWhen(task.due) : null
      const summary = next === null ? outcome.summary : `${outcome.summary}; it is due next on ${next}`
      const result = { id, title: task.title, revision: task.revision, done: task.status === 'done', next_due: next }
      return { ...outcome, result, summary }
    },
  }
}
