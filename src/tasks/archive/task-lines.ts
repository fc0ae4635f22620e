import { type Static, Type as t } from '@sinclair/typebox'
import { invalid } from '../../http/api-error'
import { Id, NoteIds, nullable } from '../../http/schema'
import { readOptional, readStamps } from '../../http/values'
import { toDay } from '../../lib/civil/day'
import { MAX_REST_BYTES } from '../../lib/ical/item'
import type { StoredTask } from '../calendar/store'
import { readTaskPosition } from '../groups/order'
import { closedGroup } from '../groups/schema'
import { DATES_APART } from '../moment'
import type { EdgeInIds } from '../relation-store'
import { Duration, LabelNames, Priority, Recurrence, ReminderCreated, Status, TaskDate, TaskSource } from '../schema'
import { readRecurrence } from '../series'
import type { TaskDraft } from '../store'
import { checkedReminders, completeDraft, isClosed, requireAnchors, sourceColumns, toTask, UNRELATED } from '../task'
import { changedDate, fromItemMoment, toItemMoment } from '../when'
import { archivedMembers } from './lists'

/** A task as a line of the archive, and how the line becomes a row again. */

const BLOCKERS = 50
const DIGEST = t.String({ maxLength: 100 })

/** Edges: `since` is the blocker's completion after which another one satisfies it; null: any does. */
export const Edges = t.Array(t.Object({ task_id: Id, since: nullable(Id) }, closedGroup), { maxItems: BLOCKERS })
export const ReminderLines = t.Array(ReminderCreated, { maxItems: 10 })
/** A date as archives have held it from the first on. */
const { time_zone: tz, ...dateMembers } = TaskDate.properties
const ArchivedDate = t.Object({ ...dateMembers, tz }, closedGroup)
/** How far a task is. */
export const progress = {
  status: Status,
  completed_at: nullable(t.String()),
  cancelled_at: nullable(t.String()),
}

export const TaskLine = t.Object(
  {
    ...archivedMembers,
    /** What took it along into the trash: a task above it, or `p:` and its project. */
    trashed_with: nullable(t.String({ pattern: '^(p:)?[0-9a-f-]{36}$' })),
    title: t.String(),
    notes: t.String(),
    ...progress,
    priority: Priority,
    due: nullable(ArchivedDate),
    start: nullable(ArchivedDate),
    duration_minutes: nullable(Duration),
    recurrence: nullable(Recurrence),
    reminders: ReminderLines,
    parent_id: nullable(Id),
    blocked_by: Edges,
    project_id: nullable(Id),
    section_id: nullable(Id),
    labels: LabelNames,
    note_ids: NoteIds,
    position: t.String(),
    source: nullable(TaskSource),
    /** What its last import from a calendar file left: lines, PRIORITY, and digests of the file's task and of ours. */
    imported: nullable(
      t.Object(
        {
          rest: t.String({ maxLength: MAX_REST_BYTES }),
          priority_read: nullable(t.Integer({ minimum: 0, maximum: 9 })),
          file_hash: DIGEST,
          task_hash: DIGEST,
        },
        closedGroup,
      ),
    ),
  },
  closedGroup,
)
export type TaskLine = Static<typeof TaskLine>

/** @param edges what the task waits for */
export function taskLine(row: StoredTask, edges: readonly EdgeInIds[]): TaskLine {
  const { due_at, blocked, blocking, subtasks, blocked_by, reminders, ...stored } = toTask(row).resource
  const since = new Map(edges.map((edge) => [edge.task_id, edge.since]))
  const { rest, priority_read, file_hash, task_hash } = row
  return {
    ...stored,
    due: toItemMoment(stored.due),
    start: toItemMoment(stored.start),
    trashed_with: row.trashed_with,
    reminders: reminders as TaskLine['reminders'],
    blocked_by: blocked_by.map((task_id) => ({ task_id, since: since.get(task_id) ?? null })),
    imported:
      rest === null || file_hash === null || task_hash === null ? null : { rest, priority_read, file_hash, task_hash },
  }
}

/** The row, in no place and without relations yet. Throws invalid_request, unsupported_recurrence. */
export function taskRow({ source, recurrence, trashed_with, imported: _, ...task }: TaskLine): TaskDraft {
  const due = changedDate(null, fromItemMoment(task.due), 'due')
  const start = changedDate(null, fromItemMoment(task.start), 'start')
  const reminders = checkedReminders(task.reminders)
  requireAnchors(reminders, { due: due !== null, start: start !== null })
  requireOrder(start, due)
  if (trashed_with !== null && task.deleted_at === null)
    throw invalid('/trashed_with', 'invalid_value', 'trashed_with must be null while the task is not in the trash')
  if (recurrence !== null && due === null) throw invalid('/recurrence', 'needs_due', 'recurrence needs a due date')
  const { title, notes, priority, duration_minutes } = task
  return completeDraft({
    ...UNRELATED,
    ...readStamps(task),
    ...readProgress(task, ''),
    ...sourceColumns(source),
    ...{ trashed_with, title, notes, priority, duration_minutes, due, start, reminders },
    recurrence: recurrence && due && readRecurrence(recurrence, due),
    labels: JSON.stringify(task.labels),
    position: readTaskPosition(task.position),
  })
}

/** What moved by itself, with a series or its clocks, may come to lie a little behind. */
function requireOrder(start: TaskDate | null, due: TaskDate | null): void {
  if (start && due && toDay(start.date) > toDay(due.date) + DATES_APART)
    throw invalid('/start', 'after_due', 'start must not be after due')
}

/** The columns of a status. Throws invalid_request unless the instants go with it. */
export function readProgress(
  { status, ...line }: Pick<TaskLine, 'status' | 'completed_at' | 'cancelled_at'>,
  pointer: string,
) {
  const completed_at = readOptional(line.completed_at, `${pointer}/completed_at`)
  const cancelled_at = readOptional(line.cancelled_at, `${pointer}/cancelled_at`)
  if ((status === 'done') !== (completed_at !== null) || (status === 'cancelled') !== (cancelled_at !== null))
    throw invalid(`${pointer}/status`, 'invalid_value', 'completed_at and cancelled_at must go with the status')
  return { status, closed: isClosed(status) ? 1 : 0, completed_at, cancelled_at }
}
