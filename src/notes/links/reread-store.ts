import type { Queries, WorkspaceId } from '../../db/database'
import { integersIn } from '../../db/dialect'
import { wipeTables } from '../../db/trash'

/** A note whose links are to be read again. */
export interface NoteToReread {
  readonly workspace: WorkspaceId
  readonly key: number
  readonly id: string
}

/** Lists, among all workspaces, the next notes whose links are to be read again. */
export function listNotesToReread(db: Pick<Queries, 'all'>, limit: number): Promise<NoteToReread[]> {
  return db.all<NoteToReread>(
    `SELECT todo.workspace, todo.key, notes.id FROM notes_to_reread AS todo
     JOIN notes ON notes.key = todo.key AND notes.workspace = todo.workspace ORDER BY todo.key LIMIT $1`,
    [limit],
  )
}

/** Has the links of the notes that link to a file of this name read again. */
export async function addLinkingToReread(db: Queries, workspace: WorkspaceId, fileKey: string): Promise<void> {
  await db.run(
    `INSERT INTO notes_to_reread (key, workspace) SELECT DISTINCT source, workspace FROM note_links
     WHERE workspace = $1 AND file_key = $2 ON CONFLICT DO NOTHING`,
    [workspace, fileKey],
  )
}

/** Ends the work on notes of a workspace. */
export async function endReread(db: Queries, workspace: WorkspaceId, keys: readonly number[]): Promise<void> {
  await db.run(`DELETE FROM notes_to_reread WHERE +workspace = $1 AND key IN ${integersIn('$2')}`, [
    workspace,
    JSON.stringify(keys),
  ])
}

/** Erases what is left to do for a workspace. */
export const wipeNotesToReread = wipeTables(['notes_to_reread'])
