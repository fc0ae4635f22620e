import type { Queries, WorkspaceId } from '../../db/database'
import type { TaskRow } from '../store'

/** Those of the tasks that there are and that are not in the trash, in no order. */
export function livingTasks(
  db: Queries,
  workspace: WorkspaceId,
  keys: readonly number[],
): Promise<Pick<TaskRow, 'key' | 'id' | 'revision' | 'updated_at' | 'title' | 'notes' | 'labels'>[]> {
  return db.all(
    `SELECT key, id, revision, updated_at, title, notes, labels FROM tasks
     WHERE +workspace = $1 AND key IN (SELECT value FROM json_each($2)) AND +deleted_at IS NULL`,
    [workspace, JSON.stringify(keys)],
  )
}
