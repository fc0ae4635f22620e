import { ApiError } from '../../http/api-error'
import type { WorkKind } from '../../imports/kind'
import { type Moves, orConflict, type RenameState, type RenameSteps, startRename } from '../links/rename-steps'
import { checkFolder, relocateRow } from '../note'
import type { NoteRow } from '../store'
import { listNotesInFolder } from './store'

/** A folder that gets another name: JSON. */
export interface RenameFolderOrder {
  readonly from: string
  readonly to: string
  /** Whether there is such a folder already. */
  readonly merged: boolean
  /** Under which former names of notes are kept. */
  readonly rename: string
  /** Notes in it. */
  readonly total: number
}

export interface RenameFolderState extends RenameState {
  readonly merged: boolean
}

/** The steps that move the notes of a folder, then rewrite the links to them. */
export function renameFolderSteps(
  renaming: RenameSteps,
  now: () => number,
  lenient: boolean,
): Pick<WorkKind<RenameFolderOrder, RenameFolderState>, 'step'> {
  return {
    async step(session, order, from, size) {
      const { rename: id, total, merged } = order
      const moves = movesOf(order, now)
      const begun = from ?? startRename('names')
      const { state, more } = await renaming.step(
        session,
        { id, titled: false, own: null, lenient, moves },
        begun,
        size,
      )
      const turns = state.phase !== begun.phase
      return {
        state: { ...state, merged },
        done: state.moved,
        total: Math.max(total, state.moved),
        more,
        startsSmall: turns,
      }
    },
  }
}

function movesOf({ from, to }: RenameFolderOrder, now: () => number): Moves {
  return {
    some: ({ db, workspace }, after, limit) => listNotesInFolder(db, workspace.id, from, after, limit),
    next: (note) =>
      orConflict(note, (old) => relocateRow(old, { folder: newFolder(old, from, to), tags: old.tags }, now())),
    target: ({ folder }) => (isWithin(folder, from) ? newFolder({ folder }, from, to) : null),
    movesUp: from.startsWith(`${to}/`),
  }
}

/** The new folder of a note. @throws ApiError invalid_request if there can be no such folder */
export function newFolder({ folder }: Pick<NoteRow, 'folder'>, from: string, to: string): string | null {
  return checkFolder(to + (folder ?? '').slice(from.length))
}

function isWithin(folder: string | null, above: string): boolean {
  return folder === above || folder?.startsWith(`${above}/`) === true
}

/** @throws ApiError conflict */
export function refuseInto(from: string, to: string): void {
  if (to.startsWith(`${from}/`)) throw new ApiError('conflict', 'A folder cannot be moved into one below it.')
}
