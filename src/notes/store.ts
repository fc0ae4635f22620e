import type { Reader, Session } from '../db/database'
import { integersIn, valuesIn } from '../db/dialect'
import { createTable, derived, int, keysOf, type RowOf, STORED, text } from '../db/table'
import type { Wipe } from '../db/trash'

/** The table of notes: instants are milliseconds, flags are 0 or 1, `tags`, `inline_tags` and `properties` are JSON. */
const noteTable = createTable('notes', {
  ...STORED,
  computed_revision: derived<number>(),
  deleted_at: int<number | null>(),
  title: text(),
  title_key: text(),
  /** The name of the note's file, with its extension; null: it has none of its own. */
  file_name: text<string | null>(),
  folder: text<string | null>(),
  tags: text(),
  inline_tags: text(),
  pinned: int(),
  archived_at: int<number | null>(),
  properties: text(),
  source_system: text<string | null>(),
  source_id: text<string | null>(),
  source_url: text<string | null>(),
  daily_date: text<string | null>(),
  excerpt: text(),
  word_count: int(),
  checklist_total: int(),
  checklist_done: int(),
  // links/store.ts writes the counts of links.
  links_out: derived<number>(),
  links_unresolved: derived<number>(),
  links_in: derived<number>(),
  size_bytes: int(),
})

export type SummaryRow = Omit<RowOf<typeof noteTable>, 'properties'>

/** A whole note. */
export interface NoteRow extends RowOf<typeof noteTable> {
  readonly body: string
  /** The front matter of its file, without what Satchel added, as it was last imported or sent; see writeNoteFrontMatter. */
  readonly front_matter: string
}

export type NoteDraft = Omit<NoteRow, 'key'>

/** The columns of a SummaryRow, qualified for SQL with joins. */
export const SUMMARY_COLUMNS = noteTable.columnsBut('properties')

/** Stores a new note; null if its id is taken in this workspace. */
export async function insertNote({ db, workspace }: Session, draft: NoteDraft): Promise<NoteRow | null> {
  const row = await noteTable.insert({ db, workspace }, draft)
  const sql = 'INSERT INTO note_bodies (key, workspace, body, front_matter) VALUES ($1, $2, $3, $4)'
  if (row) await db.run(sql, [row.key, workspace.id, draft.body, draft.front_matter])
  return row && { ...draft, key: row.key }
}

/** Updates every member that can change, and the texts that differ. */
export async function updateNote({ db, workspace }: Session, note: NoteRow, old: NoteRow): Promise<NoteRow> {
  await noteTable.update({ db, workspace }, note)
  const update = (column: 'body' | 'front_matter') =>
    db.run(`UPDATE note_bodies SET ${column} = $3 WHERE workspace = $1 AND key = $2`, [
      workspace.id,
      note.key,
      note[column],
    ])
  if (note.body !== old.body) await update('body')
  if (note.front_matter !== old.front_matter) await update('front_matter')
  return note
}

/** Reads notes without their texts. */
export const getNoteHeads = noteTable.getByKeys

/** Erases a note permanently; foreign keys delete the rows that depend on it. */
export const eraseNote = noteTable.erase

export function getNote({ db, workspace }: Reader, id: string): Promise<NoteRow | null> {
  return db.get<NoteRow>(
    `SELECT ${SUMMARY_COLUMNS}, properties, body, front_matter FROM notes JOIN note_bodies ON note_bodies.key = notes.key
     WHERE notes.workspace = $1 AND id = $2`,
    [workspace.id, id],
  )
}

export async function findNoteRevision({ db, workspace }: Session, id: string): Promise<number | null> {
  const sql = 'SELECT revision FROM notes WHERE workspace = $1 AND id = $2'
  return (await db.get<{ revision: number }>(sql, [workspace.id, id]))?.revision ?? null
}

/** Returns the id of the note with this source, living or in the trash; null if there is none. */
export async function findNoteBySource({ db, workspace }: Reader, system: string, id: string): Promise<string | null> {
  const sql = 'SELECT id FROM notes WHERE workspace = $1 AND source_system = $2 AND source_id = $3'
  return (await db.get<{ id: string }>(sql, [workspace.id, system, id]))?.id ?? null
}

/** Reads members of notes by their keys, living or in the trash, in no order. Texts are read only if they are named. */
export function getNotesByKey<Member extends keyof NoteRow>(
  { db, workspace }: Reader,
  keys: readonly number[],
  members: readonly Member[],
): Promise<Pick<NoteRow, Member>[]> {
  const isText = (member: string) => member === 'body' || member === 'front_matter'
  const columns = members.map((member) => (isText(member) ? member : `notes.${member}`))
  const texts = members.some(isText) ? 'JOIN note_bodies ON note_bodies.key = notes.key' : ''
  // The plus keeps SQLite from walking all notes of the workspace instead.
  const sql = `SELECT ${columns.join(', ')} FROM notes ${texts}
    WHERE +notes.workspace = $1 AND notes.key IN ${integersIn('$2')}`
  return db.all(sql, [workspace.id, JSON.stringify(keys)])
}

/** The members by which links find a note. */
export const LOCATION = ['key', 'id', 'title', 'file_name', 'folder'] as const

export async function listKnownIds({ db, workspace }: Session, ids: readonly string[]): Promise<string[]> {
  const sql = `SELECT id FROM notes WHERE workspace = $1 AND id IN ${valuesIn('$2')}`
  return (await db.all<{ id: string }>(sql, [workspace.id, JSON.stringify(ids)])).map(({ id }) => id)
}

export async function countNotes({ db, workspace }: Session): Promise<number> {
  const sql = 'SELECT count(*) AS n FROM notes WHERE workspace = $1 AND deleted_at IS NULL'
  return (await db.get<{ n: number }>(sql, [workspace.id]))?.n ?? 0
}

export async function findDailyNote({ db, workspace }: Session, date: string): Promise<string | null> {
  const sql = 'SELECT id FROM notes WHERE workspace = $1 AND daily_date = $2 AND deleted_at IS NULL'
  return (await db.get<{ id: string }>(sql, [workspace.id, date]))?.id ?? null
}

/**
 * Erases notes and all rows that depend on them. Deletes old bodies first, `limit` at a time: one note may have
 * hundreds, and one large transaction would delay other writers.
 */
export const wipeNotes: Wipe = async (db, workspace, limit) => {
  const sql = 'SELECT key FROM notes WHERE workspace = $1 LIMIT $2'
  const notes = await db.all<{ key: number }>(sql, [workspace, limit])
  if (notes.length === 0) return false
  const keys = JSON.stringify(keysOf(notes))
  const bodies = `DELETE FROM note_revision_bodies WHERE workspace = $1 AND (key, revision) IN (
    SELECT key, revision FROM note_revision_bodies WHERE workspace = $1 AND key IN ${integersIn('$2')} LIMIT $3)`
  if ((await db.run(bodies, [workspace, keys, limit])) === limit) return true
  await db.run(`DELETE FROM notes WHERE +workspace = $1 AND key IN ${integersIn('$2')}`, [workspace, keys])
  return notes.length === limit
}

/** The digests of an imported note at its last import: of the note in the file and of the note as it was stored. */
export interface ImportDigests {
  readonly file_hash: string
  readonly note_hash: string
}

export function getImportDigests({ db, workspace }: Session, key: number): Promise<ImportDigests | null> {
  return db.get<ImportDigests>('SELECT file_hash, note_hash FROM note_imports WHERE workspace = $1 AND key = $2', [
    workspace.id,
    key,
  ])
}

/** Returns the digests of notes in their files at their last import, by their source ids. */
export async function getFileHashes(
  { db, workspace }: Reader,
  system: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await db.all<{ source_id: string; file_hash: string }>(
    `SELECT source_id, file_hash FROM notes JOIN note_imports ON note_imports.key = notes.key
     WHERE notes.workspace = $1 AND source_system = $2 AND source_id IN ${valuesIn('$3')}`,
    [workspace.id, system, JSON.stringify(ids)],
  )
  return new Map(rows.map(({ source_id, file_hash }) => [source_id, file_hash]))
}

export async function putImportDigests(
  { db, workspace }: Session,
  key: number,
  imported: ImportDigests,
): Promise<void> {
  const values = [workspace.id, key, imported.file_hash, imported.note_hash]
  const update = 'UPDATE note_imports SET file_hash = $3, note_hash = $4 WHERE workspace = $1 AND key = $2'
  if ((await db.run(update, values)) > 0) return
  await db.run(
    `INSERT INTO note_imports (workspace, key, file_hash, note_hash)
     SELECT workspace, key, $3, $4 FROM notes WHERE workspace = $1 AND key = $2`,
    values,
  )
}
