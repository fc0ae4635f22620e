import type { Queries, WorkspaceId } from '../../db/database'
import { type NamedRow, namedStore } from '../named/store'

export interface ProjectRow extends NamedRow {
  readonly computed_revision: number
  readonly color: string | null
  readonly notes: string
  readonly archived_at: number | null
  readonly position: string
  /** Living tasks in it, still to be done and closed. */
  readonly open: number
  readonly done: number
}

export const projectStore = namedStore<ProjectRow>({
  table: 'task_projects',
  own: ['color', 'notes', 'archived_at', 'position'],
  computed: ['computed_revision', 'open', 'done'],
  order: ['position', 'id'],
  scope: null,
})

const ARCHIVED = { false: 'AND archived_at IS NULL', true: 'AND archived_at IS NOT NULL', any: '' }

/** The condition of a list that shows projects in use, archived ones, or both. */
export function archivedIs(archived: keyof typeof ARCHIVED) {
  return () => ARCHIVED[archived]
}

/** What decides where a task of a project goes. */
export interface HeldTask {
  readonly id: string
  readonly parent_id: string | null
  readonly deleted_at: number | null
  readonly trashed_with: string | null
}

/** The tasks of a project, living and in the trash: first those in no section, then section by section, parts last. */
export function tasksOfProject(db: Queries, workspace: WorkspaceId, id: string, limit: number): Promise<HeldTask[]> {
  return db.all<HeldTask>(
    `SELECT tasks.id, parent_id, tasks.deleted_at, tasks.trashed_with FROM tasks
     LEFT JOIN task_sections ON task_sections.workspace = $1 AND task_sections.id = section_id
     WHERE tasks.workspace = $1 AND tasks.project_id = $2
     ORDER BY parent_id IS NOT NULL, coalesce(task_sections.position, ''), tasks.position, tasks.id LIMIT $3`,
    [workspace, id, limit],
  )
}

/** The tasks that carry the mark of what they went into the trash with. */
export function tasksAlongWith(db: Queries, workspace: WorkspaceId, mark: string, limit: number): Promise<HeldTask[]> {
  const sql =
    'SELECT id, parent_id, deleted_at, trashed_with FROM tasks WHERE workspace = $1 AND trashed_with = $2 LIMIT $3'
  return db.all<HeldTask>(sql, [workspace, mark, limit])
}
