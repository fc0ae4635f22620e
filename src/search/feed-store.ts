/** The change feed, and the texts of its changes, as the indexes of search read them. */
import type { Bindings, Queries, WorkspaceId } from '../db/database'
import { jsonArray, valuesIn } from '../db/dialect'
import { type SearchSources, TYPES, type Type } from './source'
import type { ChangedText } from './write.sqlite'

/** The latest change of one text. */
export interface TextChange {
  readonly seq: number
  readonly type: Type
  readonly id: string
  readonly op: 'upsert' | 'delete'
}

const TYPE_LIST = TYPES.map((type) => `'${type}'`).join(', ')

/** Reads the changes of texts after one, oldest first. Up to `forgotten_seq`, deletions are forgotten. */
export async function readChanges(
  db: Pick<Queries, 'all'>,
  workspace: WorkspaceId,
  since: number,
  limit: number,
): Promise<{ latest_seq: number; forgotten_seq: number; changes: readonly TextChange[] }> {
  type Row = { latest_seq: number; forgotten_seq: number } & (TextChange | { readonly seq: null })
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
export async function sumChanges(db: Pick<Queries, 'get'>, workspace: WorkspaceId) {
  const sums = await db.get<{ latest_seq: number; texts: number; seqs: number }>(
    `SELECT w.seq AS latest_seq, c.texts, c.seqs FROM workspaces AS w CROSS JOIN (
       SELECT count(*) AS texts, CAST(coalesce(sum(seq), 0) AS bigint) AS seqs FROM changes
       WHERE workspace = $1 AND type IN (${TYPE_LIST}) AND op = 'upsert') AS c
     WHERE w.id = $1`,
    [workspace],
  )
  return sums ?? { latest_seq: 0, texts: 0, seqs: 0 }
}

/** Texts that are read at once. The first is read alone, and after short ones twice as many: long ones take long. */
const TEXTS_PER_READ = 64

/** Reads the texts of the first of some changes, oldest first, until they have `most` UTF-16 units; and their length. */
export async function readChangedTexts(
  db: Queries,
  sources: SearchSources,
  workspace: WorkspaceId,
  changes: readonly TextChange[],
  most: number,
): Promise<{ texts: ChangedText[]; units: number }> {
  const texts: ChangedText[] = []
  let [units, count] = [0, 1]
  while (texts.length < changes.length && units < most) {
    const before = units
    const some = changes.slice(texts.length, texts.length + count)
    for (const one of await readSome(db, sources, workspace, some)) {
      texts.push(one)
      units += one.texts ? one.texts.title.length + one.texts.body.length : 0
    }
    const isShort = (units - before) * TEXTS_PER_READ < most * some.length
    count = isShort ? Math.min(2 * count, TEXTS_PER_READ) : 1
  }
  return { texts, units }
}

async function readSome(
  db: Queries,
  sources: SearchSources,
  workspace: WorkspaceId,
  changes: readonly TextChange[],
): Promise<ChangedText[]> {
  const found = new Map<string, Pick<ChangedText, 'key' | 'texts'>>()
  for (const type of TYPES) {
    const ids = changes.filter((change) => change.type === type && change.op === 'upsert').map(({ id }) => id)
    if (ids.length === 0) continue
    const keys = await sources[type].findKeys(db, workspace, ids)
    const texts = await sources[type].readTexts({ db, workspace: { id: workspace } }, [...keys.values()])
    for (const [id, key] of keys) found.set(`${type} ${id}`, { key, texts: texts.get(key) ?? null })
  }
  return changes.map(({ seq, type, id }) => ({
    ...{ seq, type, id, key: 0, texts: null },
    ...found.get(`${type} ${id}`),
  }))
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
