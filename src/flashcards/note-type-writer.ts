import type { RecordChange } from '../db/change-feed'
import type { Session } from '../db/database'
import { changeOf, revise, taken } from '../http/resource'
import { hashNoteType, measureNoteType, type NoteTypeContent } from './note-type'
import { type NoteTypeRow, noteTypeOfRow, noteTypeTable } from './note-type-store'

export type NoteTypeWriter = ReturnType<typeof createNoteTypeWriter>

/** `session.db` must be a transaction. */
export function createNoteTypeWriter({ record }: { readonly record: RecordChange }) {
  return {
    /** Stores a new note type. Throws conflict if its id is taken. */
    async insert(
      session: Session,
      stamps: Pick<NoteTypeRow, 'id' | 'revision' | 'created_at' | 'updated_at'>,
      noteType: NoteTypeContent,
    ): Promise<NoteTypeRow> {
      const { anki_id, name, kind, css, fields, templates } = noteType
      const row = await noteTypeTable.insert(session.db, session.workspace.id, {
        ...stamps,
        ...{ anki_id, name, kind, css },
        fields: JSON.stringify(fields),
        templates: JSON.stringify(templates),
        ...toSettingsColumns(noteType),
        hash: hashNoteType(noteType),
      })
      if (!row) throw taken('A note type with this id exists already.', stamps.id)
      await record(session, changeOf('note_type', row, 0, row.size_bytes))
      return row
    },

    /** Stores settings of a note type that has none. */
    async addSettings(
      session: Session,
      row: NoteTypeRow,
      settings: NonNullable<NoteTypeContent['settings']>,
      at: number,
    ): Promise<NoteTypeRow> {
      const next = revise(row, toSettingsColumns({ ...noteTypeOfRow(row), settings }), at)
      const saved = await noteTypeTable.update(session.db, session.workspace.id, next, row)
      await record(session, changeOf('note_type', saved, 0, saved.size_bytes - row.size_bytes))
      return saved
    },
  }
}

function toSettingsColumns(noteType: NoteTypeContent): Pick<NoteTypeRow, 'settings' | 'size_bytes'> {
  const { settings } = noteType
  return { settings: settings && JSON.stringify(settings), size_bytes: measureNoteType(noteType) }
}
