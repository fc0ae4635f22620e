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
import {
  FILE_MOVE_START,
  type FileMover,
  type FileMoveState,
  type FolderNames,
  hasFileMoves,
  isInFolder,
  keepLinksToMoved,
  type MovedFiles,
  moveFilesStep,
  moveFolder,
} from './move-files'
import { listNotesInFolder } from './store'

export interface RenameFolderOrder extends FolderNames {
  readonly files: MovedFiles
  readonly merged: boolean
  /** The id that the former names of notes are stored with. */
  readonly rename: string
  readonly total: number
}

export interface RenameFolderState extends RenameState {
  readonly merged: boolean
  readonly files: FileMoveState
}

/**
 * Makes the steps that move the attachments of a folder and rewrite the links to them, then the same for its notes.
 * `lenient`: see RenameOrder.
 */
export function createRenameFolderSteps(
  renaming: RenameSteps,
  mover: FileMover,
  now: () => number,
  lenient: boolean,
): Pick<WorkKind<RenameFolderOrder, RenameFolderState>, 'step'> {
  return {
    async step(session, order, from, size) {
      const { rename: id, total, merged } = order
      const begun = from ?? { ...createRenameState('names'), merged, files: FILE_MOVE_START }
      const isOfFiles = hasFileMoves(order.files, begun.files)
      const files = isOfFiles
        ? await moveFilesStep(session, mover, { ...order, lenient }, begun.files, size)
        : begun.files
      const { state, more } = isOfFiles
        ? { state: begun, more: true }
        : await renaming.step(session, { id, own: null, lenient, moves: createFolderMove(order, now) }, begun, size)
      const done = state.moved + files.moved
      return {
        state: { ...state, merged, files },
        done,
        total: Math.max(total, done),
        more,
        startsSmall: state.phase !== begun.phase || isOfFiles !== hasFileMoves(order.files, files),
      }
    },
  }
}

function createFolderMove({ from, to, files }: RenameFolderOrder, now: () => number): FolderMove {
  return {
    keepFileLinks: keepLinksToMoved(files, { from, to }),
    listNext: ({ db, workspace }, after, limit) => listNotesInFolder(db, workspace.id, from, after, limit),
    relocate: (note) =>
      runOrConflict(note, (old) =>
        relocateRow(old, { folder: computeNewFolder(old, from, to), tags: old.tags }, now()),
      ),
    getNewFolder: ({ folder }) => (isInFolder(folder, from) ? computeNewFolder({ folder }, from, to) : null),
    movesUp: from.startsWith(`${to}/`),
  }
}

/** @throws ApiError invalid_request if the new folder is not valid */
export function computeNewFolder({ folder }: Pick<NoteRow, 'folder'>, from: string, to: string): string | null {
  return checkFolder(moveFolder(folder, from, to))
}

/** @throws ApiError conflict if the new folder is below the old one */
export function refuseMoveIntoItself(from: string, to: string): void {
  if (to.startsWith(`${from}/`)) throw new ApiError('conflict', 'A folder cannot be moved into one below it.')
}
