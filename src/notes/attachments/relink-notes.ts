import type { Context } from '../../db/context'
import type { Session } from '../../db/database'
import { MAX_NOTE_BODY_BYTES } from '../limits'
import { addNoteLeft, createRewriteError, MAX_REWRITTEN_NOTES } from '../links/rename-steps'
import { countLinkingToFiles, listLinkedFiles, listLinkingToFile } from '../links/store'
import { patchRow } from '../note'
import { getNote, getNoteLocations } from '../store'
import type { NoteWriter } from '../writer'
import { keepFileLinks, type RenamedFiles } from './keep-file-links'

/** Renamed attachments, and the notes whose links to them are rewritten. */
export interface RelinkOrder extends RenamedFiles {
  /** The names that their links may end in, in the order in which notes are found by them. */
  readonly names: readonly string[]
  /** Whether the notes of a folder are left out, since they move and then keep their links. */
  movesNotesOf(folder: string | null): boolean
}

/** The progress of rewriting links to renamed attachments: JSON. */
export interface RelinkState {
  /** The position: the place in the names of the order, and the key of the last note that links to a file of it. */
  readonly name: number
  readonly source: number
  readonly rewritten: number
  /** Ids of notes with links that cannot be rewritten; the first 100. */
  readonly left: readonly string[]
}

export const RELINK_START: RelinkState = { name: 0, source: 0, rewritten: 0, left: [] }

export type RelinkNotes = ReturnType<typeof createRelinkNotes>

/** Rewrites the links of notes to attachments that have their new paths already, each note once and in one revision. */
export function createRelinkNotes({ now, writer }: Pick<Context, 'now'> & { writer: NoteWriter }) {
  async function relinkNote(session: Session, order: RelinkOrder, state: RelinkState, key: number) {
    const { db, workspace } = session
    const [location] = await getNoteLocations(db, workspace.id, [key])
    const note = location && !order.movesNotesOf(location.folder) && (await getNote(db, workspace.id, location.id))
    if (!note) return state
    const kept = await keepFileLinks(session, note.body, { from: note.folder, to: note.folder }, order)
    const isTooLarge = Buffer.byteLength(kept.body) > MAX_NOTE_BODY_BYTES
    const reported = kept.left || isTooLarge ? addNoteLeft(state, note.id) : state
    const changed = isTooLarge ? null : patchRow(note, { body: kept.body }, now())
    if (!changed) return reported
    await writer.replace(session, note, changed)
    return { ...reported, rewritten: state.rewritten + 1 }
  }

  /** Whether a note has a link to a file of an earlier name, by which it was found before. */
  async function wasFound({ db, workspace }: Session, { names }: RelinkOrder, nth: number, key: number) {
    if (nth === 0) return false
    const linked = new Set(await listLinkedFiles(db, workspace.id, key))
    return names.slice(0, nth).some((name) => linked.has(name))
  }

  return {
    /**
     * Rewrites the links of about `size` notes, computed from what their bodies are now. `session.db` must be a
     * transaction.
     * @throws ApiError quota_exceeded
     */
    async step(
      session: Session,
      order: RelinkOrder,
      from: RelinkState,
      size: number,
    ): Promise<{ readonly state: RelinkState; readonly more: boolean }> {
      let state = from
      for (let left = size; left > 0 && state.name < order.names.length; left--) {
        const { db, workspace } = session
        const name = order.names[state.name] ?? ''
        const keys = await listLinkingToFile(db, workspace.id, name, state.source, left)
        for (const key of keys) {
          if (!(await wasFound(session, order, state.name, key))) state = await relinkNote(session, order, state, key)
          state = { ...state, source: key }
        }
        if (keys.length < left) state = { ...state, name: state.name + 1, source: 0 }
        left -= keys.length
      }
      return { state, more: state.name < order.names.length }
    },
  }
}

/**
 * Counts the notes that link to files of these names.
 * @throws ApiError rewrite_impossible if they are more than `spare` and those that a rename rewrites
 */
export async function countRelinked({ db, workspace }: Session, names: readonly string[], spare = 0): Promise<number> {
  const limit = MAX_REWRITTEN_NOTES + spare
  const linking = await countLinkingToFiles(db, workspace.id, names, limit + 1)
  if (linking > limit)
    throw createRewriteError(
      `More than ${MAX_REWRITTEN_NOTES} notes show files of the name; a rename rewrites no more.`,
    )
  return linking
}
