import { Bindings } from '../db/bindings'
import type { Queries, WorkspaceId } from '../db/database'
import { conditionOf, isLiving, type Kind } from './condition.sqlite'
import type { Query } from './query'
import { type FoldedTexts, foldedTexts, TEXT_FENCE, type Texts } from './texts'

/** Rows that one statement looks through: a few milliseconds, if they are as long as they may be. */
const STRIDE = 500

const COLUMNS = ['heading', 'tag_keys', 'words', 'text'] as const satisfies (keyof FoldedTexts)[]

/** Stores what things are found by, in the place of what there was. It goes with them, however they go. */
export async function putTexts(
  db: Queries,
  workspace: WorkspaceId,
  type: Kind['type'],
  things: readonly (Texts & { readonly key: number })[],
): Promise<void> {
  const rows = things.map(({ key, ...texts }) => ({ key, ...foldedTexts(texts) }))
  await db.run(
    `INSERT INTO search_texts (workspace, type, key, ${COLUMNS.join(', ')})
     SELECT $1, $2, value ->> 'key', ${COLUMNS.map((column) => `value ->> '${column}'`).join(', ')} FROM json_each($3)
     WHERE TRUE ON CONFLICT (workspace, type, key) DO UPDATE
     SET ${COLUMNS.map((column) => `${column} = excluded.${column}`).join(', ')}`,
    [workspace, type, JSON.stringify(rows)],
  )
}

/**
 * The keys of the living things that a query finds, those made last first, up to `limit`. Between one stride and the next
 * others have their turn.
 */
export async function findKeys(
  db: Queries,
  workspace: WorkspaceId,
  kind: Kind,
  query: Query,
  limit: number,
): Promise<number[]> {
  const bind = new Bindings(workspace, kind.type, STRIDE, Number.MAX_SAFE_INTEGER)
  const sql = `SELECT min(key) AS last, count(*) AS n,
      json_group_array(key) FILTER (WHERE ${conditionOf(query, kind, bind)} AND ${isLiving(kind)}) AS found
    FROM (SELECT key, tag_keys, words, text FROM search_texts
      WHERE workspace = $1 AND type = $2 AND key < $4 ORDER BY key DESC LIMIT $3) AS texts`
  const keys: number[] = []
  for (let more = true; more && keys.length < limit; ) {
    const row = await db.get<{ last: number | null; n: number; found: string }>(sql, bind.values)
    for (const key of JSON.parse(row?.found ?? '[]')) keys.push(key)
    more = row?.n === STRIDE
    bind.values[3] = row?.last ?? 0
    if (more) await new Promise<void>((resolve) => setImmediate(resolve))
  }
  return keys.sort((a, b) => b - a).slice(0, limit)
}

/** What of a thing its place among others is told by. */
export interface Candidate {
  readonly key: number
  readonly id: string
  readonly updated_at: number
  /** Folded. */
  readonly title: string
  /** Folded, a line each. */
  readonly tags: string
}

/** Those of the things that there are, in no order. */
export async function getCandidates(
  db: Queries,
  workspace: WorkspaceId,
  { type, table }: Kind,
  keys: readonly number[],
): Promise<Candidate[]> {
  const rows = await db.all<Omit<Candidate, 'title' | 'tags'> & { heading: string }>(
    `SELECT own.key, own.id, own.updated_at, substr(texts.text, 1, texts.heading) AS heading
     FROM json_each($3) AS wanted CROSS JOIN search_texts AS texts CROSS JOIN ${table} AS own
     WHERE texts.workspace = $1 AND texts.type = $2 AND texts.key = wanted.value AND own.key = texts.key`,
    [workspace, type, JSON.stringify(keys)],
  )
  return rows.map(({ heading, ...row }) => {
    const [title = '', tags = ''] = heading.split(TEXT_FENCE)
    return { ...row, title, tags }
  })
}
