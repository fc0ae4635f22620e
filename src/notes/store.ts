import type { Queries, WorkspaceId } from '../db/database'
import type { Key } from '../http/cursor'
import type { Sort } from './schema'

/** A row of `notes`: instants are milliseconds, `tags` and `properties` are JSON. */
export interface SummaryRow {
  readonly key: number
  readonly id: string
  readonly revision: number
  readonly computed_revision: number
  readonly created_at: number
  readonly updated_at: number
  readonly deleted_at: number | null
  readonly title: string
  readonly title_key: string
  readonly folder: string | null
  readonly tags: string
  readonly pinned: number
  readonly archived_at: number | null
  readonly excerpt: string
  readonly word_count: number
  readonly size_bytes: number
}

export interface NoteRow extends SummaryRow {
  readonly properties: string
  readonly body: string
}

export interface Listing {
  readonly trashed: boolean
  readonly sort: Sort
  /** The sort keys of the last note shown, or null for the first page. */
  readonly after: readonly Key[] | null
  readonly limit: number
}

const SUMMARY = `notes.key, id, revision, computed_revision, created_at, updated_at, deleted_at, title, title_key,
  folder, tags, pinned, archived_at, excerpt, word_count, size_bytes`

const SORT_COLUMNS = { updated: 'updated_at', created: 'created_at', title: 'title_key' } as const

/** Which column a sort goes by, and whether it descends. */
export function sortOf(sort: Sort): { column: (typeof SORT_COLUMNS)[keyof typeof SORT_COLUMNS]; descends: boolean } {
  const name = sort.replace('-', '') as keyof typeof SORT_COLUMNS
  return { column: SORT_COLUMNS[name], descends: sort.startsWith('-') }
}

/** Stores a new note; null if its id is taken in this workspace, else its key. */
export async function insertNote(db: Queries, workspace: WorkspaceId, note: Omit<NoteRow, 'key'>): Promise<number | null> {
  const inserted = await db.get<{ key: number }>(
    `INSERT INTO notes (workspace, id, revision, created_at, updated_at, deleted_at, title, title_key, folder, tags,
       pinned, archived_at, properties, excerpt, word_count, size_bytes)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
     ON CONFLICT (workspace, id) DO NOTHING RETURNING key`,
    [workspace, note.id, note.revision, note.created_at, ...changing(note)],
  )
  if (!inserted) return null
  await db.run('INSERT INTO note_bodies (key, body) VALUES ($1, $2)', [inserted.key, note.body])
  return inserted.key
}

/** Writes every member that can change. The body is written only where `withBody` says that it differs. */
export async function updateNote(db: Queries, workspace: WorkspaceId, note: NoteRow, withBody: boolean): Promise<void> {
  await db.run(
    `UPDATE notes SET revision = $3, updated_at = $4, deleted_at = $5, title = $6, title_key = $7, folder = $8,
       tags = $9, pinned = $10, archived_at = $11, properties = $12, excerpt = $13, word_count = $14, size_bytes = $15
     WHERE workspace = $1 AND id = $2`,
    [workspace, note.id, note.revision, ...changing(note)],
  )
  if (withBody) await db.run('UPDATE note_bodies SET body = $2 WHERE key = $1', [note.key, note.body])
}

function changing(note: Omit<NoteRow, 'key'>) {
  return [
    note.updated_at,
    note.deleted_at,
    note.title,
    note.title_key,
    note.folder,
    note.tags,
    note.pinned,
    note.archived_at,
    note.properties,
    note.excerpt,
    note.word_count,
    note.size_bytes,
  ]
}

export async function eraseNote(db: Queries, workspace: WorkspaceId, id: string): Promise<void> {
  await db.run('DELETE FROM notes WHERE workspace = $1 AND id = $2', [workspace, id])
}

/** The note, whether living or in the trash. */
export function getNote(db: Queries, workspace: WorkspaceId, id: string): Promise<NoteRow | null> {
  return db.get<NoteRow>(
    `SELECT ${SUMMARY}, properties, body FROM notes JOIN note_bodies ON note_bodies.key = notes.key
     WHERE workspace = $1 AND id = $2`,
    [workspace, id],
  )
}

/** One page of notes, living or trashed, without reading any body. */
export function listNotes(db: Queries, workspace: WorkspaceId, listing: Listing): Promise<SummaryRow[]> {
  const { column, descends } = sortOf(listing.sort)
  const [than, order] = descends ? ['<', 'DESC'] : ['>', 'ASC']
  const kept = listing.trashed ? 'deleted_at IS NOT NULL' : 'deleted_at IS NULL'
  const from = listing.after ? `AND (${column}, id) ${than} ($3, $4)` : ''
  return db.all<SummaryRow>(
    `SELECT ${SUMMARY} FROM notes WHERE workspace = $1 AND ${kept} ${from}
     ORDER BY ${column} ${order}, id ${order} LIMIT $2`,
    [workspace, listing.limit, ...(listing.after ?? [])],
  )
}

export async function countNotes(db: Queries, workspace: WorkspaceId): Promise<number> {
  const sql = 'SELECT count(*) AS n FROM notes WHERE workspace = $1 AND deleted_at IS NULL'
  return (await db.get<{ n: number }>(sql, [workspace]))?.n ?? 0
}
