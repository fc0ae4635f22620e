import { ApiError, invalid } from '../http/api-error'
import type { Precondition } from '../http/responses'
import { fromDay } from '../lib/civil/day'
import { civilOf, clockTime } from '../lib/civil/zone'
import { targetOf } from './find'
import { previewChange, writeMembers } from './fit'
import { quoteTitle } from './notes'
import type { ChangePreview, UndoStep } from './schema'
import type { ToolDueDate, ToolServices, ToolTask } from './services'
import type { ToolContext, WriteOutcome } from './tool'

/**
 * Writes a due date for a result, the same in every tool: a day, or a time with the zone that it is in, which is that of
 * the task, else of the workspace.
 */
export function toDueMembers(due: Pick<ToolDueDate, 'date' | 'time' | 'time_zone'> | null, timeZone: string) {
  if (due === null) return { due: null }
  return due.time === null
    ? { due: due.date }
    : { due: `${due.date}T${due.time}`, time_zone: due.time_zone ?? timeZone }
}

const WHEN = /^(\d{4}-\d\d-\d\d)(?:[T ]([01]\d|2[0-3])(:[0-5]\d)(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/

/** Reads a date, or a date and time in a zone; one with an offset is converted to it. @throws ApiError invalid_request */
export function readDueDate(due: string, timeZone: string): ToolDueDate {
  const [, date, hour, minute, offset] = WHEN.exec(due.trim()) ?? []
  if (date === undefined) throw invalid('/due', 'invalid_value', 'due must be YYYY-MM-DD or YYYY-MM-DDTHH:MM.')
  if (hour === undefined) return { date, time: null, time_zone: null }
  if (offset === undefined) return { date, time: `${hour}${minute}`, time_zone: timeZone }
  const at = Date.parse(`${date}T${hour}${minute}:00${offset}`)
  if (Number.isNaN(at)) throw new ApiError('invalid_request', 'There is no such time.')
  const { day, minutes } = civilOf(at, timeZone)
  return { date: fromDay(day), time: clockTime(minutes), time_zone: timeZone }
}

export const toTaskResult = ({ id, title, due, priority, labels, status, revision }: ToolTask, timeZone: string) => ({
  id,
  title,
  ...toDueMembers(due, timeZone),
  priority,
  labels,
  done: status === 'done',
  revision,
})

interface TaskChange {
  readonly task: ToolTask
  readonly old: ToolTask
  readonly timeZone: string
}

/** Returns the outcome of a change of a task, which `undo` takes back. */
export function toTaskOutcome({ task, old, timeZone }: TaskChange, verb: string, undo: UndoStep): WriteOutcome {
  return {
    result: toTaskResult(task, timeZone),
    target: targetOf.task(task),
    summary: `${verb} the task ${quoteTitle(task)}`,
    undo: task.revision === old.revision ? [] : [undo],
  }
}

export function createTaskClosing({ tasks }: ToolServices) {
  return {
    /** Completes a task, or the current date of one that repeats: only that is open afterwards, and due next. */
    async complete(old: ToolTask, { session, timeZone }: ToolContext, revisions: Precondition): Promise<WriteOutcome> {
      const { resource, etag } = await tasks.complete(session, old.id, { time_zone: timeZone }, revisions)
      const { task, completion } = resource
      const path = `/api/tasks/${old.id}/completions/${completion?.id}`
      const undo = { method: 'DELETE', path, body: null, if_match: etag } as const
      const outcome = toTaskOutcome({ task, old, timeZone }, 'Completed', undo)
      const next = task.status === 'done' ? null : toDueMembers(task.due, timeZone).due
      if (next === null) return outcome
      const summary = `${outcome.summary}; it is due next on ${next}`
      return { ...outcome, result: { ...outcome.result, next_due: next }, summary }
    },

    async reopen(old: ToolTask, { session, timeZone }: ToolContext, revisions: Precondition): Promise<WriteOutcome> {
      const { resource: task, etag } = await tasks.reopen(session, old.id, revisions)
      const undo = {
        method: 'PATCH',
        path: `/api/tasks/${old.id}`,
        body: { status: old.status },
        if_match: etag,
      } as const
      return toTaskOutcome({ task, old, timeZone }, 'Reopened', undo)
    },
  }
}

export function previewStatus({ status, recurrence }: ToolTask, done: boolean): ChangePreview {
  const repeats = done && recurrence !== null ? { repeats: 'moves to its next date, if its rule has one' } : {}
  return previewChange(writeMembers({ status }), writeMembers({ status: done ? 'done' : 'open', ...repeats }))
}
