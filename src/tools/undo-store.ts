import type { Queries, WorkspaceId } from '../db/database'

/** A stored undo. */
interface UndoRow {
  readonly answer_hash: string
  /** The requests in their order, as JSON. */
  readonly steps: string
  /** Milliseconds since 1970. */
  readonly expires_at: number
}

/** Stores an undo, and deletes the expired ones of the workspace and all but the `kept` newest. */
export async function putUndo(
  db: Queries,
  workspace: WorkspaceId,
  { answer_hash, steps, expires_at }: UndoRow,
  { kept, now }: { readonly kept: number; readonly now: number },
): Promise<void> {
  await db.run('INSERT INTO chat_undos (workspace, answer_hash, steps, expires_at) VALUES ($1, $2, $3, $4)', [
    workspace,
    answer_hash,
    steps,
    expires_at,
  ])
  await db.run(
    `DELETE FROM chat_undos WHERE workspace = $1 AND (expires_at <= $2 OR key NOT IN (
       SELECT key FROM chat_undos WHERE workspace = $1 ORDER BY key DESC LIMIT $3))`,
    [workspace, now, kept],
  )
}

/** Returns the newest undo of a workspace for an answer that expires after `now`. */
export function getUndo(
  db: Pick<Queries, 'get'>,
  workspace: WorkspaceId,
  answerHash: string,
  now: number,
): Promise<UndoRow | null> {
  return db.get<UndoRow>(
    `SELECT answer_hash, steps, expires_at FROM chat_undos
     WHERE workspace = $1 AND answer_hash = $2 AND expires_at > $3 ORDER BY key DESC LIMIT 1`,
    [workspace, answerHash, now],
  )
}

/** Deletes up to `limit` expired undos of all workspaces; returns how many. */
export function deleteExpiredUndos(db: Queries, now: number, limit: number): Promise<number> {
  return db.run(
    'DELETE FROM chat_undos WHERE key IN (SELECT key FROM chat_undos WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)',
    [now, limit],
  )
}
