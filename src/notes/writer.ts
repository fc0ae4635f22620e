import { setImmediate } from 'node:timers/promises'
import type { RecordChange } from '../db/change-feed'
import type { Context } from '../db/context'
import type { Session } from '../db/database'
import { ApiError } from '../http/api-error'
import { scanAhead } from './markdown/scan'
import { stripByteOrderMark } from './note'
import { eraseNote, findNoteBySource, insertNote, type NoteRow, updateNote } from './store'

/** UTF-16 units from which a text is long: each thing that is done with it takes milliseconds. */
const LONG = 64 * 1024

function isLong(text: string): boolean {
  return text.length > LONG
}

/** Before and after what takes long with a long text: other requests have their turn. */
export async function turnIfLong(text: string): Promise<void> {
  if (isLong(text)) await setImmediate()
}

/** Reads a long body in turns, before anything that needs its structure, and best before the transaction. */
export async function readAhead(body: string | undefined): Promise<void> {
  if (body !== undefined && isLong(body)) await scanAhead(stripByteOrderMark(body))
}

/**
 * Keeps something in step with the notes: the index, the tags, the links, the history. Called for every write, in the
 * transaction of the write.
 */
export interface NoteFollower {
  /** A note was stored: for the first time (`old` is null), changed, trashed or restored. */
  written(session: Session, old: NoteRow | null, note: NoteRow): Promise<Followed>
  /** A note is about to be erased for good. Returns how many bytes more (or fewer) count towards the quota. */
  erased(session: Session, note: NoteRow): Promise<number>
}

/** The result of a follower. */
interface Followed {
  /** The note as it is now. */
  readonly note: NoteRow
  /** How many bytes more beside the note count towards the quota. The writer counts them together with the note's. */
  readonly bytes: number
}

interface NoteWriterDeps extends Pick<Context, 'now'> {
  readonly record: RecordChange
  /** In the order in which they are called. */
  readonly followers: readonly NoteFollower[]
}

/**
 * The one way in which notes are written. `session.db` must be a transaction: the row, what the followers keep, the change
 * feed and the totals change together or not at all.
 */
export interface NoteWriter {
  /** Stores a new note. Throws conflict if its id or its source is taken. */
  insert(session: Session, draft: Omit<NoteRow, 'key'>): Promise<NoteRow>
  /** Stores `next`, whose revision is higher than that of `old`: by one, unless it comes from elsewhere. Throws conflict if its source is taken. */
  save(session: Session, old: NoteRow, next: NoteRow): Promise<NoteRow>
  erase(session: Session, note: NoteRow): Promise<void>
}

export function createNoteWriter({ now, record, followers }: NoteWriterDeps): NoteWriter {
  async function follow(session: Session, old: NoteRow | null, note: NoteRow): Promise<NoteRow> {
    let present = note
    let bytes = note.size_bytes - (old?.size_bytes ?? 0)
    for (const follower of followers) {
      await turnIfLong(note.body)
      const followed = await follower.written(session, old, present)
      present = followed.note
      bytes += followed.bytes
    }
    await record(session, {
      type: 'note',
      id: note.id,
      op: note.deleted_at === null ? 'upsert' : 'delete',
      revision: note.revision,
      at: note.updated_at,
      resources: old ? 0 : 1,
      bytes,
    })
    return present
  }

  return {
    async insert(session, draft) {
      await refuseTakenSource(session, draft)
      const key = await insertNote(session.db, session.workspace.id, draft)
      if (key === null) throw taken('A note with this id exists already.', draft.id)
      return follow(session, null, { ...draft, key })
    },

    async save(session, old, next) {
      if (next.source_system !== old.source_system || next.source_id !== old.source_id)
        await refuseTakenSource(session, next)
      await updateNote(session.db, session.workspace.id, next, next.body !== old.body)
      return follow(session, old, next)
    },

    async erase(session, note) {
      let bytes = -note.size_bytes
      for (const follower of followers) bytes += await follower.erased(session, note)
      await eraseNote(session.db, session.workspace.id, note.id)
      await record(session, {
        type: 'note',
        id: note.id,
        op: 'delete',
        revision: note.revision + 1,
        at: now(),
        resources: -1,
        bytes,
      })
    },
  }
}

async function refuseTakenSource({ db, workspace }: Session, note: Omit<NoteRow, 'key'>): Promise<void> {
  if (note.source_system === null || note.source_id === null) return
  const holder = await findNoteBySource(db, workspace.id, note.source_system, note.source_id)
  if (holder !== null && holder !== note.id) throw taken('A note with this source exists already.', holder)
}

function taken(detail: string, id: string): ApiError {
  return new ApiError('conflict', detail, { existing_id: id })
}
