import type { Queries, WorkspaceId } from '../../db/database'

/** The id of the day's living note, or null. */
export async function idOfDay(db: Queries, workspace: WorkspaceId, date: string): Promise<string | null> {
  const sql = 'SELECT id FROM notes WHERE workspace = $1 AND daily_date = $2 AND deleted_at IS NULL'
  return (await db.get<{ id: string }>(sql, [workspace, date]))?.id ?? null
}
