import type { Queries, Workspace, WorkspaceId } from '../../db/database'
import { integersIn } from '../../db/dialect'
import type { TextChange } from '../feed-store'
import type { Type } from '../source'

/** The vectors of a text. */
export interface EmbeddedText extends Pick<TextChange, 'seq' | 'type' | 'id'> {
  readonly key: number
  /** Of the passages that the vectors were made of. */
  readonly hash: string
  /** Passage by passage, 8 bits for each number. */
  readonly vectors: Uint8Array
}

/** How far the vectors of a workspace are. */
export interface Progress {
  readonly model: string
  /** Of each vector; 0 while there are none. */
  readonly dimensions: number
  /** All texts up to this change have their vectors. */
  readonly done: number
}

/** A workspace with its newest change. */
export interface UnfinishedWorkspace extends Progress {
  readonly workspace: Workspace
  readonly newest: number
}

/** Lists up to `limit` workspaces after another that lack vectors of `model`, in the order of their ids. */
export async function listUnfinished(
  db: Queries,
  model: string,
  after: string,
  limit: number,
): Promise<UnfinishedWorkspace[]> {
  const rows = await db.all<Omit<UnfinishedWorkspace, 'workspace'> & { id: WorkspaceId; address: string | null }>(
    `SELECT own.id, own.address, own.seq AS newest,
       coalesce(model, $2) AS model, coalesce(dimensions, 0) AS dimensions, coalesce(done, 0) AS done
     FROM workspaces AS own LEFT JOIN search_models AS known ON known.workspace = own.id
     WHERE own.id > $1 AND (own.seq > coalesce(done, 0) OR model <> $2) ORDER BY own.id LIMIT $3`,
    [after, model, limit],
  )
  return rows.map(({ id, address, ...row }) => ({
    ...row,
    workspace: address === null ? { id, kind: 'key' } : { id, kind: 'scratch', address },
  }))
}

export function getProgress(db: Queries, workspace: WorkspaceId): Promise<Progress | null> {
  return db.get('SELECT model, dimensions, done FROM search_models WHERE workspace = $1', [workspace])
}

/** Stores the progress of a workspace. Returns false if that is gone. */
export async function putProgress(
  db: Queries,
  workspace: WorkspaceId,
  { model, dimensions, done }: Progress,
): Promise<boolean> {
  const stored = await db.run(
    `INSERT INTO search_models (workspace, model, dimensions, done)
     SELECT id, $2, $3, $4 FROM workspaces WHERE id = $1
     ON CONFLICT (workspace) DO UPDATE
     SET model = excluded.model, dimensions = excluded.dimensions, done = excluded.done`,
    [workspace, model, dimensions, done],
  )
  return stored > 0
}

/** Replaces the vectors of a text, unless it has changed since. Returns the bytes that were added. */
export async function putVectors(db: Queries, workspace: WorkspaceId, text: EmbeddedText): Promise<number> {
  const { seq, type, id, key, hash, vectors } = text
  await db.run('DELETE FROM search_vectors WHERE workspace = $1 AND type = $2 AND key = $3', [workspace, type, key])
  const added = await db.run(
    `INSERT INTO search_vectors (workspace, type, id, key, hash, vectors)
     SELECT workspace, type, id, $5, $6, $7 FROM changes
     WHERE workspace = $1 AND type = $2 AND id = $3 AND seq = $4 AND op = 'upsert'`,
    [workspace, type, id, seq, key, hash, vectors],
  )
  return added * vectors.byteLength
}

/** Deletes the vectors of up to `limit` texts of a workspace; true while there may be more. */
export async function deleteVectors(db: Queries, workspace: WorkspaceId, limit: number): Promise<boolean> {
  const deleted = await db.run(
    `DELETE FROM search_vectors WHERE workspace = $1
       AND (type, key) IN (SELECT type, key FROM search_vectors WHERE workspace = $1 LIMIT $2)`,
    [workspace, limit],
  )
  return deleted === limit
}

/** Returns the vectors of texts of one type by their keys; those without vectors are left out. */
export function getVectors(
  db: Queries,
  workspace: WorkspaceId,
  type: Type,
  keys: readonly number[],
): Promise<Pick<EmbeddedText, 'key' | 'hash' | 'vectors'>[]> {
  const sql = `SELECT key, hash, vectors FROM search_vectors
    WHERE workspace = $1 AND type = $2 AND key IN ${integersIn('$3')}`
  return db.all(sql, [workspace, type, JSON.stringify(keys)])
}
