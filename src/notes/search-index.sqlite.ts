import type { Queries, WorkspaceId } from '../db/database'

/**
 * Full text of notes on SQLite's FTS5: the one file to write anew for another database. No text of a caller is ever
 * FTS5 syntax here: each term is quoted, and the whole expression is a bound parameter.
 */

export interface IndexedNote {
  readonly title: string
  readonly tags: readonly string[]
  readonly body: string
}

/** Puts a living note into the index, in the place of what stood there for it. */
export async function index(db: Queries, workspace: WorkspaceId, key: number, note: IndexedNote): Promise<void> {
  await unindex(db, key)
  await db.run('INSERT INTO notes_words (rowid, workspace, title, tags, body) VALUES ($1, $2, $3, $4, $5)', [
    key,
    workspace,
    note.title,
    note.tags.join('\n'),
    note.body,
  ])
}

export async function unindex(db: Queries, key: number): Promise<void> {
  await db.run('DELETE FROM notes_words WHERE rowid = $1', [key])
}
