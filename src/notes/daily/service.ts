import type { Context } from '../../db/context'
import type { Session } from '../../db/database'
import { ApiError } from '../../http/api-error'
import { type Precondition, type Tagged, writeEtag } from '../../http/conditional'
import { readZoneOrDefault } from '../../http/default-zone'
import { readCivilDate, today } from '../../http/values'
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

export interface DailyNoteChange {
  readonly created: boolean
  readonly note: Tagged<Note>
  /** The number of notes whose links to this one were rewritten. */
  readonly linksUpdated: number
}

export interface DailyConditions {
  readonly ifMatch: Precondition
  /** Whether If-None-Match forbids overwriting the note with this ETag. */
  readonly isForbidden: (etag: string) => boolean
}

export type DailyNotes = ReturnType<typeof createDailyNotes>

/** Reads and writes the daily notes: each day has at most one living note, created by the first write. */
export function createDailyNotes({ notes, edits, writer, now, ids }: Deps) {
  const createDraft = (date: string, input: CreateNote): NoteDraft => ({
    ...createNoteRow({ id: ids(), at: now(), input: { title: date, ...input } }),
    daily_date: date,
  })

  async function insert(inside: Session, draft: NoteDraft): Promise<DailyNoteChange> {
    const note = toNote(await writer.insert(inside, await withTagSpelling(inside, draft)))
    return { created: true, note, linksUpdated: 0 }
  }

  return {
    /** Reads the day of a path: a date, or `today` in a time zone, by default that of the workspace. Throws invalid_request. */
    async readDay(session: Session, date: string, zone?: string): Promise<string> {
      const checkedZone = await readZoneOrDefault(session, zone)
      return date === 'today' ? today(now(), checkedZone) : readCivilDate(date, '/date')
    },

    /** Returns the day's note. Throws not_found if it has no living note. */
    async get(session: Session, date: string): Promise<Tagged<Note>> {
      const id = await findDailyNote(session.db, session.workspace.id, date)
      if (id === null) throw new ApiError('not_found', 'This day has no note.')
      return toNote(await noteReader.load(session, id))
    },

    /**
     * Writes the day's note, or creates it. Absent members do not change; a new title or folder rewrites the links to
     * the note. Throws precondition_failed, rewrite_impossible.
     */
    put(
      session: Session,
      date: string,
      input: PutDailyNote,
      { ifMatch, isForbidden }: DailyConditions,
    ): Promise<DailyNoteChange> {
      return session.db.transaction(async (db) => {
        const inside = { ...session, db }
        const id = await findNoteToWrite(inside, date, ifMatch)
        if (id === null) return insert(inside, createDraft(date, input))
        const current = await noteReader.load(inside, id)
        if (isForbidden(writeEtag(current.revision, current.computed_revision)))
          throw new ApiError('precondition_failed', 'This day has a note already. Nothing was changed.', {
            current: toNote(current).resource,
          })
        const note = await notes.update(inside, id, input, ifMatch)
        return { created: false, note, linksUpdated: note.linksUpdated }
      })
    },

    /**
     * Edits the day's note, or creates it with the edits. Throws precondition_failed and the errors of NoteEdits.apply.
     */
    edit(session: Session, date: string, input: EditNote, precondition: Precondition): Promise<DailyNoteChange> {
      return session.db.transaction(async (db) => {
        const inside = { ...session, db }
        const id = await findNoteToWrite(inside, date, precondition)
        if (id !== null)
          return { created: false, note: await edits.apply(inside, id, input, precondition), linksUpdated: 0 }
        const draft = createDraft(date, { body: createBody(input.edits) })
        if (!input.dry_run) return insert(inside, draft)
        return { created: false, note: toNote({ ...draft, key: 0 }), linksUpdated: 0 }
      })
    },
  }
}

/**
 * Returns the id of the day's note, or null if a write may create it. Throws precondition_failed if If-Match was sent
 * and there is none.
 */
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
