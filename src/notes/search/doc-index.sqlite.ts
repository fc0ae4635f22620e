import type { Queries, WorkspaceId } from '../../db/database'
import { wordsOf } from '../../search/fold'
import { inTurns } from '../full-text.sqlite'
import { pairsOf } from './pairs'

/** The full text tables on SQLite's FTS5; see the migration for how they are laid out. */

/** Rows of a workspace: so many may be written in its life. */
const SHELF_ROWS = 2 ** 30

/** What of a note is found: text, folded, and what its Markdown holds. */
export interface Doc {
  readonly title: string
  readonly tags: string
  readonly body: string
  readonly hasCode: boolean
  readonly hasHeading: boolean
}

/** The first and the last row that a workspace's notes can have. */
export type Range = readonly [first: number, last: number]

/** Where a workspace's notes stand; null while it has none. */
export async function shelfOf(db: Queries, workspace: WorkspaceId): Promise<Range | null> {
  const row = await db.get<{ shelf: number }>('SELECT shelf FROM note_shelves WHERE workspace = $1', [workspace])
  return row && [row.shelf * SHELF_ROWS + 1, (row.shelf + 1) * SHELF_ROWS - 1]
}

/** Puts a note's text at the end of the shelf and takes away what stood for it. */
export async function putDoc(db: Queries, workspace: WorkspaceId, key: number, doc: Doc): Promise<void> {
  const row = await nextRow(db, workspace)
  // A deletion makes SQLite write all pending text, and a new note has none to delete.
  if (await hasDoc(db, key)) await dropDoc(db, key)
  // One row of VALUES: a statement that could write several, as INSERT … SELECT, has SQLite write all pending text first.
  await db.run(
    `INSERT INTO note_docs (doc, key, has_code, has_heading, changed_at)
     VALUES ($1, $2, $3, $4, (SELECT updated_at FROM notes WHERE key = $2))`,
    [row, key, Number(doc.hasCode), Number(doc.hasHeading)],
  )
  const texts = [doc.title, doc.tags, doc.body]
  await insertTexts(
    db,
    'words',
    row,
    texts.map((text) => wordsOf(text).join(' ')),
  )
  await insertTexts(db, 'trigrams', row, texts)
  await insertTexts(db, 'pairs', row, await Promise.all(texts.map(pairsOf)))
}

/** Takes a note out of every full text table (by a trigger). */
export async function dropDoc(db: Queries, key: number): Promise<void> {
  await db.run('DELETE FROM note_docs WHERE key = $1', [key])
}

async function hasDoc(db: Queries, key: number): Promise<boolean> {
  return (await db.get('SELECT 1 FROM note_docs WHERE key = $1', [key])) !== null
}

function insertTexts(db: Queries, index: string, row: number, texts: readonly string[]): Promise<void> {
  const sql = `INSERT INTO notes_${index} (rowid, title, tags, body) VALUES ($1, $2, $3, $4)`
  return inTurns(db, texts, () => db.run(sql, [row, ...texts]))
}

async function nextRow(db: Queries, workspace: WorkspaceId): Promise<number> {
  await db.run('INSERT INTO note_shelves (workspace) VALUES ($1) ON CONFLICT DO NOTHING', [workspace])
  const [first, last] = (await shelfOf(db, workspace)) ?? [0, 0]
  const newest = await db.get<{ doc: number | null }>(
    'SELECT max(doc) AS doc FROM note_docs WHERE doc BETWEEN $1 AND $2',
    [first, last],
  )
  return (newest?.doc ?? first - 1) + 1
}
