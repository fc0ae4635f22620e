import type { BlobStaging } from '../blobs/staging'
import type { RecordChange, Reserve } from '../db/change-feed'
import type { Context, Session } from '../db/database'
import type { Imports } from '../imports/service'
import { createRelinkAttachment, createRelinkNotes, keepFileLinks } from './attachments/file-links'
import { createAttachmentWriter } from './attachments/writer'
import { createRenameNote } from './links/rename-note'
import { createRenameSteps } from './links/rename-steps'
import { linkHook } from './links/write-hook'
import { propertyHook } from './property-store'
import { revisionHook } from './revisions/history'
import { tagHook } from './tag-store'
import { createNoteWriter, type NoteWriteHook } from './writer'

/** What the server hands to notes. */
interface NotesDeps extends Pick<Context, 'now' | 'ids'> {
  readonly record: RecordChange
  readonly reserve: Reserve
  readonly blobs: BlobStaging
  readonly imports: Pick<Imports, 'registerWork' | 'findEarlier' | 'work' | 'begin'>
  /** Called before a note is erased for good, in the same transaction. */
  readonly noteErased: (session: Session, id: string) => Promise<void>
}

export type NotesContext = ReturnType<typeof createNotesContext>

/** Makes what the services of notes, their archive and their imports share; each takes the parts that it needs. */
export function createNotesContext(deps: NotesDeps) {
  const { now, ids, record, imports } = deps
  const otherFeatures: NoteWriteHook = {
    async beforeErase(session, note) {
      await deps.noteErased(session, note.id)
      return 0
    },
  }
  // In the order in which they run.
  const writer = createNoteWriter({
    now,
    record,
    hooks: [tagHook, propertyHook, linkHook, revisionHook, otherFeatures],
  })
  const renaming = createRenameSteps({ now, writer, keepFileLinks })
  const relinkNotes = createRelinkNotes({ now, writer })
  return {
    ...deps,
    ...{ writer, renaming, relinkNotes },
    attachmentWriter: createAttachmentWriter({ now, record }),
    rename: createRenameNote({ ids, writer, renaming, imports }),
    relink: createRelinkAttachment({ relink: relinkNotes, imports }),
  }
}
