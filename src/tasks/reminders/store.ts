import type { Queries, WorkspaceId } from '../../db/database'
import type { SeriesRow } from '../day-time'
import { type Archived, WHERE_ARCHIVED } from '../filter/store'
import type { TaskRow } from '../store'

/** A task with reminders: the columns of its dates. */
export type ReminderTaskRow = SeriesRow &
  Pick<TaskRow, 'key' | 'id' | 'reminders' | 'due_key' | 'due_tz' | 'start_key' | 'start_tz'>

/** Lists open tasks with reminders outside the trash, after the key `after`; older ones first. */
export function listTasksWithReminders(
  db: Queries,
  workspace: WorkspaceId,
  archived: Archived,
  after: number,
  limit: number,
): Promise<ReminderTaskRow[]> {
  return db.all<ReminderTaskRow>(
    `SELECT key, id, reminders, due_key, due_tz, start_key, start_tz, rrule, recurrence_mode, recurrence_skip, anchor, exdates, rdates, moved
     FROM tasks WHERE workspace = $1 AND reminders <> '[]' AND deleted_at IS NULL AND closed = 0 AND key > $2 ${WHERE_ARCHIVED[archived]}
     ORDER BY key LIMIT $3`,
    [workspace, after, limit],
  )
}
