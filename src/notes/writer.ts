import { setImmediate } from 'node:timers/promises'
import type { RecordChange } from '../db/change-feed'
import type { Context } from '../db/context'
import type { Session } from '../db/database'
import { createRefuseTakenSource, createResourceWriter } from '../http/resource'
import { scanInTurns } from './markdown/scan-markdown'
import { stripByteOrderMark } from './note'
import { eraseNote, findNoteBySource, getNote, insertNote, type NoteDraft, type NoteRow, updateNote } from './store'

/** UTF-16 units from which a text is long: each thing that is done with it takes milliseconds. */
const LONG_TEXT_UNITS = 64 * 1024

function isLong(text: string): boolean {
  return text.length > LONG_TEXT_UNITS
}

/** Before and after what takes long with a long text: other requests have their turn. */
export async function yieldIfLong(text: string): Promise<void> {
  if (isLong(text)) await setImmediate()
}

/** Reads a long body in turns, before anything that needs its structure, and best before the transaction. */
export async function warmScanCache(body: string | undefined): Promise<void> {
  if (body !== undefined && isLong(body)) await scanInTurns(stripByteOrderMark(body))
}

/**
 * Keeps something in step with the notes: the index, the tags, the links, the history. Called for every write, in the
 * transaction of the write.
 */
export interface NoteWriteHook {
  /** A note was stored: for the first time (`old` is null), changed, trashed or restored. */
  afterWrite(session: Session, old: NoteRow | null, note: NoteRow): Promise<HookResult>
  /** A note is about to be erased for good. Returns how many bytes more (or fewer) count towards the quota. */
  beforeErase(session: Session, note: NoteRow): Promise<number>
}

/** The result of a follower. */
interface HookResult {
  /** The note as it is now. */
  readonly note: NoteRow
  /** How many bytes more beside the note count towards the quota. The writer counts them together with the note's. */
  readonly bytes: number
}

interface NoteWriterDeps extends Pick<Context, 'now'> {
  readonly record: RecordChange
  /** In the order in which they are called. */
  readonly hooks: readonly NoteWriteHook[]
}

export type NoteWriter = ReturnType<typeof createNoteWriter>

/** The one way to write notes; see createResourceWriter. Throws conflict if an id or a source is taken. */
export function createNoteWriter({ now, record, hooks: followers }: NoteWriterDeps) {
  async function follow(session: Session, old: NoteRow | null, note: NoteRow) {
    let [row, bytes] = [note, 0]
    for (const follower of followers) {
      await yieldIfLong(note.body)
      const followed = await follower.afterWrite(session, old, row)
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
      for (const follower of followers) bytes += await follower.beforeErase(session, note)
      await writer.erase(session, note, -bytes)
    },
  }
}
