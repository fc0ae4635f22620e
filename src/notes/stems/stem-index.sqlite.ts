import type { Queries, WorkspaceId } from '../../db/database'
import { tagKey } from '../filters'
import { inTurns } from '../full-text.sqlite'
import { shelfOf } from '../search/doc-index.sqlite'
import { type Index, planOf } from '../search/plan'

/**
 * Notes by the words of a question, on SQLite's FTS5. Stems have an index of their own; what stands inside runs of letters
 * is looked for in those of search. No text of a caller is ever FTS5 syntax here: each term is quoted, and the whole
 * expression is a bound parameter.
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

/** Puts a living note into the index, where nothing may stand for it yet. */
export async function index(db: Queries, workspace: WorkspaceId, key: number, note: IndexedNote): Promise<void> {
  const sql = 'INSERT INTO notes_stems (rowid, workspace, title, body) VALUES ($1, $2, $3, $4)'
  await inTurns(db, [note.body], () => db.run(sql, [key, workspace, note.title, note.body]))
}

export async function unindex(db: Queries, key: number): Promise<void> {
  await db.run('DELETE FROM notes_stems WHERE rowid = $1', [key])
}

/**
 * Living notes by the words of a question: those whose words weigh most come first, a word of the title counting twice;
 * among equals those changed last. FTS5's own bm25 is of no use: it counts words in all workspaces together.
 */
export async function findByStems(db: Queries, workspace: WorkspaceId, query: StemQuery): Promise<StemHit[]> {
  const sought = query.terms.flatMap((term) =>
    [soughtFor(workspace, term), soughtFor(workspace, term, 'title')].map((one) => ({ ...one, weight: term.weight })),
  )
  return db.all<StemHit>(
    `WITH found AS (
       SELECT notes_stems.rowid AS key, term.value ->> 'weight' AS weight
       FROM json_each($2, '$.stems') AS term CROSS JOIN notes_stems ON notes_stems MATCH term.value ->> 'expression'
       UNION ALL ${insideRuns('trigrams')}
       UNION ALL ${insideRuns('pairs')}
     ), hits AS (
       SELECT key, sum(weight) AS score FROM found GROUP BY key
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
      JSON.stringify(Object.groupBy(sought, ({ index }) => index)),
      query.limit,
      query.bytes,
      query.ids && JSON.stringify(query.ids),
      query.tags && JSON.stringify(query.tags.map(tagKey)),
      ...(await rowsOf(db, workspace)),
    ],
  )
}

/** How many living notes hold each of the terms. */
export async function countByStems(db: Queries, workspace: WorkspaceId, terms: readonly StemTerm[]): Promise<number[]> {
  const expression = "term.value ->> 'expression'"
  const rows = await db.all<{ n: number }>(
    `SELECT CASE term.value ->> 'index'
       WHEN 'stems' THEN (SELECT count(*) FROM notes_stems WHERE notes_stems MATCH ${expression})
       WHEN 'trigrams' THEN (SELECT count(*) FROM notes_trigrams WHERE notes_trigrams MATCH ${expression} AND rowid BETWEEN $2 AND $3)
       WHEN 'pairs' THEN (SELECT count(*) FROM notes_pairs WHERE notes_pairs MATCH ${expression} AND rowid BETWEEN $2 AND $3)
       ELSE 0 END AS n
     FROM json_each($1) AS term ORDER BY term.key`,
    [JSON.stringify(terms.map((term) => soughtFor(workspace, term))), ...(await rowsOf(db, workspace))],
  )
  return rows.map(({ n }) => n)
}

/** The rows that a workspace's notes can have in the tables of search. */
async function rowsOf(db: Queries, workspace: WorkspaceId): Promise<readonly [first: number, last: number]> {
  return (await shelfOf(db, workspace)) ?? [1, 0]
}

/** What `findByStems` finds in a table of search, whose rows have numbers of their own. */
function insideRuns(index: Index): string {
  const table = `notes_${index}`
  return `SELECT note_docs.key, term.value ->> 'weight'
     FROM json_each($2, '$.${index}') AS term
       CROSS JOIN ${table} ON ${table} MATCH term.value ->> 'expression' AND ${table}.rowid BETWEEN $7 AND $8
       CROSS JOIN note_docs ON note_docs.doc = ${table}.rowid`
}

/** Where a term is looked for, and by what expression: in title and body, or in the title alone. */
interface Sought {
  readonly index: 'stems' | Index | 'none'
  readonly expression: string
}

function soughtFor(workspace: WorkspaceId, { text, match }: StemTerm, only?: 'title'): Sought {
  if (match !== 'inside') {
    // The workspace is a column of the index: another's rows are never walked.
    const words = `"${text.replaceAll('"', '""')}"${match === 'start' ? '*' : ''}`
    return { index: 'stems', expression: `workspace : "${workspace}" AND ${only ?? '- workspace'} : (${words})` }
  }
  const fields = only ? [only] : (['title', 'body'] as const)
  const parts = fields.map((field) => ({ kind: 'text' as const, field, text, match: 'substring' as const }))
  const plan = planOf({ kind: 'or', parts })
  // Text that folds to nothing is in every note, and so tells nothing.
  return plan.kind === 'match' ? plan : { index: 'none', expression: '' }
}
