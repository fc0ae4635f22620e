/** What is still to be done to the index: rows that wait, and marks of what is gone. */
import type { Queries, WorkspaceId } from '../db/database'

/** The newest document that is to be indexed; 0 if there is none. */
export async function newestPending(db: Queries, workspace: WorkspaceId): Promise<number> {
  const row = await db.get<{ doc: number }>(
    'SELECT doc FROM search_docs WHERE workspace = $1 AND pending = 1 ORDER BY doc DESC LIMIT 1',
    [workspace],
  )
  return row?.doc ?? 0
}

/** The first workspace behind another that has something to be indexed. */
export async function nextPending(db: Queries, after: string): Promise<WorkspaceId | null> {
  const row = await db.get<{ workspace: WorkspaceId }>(
    'SELECT workspace FROM search_docs WHERE pending = 1 AND workspace > $1 ORDER BY workspace LIMIT 1',
    [after],
  )
  return row?.workspace ?? null
}

/** How many texts of all workspaces are still to be indexed. */
export async function countPending(db: Queries): Promise<number> {
  return (await db.get<{ n: number }>('SELECT count(*) AS n FROM search_docs WHERE pending = 1'))?.n ?? 0
}

/** Forgets that documents were to be indexed: what they stood for is gone. */
export async function forgetPending(db: Queries, workspace: WorkspaceId, docs: readonly number[]): Promise<void> {
  await db.run(
    'DELETE FROM search_docs WHERE workspace = $1 AND pending = 1 AND doc IN (SELECT value FROM json_each($2))',
    [workspace, JSON.stringify(docs)],
  )
}

/** Forgets documents that are in no segment any more. */
export async function forgetDead(db: Queries, workspace: WorkspaceId, docs: readonly number[]): Promise<void> {
  await db.run('DELETE FROM search_dead WHERE workspace = $1 AND doc IN (SELECT value FROM json_each($2))', [
    workspace,
    JSON.stringify(docs),
  ])
}

/** Workspaces in which something was erased since its terms were last overwritten, and how often. */
export async function listErased(db: Queries): Promise<{ workspace: WorkspaceId; times: number }[]> {
  return await db.all('SELECT workspace, times FROM search_erased')
}

/** All that was erased in a workspace up to a time has left the index. */
export async function forgetErased(db: Queries, workspace: WorkspaceId, times: number): Promise<void> {
  await db.run('DELETE FROM search_erased WHERE workspace = $1 AND times = $2', [workspace, times])
}
