import type { Context, Session } from '../../db/database'
import type { WorkKind } from '../../imports/kind'
import { MAX_ROWS_INLINE, runWorkInline } from '../../imports/run-work'
import type { Imports } from '../../imports/service'
import type { LinksUpdated } from '../links-updated'
import type { HeadingRename } from '../markdown/headings'
import type { NoteWriter, RenameNote } from '../note'
import { getNote, type NoteRow } from '../store'
import { listNoteNames, NAME_STEP } from './names'
import {
  createRenameState,
  createRewriteError,
  MAX_REWRITTEN_NOTES,
  type RenameOrder,
  type RenameState,
  type RenameSteps,
  renameOwnHeadings,
} from './rename-steps'
import type { Rename } from './rewrite-links'
import { countLinkingNotes, countLinkingToParts } from './store'

/** What a run needs that rewrites the links to a note which already has its new name. */
interface RewriteLinksOrder {
  readonly key: number
  /** The id of the rename, which its former names are stored with. */
  readonly rename: string
  readonly total: number
  /** 1 if the note's own links are rewritten already, else 0. */
  readonly rewritten: number
  /** Its headings that got other texts. */
  readonly headings: readonly HeadingRename[]
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

/** Units of JSON of the headings that a run keeps. */
const MAX_HEADINGS_UNITS = 256 * 1024

/** Renames a note or its headings and rewrites the links to it: few notes in the same transaction, more in a run. */
export function createRenameNote({ ids, writer, renaming, imports, atOnce = MAX_ROWS_INLINE }: Deps): RenameNote {
  const steps = (lenient: boolean): Pick<WorkKind<RewriteLinksOrder, RenameState>, 'step'> => ({
    async step(session, { key, rename, total, rewritten, headings }, from, size) {
      const order: RenameOrder = { id: rename, own: key, lenient, moves: null, headings }
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

  /** Gives the note its new name. Returns how many notes link to it or to what it takes the links of. */
  async function renameNote(session: Session, rename: Rename, old: NoteRow, next: NoteRow, keepsBody: boolean) {
    // A link by alias or id is not rewritten.
    const names = listNoteNames(old).flatMap(({ step, key }) => (isRewritten(step) ? [key] : []))
    let linking = await countLinkingNotes(session, old.key, names, MAX_REWRITTEN_NOTES + 1)
    const newNames = listNoteNames(next).map(({ key }) => key)
    for (const key of await renaming.takeNewNamesOfFile(session, rename, next))
      linking += await countLinkingNotes(session, key, newNames, MAX_REWRITTEN_NOTES + 1)
    requireFew(linking)
    const locate = async () => new Map([[next.key, next]])
    return { ...(await renaming.moveNote(session, rename, { old, next, keepsBody }, locate)), linking }
  }

  return async (session, old, changed, { keepsBody = false, headings = [] } = {}) => {
    const isRenamed =
      changed.title !== old.title || changed.file_name !== old.file_name || changed.folder !== old.folder
    if (!isRenamed && headings.length === 0)
      return { note: await writer.replace(session, old, changed), rewritten: 0, run: null }
    const rename = { id: ids() }
    const next = headings.length === 0 ? changed : await renameOwnHeadings(session, changed, headings)
    const ofHeadings = headings.length === 0 ? 0 : await countLinkingToParts(session, old.key, MAX_REWRITTEN_NOTES + 1)
    requireFew(ofHeadings)
    const renamed = isRenamed
      ? await renameNote(session, rename, old, next, keepsBody)
      : { note: await writer.replace(session, old, next), rewritten: 0, linking: 0 }
    const { note } = renamed
    const [rewritten, total] = [renamed.rewritten || Number(next !== changed), Math.max(renamed.linking, ofHeadings)]
    const order: RewriteLinksOrder = { key: old.key, rename: rename.id, total, rewritten, headings }
    if (total > atOnce) {
      if (JSON.stringify(headings).length > MAX_HEADINGS_UNITS)
        throw createRewriteError('The note has too many headings to rewrite so many links to them.')
      return { note, rewritten, run: await imports.begin(session, { kind: KIND, params: order }) }
    }
    const state = await runWorkInline(steps(false), session, order)
    return { note: (await getNote(session, note.id)) ?? note, rewritten: state.rewritten, run: null }
  }
}

/** @throws ApiError rewrite_impossible */
function requireFew(linking: number): void {
  if (linking > MAX_REWRITTEN_NOTES)
    throw createRewriteError(
      `More than ${MAX_REWRITTEN_NOTES} notes link to the renamed note; a rename rewrites no more.`,
    )
}
