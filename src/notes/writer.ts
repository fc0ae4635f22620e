import type { BlobStaging } from '../blobs/staging'
import type { RecordChange, Reserve } from '../db/change-feed'
import type { Context, Session } from '../db/database'
import { createRefuseTakenSource, createResourceWriter } from '../http/resource'
import type { Imports } from '../imports/service'
import { yieldTurn } from '../lib/steps'
import { scanInTurns } from './markdown/scan-markdown'
import { stripByteOrderMark } from './note'
import { eraseNote, findNoteBySource, getNote, insertNote, type NoteDraft, type NoteRow, updateNote } from './store'

/** A text of more UTF-16 units is long: each pass over it takes milliseconds. */
const LONG_TEXT_UNITS = 64 * 1024

function isLong(text: string): boolean {
  return text.length > LONG_TEXT_UNITS
}

/** Yields to other requests if the text is long. Call it between passes over the text. */
export async function yieldIfLong(text: string): Promise<void> {
  if (isLong(text)) await yieldTurn()
}

/**
 * Scans a long body in turns and caches the result for scanMarkdown. Call it before anything that needs the structure
 * of the body, and outside of a transaction, since it lets other requests run.
 */
export async function warmScanCache(body: string | undefined): Promise<void> {
  if (body !== undefined && isLong(body)) await scanInTurns(stripByteOrderMark(body))
}

/**
 * A hook that runs in the transaction of every write of a note. Hooks keep the tags, properties, links and revisions in
 * step with the notes; the search index follows by triggers of the database (see the schema).
 */
export interface NoteWriteHook {
  /**
   * Runs after a note was created (`old` is null), changed, trashed or restored. Returns the note if it differs by then,
   * and the change in bytes that count towards the quota, besides the note's own, if there is one.
   */
  afterWrite?(session: Session, old: NoteRow | null, note: NoteRow): Promise<HookResult>
  /** Runs before a note is erased. Returns such a change in bytes. */
  beforeErase?(session: Session, note: NoteRow): Promise<number>
}

interface HookResult {
  readonly note?: NoteRow
  readonly bytes?: number
}

interface NoteWriterDeps extends Pick<Context, 'now'> {
  readonly record: RecordChange
  /** In the order in which they run. */
  readonly hooks: readonly NoteWriteHook[]
}

export type NoteWriter = ReturnType<typeof createNoteWriter>

/** The one way to write notes; see createResourceWriter. Throws conflict if an id or a source is taken. */
export function createNoteWriter({ now, record, hooks }: NoteWriterDeps) {
  async function runHooks(session: Session, old: NoteRow | null, note: NoteRow) {
    let [row, bytes] = [note, 0]
    for (const hook of hooks) {
      await yieldIfLong(note.body)
      const result = await hook.afterWrite?.(session, old, row)
      row = result?.note ?? row
      bytes += result?.bytes ?? 0
    }
    return { row, bytes }
  }

  const store = { get: getNote, insert: insertNote, update: updateNote, erase: eraseNote }
  const refuseTaken = createRefuseTakenSource('note', findNoteBySource)
  const writer = createResourceWriter<NoteRow, NoteDraft>({
    ...{ now, record, store, refuseTaken },
    follow: runHooks,
    type: 'note',
    noun: 'note',
  })

  return {
    ...writer,

    async erase(session: Session, note: NoteRow): Promise<void> {
      let bytes = 0
      for (const hook of hooks) bytes += (await hook.beforeErase?.(session, note)) ?? 0
      await writer.erase(session, note, -bytes)
    },
  }
}

/** What the services of notes, their archive and their imports share; each takes the parts that it needs. */
export interface NotesContext extends Pick<Context, 'now' | 'ids'> {
  readonly writer: NoteWriter
  readonly rename: RenameNote
  readonly reserve: Reserve
  readonly blobs: BlobStaging
  readonly imports: Pick<Imports, 'registerWork' | 'findEarlier' | 'work' | 'begin'>
}

/**
 * Stores `next`. If its title, file name or folder changed, rewrites the links to it so that they still point to it;
 * `keepsBody` leaves the links in its own body alone. `session.db` must be a transaction. If more than MAX_ROWS_INLINE
 * notes link to it, a run is started in the transaction and rewrites them: `run` is its id. Otherwise `run` is null, and
 * `rewritten` counts all.
 * @throws ApiError rewrite_impossible; unavailable if too many runs are waiting
 */
export type RenameNote = (
  session: Session,
  old: NoteRow,
  next: NoteRow,
  options?: { readonly keepsBody?: boolean },
) => Promise<{ note: NoteRow; rewritten: number; run: string | null }>
