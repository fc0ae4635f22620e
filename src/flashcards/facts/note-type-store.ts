import type { Session } from '../../db/database'
import { integersIn } from '../../db/dialect'
import { createTable } from '../../db/table'
import type { NoteTypeContent } from './note-type'

/** A row of `flashcard_note_types`. It never changes, but for settings that were not known before. */
export interface NoteTypeRow extends Pick<NoteTypeContent, 'anki_id' | 'name' | 'kind' | 'css'> {
  readonly key: number
  readonly id: string
  readonly revision: number
  /** Milliseconds since 1970. */
  readonly created_at: number
  readonly updated_at: number
  /** JSON. */
  readonly fields: string
  /** JSON. */
  readonly templates: string
  /** JSON, or null. */
  readonly settings: string | null
  readonly hash: string
  readonly size_bytes: number
}

type NoteTypeDraft = Omit<NoteTypeRow, 'key'>

export const noteTypeTable = createTable<NoteTypeRow, NoteTypeDraft>({
  name: 'flashcard_note_types',
  fixed: ['id', 'anki_id', 'name', 'kind', 'fields', 'templates', 'css', 'hash'],
  written: ['revision', 'created_at', 'updated_at', 'settings', 'size_bytes'],
  read: { key: 'key' },
})

const COLUMNS = noteTypeTable.columns

export const getNoteTypesByKeys = noteTypeTable.getByKeys

export function findNoteTypeByHash({ db, workspace }: Session, hash: string): Promise<NoteTypeRow | null> {
  const sql = `SELECT ${COLUMNS} FROM flashcard_note_types WHERE workspace = $1 AND hash = $2 ORDER BY key LIMIT 1`
  return db.get<NoteTypeRow>(sql, [workspace.id, hash])
}

export const listNoteTypesAfter = noteTypeTable.listAfter

/** Erases those of these note types that no fact has. Returns them. */
export function eraseUnusedNoteTypes(
  { db, workspace }: Session,
  keys: readonly number[],
): Promise<Pick<NoteTypeRow, 'id' | 'revision' | 'size_bytes'>[]> {
  return db.all(
    `DELETE FROM flashcard_note_types WHERE +workspace = $1 AND key IN ${integersIn('$2')}
       AND NOT EXISTS (SELECT 1 FROM study_facts WHERE note_type = flashcard_note_types.key)
     RETURNING id, revision, size_bytes`,
    [workspace.id, JSON.stringify(keys)],
  )
}

export function noteTypeOfRow({ fields, templates, settings, ...row }: NoteTypeRow): NoteTypeContent {
  const { anki_id, name, kind, css } = row
  return {
    ...{ anki_id, name, kind, css, fields: JSON.parse(fields), templates: JSON.parse(templates) },
    settings: settings === null ? null : JSON.parse(settings),
  }
}
