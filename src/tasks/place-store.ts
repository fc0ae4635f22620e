import type { Queries, WorkspaceId } from '../db/database'

/** Where tasks can be: living projects and sections, and the order among siblings. */

export async function hasProject(db: Queries, workspace: WorkspaceId, id: string): Promise<boolean> {
  const sql = 'SELECT 1 FROM task_projects WHERE workspace = $1 AND id = $2 AND deleted_at IS NULL'
  return (await db.get(sql, [workspace, id])) !== null
}

/** The project that a living section belongs to, or null if there is no such section. */
export async function projectOfSection(db: Queries, workspace: WorkspaceId, id: string): Promise<string | null> {
  const sql = 'SELECT project_id FROM task_sections WHERE workspace = $1 AND id = $2 AND deleted_at IS NULL'
  return (await db.get<{ project_id: string }>(sql, [workspace, id]))?.project_id ?? null
}

/** The first or the last position of a place, leaving out one task if it is named; null if nothing else is there. */
export async function edge(
  db: Queries,
  workspace: WorkspaceId,
  place: string,
  but: string | null,
  side: 'first' | 'last',
): Promise<string | null> {
  const sql = `SELECT position FROM tasks WHERE workspace = $1 AND place = $2 AND id IS NOT $3
    ORDER BY position ${side === 'first' ? 'ASC' : 'DESC'} LIMIT 1`
  return (await db.get<{ position: string }>(sql, [workspace, place, but]))?.position ?? null
}

/** The position next to one, above it or below it, leaving out one task; null at the end. */
export async function neighbour(
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

/** The ids of what is in a place, in order: of the first `limit`, if that is given. */
export async function idsInPlace(db: Queries, workspace: WorkspaceId, place: string, limit = -1): Promise<string[]> {
  const sql = 'SELECT id FROM tasks WHERE workspace = $1 AND place = $2 ORDER BY position, id LIMIT $3'
  return (await db.all<{ id: string }>(sql, [workspace, place, limit])).map(({ id }) => id)
}
