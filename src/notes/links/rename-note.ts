import type { Context } from '../../db/database'
import type { WorkKind } from '../../imports/kind'
import { MAX_ROWS_INLINE, runWorkInline } from '../../imports/run-work'
import type { Imports } from '../../imports/service'
import type { LinksUpdated } from '../links-updated'
import type { NoteWriter, RenameNote } from '../note'
import { getNote } from '../store'
import { listNoteNames, NAME_STEP } from './names'
import {
  createRenameState,
  createRewriteError,
  MAX_REWRITTEN_NOTES,
  type RenameOrder,
  type RenameState,
  type RenameSteps,
} from './rename-steps'
import { countLinkingNotes } from './store'

/** What a run needs that rewrites the links to a note which already has its new name. */
interface RewriteLinksOrder {
  readonly key: number
  /** The id of the rename, which its former names are stored with. */
  readonly rename: string
  readonly total: number
  /** 1 if the note's own links are rewritten already, else 0. */
  readonly rewritten: number
}

interface Deps extends Pick<Context, 'ids'> {
  readonly writer: NoteWriter
  readonly renaming: RenameSteps
  readonly imports: Pick<Imports, 'registerWork' | 'begin'>
  /** The most notes that are rewritten in the transaction of the rename itself; for tests. */
  readonly atOnce?: number
}

const KIND = 'note_links'

function isRewritten(step: number): boolean {
  return step !== NAME_STEP.id && step !== NAME_STEP.alias
}

/** Renames a note and rewrites the links to it: few notes in the same transaction, more in a run. */
export function createRenameNote({ ids, writer, renaming, imports, atOnce = MAX_ROWS_INLINE }: Deps): RenameNote {
  const steps = (lenient: boolean): Pick<WorkKind<RewriteLinksOrder, RenameState>, 'step'> => ({
    async step(session, { key, rename, total, rewritten }, from, size) {
      const order: RenameOrder = { id: rename, own: key, lenient, moves: null }
      const begun = from ?? { ...createRenameState('links'), rewritten }
      const { state, more } = await renaming.step(session, order, begun, size)
      const done = state.rewritten
      return { state, done, total: Math.max(total, done), more, startsSmall: state.phase !== begun.phase }
    },
  })
  imports.registerWork<RewriteLinksOrder, RenameState, LinksUpdated>({
    name: KIND,
    ...steps(true),
    result: ({ rewritten, left }) => ({ links_updated: rewritten, notes_left: left }),
    abandon: (session, { rename }, size) => renaming.deleteFormerNameBatch(session, { id: rename }, size),
  })

  return async (session, old, next, options) => {
    if (next.title === old.title && next.file_name === old.file_name && next.folder === old.folder)
      return { note: await writer.replace(session, old, next), rewritten: 0, run: null }
    // A link by alias or id is not rewritten.
    const names = listNoteNames(old).flatMap(({ step, key }) => (isRewritten(step) ? [key] : []))
    const rename = { id: ids() }
    let linking = await countLinkingNotes(session, old.key, names, MAX_REWRITTEN_NOTES + 1)
    const newNames = listNoteNames(next).map(({ key }) => key)
    for (const key of await renaming.takeNewNamesOfFile(session, rename, next))
      linking += await countLinkingNotes(session, key, newNames, MAX_REWRITTEN_NOTES + 1)
    if (linking > MAX_REWRITTEN_NOTES)
      throw createRewriteError(
        `More than ${MAX_REWRITTEN_NOTES} notes link to the renamed note; a rename rewrites no more.`,
      )
    const locate = async () => new Map([[next.key, next]])
    const { note, rewritten } = await renaming.moveNote(session, rename, { old, next, ...options }, locate)
    const order: RewriteLinksOrder = { key: old.key, rename: rename.id, total: linking, rewritten }
    if (linking > atOnce) return { note, rewritten, run: await imports.begin(session, { kind: KIND, params: order }) }
    const state = await runWorkInline(steps(false), session, order)
    return { note: (await getNote(session, note.id)) ?? note, rewritten: state.rewritten, run: null }
  }
}
