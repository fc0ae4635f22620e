import type { Queries, WorkspaceId } from '../../db/database'
import { wipeTables } from '../../db/trash'
import { IS_UNRESOLVED } from './store'

/** Recounts and stores the unresolved links of the notes that link to a file of this name, after it came or went. */
export async function recountLinkingTo(db: Queries, workspace: WorkspaceId, fileKey: string): Promise<void> {
  const linking = 'SELECT source FROM note_links WHERE workspace = $1 AND file_key = $2'
  await db.run(recountUnresolvedOf(linking), [workspace, fileKey])
}

/** Leaves recountLinkingTo to the job. */
export async function addToRecount(db: Queries, workspace: WorkspaceId, fileKey: string): Promise<void> {
  await db.run(
    `INSERT INTO notes_to_recount (key, workspace) SELECT DISTINCT source, workspace FROM note_links
     WHERE workspace = $1 AND file_key = $2 ON CONFLICT DO NOTHING`,
    [workspace, fileKey],
  )
}

/** Returns a workspace with notes to recount, or null. */
export async function findToRecount(db: Pick<Queries, 'get'>): Promise<WorkspaceId | null> {
  const row = await db.get<{ workspace: WorkspaceId }>('SELECT workspace FROM notes_to_recount ORDER BY key LIMIT 1')
  return row?.workspace ?? null
}

/** Recounts and stores the unresolved links of up to `limit` notes that are to be recounted. */
export async function recountNext(db: Queries, workspace: WorkspaceId, limit: number): Promise<void> {
  const next = 'SELECT key FROM notes_to_recount WHERE workspace = $1 ORDER BY key LIMIT $2'
  await db.run(recountUnresolvedOf(next), [workspace, limit])
  await db.run(`DELETE FROM notes_to_recount WHERE workspace = $1 AND key IN (${next})`, [workspace, limit])
}

/** @param keys SQL that selects the keys of notes */
function recountUnresolvedOf(keys: string): string {
  const count = `(SELECT count(*) FROM note_links WHERE source = notes.key AND ${IS_UNRESOLVED})`
  return `UPDATE notes SET links_unresolved = ${count}, computed_revision = computed_revision + 1
    WHERE workspace = $1 AND links_unresolved <> ${count} AND key IN (${keys})`
}

/** Erases what is left to do for a workspace. */
export const wipeNotesToRecount = wipeTables(['notes_to_recount'])
