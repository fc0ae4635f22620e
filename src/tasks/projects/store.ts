import type { Queries, WorkspaceId } from '../../db/database'
import { createGroupStore, type GroupRow } from '../groups/store'

/** A row of `task_projects`: instants are milliseconds. */
export interface ProjectRow extends GroupRow {
  readonly computed_revision: number
  readonly color: string | null
  readonly notes: string
  readonly archived_at: number | null
  readonly position: string
  /** Counts of its tasks outside the trash: open, and closed (`done`). */
  readonly open: number
  readonly done: number
}

export const projectStore = createGroupStore<ProjectRow>({
  table: 'task_projects',
  columns: ['color', 'notes', 'archived_at', 'position'],
  computed: ['computed_revision', 'open', 'done'],
  order: ['position', 'id'],
  scope: null,
})

const ARCHIVED = { false: 'AND archived_at IS NULL', true: 'AND archived_at IS NOT NULL', any: '' }

/** Returns the condition of a list that shows unarchived projects, archived ones, or both. */
export function whereArchived(archived: keyof typeof ARCHIVED) {
  return () => ARCHIVED[archived]
}

/** A task of a project, with its sort key `closed`, `key`. */
export interface ProjectTask {
  readonly id: string
  readonly key: number
  readonly closed: number
  readonly deleted_at: number | null
}

/** Lists the tasks of a project, in the trash or not, after the sort key `after`. */
export function listTasksOfProject(
  db: Queries,
  workspace: WorkspaceId,
  id: string,
  after: Pick<ProjectTask, 'closed' | 'key'> | null,
  limit: number,
): Promise<ProjectTask[]> {
  const sql = `SELECT id, key, closed, deleted_at FROM tasks
    WHERE workspace = $1 AND project_id = $2 AND (closed, key) > ($3, $4) ORDER BY closed, key LIMIT $5`
  return db.all<ProjectTask>(sql, [workspace, id, after?.closed ?? 0, after?.key ?? 0, limit])
}
