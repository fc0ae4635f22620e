import type { Queries, Reader, Session, WorkspaceId, Writer } from '../../db/database'
import { byteLength, integersIn } from '../../db/dialect'

/** A version that ended. The columns of the newest one have no content: that is the note itself. */
export interface VersionColumns {
  /** The key of the note. */
  readonly key: number
  /** The first and the last revision of the note that had this content. */
  readonly revision: number
  readonly last_revision: number
  /** Milliseconds since 1970. */
  readonly updated_at: number
  readonly label: string | null
  readonly label_revision: number
  readonly title: string
  readonly folder: string | null
  /** JSON. */
  readonly tags: string
  readonly properties: Uint8Array
  /** The revision that made the body. */
  readonly body_revision: number
}

export interface VersionAge extends Pick<VersionColumns, 'revision' | 'updated_at'> {
  readonly labelled: boolean
}

/** A version in a list. */
export type VersionSummaryRow = Pick<VersionColumns, 'revision' | 'updated_at' | 'label' | 'title' | 'folder' | 'tags'>

/**
 * A whole version. The `present_` columns are those of the current note, as text; the `packed_` ones are of its
 * history.
 */
export interface VersionRow extends VersionSummaryRow, Pick<VersionColumns, 'key' | 'label_revision'> {
  readonly note_revision: number
  readonly deleted_at: number | null
  readonly present_properties: string | null
  readonly packed_properties: Uint8Array | null
  readonly present_body: string | null
  readonly packed_body: Uint8Array | null
}

/** A version that begins: the current content of the note. */
interface NewVersion extends Pick<VersionColumns, 'key' | 'revision' | 'updated_at' | 'body_revision'> {
  readonly thin_at: number | null
}

/** A version that ends, with its content except for the body. */
type ClosedVersion = Pick<VersionColumns, 'key' | 'last_revision' | 'title' | 'folder' | 'tags' | 'properties'>

/** The columns of a VersionSummaryRow. The members of the newest version are in the note. */
const VERSION_SUMMARY_COLUMNS = `version.revision, version.updated_at, version.label,
  CASE WHEN last_revision IS NULL THEN notes.title ELSE version.title END AS title,
  CASE WHEN last_revision IS NULL THEN notes.folder ELSE version.folder END AS folder,
  CASE WHEN last_revision IS NULL THEN notes.tags ELSE version.tags END AS tags`

/** The bytes of a row of note_revisions that count towards the quota. */
const ROW_BYTES_SQL = `coalesce(${byteLength('label')}, 0) + coalesce(${byteLength('title')}, 0) + coalesce(${byteLength('folder')}, 0)
  + coalesce(${byteLength('tags')}, 0) + coalesce(${byteLength('properties')}, 0)`

export async function openVersion({ db, workspace }: Session, version: NewVersion): Promise<void> {
  await db.run(
    `INSERT INTO note_revisions (workspace, key, revision, updated_at, body_revision, thin_at)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    [workspace.id, version.key, version.revision, version.updated_at, version.body_revision, version.thin_at],
  )
}

/** Ends the newest version of a note. Returns the revision that made its body; null if the note has no history. */
export async function closeVersion({ db, workspace }: Session, version: ClosedVersion): Promise<number | null> {
  const closed = await db.get<{ body_revision: number }>(
    `UPDATE note_revisions SET last_revision = $3, title = $4, folder = $5, tags = $6, properties = $7, thin_at = NULL
     WHERE workspace = $1 AND key = $2 AND last_revision IS NULL RETURNING body_revision`,
    [workspace.id, version.key, version.last_revision, version.title, version.folder, version.tags, version.properties],
  )
  return closed?.body_revision ?? null
}

export async function addVersionBody(
  { db, workspace }: Session,
  key: number,
  revision: number,
  body: Uint8Array,
): Promise<void> {
  const sql = 'INSERT INTO note_revision_bodies (workspace, key, revision, body) VALUES ($1, $2, $3, $4)'
  await db.run(sql, [workspace.id, key, revision, body])
}

export function listVersions(
  { db, workspace }: Session,
  id: string,
  before: number,
  limit: number,
): Promise<VersionSummaryRow[]> {
  return db.all<VersionSummaryRow>(
    `SELECT ${VERSION_SUMMARY_COLUMNS} FROM notes JOIN note_revisions AS version ON version.key = notes.key
     WHERE notes.workspace = $1 AND notes.id = $2 AND version.revision < $3
     ORDER BY version.revision DESC LIMIT $4`,
    [workspace.id, id, before, limit],
  )
}

/** Returns the version that the note had at `revision` (null: the current one); null if it is not kept. */
export function getVersion(
  { db, workspace }: Session,
  id: string,
  revision: number | null,
): Promise<VersionRow | null> {
  return db.get<VersionRow>(
    `SELECT ${VERSION_SUMMARY_COLUMNS}, notes.key, label_revision, notes.revision AS note_revision, deleted_at,
       CASE WHEN last_revision IS NULL THEN notes.properties END AS present_properties,
       version.properties AS packed_properties,
       CASE WHEN old_body.key IS NULL THEN body.body END AS present_body, old_body.body AS packed_body
     FROM notes
     JOIN note_revisions AS version ON version.key = notes.key AND version.revision =
       (SELECT max(revision) FROM note_revisions WHERE key = notes.key AND revision <= coalesce($3, notes.revision))
     JOIN note_bodies AS body ON body.key = notes.key
     LEFT JOIN note_revision_bodies AS old_body
       ON old_body.key = notes.key AND old_body.revision = version.body_revision
     WHERE notes.workspace = $1 AND notes.id = $2
       AND coalesce($3, notes.revision) <= coalesce(version.last_revision, notes.revision)`,
    [workspace.id, id, revision],
  )
}

export async function setLabel(
  { db, workspace }: Session,
  { key, revision, label, label_revision }: Pick<VersionColumns, 'key' | 'revision' | 'label' | 'label_revision'>,
): Promise<void> {
  await db.run(
    `UPDATE note_revisions SET label = $4, label_revision = $5 WHERE workspace = $1 AND key = $2 AND revision = $3`,
    [workspace.id, key, revision, label, label_revision],
  )
}

export async function countLabels({ db, workspace }: Reader, key: number): Promise<number> {
  const sql = 'SELECT count(label) AS n FROM note_revisions WHERE workspace = $1 AND key = $2'
  return (await db.get<{ n: number }>(sql, [workspace.id, key]))?.n ?? 0
}

/** Lists the versions of a note for thinning, oldest first. */
export async function listVersionAges({ db, workspace }: Reader, key: number): Promise<VersionAge[]> {
  const rows = await db.all<{ revision: number; updated_at: number; labelled: number }>(
    `SELECT revision, updated_at, label IS NOT NULL AS labelled FROM note_revisions
     WHERE workspace = $1 AND key = $2 ORDER BY revision`,
    [workspace.id, key],
  )
  return rows.map((row) => ({ ...row, labelled: row.labelled === 1 }))
}

/** Finds the note of any workspace that has been due for thinning longest at `now`; null if none is due. */
export function findNextToThin(db: Queries, now: number): Promise<{ workspace: WorkspaceId; key: number } | null> {
  return db.get('SELECT workspace, key FROM note_revisions WHERE thin_at <= $1 ORDER BY thin_at LIMIT 1', [now])
}

/** Sets when a note is due for thinning; null for never. Milliseconds. */
export async function setThinAt({ db, workspace }: Writer, key: number, at: number | null): Promise<void> {
  await db.run('UPDATE note_revisions SET thin_at = $3 WHERE workspace = $1 AND key = $2 AND last_revision IS NULL', [
    workspace.id,
    key,
    at,
  ])
}

/**
 * Erases versions of a note, and bodies that no version uses any more. Returns the bytes that no longer count towards
 * the quota.
 */
export async function eraseVersions(
  { db, workspace }: Reader,
  key: number,
  revisions: readonly number[],
): Promise<number> {
  const rows = await db.all<{ bytes: number }>(
    `DELETE FROM note_revisions
     WHERE workspace = $1 AND key = $2 AND revision IN ${integersIn('$3')}
     RETURNING ${ROW_BYTES_SQL} AS bytes`,
    [workspace.id, key, JSON.stringify(revisions)],
  )
  const bodies = await db.all<{ bytes: number }>(
    `DELETE FROM note_revision_bodies
     WHERE workspace = $1 AND key = $2
       AND revision NOT IN (SELECT body_revision FROM note_revisions WHERE workspace = $1 AND key = $2)
     RETURNING ${byteLength('body')} AS bytes`,
    [workspace.id, key],
  )
  return [...rows, ...bodies].reduce((sum, { bytes }) => sum + bytes, 0)
}

/**
 * The magic number at the start of every zstd frame. `0xb5` after `(` is not valid UTF-8, so no text begins like this.
 */
const ZSTD_MAGIC = [0x28, 0xb5, 0x2f, 0xfd]

/** Compresses a text with zstd (RFC 8878), or returns plain UTF-8 if that is not longer. */
export function packText(text: string): Uint8Array {
  const raw = Buffer.from(text)
  const compressed = Bun.zstdCompressSync(raw)
  return compressed.length < raw.length ? compressed : raw
}

export function unpackText(packed: Uint8Array): string {
  const isCompressed = ZSTD_MAGIC.every((byte, i) => packed[i] === byte)
  return Buffer.from(isCompressed ? Bun.zstdDecompressSync(packed) : packed).toString()
}
