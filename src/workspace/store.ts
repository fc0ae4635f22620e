import type { Change, ResourceType } from '../db/change-feed'
import type { Queries, Workspace, WorkspaceId } from '../db/database'
import { byIndex, elementsIn, valuesIn } from '../db/dialect'
import { deleteWorkspaceSettings } from '../db/settings-store'

const HOUR_MS = 60 * 60 * 1000

export interface Totals {
  readonly seq: number
  readonly resources: number
  readonly size_bytes: number
}

export interface WorkspaceRow {
  /** The address of a scratch space, see Workspace; null for the workspace of a key. */
  readonly address: string | null
  readonly created_at: number
  readonly resources: number
  readonly size_bytes: number
}

export interface ChangeRow {
  readonly seq: number
  readonly type: string
  readonly id: string
  readonly op: 'upsert' | 'delete'
  readonly revision: number
  readonly changed_at: number
}

export interface Feed {
  readonly latest_seq: number
  readonly forgotten_seq: number
  /** The seq of the first change that was not looked at, if the read ended before it because of MAX_FILTERED. */
  readonly unread_seq: number | null
  readonly changes: readonly ChangeRow[]
}

/** What readFeed reads: at most `limit` changes after the seq `since`; of some types alone, unless `types` is null. */
interface FeedRange {
  readonly since: number
  readonly limit: number
  readonly types: readonly ResourceType[] | null
}

/** Changes that one read with `types` looks at. Their entries in the index take 2 to 4 ms to read. */
const MAX_FILTERED = 20_000

/** The totals of all scratch spaces of an address, the number of these, and whether one of them is there (0 or 1). */
interface AddressTotals extends Omit<Totals, 'seq'> {
  readonly sites: number
  readonly known: number
}

/**
 * Adds to the totals of a workspace; the first write makes its row. Returns the new totals; null if it would grow while
 * it is being erased. `added.seq` is the number of changes.
 */
export async function addTotals(db: Queries, workspace: Workspace, added: Totals, now: number): Promise<Totals | null> {
  return await db.get<Totals>(
    `INSERT INTO workspaces (id, kind, created_at, seq, resources, size_bytes, address, asked_hour)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
     ON CONFLICT (id) DO UPDATE SET seq = workspaces.seq + excluded.seq,
       resources = workspaces.resources + excluded.resources, size_bytes = workspaces.size_bytes + excluded.size_bytes
       WHERE excluded.size_bytes <= 0 OR NOT EXISTS (SELECT 1 FROM erasures WHERE workspace = workspaces.id)
     RETURNING seq, resources, size_bytes`,
    [
      workspace.id,
      workspace.kind,
      now,
      added.seq,
      added.resources,
      added.size_bytes,
      ...scratchColumns(workspace, now),
    ],
  )
}

function scratchColumns(workspace: Workspace, now: number): [address: string | null, hour: number | null] {
  return workspace.kind === 'key' ? [null, null] : [workspace.address, Math.floor(now / HOUR_MS)]
}

/** Sums up the scratch spaces of an address. @param known the space that is looked for */
export async function getAddressTotals(db: Queries, address: string, known: WorkspaceId): Promise<AddressTotals> {
  const totals = await db.get<AddressTotals>(
    `SELECT count(*) AS sites, coalesce(sum(resources), 0) AS resources, coalesce(sum(size_bytes), 0) AS size_bytes,
       count(*) FILTER (WHERE id = $2) AS known
     FROM workspaces WHERE address = $1`,
    [address, known],
  )
  if (!totals) throw new Error('an aggregate gave no row')
  return totals
}

/** Stores the hour (since 1970) of a request for a scratch space. Only the first request of an hour writes. */
export async function updateLastHour(db: Queries, scratch: WorkspaceId, hour: number): Promise<void> {
  if (!(await isIdleSpace(db, scratch, hour))) return
  await db.run('UPDATE workspaces SET asked_hour = $2 WHERE id = $1 AND asked_hour < $2', [scratch, hour])
}

const UPSERT_CHANGES = `
  INSERT INTO changes (workspace, type, id, seq, op, revision, changed_at)
  SELECT $1, value ->> 'type', value ->> 'id', $2 + key, value ->> 'op', CAST(value ->> 'revision' AS bigint),
    CAST(value ->> 'at' AS bigint)
  FROM ${elementsIn('$3')} WHERE true
  ON CONFLICT (workspace, type, id) DO UPDATE SET seq = excluded.seq, op = excluded.op,
    revision = excluded.revision, changed_at = excluded.changed_at`

/** Stores changes in the feed, numbered from `firstSeq` on. Each replaces the earlier change of its resource. */
export async function upsertChanges(db: Queries, workspace: WorkspaceId, firstSeq: number, changes: readonly Change[]) {
  await db.run(UPSERT_CHANGES, [workspace, firstSeq, JSON.stringify(changes)])
}

export function getWorkspace(db: Queries, workspace: WorkspaceId): Promise<WorkspaceRow | null> {
  return db.get<WorkspaceRow>('SELECT address, resources, size_bytes, created_at FROM workspaces WHERE id = $1', [
    workspace,
  ])
}

/**
 * Reads the changes after a seq, oldest first, with the latest seq and the seq up to which deletions are forgotten. With
 * types it looks at no more than MAX_FILTERED changes, so that it is quick if few of them are of these types.
 */
export async function readFeed(db: Queries, workspace: WorkspaceId, { since, limit, types }: FeedRange): Promise<Feed> {
  // One statement sees one moment. With two, deletions that are forgotten between them would be missed.
  const rows = await db.all<FeedRow>(types ? READ_OF_TYPES : READ_ALL, [
    workspace,
    since,
    limit,
    ...(types ? [JSON.stringify(types), MAX_FILTERED] : []),
  ])
  const { latest_seq, forgotten_seq, unread_seq } = rows[0] ?? { latest_seq: 0, forgotten_seq: 0, unread_seq: null }
  const changes = rows
    .filter((row): row is FeedRow & ChangeRow => row.seq !== null)
    .map(({ seq, type, id, op, revision, changed_at }) => ({ seq, type, id, op, revision, changed_at }))
  return { latest_seq, forgotten_seq, unread_seq, changes }
}

const READ_ALL = `
  SELECT w.seq AS latest_seq, w.forgotten_seq, NULL AS unread_seq, c.seq, c.type, c.id, c.op, c.revision, c.changed_at
  FROM workspaces AS w LEFT JOIN (
    SELECT seq, type, id, op, revision, changed_at FROM changes
    WHERE workspace = $1 AND seq > $2 ORDER BY seq LIMIT $3) AS c ON true
  WHERE w.id = $1 ORDER BY c.seq`

/** To filter, only the index is read, which has type and id. Rows are read for the `limit` changes alone. */
const READ_OF_TYPES = `
  WITH unread AS MATERIALIZED (
    SELECT min(seq) AS seq FROM (
      SELECT seq FROM changes ${byIndex('changes_by_seq')}
      WHERE workspace = $1 AND seq > $2 ORDER BY seq LIMIT 1 OFFSET $5) AS listed)
  SELECT w.seq AS latest_seq, w.forgotten_seq, u.seq AS unread_seq,
    k.seq, k.type, k.id, c.op, c.revision, c.changed_at
  FROM workspaces AS w CROSS JOIN unread AS u LEFT JOIN (
    SELECT seq, type, id FROM changes ${byIndex('changes_by_seq')}
    WHERE workspace = $1 AND seq > $2 AND seq < coalesce((SELECT seq FROM unread), ${Number.MAX_SAFE_INTEGER}) AND type IN ${valuesIn('$4')}
    ORDER BY seq LIMIT $3) AS k ON true
  LEFT JOIN changes AS c ON c.workspace = $1 AND c.type = k.type AND c.id = k.id
  WHERE w.id = $1 ORDER BY k.seq`

/** If there are no changes, the one row of the result has the columns of the workspace alone. */
type FeedRow = Omit<Feed, 'changes'> & (ChangeRow | { readonly seq: null })

/** Finds, among all workspaces, one whose feed has a deletion from before an instant. */
export async function findWorkspaceWithOldDeletions(db: Queries, before: number): Promise<WorkspaceId | null> {
  const sql = "SELECT workspace FROM changes WHERE op = 'delete' AND changed_at < $1 LIMIT 1"
  return (await db.get<{ workspace: WorkspaceId }>(sql, [before]))?.workspace ?? null
}

/**
 * Deletes up to `limit` deletions of a workspace from before an instant, and stores up to which seq they are forgotten.
 */
export async function deleteOldDeletions(db: Queries, workspace: WorkspaceId, before: number, limit: number) {
  const forgotten = await db.all<{ seq: number }>(
    `DELETE FROM changes WHERE workspace = $1 AND seq IN (
       SELECT seq FROM changes WHERE workspace = $1 AND op = 'delete' AND changed_at < $2 ORDER BY seq LIMIT $3)
     RETURNING seq`,
    [workspace, before, limit],
  )
  await db.run('UPDATE workspaces SET forgotten_seq = max(forgotten_seq, $2) WHERE id = $1', [
    workspace,
    Math.max(0, ...forgotten.map(({ seq }) => seq)),
  ])
}

/** Finds, among all workspaces, one with an outcome that was stored before an instant. */
export async function findWorkspaceWithOldOutcomes(db: Queries, before: number): Promise<WorkspaceId | null> {
  const sql = 'SELECT workspace FROM idempotency WHERE created_at < $1 LIMIT 1'
  return (await db.get<{ workspace: WorkspaceId }>(sql, [before]))?.workspace ?? null
}

/** Lists scratch spaces whose last request was before an hour (since 1970). */
export async function listIdleSpaces(db: Queries, before: number, limit: number): Promise<WorkspaceId[]> {
  const sql = 'SELECT id FROM workspaces WHERE asked_hour < $1 ORDER BY asked_hour, id LIMIT $2'
  return (await db.all<{ id: WorkspaceId }>(sql, [before, limit])).map(({ id }) => id)
}

/** Whether a scratch space exists, and its last request was before an hour (since 1970). */
export async function isIdleSpace(db: Queries, scratch: WorkspaceId, before: number): Promise<boolean> {
  return (await db.get('SELECT 1 FROM workspaces WHERE id = $1 AND asked_hour < $2', [scratch, before])) !== null
}

/** Deletes settings, and up to `limit` changes or outcomes. Returns whether there may be more. See Wipe. */
export async function wipeWorkspace(db: Queries, workspace: WorkspaceId, limit: number): Promise<boolean> {
  await deleteWorkspaceSettings({ db, workspace: { id: workspace } })
  const feed = `DELETE FROM changes WHERE workspace = $1
    AND seq IN (SELECT seq FROM changes WHERE workspace = $1 LIMIT $2)`
  if ((await db.run(feed, [workspace, limit])) === limit) return true
  const outcomes = `DELETE FROM idempotency WHERE workspace = $1
    AND key IN (SELECT key FROM idempotency WHERE workspace = $1 LIMIT $2)`
  return (await db.run(outcomes, [workspace, limit])) === limit
}

/** Resets the totals of an erased workspace. Its feed keeps counting, so that every older cursor expires. */
export async function resetTotals(db: Queries, workspace: WorkspaceId): Promise<void> {
  await db.run(
    'UPDATE workspaces SET resources = 0, size_bytes = 0, seq = seq + 1, forgotten_seq = seq + 1 WHERE id = $1',
    [workspace],
  )
}

export async function deleteWorkspace(db: Queries, workspace: WorkspaceId): Promise<void> {
  await db.run('DELETE FROM workspaces WHERE id = $1', [workspace])
}

/**
 * Marks a workspace as being erased. With `forget` its row is deleted as well, even if an earlier mark was without it.
 */
export async function beginErasure(db: Queries, workspace: WorkspaceId, forget: boolean): Promise<void> {
  await db.run(
    `INSERT INTO erasures (workspace, forget) VALUES ($1, $2)
     ON CONFLICT (workspace) DO UPDATE SET forget = CASE WHEN excluded.forget > erasures.forget THEN excluded.forget ELSE erasures.forget END`,
    [workspace, forget ? 1 : 0],
  )
}

export function getErasure(db: Queries, workspace: WorkspaceId): Promise<{ forget: 0 | 1 } | null> {
  return db.get('SELECT forget FROM erasures WHERE workspace = $1', [workspace])
}

export async function listErasures(db: Queries): Promise<WorkspaceId[]> {
  return (await db.all<{ workspace: WorkspaceId }>('SELECT workspace FROM erasures')).map(({ workspace }) => workspace)
}

export async function endErasure(db: Queries, workspace: WorkspaceId): Promise<void> {
  await db.run('DELETE FROM erasures WHERE workspace = $1', [workspace])
}
