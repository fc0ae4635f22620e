import type { Queries, WorkspaceId } from './database'

export interface StoredOutcome {
  readonly fingerprint: string
  readonly status: number
  /** JSON of the headers and of the body, as they were answered. */
  readonly headers: string
  readonly body: string
}

/** The outcome stored under a key since the instant `since` (milliseconds), or null. */
export function getOutcome(
  db: Queries,
  workspace: WorkspaceId,
  key: string,
  since: number,
): Promise<StoredOutcome | null> {
  return db.get<StoredOutcome>(
    `SELECT fingerprint, status, headers, body FROM idempotency
     WHERE workspace = $1 AND key = $2 AND created_at >= $3`,
    [workspace, key, since],
  )
}

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

/** Puts the outcome in the place of the one under its key. */
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

/** Deletes the workspace's outcomes from before `since`, or `limit` of them; the answer is how many bytes they held. */
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
