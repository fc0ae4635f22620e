import type { Queries, WorkspaceId } from '../../db/database'
import { Bindings } from '../../db/database'
import { valuesIn } from '../../db/dialect'

/** A row of `study_media`. Instants are milliseconds since 1970. */
export interface MediaRow {
  readonly key: number
  readonly id: string
  readonly revision: number
  readonly created_at: number
  readonly updated_at: number
  readonly name: string
  readonly content_type: string
  readonly sha256: string
  readonly size_bytes: number
}

const MEDIA = 'key, id, revision, created_at, updated_at, name, content_type, sha256, size_bytes'

export function getMedia(db: Queries, workspace: WorkspaceId, name: string): Promise<MediaRow | null> {
  return db.get<MediaRow>(`SELECT ${MEDIA} FROM study_media WHERE workspace = $1 AND name = $2`, [workspace, name])
}

export function getMediaByNames(
  db: Pick<Queries, 'all'>,
  workspace: WorkspaceId,
  names: readonly string[],
): Promise<MediaRow[]> {
  const sql = `SELECT ${MEDIA} FROM study_media WHERE workspace = $1 AND name IN ${valuesIn('$2')}`
  return db.all<MediaRow>(sql, [workspace, JSON.stringify(names)])
}

export function getMediaById(db: Queries, workspace: WorkspaceId, id: string): Promise<MediaRow | null> {
  return db.get<MediaRow>(`SELECT ${MEDIA} FROM study_media WHERE workspace = $1 AND id = $2`, [workspace, id])
}

export async function getMediaName(db: Queries, workspace: WorkspaceId, id: string): Promise<string | null> {
  const sql = 'SELECT name FROM study_media WHERE workspace = $1 AND id = $2'
  return (await db.get<{ name: string }>(sql, [workspace, id]))?.name ?? null
}

export async function insertMedia(db: Queries, workspace: WorkspaceId, media: Omit<MediaRow, 'key'>): Promise<void> {
  const { id, revision, created_at, updated_at, name, content_type, sha256, size_bytes } = media
  await db.run(
    `INSERT INTO study_media (workspace, id, revision, created_at, updated_at, name, content_type, sha256, size_bytes)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [workspace, id, revision, created_at, updated_at, name, content_type, sha256, size_bytes],
  )
}

export async function updateMedia(db: Queries, workspace: WorkspaceId, media: Omit<MediaRow, 'key'>): Promise<void> {
  const { id, revision, created_at, updated_at, content_type, sha256, size_bytes } = media
  await db.run(
    `UPDATE study_media SET revision = $3, created_at = $4, updated_at = $5, content_type = $6, sha256 = $7,
       size_bytes = $8
     WHERE workspace = $1 AND id = $2`,
    [workspace, id, revision, created_at, updated_at, content_type, sha256, size_bytes],
  )
}

export async function deleteMedia(db: Queries, workspace: WorkspaceId, key: number): Promise<void> {
  await db.run('DELETE FROM study_media WHERE workspace = $1 AND key = $2', [workspace, key])
}

/** Returns a page of media, by name. */
export function listMedia(
  db: Pick<Queries, 'all'>,
  workspace: WorkspaceId,
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<MediaRow[]> {
  const bind = new Bindings(workspace)
  const from = after === null ? '' : `AND name > ${bind.add(after)}`
  return db.all<MediaRow>(
    `SELECT ${MEDIA} FROM study_media WHERE workspace = $1 ${from} ORDER BY name LIMIT ${bind.add(limit)}`,
    bind.values,
  )
}

/** Returns the size of all media of the workspace in bytes, each content counted once. */
export async function countMediaBytes(db: Queries, workspace: WorkspaceId): Promise<number> {
  const sql = `SELECT coalesce(sum(size_bytes), 0) AS bytes
    FROM (SELECT DISTINCT sha256, size_bytes FROM study_media WHERE workspace = $1) AS listed`
  return (await db.get<{ bytes: number }>(sql, [workspace]))?.bytes ?? 0
}

export async function hasContent(db: Queries, workspace: WorkspaceId, sha256: string): Promise<boolean> {
  const sql = 'SELECT 1 FROM study_media WHERE workspace = $1 AND sha256 = $2 LIMIT 1'
  return (await db.get(sql, [workspace, sha256])) !== null
}
