import type { Queries, WorkspaceId } from '../db/database'

export interface ConfirmationDraft {
  readonly token_hash: string
  readonly code_hash: string
  readonly tool: string
  /** JSON. */
  readonly arguments: string
  readonly timezone: string
  readonly summary: string
  readonly revision: number
  /** Milliseconds since 1970. */
  readonly expires_at: number
}

export interface ConfirmationRow extends ConfirmationDraft {
  readonly key: number
}

const COLUMNS = 'key, token_hash, code_hash, tool, arguments, timezone, summary, revision, expires_at'

export async function putConfirmation(
  db: Queries,
  workspace: WorkspaceId,
  { token_hash, code_hash, tool, arguments: args, timezone, summary, revision, expires_at }: ConfirmationDraft,
): Promise<void> {
  await db.run(
    `INSERT INTO chat_confirmations
       (workspace, token_hash, code_hash, tool, arguments, timezone, summary, revision, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [workspace, token_hash, code_hash, tool, args, timezone, summary, revision, expires_at],
  )
}

/** Returns the newest confirmation of a workspace with this hash of its token or code that expires after `now`. */
export function getConfirmation(
  db: Queries,
  workspace: WorkspaceId,
  { token_hash, code_hash }: { readonly token_hash: string | null; readonly code_hash: string | null },
  now: number,
): Promise<ConfirmationRow | null> {
  return db.get<ConfirmationRow>(
    `SELECT ${COLUMNS} FROM chat_confirmations
     WHERE workspace = $1 AND (token_hash = $2 OR code_hash = $3) AND expires_at > $4 ORDER BY key DESC LIMIT 1`,
    [workspace, token_hash, code_hash, now],
  )
}

/** Deletes a confirmation, so that it is used once; returns whether it was still there. */
export async function spendConfirmation(
  db: Queries,
  workspace: WorkspaceId,
  key: number,
  now: number,
): Promise<boolean> {
  const sql = 'DELETE FROM chat_confirmations WHERE workspace = $1 AND key = $2 AND expires_at > $3'
  return (await db.run(sql, [workspace, key, now])) > 0
}

/** Deletes the expired confirmations of a workspace, and all but the `kept` newest. */
export async function deleteOldConfirmations(
  db: Queries,
  workspace: WorkspaceId,
  kept: number,
  now: number,
): Promise<void> {
  await db.run(
    `DELETE FROM chat_confirmations WHERE workspace = $1 AND (expires_at <= $2 OR key NOT IN (
       SELECT key FROM chat_confirmations WHERE workspace = $1 ORDER BY key DESC LIMIT $3))`,
    [workspace, now, kept],
  )
}

/** Deletes up to `limit` expired confirmations of all workspaces; returns how many. */
export function deleteExpiredConfirmations(db: Queries, now: number, limit: number): Promise<number> {
  return db.run(
    `DELETE FROM chat_confirmations WHERE key IN (
       SELECT key FROM chat_confirmations WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)`,
    [now, limit],
  )
}
