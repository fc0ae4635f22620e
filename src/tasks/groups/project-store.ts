import type { Queries, WorkspaceId } from '../../db/database'
import { createGroupStore, type GroupRow } from './store'

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

/** Lists the ids of tasks that the deletion of a project moved to the inbox, by their position there. */
export async function listFormerTasks(
  db: Queries,
  workspace: WorkspaceId,
  project: string,
  limit: number,
): Promise<string[]> {
  const sql = `SELECT id FROM tasks WHERE workspace = $1 AND former_project_id = $2 ORDER BY position, id LIMIT $3`
  return (await db.all<{ id: string }>(sql, [workspace, project, limit])).map(({ id }) => id)
}

/** Makes up to `limit` of these tasks stay in the inbox for good. Returns how many. */
export function forgetFormerTasks(
  db: Queries,
  workspace: WorkspaceId,
  project: string,
  limit: number,
): Promise<number> {
  return db.run(
    `UPDATE tasks SET former_project_id = NULL, former_section_id = NULL WHERE +workspace = $1 AND key IN
       (SELECT key FROM tasks WHERE workspace = $1 AND former_project_id = $2 LIMIT $3)`,
    [workspace, project, limit],
  )
}
