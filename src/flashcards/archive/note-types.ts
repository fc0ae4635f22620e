import { type ArchivedType, readPages } from '../../archive/archived-type'
import { invalid } from '../../http/api-error'
import { createValidator } from '../../http/validation'
import { isStorableSettings, MAX_NOTE_TYPE_BYTES, measureNoteType } from '../note-type'
import { listNoteTypesAfter, noteTypeTable } from '../note-type-store'
import type { NoteTypeWriter } from '../note-type-writer'
import { showNoteType } from '../note-types/service'
import { NoteTypeLine, readLineStamps } from './lines'

/** Note types that are read at a time, with at most 10 MiB of templates. */
const NOTE_TYPES_READ = 10

const readLine = createValidator(NoteTypeLine, 'the note type')

/** The archive of note types. They never change, so one that is here already is kept. */
export function archivedNoteTypes({ noteTypeWriter }: { readonly noteTypeWriter: NoteTypeWriter }): ArchivedType {
  return {
    type: 'note_type',

    async *items(db, workspace) {
      const list = (after: string) => listNoteTypesAfter(db, workspace, after, NOTE_TYPES_READ)
      for await (const rows of readPages('', list, ({ id }) => id))
        for (const row of rows) yield showNoteType(row).resource
    },

    async merge(session, item) {
      const { id, revision, created_at, updated_at, settings, ...content } = readLine(item)
      const noteType = { ...content, settings: settings && isStorableSettings(settings) ? settings : null }
      if (await noteTypeTable.get(session.db, session.workspace.id, id)) return 'unchanged'
      if (measureNoteType(noteType) > MAX_NOTE_TYPE_BYTES)
        throw invalid('/templates', 'too_long', `a note type must have at most ${MAX_NOTE_TYPE_BYTES} bytes`)
      await noteTypeWriter.insert(session, { id, revision, ...readLineStamps({ created_at, updated_at }) }, noteType)
      return 'created'
    },
  }
}
