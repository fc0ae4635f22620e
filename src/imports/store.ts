import type { Queries, Value, Workspace, WorkspaceId } from '../db/database'
import type { ErrorCode } from '../http/api-error'
import type { FileFacts } from './kind'
import type { Tally } from './lines'

export type RunState = 'waiting' | 'reading' | 'running' | 'done' | 'failed' | 'cancelled'

export interface RunError {
  readonly code: ErrorCode
  readonly detail: string
}

/** A run: an import, or other long work, as its row stores it. */
export interface Run {
  readonly id: string
  readonly workspace: Workspace
  /** See Session. It is not stored, so it is missing after a restart. */
  readonly network?: string
  readonly kind: string
  readonly params: unknown
  readonly dryRun: boolean
  readonly state: RunState
  /** The present pass, from 0. */
  readonly pass: number
  /** Items done in the present pass. */
  readonly done: number
  /** The number of items; null until they are read. */
  readonly total: number | null
  readonly tally: Tally
  readonly facts: FileFacts | null
  readonly error: RunError | null
  /** For work without a file: the state after its last step, as JSON; otherwise null. */
  readonly work: unknown
  /** See IdempotencyKey; null if the request had none. */
  readonly idempotencyKey: { readonly key: string; readonly fingerprint: string } | null
  /** Milliseconds since 1970. */
  readonly createdAt: number
  readonly updatedAt: number
}

export type RunUpdate = Partial<Pick<Run, 'state' | 'pass' | 'done' | 'total' | 'tally' | 'facts' | 'error' | 'work'>>

const OPEN = "state IN ('waiting', 'reading', 'running')"
const ENDED = "state IN ('done', 'failed', 'cancelled')"

export async function insertRun(db: Queries, run: Run): Promise<void> {
  const { workspace, idempotencyKey } = run
  await db.run(
    `INSERT INTO import_runs (id, workspace, address, kind, params, dry_run, state, pass, done, total, counts, facts, error,
       idempotency_key, fingerprint, created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, NULL, NULL, $12, $13, $14, $14)`,
    [
      run.id,
      workspace.id,
      workspace.kind === 'scratch' ? workspace.address : null,
      run.kind,
      JSON.stringify(run.params ?? null),
      run.dryRun ? 1 : 0,
      run.state,
      run.pass,
      run.done,
      run.total,
      JSON.stringify(run.tally),
      idempotencyKey?.key ?? null,
      idempotencyKey?.fingerprint ?? null,
      run.createdAt,
    ],
  )
}

/** Updates an open run. Returns false if it has no row any more, because its workspace was erased. */
export async function updateRun(db: Queries, run: Run, changes: RunUpdate, now: number): Promise<boolean> {
  const { state, pass, done, total, tally, facts, error, work } = { ...run, ...changes }
  const updated = await db.run(
    `UPDATE import_runs SET state = $3, pass = $4, done = $5, total = $6, counts = $7, facts = $8, error = $9,
       updated_at = $10, work = $11
     WHERE workspace = $1 AND id = $2 AND ${OPEN}`,
    [
      run.workspace.id,
      run.id,
      state,
      pass,
      done,
      total,
      JSON.stringify(tally),
      facts && JSON.stringify(facts),
      error && JSON.stringify(error),
      now,
      work === null ? null : JSON.stringify(work),
    ],
  )
  return updated === 1
}

/** Cancels an open run that is active in another process, and leaves what that process writes of it as it is. */
export async function cancelRun(db: Queries, { workspace, id }: Run, now: number): Promise<void> {
  await db.run(
    `UPDATE import_runs SET state = 'cancelled', updated_at = $3 WHERE workspace = $1 AND id = $2 AND ${OPEN}`,
    [workspace.id, id, now],
  )
}

/** Stores the report of a run, see ReportWriter. */
export async function storeReport(db: Queries, { workspace, id }: Run, report: Uint8Array): Promise<void> {
  await db.run('UPDATE import_runs SET report = $3 WHERE workspace = $1 AND id = $2', [workspace.id, id, report])
}

export async function getReport(db: Queries, { workspace, id }: Run): Promise<Uint8Array | null> {
  const sql = 'SELECT report FROM import_runs WHERE workspace = $1 AND id = $2'
  return (await db.get<{ report: Uint8Array | null }>(sql, [workspace.id, id]))?.report ?? null
}

export async function getRun(db: Queries, workspace: WorkspaceId, id: string): Promise<Run | null> {
  const row = await db.get<RunRow>(`${RUN} WHERE workspace = $1 AND id = $2`, [workspace, id])
  return row && toRun(row)
}

/** Lists runs of a workspace, newest first; with `before`, those older than the run with that id. */
export async function listRuns(
  db: Queries,
  workspace: WorkspaceId,
  before: string | null,
  limit: number,
): Promise<Run[]> {
  const rows = await db.all<RunRow>(
    `${RUN} WHERE workspace = $1 AND (CAST($2 AS text) IS NULL OR id < $2) ORDER BY id DESC LIMIT $3`,
    [workspace, before, limit],
  )
  return rows.map(toRun)
}

export async function getOpenRun(db: Queries, workspace: WorkspaceId, key: string): Promise<Run | null> {
  const row = await db.get<RunRow>(
    `${RUN} WHERE workspace = $1 AND idempotency_key = $2 AND dry_run = 0 AND ${OPEN} LIMIT 1`,
    [workspace, key],
  )
  return row && toRun(row)
}

export async function countOpenRuns(db: Queries, workspace: WorkspaceId): Promise<number> {
  const sql = `SELECT count(*) AS open FROM import_runs WHERE workspace = $1 AND ${OPEN}`
  return (await db.get<{ open: number }>(sql, [workspace]))?.open ?? 0
}

/** Lists the open runs of all workspaces, oldest first. */
export async function listOpenRuns(db: Queries): Promise<Run[]> {
  return (await db.all<RunRow>(`${RUN} WHERE ${OPEN} ORDER BY id`)).map(toRun)
}

/**
 * Deletes up to `limit` ended runs: those that were last updated before an instant (ms since 1970), or have `kept`
 * newer ended runs in their workspace. Returns how many.
 */
export async function deleteEndedRuns(db: Queries, before: number, kept: number, limit: number): Promise<number> {
  return db.run(
    `DELETE FROM import_runs WHERE id IN (
       SELECT id FROM import_runs AS run WHERE ${ENDED} AND (updated_at < $1 OR $2 <= (
         SELECT count(*) FROM import_runs AS newer
         WHERE newer.workspace = run.workspace AND newer.id > run.id AND newer.${ENDED}))
       LIMIT $3)`,
    [before, kept, limit],
  )
}

/** Whether a run with this id exists in any workspace. Its folder is kept as long. */
export async function runExists(db: Queries, id: string): Promise<boolean> {
  return (await db.get('SELECT 1 FROM import_runs WHERE id = $1', [id])) !== null
}

/** Deletes up to `limit` runs of a workspace. Returns how many. */
export function deleteRuns(db: Queries, workspace: WorkspaceId, limit: number): Promise<number> {
  const sql = 'DELETE FROM import_runs WHERE id IN (SELECT id FROM import_runs WHERE workspace = $1 LIMIT $2)'
  return db.run(sql, [workspace, limit])
}

/** Without the report, which is large. */
const RUN = `SELECT id, workspace, address, kind, params, dry_run, state, pass, done, total, counts, facts, error, work,
  idempotency_key, fingerprint, created_at, updated_at FROM import_runs`

interface RunRow extends Record<string, Value> {
  id: string
  workspace: string
  address: string | null
  kind: string
  params: string
  dry_run: number
  state: string
  pass: number
  done: number
  total: number | null
  counts: string
  facts: string | null
  error: string | null
  work: string | null
  idempotency_key: string | null
  fingerprint: string | null
  created_at: number
  updated_at: number
}

function toRun(row: RunRow): Run {
  const id = row.workspace as WorkspaceId
  const { idempotency_key: key, fingerprint } = row
  return {
    id: row.id,
    workspace: row.address === null ? { id, kind: 'key' } : { id, kind: 'scratch', address: row.address },
    kind: row.kind,
    params: JSON.parse(row.params),
    dryRun: row.dry_run === 1,
    state: row.state as RunState,
    pass: row.pass,
    done: row.done,
    total: row.total,
    tally: JSON.parse(row.counts),
    facts: row.facts === null ? null : JSON.parse(row.facts),
    error: row.error === null ? null : JSON.parse(row.error),
    work: row.work === null ? null : JSON.parse(row.work),
    idempotencyKey: key !== null && fingerprint !== null ? { key, fingerprint } : null,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
