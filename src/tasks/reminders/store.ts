import type { Queries, WorkspaceId } from '../../db/database'
import type { TaskRow } from '../store'

/** A task that reminds, as far as its dates go. */
export type ReminderTaskRow = Pick<
  TaskRow,
  | 'key'
  | 'id'
  | 'reminders'
  | 'due_key'
  | 'due_tz'
  | 'start_key'
  | 'start_tz'
  | 'rrule'
  | 'recurrence_mode'
  | 'recurrence_skip'
  | 'anchor'
  | 'exdates'
>

/** The next tasks with reminders that are still to be done and not in the trash, behind a key; older ones first. */
export function listTasksWithReminders(
  db: Queries,
  workspace: WorkspaceId,
  after: number,
  limit: number,
): Promise<ReminderTaskRow[]> {
  return db.all<ReminderTaskRow>(
    `SELECT key, id, reminders, due_key, due_tz, start_key, start_tz, rrule, recurrence_mode, recurrence_skip, anchor, exdates
     FROM tasks WHERE workspace = $1 AND reminders <> '[]' AND deleted_at IS NULL AND closed = 0 AND key > $2
     ORDER BY key LIMIT $3`,
    [workspace, after, limit],
  )
}
