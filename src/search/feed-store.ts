/** The change feed as the indexes of search read it. */
import type { Bindings, Queries, WorkspaceId } from '../db/database'
import { jsonArray, valuesIn } from '../db/dialect'
import { TYPES, type Type } from './source'

/** The latest change of one text. */
export interface TextChange {
  readonly seq: number
  readonly type: Type
  readonly id: string
  readonly op: 'upsert' | 'delete'
}

/** Some changes of a workspace, oldest first. */
export interface FeedPart {
  readonly latest_seq: number
  /** Up to this one, deletions are forgotten. */
  readonly forgotten_seq: number
  readonly changes: readonly TextChange[]
}

const TYPE_LIST = TYPES.map((type) => `'${type}'`).join(', ')

/** Reads the changes of texts after one. */
export async function readChanges(
  db: Pick<Queries, 'all'>,
  workspace: WorkspaceId,
  since: number,
  limit: number,
): Promise<FeedPart> {
  type Row = Pick<FeedPart, 'latest_seq' | 'forgotten_seq'> & (TextChange | { readonly seq: null })
  const rows = await db.all<Row>(
    `SELECT w.seq AS latest_seq, w.forgotten_seq, c.seq, c.type, c.id, c.op FROM workspaces AS w LEFT JOIN (
       SELECT seq, type, id, op FROM changes WHERE workspace = $1 AND seq > $2 AND type IN (${TYPE_LIST})
       ORDER BY seq LIMIT $3) AS c ON true
     WHERE w.id = $1 ORDER BY c.seq`,
    [workspace, since, limit],
  )
  // A workspace without a row has no changes.
  const { latest_seq, forgotten_seq } = rows[0] ?? { latest_seq: 0, forgotten_seq: 0 }
  const changes = rows.filter((row): row is Row & TextChange => row.seq !== null)
  return { latest_seq, forgotten_seq, changes }
}

/** Sums up the texts of a workspace by the feed: an index of another history has other sums. */
export async function sumChanges(
  db: Pick<Queries, 'get'>,
  workspace: WorkspaceId,
): Promise<{ latest_seq: number; texts: number; seqs: number }> {
  const sums = await db.get<{ latest_seq: number; texts: number; seqs: number }>(
    `SELECT w.seq AS latest_seq, c.texts, c.seqs FROM workspaces AS w CROSS JOIN (
       SELECT count(*) AS texts, CAST(coalesce(sum(seq), 0) AS bigint) AS seqs FROM changes
       WHERE workspace = $1 AND type IN (${TYPE_LIST}) AND op = 'upsert') AS c
     WHERE w.id = $1`,
    [workspace],
  )
  return sums ?? { latest_seq: 0, texts: 0, seqs: 0 }
}

/** Returns a function that finds the keys of ids in a table; see SearchSource. */
export function findKeysIn(table: string) {
  const sql = `SELECT id, key FROM ${table} WHERE workspace = $1 AND id IN ${valuesIn('$2')}`
  return async (db: Pick<Queries, 'all'>, workspace: WorkspaceId, ids: readonly string[]) => {
    const rows = await db.all<{ id: string; key: number }>(sql, [workspace, JSON.stringify(ids)])
    return new Map(rows.map(({ id, key }) => [id, key]))
  }
}

/** Returns the keys of a SELECT as JSON. @param bind its values */
export async function readKeys(db: Pick<Queries, 'get'>, select: string, bind: Bindings): Promise<string> {
  const sql = `SELECT ${jsonArray('key')} AS keys FROM (${select}) AS found`
  return (await db.get<{ keys: string }>(sql, bind.values))?.keys ?? '[]'
}
