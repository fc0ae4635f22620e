import type { Queries, WorkspaceId } from '../../db/database'

export interface NamedPlace {
  readonly id: string
  readonly name: string
  readonly name_key: string
  /** The project of a section; null for a project. */
  readonly project_id: string | null
}

/** The living projects and sections with names among these, as names are compared. */
export function placesOfNames(db: Queries, workspace: WorkspaceId, keys: readonly string[]): Promise<NamedPlace[]> {
  return db.all<NamedPlace>(
    `SELECT id, name, name_key, NULL AS project_id FROM task_projects
     WHERE workspace = $1 AND deleted_at IS NULL AND name_key IN (SELECT value FROM json_each($2))
     UNION ALL
     SELECT id, name, name_key, project_id FROM task_sections
     WHERE workspace = $1 AND deleted_at IS NULL AND name_key IN (SELECT value FROM json_each($2))`,
    [workspace, JSON.stringify(keys)],
  )
}
