import { Bindings, type Reader, type Session } from '../../db/database'
import { valuesIn } from '../../db/dialect'
import { createTable, fixed, int, type RowOf, STORED, text } from '../../db/table'

/** The table of media. Instants are milliseconds since 1970. */
export const mediaTable = createTable('study_media', {
  ...STORED,
  name: fixed(text()),
  content_type: text(),
  sha256: text(),
  size_bytes: int(),
})

export type MediaRow = RowOf<typeof mediaTable>

const MEDIA = mediaTable.columns

export function getMedia({ db, workspace }: Reader, name: string): Promise<MediaRow | null> {
  return db.get<MediaRow>(`SELECT ${MEDIA} FROM study_media WHERE workspace = $1 AND name = $2`, [workspace.id, name])
}

export function getMediaByNames({ db, workspace }: Reader, names: readonly string[]) {
  const sql = `SELECT ${MEDIA} FROM study_media WHERE workspace = $1 AND name IN ${valuesIn('$2')}`
  return db.all<MediaRow>(sql, [workspace.id, JSON.stringify(names)])
}

export async function getMediaName({ db, workspace }: Session, id: string): Promise<string | null> {
  const sql = 'SELECT name FROM study_media WHERE workspace = $1 AND id = $2'
  return (await db.get<{ name: string }>(sql, [workspace.id, id]))?.name ?? null
}

export function listMedia(
  { db, workspace }: Reader,
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<MediaRow[]> {
  const bind = new Bindings(workspace.id)
  const from = after === null ? '' : `AND name > ${bind.add(after)}`
  return db.all<MediaRow>(
    `SELECT ${MEDIA} FROM study_media WHERE workspace = $1 ${from} ORDER BY name LIMIT ${bind.add(limit)}`,
    bind.values,
  )
}

/** Returns the size of all media of the workspace in bytes, each content counted once. */
export async function countMediaBytes({ db, workspace }: Reader): Promise<number> {
  const sql = `SELECT coalesce(sum(size_bytes), 0) AS bytes
    FROM (SELECT DISTINCT sha256, size_bytes FROM study_media WHERE workspace = $1) AS listed`
  return (await db.get<{ bytes: number }>(sql, [workspace.id]))?.bytes ?? 0
}

export async function hasContent({ db, workspace }: Session, sha256: string): Promise<boolean> {
  const sql = 'SELECT 1 FROM study_media WHERE workspace = $1 AND sha256 = $2 LIMIT 1'
  return (await db.get(sql, [workspace.id, sha256])) !== null
}
