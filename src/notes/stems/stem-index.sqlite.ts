import type { Queries, WorkspaceId } from '../../db/database'
import { tagKey } from '../filters'

/**
 * Full text of notes on SQLite's FTS5: the one file to write anew for another database. No text of a caller is ever
 * FTS5 syntax here: each term is quoted, and the whole expression is a bound parameter.
 */

export interface IndexedNote {
  readonly title: string
  readonly body: string
}

/** A word of a question, and how it is looked for. */
export interface StemTerm {
  readonly text: string
  /** A `word` by its stem; `start`: any word that begins so; `inside`: anywhere, in a script without spaces. */
  readonly match: 'word' | 'start' | 'inside'
}

/** Notes that hold words of a question. `ids` and `tags` narrow it; null is no limit. */
export interface StemQuery {
  /** The weight of a word says how much a note with it is to be preferred. */
  readonly terms: readonly (StemTerm & { readonly weight: number })[]
  readonly limit: number
  /** No note more is taken once those taken have this many bytes. */
  readonly bytes: number
  readonly tags: readonly string[] | null
  readonly ids: readonly string[] | null
}

export interface StemHit {
  readonly id: string
  readonly title: string
  readonly revision: number
  readonly body: string
  readonly word_count: number
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

/**
 * Living notes by the stems of a question's words: those whose words weigh most come first, a word of the title counting
 * twice; among equals those changed last. FTS5's own bm25 is of no use: it counts words in all workspaces together.
 */
export function findByStems(db: Queries, workspace: WorkspaceId, query: StemQuery): Promise<StemHit[]> {
  return db.all<StemHit>(
    `WITH hits AS (
       SELECT notes_stems.rowid AS key, sum(term.value ->> 'weight') AS score
       FROM json_each($2) AS term CROSS JOIN notes_stems ON notes_stems MATCH term.value ->> 'expression'
       GROUP BY notes_stems.rowid
     ), best AS (
       SELECT notes.key, id, title, revision, word_count, size_bytes, updated_at, score FROM hits JOIN notes ON notes.key = hits.key
       WHERE notes.workspace = $1
         AND ($5 IS NULL OR id IN (SELECT value FROM json_each($5)))
         AND ($6 IS NULL OR NOT EXISTS (SELECT 1 FROM json_each($6) AS wanted WHERE NOT EXISTS
               (SELECT 1 FROM note_tags WHERE note_tags.workspace = $1 AND tag_key = wanted.value
                  AND note_tags.key = notes.key AND explicit = 1)))
       ORDER BY score DESC, updated_at DESC, id LIMIT $3
     ), placed AS (
       SELECT *, sum(size_bytes) OVER (ORDER BY score DESC, updated_at DESC, id ROWS UNBOUNDED PRECEDING) AS bytes FROM best
     )
     SELECT id, title, revision, note_bodies.body, word_count
     FROM placed JOIN note_bodies ON note_bodies.key = placed.key
     WHERE bytes - size_bytes < $4 ORDER BY score DESC, updated_at DESC, id`,
    [
      workspace,
      JSON.stringify(query.terms.flatMap((term) => weighed(workspace, term))),
      query.limit,
      query.bytes,
      query.ids && JSON.stringify(query.ids),
      query.tags && JSON.stringify(query.tags.map(tagKey)),
    ],
  )
}

/** How many living notes hold each of the terms. */
export async function countByStems(db: Queries, workspace: WorkspaceId, terms: readonly StemTerm[]): Promise<number[]> {
  const expressions = terms.map((term) => within(workspace, expressionOf(term)))
  const rows = await db.all<{ n: number }>(
    `SELECT (SELECT count(*) FROM notes_stems WHERE notes_stems MATCH term.value) AS n
     FROM json_each($1) AS term ORDER BY term.key`,
    [JSON.stringify(expressions)],
  )
  return rows.map(({ n }) => n)
}

/** A term as it is looked for: once anywhere, and once more in titles. */
function weighed(workspace: WorkspaceId, term: StemQuery['terms'][number]) {
  const expression = expressionOf(term)
  return [within(workspace, expression), within(workspace, expression, 'title')].map((sought) => ({
    expression: sought,
    weight: term.weight,
  }))
}

/** To this index a clause of a script without spaces is one word: of what is `inside`, it knows the beginnings only. */
function expressionOf({ text, match }: StemTerm): string {
  return match === 'word' ? quoted(text) : `${quoted(text)}*`
}

/** An FTS5 string: no text of a caller is ever syntax. */
function quoted(term: string): string {
  return `"${term.replaceAll('"', '""')}"`
}

/** The expression in one workspace only: another's rows are never walked. */
function within(workspace: WorkspaceId, expression: string, columns = '- workspace'): string {
  return `workspace : "${workspace}" AND ${columns} : (${expression})`
}
