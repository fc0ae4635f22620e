import type { Queries, WorkspaceId } from './database'

export interface StoredOutcome {
  readonly fingerprint: string
  readonly status: number
  readonly headers: string
  readonly body: string
}

/** Returns the outcome that was stored under a key at or after `since` (milliseconds since 1970), or null. */
export function getOutcome(db: Queries, workspace: WorkspaceId, key: string, since: number) {
  return db.get<StoredOutcome>(
    `SELECT fingerprint, status, headers, body FROM idempotency
     WHERE workspace = $1 AND key = $2 AND created_at >= $3`,
    [workspace, key, since],
  )
}

/** Stores an outcome. @param now milliseconds since 1970 */
export async function insertOutcome(
  db: Queries,
  workspace: WorkspaceId,
  key: string,
  outcome: StoredOutcome,
  now: number,
): Promise<void> {
  await db.run(
    `INSERT INTO idempotency (workspace, key, fingerprint, status, headers, body, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [workspace, key, outcome.fingerprint, outcome.status, outcome.headers, outcome.body, now],
  )
}

export async function updateOutcome(
  db: Queries,
  workspace: WorkspaceId,
  key: string,
  { status, headers, body }: StoredOutcome,
): Promise<void> {
  await db.run('UPDATE idempotency SET status = $3, headers = $4, body = $5 WHERE workspace = $1 AND key = $2', [
    workspace,
    key,
    status,
    headers,
    body,
  ])
}

/** Deletes up to `limit` outcomes of a workspace from before `since`. Returns how many bytes they had. */
export async function deleteOldOutcomes(
  db: Queries,
  workspace: WorkspaceId,
  since: number,
  limit = Number.MAX_SAFE_INTEGER,
): Promise<number> {
  const dropped = await db.all<{ bytes: number }>(
    `DELETE FROM idempotency WHERE workspace = $1 AND key IN (
       SELECT key FROM idempotency WHERE workspace = $1 AND created_at < $2 LIMIT $3)
     RETURNING octet_length(headers) + octet_length(body) AS bytes`,
    [workspace, since, limit],
  )
  return dropped.reduce((sum, { bytes }) => sum + bytes, 0)
}
