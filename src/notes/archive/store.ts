import { Bindings, type Reader, type Session } from '../../db/database'
import { buildFilterConditions, type NoteFilter } from '../filters'
import type { VersionColumns } from '../revisions/store'
import { type ImportDigests, type NoteRow, SUMMARY_COLUMNS } from '../store'

/** A note with the digests of its last import from a file; they are null if it was not imported. */
export type StoredNote = NoteRow & { readonly [Name in keyof ImportDigests]: ImportDigests[Name] | null }

/**
 * A version. For the current content of the note, its content is null, and `last_revision` is the revision of the note.
 */
export type StoredVersion = Omit<VersionColumns, 'key' | ContentColumn> & {
  readonly [Column in ContentColumn]: VersionColumns[Column] | null
} & {
  readonly note_id: string
  readonly packed_body: Uint8Array | null
  /** The body, if the version shares it with the current note. */
  readonly present_body: string | null
}
type ContentColumn = 'title' | 'folder' | 'tags' | 'properties'

/**
 * Bytes of bodies in one read, which may exceed it by one body. The limit is needed because a read delays all other
 * requests and stays in memory.
 */
const READ_BYTES = 512 * 1024

/**
 * Lists a batch of notes in the order of their ids, after `after`; empty at the end.
 * @param filter without it all notes are listed, including those in the trash
 */
export function listNotesAfter(
  { db, workspace }: Reader,
  after: string,
  limit: number,
  filter?: NoteFilter,
): Promise<StoredNote[]> {
  const bind = new Bindings(workspace.id, after, limit, READ_BYTES)
  return db.all<StoredNote>(
    `SELECT ${SUMMARY_COLUMNS}, properties, body, front_matter, file_hash, note_hash
     FROM (
       SELECT note, sum(bytes) OVER (ORDER BY id) - bytes AS bytes_before
       FROM (SELECT key AS note, id, size_bytes AS bytes FROM notes
         WHERE workspace = $1 AND id > $2 ${filter ? buildFilterConditions(filter, bind) : ''} ORDER BY id LIMIT $3) AS listed
     ) AS listed
     JOIN notes ON notes.key = note
     JOIN note_bodies ON note_bodies.key = notes.key LEFT JOIN note_imports ON note_imports.key = notes.key
     WHERE bytes_before < $4 ORDER BY notes.id`,
    bind.values,
  )
}

type NotePathRow = Pick<NoteRow, 'key' | 'id' | 'folder' | 'title' | 'file_name' | 'links_in'>

/** Lists a batch of notes as listNotesAfter does, without their contents. */
export function listNotePathsAfter(
  { db, workspace }: Reader,
  after: string,
  limit: number,
  filter: NoteFilter,
): Promise<NotePathRow[]> {
  const bind = new Bindings(workspace.id, after, limit)
  return db.all<NotePathRow>(
    `SELECT key, id, folder, title, file_name, links_in FROM notes
     WHERE workspace = $1 AND id > $2 ${buildFilterConditions(filter, bind)} ORDER BY id LIMIT $3`,
    bind.values,
  )
}

/**
 * Lists a batch of versions in the order of the notes' ids, and for each note the newest version, then the others from
 * the oldest on; empty at the end. `after` is the last version of the batch before, see getVersionPosition. Leaves out
 * versions that merging the note creates by itself.
 */
export function listVersionsAfter(
  { db, workspace }: Reader,
  after: { readonly id: string; readonly position: number },
  limit: number,
): Promise<StoredVersion[]> {
  return db.all<StoredVersion>(
    `SELECT notes.id AS note_id, version.revision, coalesce(last_revision, notes.revision) AS last_revision,
       version.updated_at, label, label_revision, body_revision, version.title, version.folder, version.tags,
       version.properties, old_body.body AS packed_body,
       CASE WHEN last_revision IS NOT NULL AND old_body.key IS NULL THEN body.body END AS present_body
     FROM (
       SELECT note, of_note, place, sum(bytes) OVER (ORDER BY id, place) - bytes AS bytes_before
       FROM (
         SELECT notes.key AS note, notes.id AS id, version.revision AS of_note, ${POSITION} AS place,
           CASE WHEN last_revision IS NULL THEN 0 ELSE notes.size_bytes END AS bytes
         FROM notes JOIN note_revisions AS version ON version.key = notes.key
         WHERE notes.workspace = $1 AND notes.id >= $2 AND (notes.id > $2 OR ${POSITION} > $3)
           AND NOT (last_revision IS NULL AND version.revision = notes.revision AND body_revision = notes.revision
             AND version.updated_at = notes.updated_at AND label IS NULL AND label_revision = 1)
         ORDER BY notes.id, ${POSITION} LIMIT $4
       ) AS listed
     ) AS listed
     JOIN notes ON notes.key = note
     JOIN note_revisions AS version ON version.key = note AND version.revision = of_note
     JOIN note_bodies AS body ON body.key = note
     LEFT JOIN note_revision_bodies AS old_body
       ON old_body.key = note AND old_body.revision = version.body_revision AND last_revision IS NOT NULL
     WHERE bytes_before < $5 ORDER BY notes.id, place`,
    [workspace.id, after.id, after.position, limit, READ_BYTES],
  )
}

const POSITION = 'CASE WHEN last_revision IS NULL THEN 0 ELSE version.revision END'

/** Returns the position of a version among those of its note, as listVersionsAfter takes it. */
export function getVersionPosition({ revision, title }: StoredVersion): number {
  return title === null ? 0 : revision
}

export interface VersionBefore {
  readonly key: number
  readonly note_revision: number
  /** The revision of the version; null if there is none. */
  readonly revision: number | null
  /** Null: the version is the current one. */
  readonly last_revision: number | null
  readonly body_revision: number | null
  readonly label: string | null
  readonly label_revision: number | null
}

/** Returns the note and its newest version that begins at `revision` or before; null if there is no such note. */
export function getVersionBefore(
  { db, workspace }: Session,
  id: string,
  revision: number,
): Promise<VersionBefore | null> {
  return db.get<VersionBefore>(
    `SELECT notes.key, notes.revision AS note_revision, version.revision, last_revision, body_revision, label,
       label_revision
     FROM notes LEFT JOIN note_revisions AS version ON version.key = notes.key AND version.revision =
       (SELECT max(revision) FROM note_revisions WHERE key = notes.key AND revision <= $3)
     WHERE notes.workspace = $1 AND notes.id = $2`,
    [workspace.id, id, revision],
  )
}

export function getEarlierVersion(
  { db, workspace }: Session,
  key: number,
  revision: number,
): Promise<{ revision: number; last_revision: number } | null> {
  return db.get(
    `SELECT revision, last_revision FROM note_revisions WHERE workspace = $1 AND key = $2 AND revision < $3
     ORDER BY revision DESC LIMIT 1`,
    [workspace.id, key, revision],
  )
}

/**
 * Returns the body with this revision: packed, or as text if it is the current body of the note; null if there is none.
 */
export function getVersionBody(
  { db, workspace }: Session,
  key: number,
  revision: number,
): Promise<{ packed: Uint8Array | null; text: string | null } | null> {
  return db.get(
    `SELECT old_body.body AS packed, CASE WHEN old_body.key IS NULL THEN body.body END AS text
     FROM note_revisions AS version JOIN note_bodies AS body ON body.key = version.key
     LEFT JOIN note_revision_bodies AS old_body ON old_body.key = version.key AND old_body.revision = body_revision
     WHERE version.workspace = $1 AND version.key = $2 AND body_revision = $3 LIMIT 1`,
    [workspace.id, key, revision],
  )
}

const VERSION_COLUMNS = [
  ...(['key', 'revision', 'last_revision', 'updated_at', 'label', 'label_revision'] as const),
  ...(['title', 'folder', 'tags', 'properties', 'body_revision'] as const),
] satisfies (keyof VersionColumns)[]

/** Adds a closed version. Its body is stored separately, see addVersionBody. */
export async function addVersion({ db, workspace }: Session, version: VersionColumns): Promise<void> {
  const values = VERSION_COLUMNS.map((_, i) => `$${i + 2}`).join(', ')
  const sql = `INSERT INTO note_revisions (workspace, ${VERSION_COLUMNS.join(', ')}) VALUES ($1, ${values})`
  await db.run(sql, [workspace.id, ...VERSION_COLUMNS.map((column) => version[column])])
}

/** Sets the revisions and the time since which the note has its current content and body. */
export async function setNewestVersion(
  { db, workspace }: Session,
  key: number,
  { revision, updated_at, body_revision }: Pick<VersionColumns, 'revision' | 'updated_at' | 'body_revision'>,
): Promise<void> {
  await db.run(
    `UPDATE note_revisions SET revision = $3, updated_at = $4, body_revision = $5
     WHERE workspace = $1 AND key = $2 AND last_revision IS NULL`,
    [workspace.id, key, revision, updated_at, body_revision],
  )
}
