import type { Context } from '../../db/context'
import type { WorkKind } from '../../imports/kind'
import type { Imports } from '../../imports/service'
import { AT_ONCE, workAtOnce } from '../../imports/work'
import type { LinksUpdated, RenameNote } from '../rename-port'
import { getNote } from '../store'
import type { NoteWriter } from '../writer'
import { toFolderKey } from './names'
import {
  createRenameState,
  createRewriteError,
  type RenameOrder,
  type RenameState,
  type RenameSteps,
} from './rename-steps'
import { countLinkingNotes } from './store'

/** Notes that one rename may rewrite beside those that it renames. */
export const MAX_REWRITTEN_NOTES = 5000

interface RewriteLinksOrder {
  /** Of the note. */
  readonly key: number
  /** Under which former names are kept. */
  readonly rename: string
  readonly titled: boolean
  /** Notes that link there. */
  readonly total: number
  /** 1 where the note's own links are rewritten already. */
  readonly rewritten: number
}

interface Deps extends Pick<Context, 'ids'> {
  readonly writer: NoteWriter
  readonly renaming: RenameSteps
  readonly imports: Pick<Imports, 'registerWork' | 'begin'>
  /** Notes that are rewritten in the transaction of the rename itself; for tests. */
  readonly atOnce?: number
}

const KIND = 'note_links'

export function createRenameNote({ ids, writer, renaming, imports, atOnce = AT_ONCE }: Deps): RenameNote {
  imports.registerWork(createRewriteLinksWork(renaming))

  return async (session, old, next, options) => {
    if (next.title === old.title && next.folder === old.folder)
      return { note: await writer.replace(session, old, next), rewritten: 0, run: null }
    const { db, workspace } = session
    // A link by alias or id stays as it is.
    const names = [old.title_key, `${toFolderKey(old.folder)}/${old.title_key}`]
    const linking = await countLinkingNotes(db, workspace.id, old.key, names, MAX_REWRITTEN_NOTES + 1)
    if (linking > MAX_REWRITTEN_NOTES)
      throw createRewriteError(
        `More than ${MAX_REWRITTEN_NOTES} notes link to what is renamed; a rename rewrites no more.`,
      )
    const rename = { id: ids(), titled: next.title !== old.title }
    const places = async () => new Map([[next.key, next]])
    const { note, rewritten } = await renaming.move(session, rename, { old, next, ...options }, places)
    const order: RewriteLinksOrder = {
      key: old.key,
      rename: rename.id,
      titled: rename.titled,
      total: linking,
      rewritten,
    }
    if (linking > atOnce) return { note, rewritten, run: await imports.begin(session, { kind: KIND, params: order }) }
    const state = await workAtOnce(createSteps(renaming, false), session, order)
    return { note: (await getNote(db, workspace.id, note.id)) ?? note, rewritten: state.rewritten, run: null }
  }
}

/** Rewrites the links to a note that has its new name already. */
function createRewriteLinksWork(renaming: RenameSteps): WorkKind<RewriteLinksOrder, RenameState, LinksUpdated> {
  return {
    name: KIND,
    ...createSteps(renaming, true),
    result: ({ rewritten, left }) => ({ links_updated: rewritten, notes_left: left }),
    giveUp: (session, { rename }, size) => renaming.forgetSome(session, { id: rename }, size),
  }
}

function createSteps(renaming: RenameSteps, lenient: boolean): Pick<WorkKind<RewriteLinksOrder, RenameState>, 'step'> {
  return {
    async step(session, { key, rename, titled, total, rewritten }, from, size) {
      const order: RenameOrder = { id: rename, titled, own: key, lenient, moves: null }
      const begun = from ?? { ...createRenameState('links'), rewritten }
      const { state, more } = await renaming.step(session, order, begun, size)
      return {
        state,
        done: state.rewritten,
        total: Math.max(total, state.rewritten),
        more,
        turns: state.phase !== begun.phase,
      }
    },
  }
}
