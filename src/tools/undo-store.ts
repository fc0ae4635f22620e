import type { Queries, WorkspaceId } from '../db/database'
import { byteLength, valuesIn } from '../db/dialect'

interface UndoDraft {
  /** A hash of the answer, or of the undo id. */
  readonly answer_hash: string
  /** The requests in their order, as JSON. */
  readonly steps: string
  /** Milliseconds since 1970. */
  readonly expires_at: number
  /** The id that an agent was given; null for what an answer of chat did. */
  readonly undo_id: string | null
  /** The ids that it undid, if it is an undo itself, as JSON. */
  readonly undoes: string | null
}

/** A stored undo of a change that an agent made. */
export interface AgentUndoRow extends Pick<UndoDraft, 'steps' | 'undoes'> {
  /** Grows with time. */
  readonly key: number
  readonly undo_id: string
}

/** What is kept of a workspace: the newest undos, up to a number and to bytes of requests. */
interface KeptUndos {
  readonly count: number
  readonly bytes: number
}

/**
 * Stores an undo, and deletes the expired ones of the workspace and the oldest of those that are too many. The newest is
 * always kept.
 */
export async function putUndo(
  db: Queries,
  workspace: WorkspaceId,
  { answer_hash, steps, expires_at, undo_id, undoes }: UndoDraft,
  { kept, now }: { readonly kept: KeptUndos; readonly now: number },
): Promise<void> {
  await db.run(
    `INSERT INTO chat_undos (workspace, answer_hash, steps, expires_at, undo_id, undoes)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    [workspace, answer_hash, steps, expires_at, undo_id, undoes],
  )
  await db.run(
    `DELETE FROM chat_undos WHERE workspace = $1 AND (expires_at <= $2 OR key IN (
       SELECT key FROM (
         SELECT key, row_number() OVER (ORDER BY key DESC) AS place,
           sum(${byteLength('steps')}) OVER (ORDER BY key DESC) AS bytes
         FROM chat_undos WHERE workspace = $1) AS undos
       WHERE place > $3 OR (place > 1 AND bytes > $4)))`,
    [workspace, now, kept.count, kept.bytes],
  )
}

/** Returns the requests of the newest undo of a workspace for an answer of chat that expires after `now`, as JSON. */
export function getUndo(
  db: Pick<Queries, 'get'>,
  workspace: WorkspaceId,
  answerHash: string,
  now: number,
): Promise<Pick<UndoDraft, 'steps'> | null> {
  return db.get(
    `SELECT steps FROM chat_undos
     WHERE workspace = $1 AND answer_hash = $2 AND expires_at > $3 AND undo_id IS NULL ORDER BY key DESC LIMIT 1`,
    [workspace, answerHash, now],
  )
}

/** Returns the undos of a workspace with these hashes of undo ids that expire after `now`, the newest first. */
export function listUndosByHash(
  db: Pick<Queries, 'all'>,
  workspace: WorkspaceId,
  hashes: readonly string[],
  now: number,
): Promise<AgentUndoRow[]> {
  return db.all(
    `SELECT key, undo_id, steps, undoes FROM chat_undos
     WHERE workspace = $1 AND answer_hash IN ${valuesIn('$2')} AND expires_at > $3
       AND undo_id IS NOT NULL ORDER BY key DESC`,
    [workspace, JSON.stringify(hashes), now],
  )
}

/** Returns the undos of agents' changes from a key on that expire after `now`, the newest first. */
export function listUndosFrom(
  db: Pick<Queries, 'all'>,
  workspace: WorkspaceId,
  key: number,
  now: number,
): Promise<AgentUndoRow[]> {
  return db.all(
    `SELECT key, undo_id, steps, undoes FROM chat_undos
     WHERE workspace = $1 AND key >= $2 AND expires_at > $3 AND undo_id IS NOT NULL ORDER BY key DESC`,
    [workspace, key, now],
  )
}

/** Deletes up to `limit` expired undos of all workspaces; returns how many. */
export function deleteExpiredUndos(db: Queries, now: number, limit: number): Promise<number> {
  return db.run(
    'DELETE FROM chat_undos WHERE key IN (SELECT key FROM chat_undos WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)',
    [now, limit],
  )
}
