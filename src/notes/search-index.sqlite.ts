import type { Queries, WorkspaceId } from '../db/database'

/**
 * Full text of notes on SQLite's FTS5: the one file to write anew for another database. No text of a caller is ever
 * FTS5 syntax here: each term is quoted, and the whole expression is a bound parameter.
 */

export interface IndexedNote {
  readonly title: string
  readonly body: string
}

/** Notes that hold words of a question. `ids` and `tags` narrow it; null is no limit. */
export interface StemQuery {
  readonly terms: readonly string[]
  /** `all` terms in the note, `any` of them, or `prefix`: any word that begins with one. */
  readonly match: 'all' | 'any' | 'prefix'
  readonly limit: number
  readonly tags: readonly string[] | null
  readonly ids: readonly string[] | null
}

export interface StemHit {
  readonly id: string
  readonly title: string
  readonly revision: number
  readonly body: string
}

/** Puts a living note into the index, in the place of what stood there for it. */
export async function index(db: Queries, workspace: WorkspaceId, key: number, note: IndexedNote): Promise<void> {
  await unindex(db, key)
  await db.run('INSERT INTO notes_stems (rowid, workspace, title, body) VALUES ($1, $2, $3, $4)', [
    key,
    workspace,
    note.title,
    note.body,
  ])
}

export async function unindex(db: Queries, key: number): Promise<void> {
  await db.run('DELETE FROM notes_stems WHERE rowid = $1', [key])
}

/** Living notes by the stems of a question's words, best first: bm25, a word of the title counting twice. */
export function findByStems(db: Queries, workspace: WorkspaceId, query: StemQuery): Promise<StemHit[]> {
  const terms = query.terms.map((term) => quoted(term) + (query.match === 'prefix' ? '*' : ''))
  return db.all<StemHit>(
    `SELECT id, notes.title, revision, note_bodies.body FROM notes_stems
     JOIN notes ON notes.key = notes_stems.rowid JOIN note_bodies ON note_bodies.key = notes.key
     WHERE notes_stems MATCH $1 AND notes.workspace = $2
       AND ($4 IS NULL OR id IN (SELECT value FROM json_each($4)))
       AND ($5 IS NULL OR NOT EXISTS (SELECT 1 FROM json_each($5) AS wanted WHERE NOT EXISTS
             (SELECT 1 FROM json_each(notes.tags) AS own WHERE lower(own.value) = lower(wanted.value))))
     ORDER BY bm25(notes_stems, 0, 2, 1), id LIMIT $3`,
    [
      within(workspace, terms.join(query.match === 'all' ? ' AND ' : ' OR ')),
      workspace,
      query.limit,
      query.ids && JSON.stringify(query.ids),
      query.tags && JSON.stringify(query.tags),
    ],
  )
}

/** Living notes whose body holds the words of a phrase one behind the other, by id after `after`. */
export function findPhrase(
  db: Queries,
  workspace: WorkspaceId,
  phrase: string,
  after: string,
  limit: number,
): Promise<{ id: string; title: string; body: string }[]> {
  return db.all(
    // CROSS JOIN: the index first. In the order of ids, every note of the workspace would be looked up in it.
    `SELECT id, notes.title, note_bodies.body FROM notes_words CROSS JOIN notes CROSS JOIN note_bodies
     WHERE notes_words MATCH $1 AND notes.key = notes_words.rowid AND notes.workspace = $2 AND id > $3
       AND note_bodies.key = notes.key ORDER BY id LIMIT $4`,
    [`workspace : "${workspace}" AND body : ${quoted(phrase)}`, workspace, after, limit],
  )
}

/** How many living notes hold each of the terms, by their stems. */
export async function countByStems(db: Queries, workspace: WorkspaceId, terms: readonly string[]): Promise<number[]> {
  const counts: number[] = []
  for (const term of terms) {
    const sql = 'SELECT count(*) AS n FROM notes_stems WHERE notes_stems MATCH $1'
    const row = await db.get<{ n: number }>(sql, [within(workspace, quoted(term))])
    counts.push(row?.n ?? 0)
  }
  return counts
}

/** An FTS5 string: no text of a caller is ever syntax. */
function quoted(term: string): string {
  return `"${term.replaceAll('"', '""')}"`
}

/** The expression in one workspace only: another's rows are never walked. */
function within(workspace: WorkspaceId, expression: string): string {
  return `workspace : "${workspace}" AND - workspace : (${expression})`
}
