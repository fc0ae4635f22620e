import type { Queries, WorkspaceId } from '../db/database'
import { valuesIn } from '../db/dialect'
import type { TaskRow } from './store'

/** The places of tasks: projects and sections outside the trash, and the order among siblings. */

export async function isArchived(db: Queries, workspace: WorkspaceId, id: string): Promise<boolean> {
  const sql = 'SELECT 1 FROM task_projects WHERE workspace = $1 AND id = $2 AND archived_at IS NOT NULL'
  return (await db.get(sql, [workspace, id])) !== null
}

/** Whether a project with this id is outside the trash. */
export async function hasProject(db: Queries, workspace: WorkspaceId, id: string): Promise<boolean> {
  const sql = 'SELECT 1 FROM task_projects WHERE workspace = $1 AND id = $2 AND deleted_at IS NULL'
  return (await db.get(sql, [workspace, id])) !== null
}

/** Returns the project of a section; null if the section is unknown or in the trash. */
export async function getProjectOfSection(db: Queries, workspace: WorkspaceId, id: string): Promise<string | null> {
  const sql = 'SELECT project_id FROM task_sections WHERE workspace = $1 AND id = $2 AND deleted_at IS NULL'
  return (await db.get<{ project_id: string }>(sql, [workspace, id]))?.project_id ?? null
}

/** Returns the first or the last position in a place, without that of the task `but`; null if there is none. */
export async function getEdgePosition(
  db: Queries,
  workspace: WorkspaceId,
  place: string,
  but: string | null,
  side: 'first' | 'last',
): Promise<string | null> {
  const sql = `SELECT position FROM tasks WHERE workspace = $1 AND place = $2 AND id IS DISTINCT FROM $3
    ORDER BY position ${side === 'first' ? 'ASC' : 'DESC'} LIMIT 1`
  return (await db.get<{ position: string }>(sql, [workspace, place, but]))?.position ?? null
}

/** Returns the position right above or below another, without that of the task `but`; null at the end. */
export async function getNeighbourPosition(
  db: Queries,
  workspace: WorkspaceId,
  place: string,
  but: string,
  position: string,
  side: 'above' | 'below',
): Promise<string | null> {
  const [beyond, order] = side === 'above' ? ['<', 'DESC'] : ['>', 'ASC']
  const sql = `SELECT position FROM tasks WHERE workspace = $1 AND place = $2 AND id <> $3 AND position ${beyond} $4
    ORDER BY position ${order} LIMIT 1`
  return (await db.get<{ position: string }>(sql, [workspace, place, but, position]))?.position ?? null
}

/** Lists the ids of the tasks in a place, in order: the first `limit` of them, or all without a limit. */
export async function listIdsInPlace(
  db: Queries,
  workspace: WorkspaceId,
  place: string,
  limit = Number.MAX_SAFE_INTEGER,
): Promise<string[]> {
  const sql = 'SELECT id FROM tasks WHERE workspace = $1 AND place = $2 ORDER BY position, id LIMIT $3'
  return (await db.all<{ id: string }>(sql, [workspace, place, limit])).map(({ id }) => id)
}

/** Returns the id of another task, in the trash or not, that has this position in a place; null if there is none. */
export async function findIdAtPosition(
  db: Queries,
  workspace: WorkspaceId,
  { place, position, id }: Pick<TaskRow, 'place' | 'position' | 'id'>,
): Promise<string | null> {
  const sql = 'SELECT id FROM tasks WHERE workspace = $1 AND place = $2 AND position = $3 AND id <> $4'
  return (await db.get<{ id: string }>(sql, [workspace, place, position, id]))?.id ?? null
}

/**
 * States that only an import leaves, until they are repaired. Each statement selects ids. CROSS JOIN makes SQLite start
 * from the trash, which is small.
 */
const INCONSISTENCIES = {
  /** Parts in another project or section than their parent. */
  partsOutsideParentPlace: `SELECT part.id FROM tasks AS part JOIN tasks AS whole ON whole.workspace = $1 AND whole.id = part.parent_id
    WHERE part.workspace = $1 AND (part.project_id, part.section_id) IS DISTINCT FROM (whole.project_id, whole.section_id)`,

  /** Sections outside the trash whose project is in the trash. */
  sectionsOfTrashedProjects: `SELECT section.id FROM task_projects AS project CROSS JOIN task_sections AS section
    ON section.workspace = $1 AND project_id = project.id
    WHERE project.workspace = $1 AND project.deleted_at IS NOT NULL AND section.deleted_at IS NULL`,

  /** Tasks outside the trash whose project, section or parent is in the trash. */
  tasksInTrashedPlaces: `SELECT task.id FROM tasks AS whole CROSS JOIN tasks AS task ON task.workspace = $1 AND task.parent_id = whole.id
    WHERE whole.workspace = $1 AND whole.deleted_at IS NOT NULL AND task.deleted_at IS NULL
    UNION
    SELECT task.id FROM task_projects AS project CROSS JOIN tasks AS task
    ON task.workspace = $1 AND task.project_id = project.id
    WHERE project.workspace = $1 AND project.deleted_at IS NOT NULL AND task.deleted_at IS NULL AND task.parent_id IS NULL
    UNION
    SELECT task.id FROM task_sections AS section CROSS JOIN tasks AS task
    ON task.workspace = $1 AND task.section_id = section.id
    WHERE section.workspace = $1 AND section.deleted_at IS NOT NULL AND task.deleted_at IS NULL AND task.parent_id IS NULL`,

  /** Tasks marked as trashed with a parent or a project that they no longer belong to, or that is not in the trash. */
  staleTrashMarks: `SELECT part.id FROM tasks AS part
    LEFT JOIN tasks AS whole ON whole.workspace = $1 AND whole.id = part.parent_id AND whole.deleted_at IS NOT NULL
    WHERE part.workspace = $1 AND part.trashed_with IS NOT NULL
      AND whole.id IS DISTINCT FROM part.trashed_with AND whole.trashed_with IS DISTINCT FROM part.trashed_with
      AND NOT (part.parent_id IS NULL AND part.trashed_with IS NOT DISTINCT FROM 'p:' || part.project_id)`,
} as const

export type Inconsistency = keyof typeof INCONSISTENCIES

/** Lists up to `limit` ids in one of these states, in no order. */
export async function listInconsistent(
  db: Queries,
  workspace: WorkspaceId,
  what: Inconsistency,
  limit: number,
): Promise<string[]> {
  const rows = await db.all<{ id: string }>(`${INCONSISTENCIES[what]} LIMIT $2`, [workspace, limit])
  return rows.map(({ id }) => id)
}

interface NamedPlace {
  readonly id: string
  readonly name: string
  readonly name_key: string
  /** The project of a section; null for a project. */
  readonly project_id: string | null
  /** When a project was archived; null for a section. */
  readonly archived_at: number | null
}

/** Finds the projects and sections outside the trash by their name keys. */
export function findPlacesByName(db: Queries, workspace: WorkspaceId, keys: readonly string[]): Promise<NamedPlace[]> {
  return db.all<NamedPlace>(
    `SELECT id, name, name_key, NULL AS project_id, archived_at FROM task_projects
     WHERE workspace = $1 AND deleted_at IS NULL AND name_key IN ${valuesIn('$2')}
     UNION ALL
     SELECT id, name, name_key, project_id, NULL AS archived_at FROM task_sections
     WHERE workspace = $1 AND deleted_at IS NULL AND name_key IN ${valuesIn('$2')}`,
    [workspace, JSON.stringify(keys)],
  )
}
