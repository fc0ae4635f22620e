import type { Reader, Session } from '../../db/database'
import { integersIn } from '../../db/dialect'
import { createTable, fixed, int, type RowOf, STORED, text } from '../../db/table'
import type { NoteTypeContent } from './note-type'

/** The table of note types. They never change, but for settings that were not known before. Instants are milliseconds. */
export const noteTypeTable = createTable('flashcard_note_types', {
  ...STORED,
  anki_id: fixed(int()),
  name: fixed(text()),
  kind: fixed(text<NoteTypeContent['kind']>()),
  /** JSON. */
  fields: fixed(text()),
  /** JSON. */
  templates: fixed(text()),
  css: fixed(text()),
  hash: fixed(text()),
  /** JSON, or null. */
  settings: text<string | null>(),
  size_bytes: int(),
})

export type NoteTypeRow = RowOf<typeof noteTypeTable>

const COLUMNS = noteTypeTable.columns

/** Returns the note types that these facts have, by key. */
export async function loadNoteTypes(reader: Reader, facts: readonly { readonly note_type: number | null }[]) {
  const keys = new Set(facts.flatMap(({ note_type }) => note_type ?? []))
  const rows = keys.size === 0 ? [] : await noteTypeTable.getByKeys(reader, [...keys])
  return new Map(rows.map((row) => [row.key, noteTypeOfRow(row)]))
}

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
