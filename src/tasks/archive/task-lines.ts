import { type Static, Type as t } from '@sinclair/typebox'
import { invalid } from '../../http/api-error'
import { closed, Id, NoteIds, nullable, SourceInput } from '../../http/schema'
import { columnsOfSource, readOptional, readSource, readStamps } from '../../http/values'
import { toDay } from '../../lib/civil/day'
import { MAX_REST_BYTES } from '../../lib/ical/item'
import { archivedMembers } from '../../resources/archived'
import { MAX_ZONE_GAP_DAYS } from '../day-time'
import type { StoredTask } from '../files/store'
import { readTaskPosition } from '../names-and-positions'
import type { EdgeInIds } from '../relation-store'
import { Duration, LabelNames, Priority, Recurrence, ReminderCreated, Status, TaskDate } from '../schema'
import type { TaskDraft } from '../store'
import { finishDraft, NO_RELATIONS, readReminders, requireReminderDates, toTask } from '../task'
import { isClosed, patchTaskDate } from '../task-date'
import { readRecurrence } from '../task-recurrence'

/** Tasks as lines of an archive, and back. */

const MAX_BLOCKERS = 50
const DIGEST = t.String({ maxLength: 100 })

/** The tasks that a task waits for. Completions of the blocker after `since` satisfy the edge; null: any completion. */
export const EdgeLines = t.Array(t.Object({ task_id: Id, since: nullable(Id) }, closed), {
  maxItems: MAX_BLOCKERS,
})
export const ReminderLines = t.Array(ReminderCreated, { maxItems: 10 })
export const progressMembers = {
  status: Status,
  completed_at: nullable(t.String()),
  cancelled_at: nullable(t.String()),
}

export const TaskLine = t.Object(
  {
    ...archivedMembers,
    /** The task above it, or `p:` and its project, with which it was deleted. */
    trashed_with: nullable(t.String({ pattern: '^(p:)?[0-9a-f-]{36}$' })),
    title: t.String(),
    notes: t.String(),
    ...progressMembers,
    priority: Priority,
    due: nullable(TaskDate),
    start: nullable(TaskDate),
    duration_minutes: nullable(Duration),
    recurrence: nullable(Recurrence),
    reminders: ReminderLines,
    parent_id: nullable(Id),
    blocked_by: EdgeLines,
    project_id: nullable(Id),
    section_id: nullable(Id),
    /** Where it goes back if its deleted project is restored; only then is it there. */
    former_place: t.Optional(t.Object({ project_id: Id, section_id: nullable(Id) }, closed)),
    labels: LabelNames,
    note_ids: NoteIds,
    position: t.String(),
    source: nullable(SourceInput),
    /** The state of its last import from a calendar file; see ImportedState. */
    imported: nullable(
      t.Object(
        {
          rest: t.String({ maxLength: MAX_REST_BYTES }),
          priority_read: nullable(t.Integer({ minimum: 0, maximum: 9 })),
          file_hash: DIGEST,
          task_hash: DIGEST,
        },
        closed,
      ),
    ),
  },
  closed,
)
export type TaskLine = Static<typeof TaskLine>

/** Returns the line of a task. @param edges the edges to the tasks it waits for */
export function toTaskLine(row: StoredTask, edges: readonly EdgeInIds[]): TaskLine {
  const { due_at, blocked, blocking, subtasks, blocked_by, reminders, ...stored } = toTask(row).resource
  const since = new Map(edges.map((edge) => [edge.task_id, edge.since]))
  const { rest, priority_read, file_hash, task_hash } = row
  return {
    ...stored,
    trashed_with: row.trashed_with,
    ...(row.former_project_id !== null && {
      former_place: { project_id: row.former_project_id, section_id: row.former_section_id },
    }),
    reminders: reminders as TaskLine['reminders'],
    blocked_by: blocked_by.map((task_id) => ({ task_id, since: since.get(task_id) ?? null })),
    imported:
      rest === null || file_hash === null || task_hash === null ? null : { rest, priority_read, file_hash, task_hash },
  }
}

/** Returns the row of a line, without place and relations. Throws invalid_request, unsupported_recurrence. */
export function fromTaskLine({ source, recurrence, trashed_with, former_place, ...task }: TaskLine): TaskDraft {
  const due = patchTaskDate(null, task.due, 'due')
  const start = patchTaskDate(null, task.start, 'start')
  const reminders = readReminders(task.reminders)
  requireReminderDates(reminders, { due: due !== null, start: start !== null })
  requireOrder(start, due)
  if (trashed_with !== null && task.deleted_at === null)
    throw invalid('/trashed_with', 'invalid_value', 'trashed_with must be null while the task is not in the trash')
  if (recurrence !== null && due === null) throw invalid('/recurrence', 'needs_due', 'recurrence needs a due date')
  const { title, notes, priority, duration_minutes } = task
  return finishDraft({
    ...NO_RELATIONS,
    ...readStamps(task),
    ...readProgress(task, ''),
    ...columnsOfSource(readSource(source)),
    ...{ trashed_with, title, notes, priority, duration_minutes, due, start, reminders },
    recurrence: recurrence && due && readRecurrence(recurrence, due),
    labels: JSON.stringify(task.labels),
    ...(former_place && task.parent_id === null && task.project_id === null
      ? { former_project_id: former_place.project_id, former_section_id: former_place.section_id }
      : {}),
    position: readTaskPosition(task.position),
  })
}

/** Refuses a start well after the due date. A series or a clock change may have moved it a little after. */
function requireOrder(start: TaskDate | null, due: TaskDate | null): void {
  if (start && due && toDay(start.date) > toDay(due.date) + MAX_ZONE_GAP_DAYS)
    throw invalid('/start', 'after_due', 'start must not be after due')
}

/** Returns the columns of a status. Throws invalid_request if its instants do not match it. */
export function readProgress(
  { status, ...line }: Pick<TaskLine, 'status' | 'completed_at' | 'cancelled_at'>,
  pointer: string,
) {
  const completed_at = readOptional(line.completed_at, `${pointer}/completed_at`)
  const cancelled_at = readOptional(line.cancelled_at, `${pointer}/cancelled_at`)
  if ((status === 'done') !== (completed_at !== null) || (status === 'cancelled') !== (cancelled_at !== null))
    throw invalid(`${pointer}/status`, 'invalid_value', 'completed_at and cancelled_at must match the status')
  return { status, closed: isClosed(status) ? 1 : 0, completed_at, cancelled_at }
}
