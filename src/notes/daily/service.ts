import type { Context } from '../../db/context'
import type { Session } from '../../db/database'
import { ApiError } from '../../http/api-error'
import { type Precondition, type Tagged, writeEtag } from '../../http/conditional'
import { readCivilDate, readZone, today } from '../../http/values'
import type { EditNote } from '../edits/schema'
import { createBody, type NoteEdits } from '../edits/service'
import { createNoteRow, toNote } from '../note'
import type { CreateNote, Note } from '../schema'
import { type Notes, noteReader, withTagSpelling } from '../service'
import { findDailyNote, type NoteDraft } from '../store'
import type { NoteWriter } from '../writer'
import type { PutDailyNote } from './schema'

interface Deps extends Pick<Context, 'now' | 'ids'> {
  readonly notes: Pick<Notes, 'update'>
  readonly edits: Pick<NoteEdits, 'apply'>
  readonly writer: NoteWriter
}

/** A daily note as a write left it. */
export interface DailyNoteChange {
  readonly created: boolean
  readonly note: Tagged<Note>
  /** How many notes had their links to this one rewritten. */
  readonly linksUpdated: number
}

/** What a write of a daily note asks of what is there. */
export interface DailyConditions {
  readonly ifMatch: Precondition
  /** Whether If-None-Match forbids to write over the note with this ETag. */
  readonly isForbidden: (etag: string) => boolean
}

export type DailyNotes = ReturnType<typeof createDailyNotes>

/** The one living note of each day: found by its date, and made when it is first written. */
export function createDailyNotes({ notes, edits, writer, now, ids }: Deps) {
  const createDraft = (date: string, input: CreateNote): NoteDraft => ({
    ...createNoteRow({ id: ids(), at: now(), input: { title: date, ...input } }),
    daily_date: date,
  })

  async function insert(within: Session, draft: NoteDraft): Promise<DailyNoteChange> {
    const note = toNote(await writer.insert(within, await withTagSpelling(within, draft)))
    return { created: true, note, linksUpdated: 0 }
  }

  return {
    /** The day that a path names: a date, or `today` in a zone. Throws invalid_request. */
    readDay(date: string, zone = 'UTC'): string {
      const checkedZone = readZone(zone, '/time_zone')
      return date === 'today' ? today(now(), checkedZone) : readCivilDate(date, '/date')
    },

    /** Throws not_found if the day has no living note. */
    async get(session: Session, date: string): Promise<Tagged<Note>> {
      const id = await findDailyNote(session.db, session.workspace.id, date)
      if (id === null) throw new ApiError('not_found', 'This day has no note.')
      return toNote(await noteReader.load(session, id))
    },

    /**
     * Writes the day's note, making it if there is none. Absent members stay; a new title or folder rewrites the links.
     * Throws precondition_failed, rewrite_impossible.
     */
    put(
      session: Session,
      date: string,
      input: PutDailyNote,
      { ifMatch, isForbidden: forbids }: DailyConditions,
    ): Promise<DailyNoteChange> {
      return session.db.transaction(async (db) => {
        const within = { ...session, db }
        const id = await findNoteToWrite(within, date, ifMatch)
        if (id === null) return insert(within, createDraft(date, input))
        const current = await noteReader.load(within, id)
        if (forbids(writeEtag(current.revision, current.computed_revision)))
          throw new ApiError('precondition_failed', 'This day has a note already. Nothing was changed.', {
            current: toNote(current).resource,
          })
        const note = await notes.update(within, id, input, ifMatch)
        return { created: false, note, linksUpdated: note.linksUpdated }
      })
    },

    /** Edits the day's note; one that is not there yet begins with the edits. Throws what the edits throw. */
    edit(session: Session, date: string, input: EditNote, precondition: Precondition): Promise<DailyNoteChange> {
      return session.db.transaction(async (db) => {
        const within = { ...session, db }
        const id = await findNoteToWrite(within, date, precondition)
        if (id !== null)
          return { created: false, note: await edits.apply(within, id, input, precondition), linksUpdated: 0 }
        const draft = createDraft(date, { body: createBody(input.edits) })
        if (!input.dry_run) return insert(within, draft)
        return { created: false, note: toNote({ ...draft, key: 0 }), linksUpdated: 0 }
      })
    },
  }
}

/** The id of the day's note, or null if a write may make it: not where If-Match asks for one that is there. */
async function findNoteToWrite(
  { db, workspace }: Session,
  date: string,
  precondition: Precondition,
): Promise<string | null> {
  const id = await findDailyNote(db, workspace.id, date)
  if (id === null && precondition !== null)
    throw new ApiError('precondition_failed', 'This day has no note. Nothing was changed.', { current: null })
  return id
}
