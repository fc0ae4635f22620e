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

/** The last position of a place, or null if it is empty. */
export async function lastPosition(db: Queries, workspace: WorkspaceId, place: string): Promise<string | null> {
  const sql = 'SELECT max(position) AS position FROM tasks WHERE workspace = $1 AND place = $2'
  return (await db.get<{ position: string | null }>(sql, [workspace, place]))?.position ?? null
}

/** The position next to one, before it or behind it, or null at the end. */
export async function neighbour(
  db: Queries,
  workspace: WorkspaceId,
  place: string,
  position: string,
  side: 'before' | 'behind',
): Promise<string | null> {
  const sql =
    side === 'before'
      ? 'SELECT max(position) AS position FROM tasks WHERE workspace = $1 AND place = $2 AND position < $3'
      : 'SELECT min(position) AS position FROM tasks WHERE workspace = $1 AND place = $2 AND position > $3'
  return (await db.get<{ position: string | null }>(sql, [workspace, place, position]))?.position ?? null
}

/** The keys of all that is in a place, in order. */
export async function keysInPlace(db: Queries, workspace: WorkspaceId, place: string): Promise<number[]> {
  const sql = 'SELECT key FROM tasks WHERE workspace = $1 AND place = $2 ORDER BY position, id'
  return (await db.all<{ key: number }>(sql, [workspace, place])).map(({ key }) => key)
}
