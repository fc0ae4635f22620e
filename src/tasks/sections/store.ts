import type { Bindings, Queries, WorkspaceId } from '../../db/database'
import { createGroupStore, type GroupRow } from '../groups/store'

/** A row of `task_sections`: instants are milliseconds. */
export interface SectionRow extends GroupRow {
  readonly project_id: string
  /** The id of its project, if the section went to the trash together with it. */
  readonly trashed_with: string | null
  readonly position: string
}

export const sectionStore = createGroupStore<SectionRow>({
  table: 'task_sections',
  columns: ['project_id', 'trashed_with', 'position'],
  computed: [],
  order: ['project_id', 'position', 'id'],
  scope: 'project_id',
})

/** Returns the condition of a list that shows the sections of one project. */
export function whereProject(project: string | undefined) {
  return (bind: Bindings) => (project === undefined ? '' : `AND project_id = ${bind.add(project)}`)
}

/** Lists the sections of a project by position, including those in the trash. */
export function listSectionsOfProject(
  db: Queries,
  workspace: WorkspaceId,
  project: string,
  limit: number,
): Promise<SectionRow[]> {
  return db.all<SectionRow>(
    `SELECT ${sectionStore.columns} FROM task_sections WHERE workspace = $1 AND project_id = $2
     ORDER BY position, id LIMIT $3`,
    [workspace, project, limit],
  )
}

/** Counts the tasks in a section, in the trash or not, up to `limit`. */
export async function countTasksInSection(
  db: Queries,
  workspace: WorkspaceId,
  { id }: SectionRow,
  limit: number,
): Promise<number> {
  const sql =
    'SELECT count(*) AS n FROM (SELECT 1 FROM tasks WHERE workspace = $1 AND section_id = $2 LIMIT $3) AS listed'
  return (await db.get<{ n: number }>(sql, [workspace, id, limit]))?.n ?? 0
}
