import { toDay } from '../../civil/day'
import { invalid } from '../../http/problem'
import { readInstant, readOptional, writeInstant, writeOptional } from '../../http/values'
import { DATES_APART } from '../moment'
import { readPosition } from '../position'
import { checkedReminders, requireAnchors } from '../reminders'
import type { Status, When } from '../schema'
import { readRecurrence, recurrenceOf } from '../series'
import type { TaskDraft } from '../store'
import { complete, dueOf, isClosed, startOf } from '../task'
import { changedWhen } from '../when'
import type { PortableTask } from './schema'
import type { StoredTask, ToldEdge } from './store'

/** How a task is told, and how it becomes a row again. */

/** @param edges what the task waits for */
export function told(row: StoredTask, edges: readonly ToldEdge[]): PortableTask {
  const since = new Map(edges.map((edge) => [edge.task_id, edge.since]))
  const blockers: string[] = JSON.parse(row.blocked_by)
  return {
    id: row.id,
    revision: row.revision,
    created_at: writeInstant(row.created_at),
    updated_at: writeInstant(row.updated_at),
    deleted_at: writeOptional(row.deleted_at),
    trashed_with: row.trashed_with,
    title: row.title,
    notes: row.notes,
    status: row.status,
    priority: row.priority,
    due: dueOf(row),
    start: startOf(row),
    duration_minutes: row.duration_minutes,
    recurrence: recurrenceOf(row),
    reminders: JSON.parse(row.reminders),
    parent_id: row.parent_id,
    blocked_by: blockers.map((task_id) => ({ task_id, since: since.get(task_id) ?? null })),
    project_id: row.project_id,
    section_id: row.section_id,
    labels: JSON.parse(row.labels),
    note_ids: JSON.parse(row.note_ids),
    position: row.position,
    completed_at: writeOptional(row.completed_at),
    cancelled_at: writeOptional(row.cancelled_at),
    source: row.source_system === null ? null : { system: row.source_system, id: row.source_id ?? '' },
    imported: importedOf(row),
  }
}

function importedOf({ rest, priority_read, file_hash, task_hash }: StoredTask): PortableTask['imported'] {
  if (rest === null || file_hash === null || task_hash === null) return null
  return { rest, priority_read, file_hash, task_hash }
}

/** The row, in no place and without relations yet. Throws invalid_request, unsupported_recurrence. */
export function rowOf(task: PortableTask): TaskDraft {
  const due = changedWhen(null, task.due, 'due')
  const start = changedWhen(null, task.start, 'start')
  const reminders = checkedReminders(task.reminders)
  requireAnchors(reminders, { due: due !== null, start: start !== null })
  requireOrder(start, due)
  if (task.trashed_with !== null && task.deleted_at === null)
    throw invalid('/trashed_with', 'invalid_value', 'trashed_with must be null while the task is not in the trash')
  return complete({
    ...readStamps(task),
    ...readProgress(task, ''),
    trashed_with: task.trashed_with,
    title: task.title,
    notes: task.notes,
    priority: task.priority,
    due,
    start,
    duration_minutes: task.duration_minutes,
    recurrence: task.recurrence && repeating(task.recurrence, due),
    reminders,
    source_system: task.source?.system ?? null,
    source_id: task.source?.id ?? null,
    labels: JSON.stringify(task.labels),
    position: readPosition(task.position),
    parent_id: null,
    project_id: null,
    section_id: null,
    place: '',
    blocked_by: '[]',
    note_ids: '[]',
  })
}

function repeating(recurrence: NonNullable<PortableTask['recurrence']>, due: When | null) {
  if (due === null) throw invalid('/recurrence', 'needs_due', 'recurrence needs a due date')
  return readRecurrence(recurrence, due)
}

/** What moved by itself, with a series or its clocks, may come to lie a little behind. */
function requireOrder(start: When | null, due: When | null): void {
  if (start && due && toDay(start.date) > toDay(due.date) + DATES_APART)
    throw invalid('/start', 'after_due', 'start must not be after due')
}

/** The columns of a status. Throws invalid_request unless the instants go with it. */
export function readProgress(
  told: { readonly status: Status; readonly completed_at: string | null; readonly cancelled_at: string | null },
  pointer: string,
) {
  const { status } = told
  const completed_at = readOptional(told.completed_at, `${pointer}/completed_at`)
  const cancelled_at = readOptional(told.cancelled_at, `${pointer}/cancelled_at`)
  if ((status === 'done') !== (completed_at !== null) || (status === 'cancelled') !== (cancelled_at !== null))
    throw invalid(`${pointer}/status`, 'invalid_value', 'completed_at and cancelled_at must go with the status')
  return { status, closed: isClosed(status) ? 1 : 0, completed_at, cancelled_at }
}

interface Stamps {
  readonly id: string
  readonly revision: number
  readonly created_at: string
  readonly updated_at: string
  readonly deleted_at: string | null
}

/** The members that every resource begins with, as they are stored. Throws invalid_request. */
export function readStamps({ id, revision, created_at, updated_at, deleted_at }: Stamps) {
  return {
    id,
    revision,
    created_at: readInstant(created_at, '/created_at'),
    updated_at: readInstant(updated_at, '/updated_at'),
    deleted_at: readOptional(deleted_at, '/deleted_at'),
  }
}
