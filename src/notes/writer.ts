import { setImmediate } from 'node:timers/promises'
import type { RecordChange } from '../db/change-feed'
import type { Context } from '../db/context'
import type { Session } from '../db/database'
import { createRefuseTakenSource, createResourceWriter } from '../http/resource'
import { scanAhead } from './markdown/scan'
import { stripByteOrderMark } from './note'
import { eraseNote, findNoteBySource, getNote, insertNote, type NoteDraft, type NoteRow, updateNote } from './store'

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

export type NoteWriter = ReturnType<typeof createNoteWriter>

/** The one way to write notes; see createResourceWriter. Throws conflict if an id or a source is taken. */
export function createNoteWriter({ now, record, followers }: NoteWriterDeps) {
  async function follow(session: Session, old: NoteRow | null, note: NoteRow) {
    let [row, bytes] = [note, 0]
    for (const follower of followers) {
      await turnIfLong(note.body)
      const followed = await follower.written(session, old, row)
      row = followed.note
      bytes += followed.bytes
    }
    return { row, bytes }
  }

  const store = { get: getNote, insert: insertNote, update: updateNote, erase: eraseNote }
  const refuseTaken = createRefuseTakenSource('note', findNoteBySource)
  const writer = createResourceWriter<NoteRow, NoteDraft>({
    ...{ now, record, store, refuseTaken, follow },
    type: 'note',
    noun: 'note',
  })

  return {
    ...writer,

    async erase(session: Session, note: NoteRow): Promise<void> {
      let bytes = 0
      for (const follower of followers) bytes += await follower.erased(session, note)
      await writer.erase(session, note, -bytes)
    },
  }
}
