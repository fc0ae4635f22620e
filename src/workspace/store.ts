import type { Queries, Workspace, WorkspaceId } from '../db/database'
import type { Change } from '../db/journal'

export interface Totals {
  readonly seq: number
  readonly resources: number
  readonly size_bytes: number
}

export interface WorkspaceRow extends Totals {
  readonly kind: Workspace['kind']
  readonly created_at: number
  readonly forgotten_seq: number
}

export interface ChangeRow {
  readonly seq: number
  readonly type: string
  readonly id: string
  readonly op: 'upsert' | 'delete'
  readonly revision: number
  readonly changed_at: number
}

/** Adds to the totals of a workspace, making its row at its first write. `seq` counts how many changes these are. */
export async function addTotals(db: Queries, workspace: Workspace, added: Totals, now: number): Promise<Totals> {
  const totals = await db.get<Totals>(
    `INSERT INTO workspaces (id, kind, created_at, seq, resources, size_bytes) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (id) DO UPDATE SET seq = workspaces.seq + excluded.seq,
       resources = workspaces.resources + excluded.resources, size_bytes = workspaces.size_bytes + excluded.size_bytes
     RETURNING seq, resources, size_bytes`,
    [workspace.id, workspace.kind, now, added.seq, added.resources, added.size_bytes],
  )
  if (!totals) throw new Error('RETURNING gave no row')
  return totals
}

/** Puts the change into the feed, in the place of the resource's earlier one. */
export async function putChange(db: Queries, workspace: WorkspaceId, seq: number, change: Change): Promise<void> {
  await db.run(
    `INSERT INTO changes (workspace, type, id, seq, op, revision, changed_at) VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT (workspace, type, id) DO UPDATE SET seq = excluded.seq, op = excluded.op,
       revision = excluded.revision, changed_at = excluded.changed_at`,
    [workspace, change.type, change.id, seq, change.op, change.revision, change.at],
  )
}

/** Puts the changes into the feed, from `firstSeq` on, each in the place of its resource's earlier one. */
export async function putChanges(
  db: Queries,
  workspace: WorkspaceId,
  firstSeq: number,
  changes: readonly Change[],
): Promise<void> {
  await db.run(
    `INSERT INTO changes (workspace, type, id, seq, op, revision, changed_at)
     SELECT $1, value ->> 'type', value ->> 'id', $2 + key, value ->> 'op', value ->> 'revision', value ->> 'at'
     FROM json_each($3) WHERE true
     ON CONFLICT (workspace, type, id) DO UPDATE SET seq = excluded.seq, op = excluded.op,
       revision = excluded.revision, changed_at = excluded.changed_at`,
    [workspace, firstSeq, JSON.stringify(changes)],
  )
}

export function getWorkspace(db: Queries, workspace: WorkspaceId): Promise<WorkspaceRow | null> {
  return db.get<WorkspaceRow>(
    'SELECT kind, seq, forgotten_seq, resources, size_bytes, created_at FROM workspaces WHERE id = $1',
    [workspace],
  )
}

/** Changes after `since`, oldest first. */
export function listChanges(db: Queries, workspace: WorkspaceId, since: number, limit: number): Promise<ChangeRow[]> {
  return db.all<ChangeRow>(
    `SELECT seq, type, id, op, revision, changed_at FROM changes
     WHERE workspace = $1 AND seq > $2 ORDER BY seq LIMIT $3`,
    [workspace, since, limit],
  )
}
