import { ApiError } from '../../http/api-error'
import type { WorkKind } from '../../imports/kind'
import {
  createRenameState,
  type FolderMove,
  type RenameState,
  type RenameSteps,
  runOrConflict,
} from '../links/rename-steps'
import { checkFolder, relocateRow } from '../note'
import type { NoteRow } from '../store'
import { listNotesInFolder } from './store'

/** The parameters of renaming a folder: JSON. */
export interface RenameFolderOrder {
  readonly from: string
  readonly to: string
  /** Whether the new folder exists already. */
  readonly merged: boolean
  /** The id that the former names of notes are stored with. */
  readonly rename: string
  /** The number of notes in the folder. */
  readonly total: number
}

/** The progress of renaming a folder: JSON. */
export interface RenameFolderState extends RenameState {
  readonly merged: boolean
}

/** Makes the steps that move the notes of a folder, then rewrite the links to them. `lenient`: see RenameOrder. */
export function createRenameFolderSteps(
  renaming: RenameSteps,
  now: () => number,
  lenient: boolean,
): Pick<WorkKind<RenameFolderOrder, RenameFolderState>, 'step'> {
  return {
    async step(session, order, from, size) {
      const { rename: id, total, merged } = order
      const moves = createFolderMove(order, now)
      const begun = from ?? createRenameState('names')
      const { state, more } = await renaming.step(session, { id, own: null, lenient, moves }, begun, size)
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

function createFolderMove({ from, to }: RenameFolderOrder, now: () => number): FolderMove {
  return {
    listNext: ({ db, workspace }, after, limit) => listNotesInFolder(db, workspace.id, from, after, limit),
    relocate: (note) =>
      runOrConflict(note, (old) =>
        relocateRow(old, { folder: computeNewFolder(old, from, to), tags: old.tags }, now()),
      ),
    getNewFolder: ({ folder }) => (isInFolder(folder, from) ? computeNewFolder({ folder }, from, to) : null),
    movesUp: from.startsWith(`${to}/`),
  }
}

/** Returns the new folder of a note. @throws ApiError invalid_request if the new folder is not valid */
export function computeNewFolder({ folder }: Pick<NoteRow, 'folder'>, from: string, to: string): string | null {
  return checkFolder(to + (folder ?? '').slice(from.length))
}

function isInFolder(folder: string | null, above: string): boolean {
  return folder === above || folder?.startsWith(`${above}/`) === true
}

/** @throws ApiError conflict if the new folder is below the old one */
export function refuseMoveIntoItself(from: string, to: string): void {
  if (to.startsWith(`${from}/`)) throw new ApiError('conflict', 'A folder cannot be moved into one below it.')
}
