import type { Queries, Reader, WorkspaceId, Writer } from '../db/database'

/** The bytes of a row of `blob_parts`; the last row of a blob may have fewer. */
export const PART_BYTES = 256 * 1024

export interface BlobRow {
  readonly key: number
  readonly size_bytes: number
}

export function getBlob({ db, workspace }: Reader, sha256: string): Promise<BlobRow | null> {
  return db.get<BlobRow>('SELECT key, size_bytes FROM blobs WHERE workspace = $1 AND sha256 = $2', [
    workspace.id,
    sha256,
  ])
}

/** Returns the bytes of a part; null if the blob has been erased. */
export async function getPart(
  { db, workspace }: Reader,
  blob: number,
  position: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const sql = 'SELECT bytes FROM blob_parts WHERE workspace = $1 AND blob = $2 AND position = $3'
  const row = await db.get<{ bytes: Uint8Array<ArrayBuffer> }>(sql, [workspace.id, blob, position])
  return row?.bytes ?? null
}

/** Adds a use to a blob. Returns false if there is none with this SHA-256. */
export async function addUse({ db, workspace }: Writer, sha256: string): Promise<boolean> {
  return (
    (await db.run('UPDATE blobs SET uses = uses + 1 WHERE workspace = $1 AND sha256 = $2', [workspace.id, sha256])) > 0
  )
}

export function removeUse(
  { db, workspace }: Writer,
  sha256: string,
): Promise<(BlobRow & { readonly uses: number }) | null> {
  return db.get(
    `UPDATE blobs SET uses = uses - 1 WHERE workspace = $1 AND sha256 = $2
     RETURNING key, size_bytes, uses`,
    [workspace.id, sha256],
  )
}

/** Stores a blob without its parts. Returns its key. */
export async function insertBlob(
  { db, workspace }: Writer,
  blob: { readonly sha256: string | null; readonly size_bytes: number; readonly staged_at: number | null },
): Promise<number> {
  const row = await db.get<{ key: number }>(
    'INSERT INTO blobs (workspace, sha256, size_bytes, uses, staged_at) VALUES ($1, $2, $3, $4, $5) RETURNING key',
    [workspace.id, blob.sha256, blob.size_bytes, blob.sha256 === null ? 0 : 1, blob.staged_at],
  )
  if (!row) throw new Error('RETURNING gave no row')
  return row.key
}

export async function insertParts(
  { db, workspace }: Writer,
  blob: number,
  position: number,
  bytes: Uint8Array,
): Promise<void> {
  const sql = 'INSERT INTO blob_parts (workspace, blob, position, bytes) VALUES ($1, $2, $3, $4)'
  for (let from = 0; from < bytes.length; from += PART_BYTES)
    await db.run(sql, [workspace.id, blob, position + from / PART_BYTES, bytes.subarray(from, from + PART_BYTES)])
}

/** Counts bytes that a staged blob gets. Returns false if it is no longer there. */
export async function growStaged({ db, workspace }: Writer, key: number, bytes: number, now: number): Promise<boolean> {
  const sql = `UPDATE blobs SET size_bytes = size_bytes + $3, staged_at = $4
    WHERE workspace = $1 AND key = $2 AND sha256 IS NULL AND staged_at > 0`
  return (await db.run(sql, [workspace.id, key, bytes, now])) > 0
}

/** Makes a staged blob whole, with one use. Returns false if it is no longer there. */
export async function finishStaged({ db, workspace }: Writer, key: number, sha256: string): Promise<boolean> {
  const sql = `UPDATE blobs SET sha256 = $3, uses = 1, staged_at = NULL
    WHERE workspace = $1 AND key = $2 AND sha256 IS NULL AND staged_at > 0`
  return (await db.run(sql, [workspace.id, key, sha256])) > 0
}

/** Marks a whole blob as one to be erased, which no longer counts. Returns the bytes that it counted. */
export function dropBlob(writer: Writer, key: number): Promise<number> {
  return markForErasure(writer, key, 'sha256 IS NOT NULL')
}

/** Marks a staged blob as one to be erased, like dropBlob; 0 if it is whole by now. */
export function dropStaged(writer: Writer, key: number): Promise<number> {
  return markForErasure(writer, key, 'sha256 IS NULL AND staged_at > 0')
}

async function markForErasure({ db, workspace }: Writer, key: number, condition: string): Promise<number> {
  const which = `WHERE workspace = $1 AND key = $2 AND ${condition}`
  const row = await db.get<{ size_bytes: number }>(`SELECT size_bytes FROM blobs ${which}`, [workspace.id, key])
  if (!row) return 0
  await db.run(`UPDATE blobs SET sha256 = NULL, size_bytes = 0, staged_at = 0 ${which}`, [workspace.id, key])
  return row.size_bytes
}

export function deleteParts({ db, workspace }: Writer, blob: number, limit: number): Promise<number> {
  const sql = `DELETE FROM blob_parts WHERE key IN
    (SELECT key FROM blob_parts WHERE workspace = $1 AND blob = $2 ORDER BY position LIMIT $3)`
  return db.run(sql, [workspace.id, blob, limit])
}

/** Erases a blob without parts. */
export async function deleteBlob({ db, workspace }: Writer, key: number): Promise<void> {
  await db.run('DELETE FROM blobs WHERE workspace = $1 AND key = $2', [workspace.id, key])
}

export interface FoundBlob {
  readonly workspace: WorkspaceId
  readonly key: number
}

/** Finds, among all workspaces, a blob that is to be erased, or whose last part was written before an instant. */
export function findUnfinished(db: Queries, before: number): Promise<FoundBlob | null> {
  const sql = 'SELECT workspace, key FROM blobs WHERE sha256 IS NULL AND staged_at < $1 ORDER BY staged_at LIMIT 1'
  return db.get<FoundBlob>(sql, [before])
}
