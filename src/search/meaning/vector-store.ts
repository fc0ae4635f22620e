import type { Queries, WorkspaceId } from '../../db/database'
import { valuesIn } from '../../db/dialect'
import type { Type } from '../source'

/** A text by its latest change, with the hash of the text that its vectors were made of; null if it has none. */
export interface ListedText {
  readonly seq: number
  readonly type: Type
  readonly id: string
  readonly hash: string | null
}

/** The vectors of a text as `quantize` makes them. */
export interface EmbeddedText extends ListedText {
  readonly key: number
  readonly hash: string
  readonly vectors: Uint8Array
  readonly codes: Uint8Array
}

/** A workspace with its newest change and its progress; `model` and `done` are null before it begins. */
export interface WorkspaceVectors {
  readonly workspace: WorkspaceId
  readonly newest: number
  /** The model that made its vectors, with the number of dimensions. */
  readonly model: string | null
  /** All texts up to this change are done. */
  readonly done: number | null
}

const SELECT_WORKSPACES = `SELECT own.id AS workspace, own.seq AS newest, model, done
  FROM workspaces AS own LEFT JOIN search_models AS known ON known.workspace = own.id`

/** Stores the progress of a workspace, unless it is gone. */
export async function putProgress(
  db: Queries,
  workspace: WorkspaceId,
  { model, done }: { readonly model: string; readonly done: number },
): Promise<void> {
  await db.run(
    `INSERT INTO search_models (workspace, model, done) SELECT id, $2, $3 FROM workspaces WHERE id = $1
     ON CONFLICT (workspace) DO UPDATE SET model = excluded.model, done = excluded.done`,
    [workspace, model, done],
  )
}

/** Lists up to `limit` workspaces after another, in the order of their ids. */
export function listWorkspaces(db: Queries, after: string, limit: number): Promise<WorkspaceVectors[]> {
  return db.all(`${SELECT_WORKSPACES} WHERE own.id > $1 ORDER BY own.id LIMIT $2`, [after, limit])
}

/** Returns one workspace; null if it never had a text. */
export function getWorkspaceVectors(db: Queries, workspace: WorkspaceId): Promise<WorkspaceVectors | null> {
  return db.get(`${SELECT_WORKSPACES} WHERE own.id = $1`, [workspace])
}

const TEXT_CHANGES = `changes AS c LEFT JOIN search_vectors AS v ON v.workspace = c.workspace AND v.type = c.type AND v.id = c.id
  WHERE c.workspace = $1 AND c.type IN ('note', 'task', 'fact') AND c.op = 'upsert' AND c.seq > $2`

/** Lists the texts that changed between two changes (neither included), the newest first. */
export function listEmbeddable(
  db: Queries,
  workspace: WorkspaceId,
  { above, below, limit }: { readonly above: number; readonly below: number; readonly limit: number },
): Promise<ListedText[]> {
  return db.all(`SELECT c.seq, c.type, c.id, v.hash FROM ${TEXT_CHANGES} AND c.seq < $3 ORDER BY c.seq DESC LIMIT $4`, [
    workspace,
    above,
    below,
    limit,
  ])
}

/** Counts the texts that changed after a change and have no vectors. */
export async function countTextsWithoutVectors(db: Queries, workspace: WorkspaceId, above: number): Promise<number> {
  const sql = `SELECT count(*) AS n FROM ${TEXT_CHANGES} AND v.id IS NULL`
  return (await db.get<{ n: number }>(sql, [workspace, above]))?.n ?? 0
}

/**
 * Stores the vectors of a text in the place of earlier ones, unless it has changed since. Returns the bytes that they
 * add to the quota.
 */
export async function putVectors(db: Queries, workspace: WorkspaceId, text: EmbeddedText): Promise<number> {
  const { seq, type, id, key, hash, vectors, codes } = text
  await db.run('DELETE FROM search_vectors WHERE workspace = $1 AND type = $2 AND id = $3', [workspace, type, id])
  const size = vectors.byteLength + codes.byteLength
  const put = await db.run(
    `INSERT INTO search_vectors (workspace, type, id, key, hash, vectors, size_bytes)
     SELECT workspace, type, id, $5, $6, $7, $8 FROM changes
     WHERE workspace = $1 AND type = $2 AND id = $3 AND seq = $4 AND op = 'upsert'`,
    [workspace, type, id, seq, key, hash, vectors, size],
  )
  if (put === 0) return 0
  await db.run('INSERT INTO search_codes (workspace, type, id, key, codes) VALUES ($1, $2, $3, $4, $5)', [
    workspace,
    type,
    id,
    key,
    codes,
  ])
  return size
}

/** Deletes the vectors of up to `limit` texts of a workspace; true while there may be more. */
export async function deleteVectors(db: Queries, workspace: WorkspaceId, limit: number): Promise<boolean> {
  const dropped = await db.run(
    `DELETE FROM search_vectors WHERE workspace = $1
       AND (type, id) IN (SELECT type, id FROM search_vectors WHERE workspace = $1 LIMIT $2)`,
    [workspace, limit],
  )
  return dropped === limit
}

/** Lists the codes of the texts after one, in order. */
export function listCodes(
  db: Queries,
  workspace: WorkspaceId,
  after: { readonly type: string; readonly id: string },
  limit: number,
): Promise<Pick<EmbeddedText, 'type' | 'id' | 'key' | 'codes'>[]> {
  return db.all(
    `SELECT type, id, key, codes FROM search_codes WHERE workspace = $1 AND (type, id) > ($2, $3)
     ORDER BY type, id LIMIT $4`,
    [workspace, after.type, after.id, limit],
  )
}

/** Returns the vectors of texts by their ids; those without vectors are left out. */
export function getVectors(
  db: Queries,
  workspace: WorkspaceId,
  ids: readonly string[],
): Promise<Pick<EmbeddedText, 'type' | 'key' | 'vectors'>[]> {
  return db.all(`SELECT type, key, vectors FROM search_vectors WHERE workspace = $1 AND id IN ${valuesIn('$2')}`, [
    workspace,
    JSON.stringify(ids),
  ])
}

/** Returns the vectors of a note, a task or a fact; null if it has none. */
export function getVectorsOf(
  db: Queries,
  workspace: WorkspaceId,
  type: Type,
  key: number,
): Promise<Pick<EmbeddedText, 'vectors'> | null> {
  const sql = 'SELECT vectors FROM search_vectors WHERE workspace = $1 AND type = $2 AND key = $3'
  return db.get(sql, [workspace, type, key])
}
