import type { Session } from '../../db/database'
import { ApiError } from '../../http/api-error'
import type { WorkKind } from '../../imports/kind'
import {
  type AttachmentContext,
  keepFileLinks,
  RELINK_START,
  type RelinkState,
  type RenamedFiles,
} from '../attachments/file-links'
import { type AttachmentRow, listBelowFolder, listByKeys } from '../attachments/store'
import {
  addNoteLeft,
  createRenameState,
  type FolderMove,
  type KeepFileLinks,
  type RenameState,
  runOrConflict,
} from '../links/rename-steps'
import { checkFolder, relocateRow } from '../note'
import type { NoteRow } from '../store'
import { findTakenPath, listNotesInFolder } from './store'

interface FolderNames {
  readonly from: string
  readonly to: string
}

/** The attachments that a rename of a folder moves: JSON. */
interface MovedFiles {
  /** Their keys, the shortest folders first. */
  readonly keys: readonly number[]
  /** Their names, each once, see name_key. */
  readonly names: readonly string[]
}

/** The progress of moving them: JSON. */
interface FileMoveState {
  readonly at: number
  readonly moved: number
  readonly links: RelinkState
  /** Ids of attachments that could not be moved; the first 100. */
  readonly left: readonly string[]
}

const FILE_MOVE_START: FileMoveState = { at: 0, moved: 0, links: RELINK_START, left: [] }

/**
 * Lists the attachments in a folder and below it.
 * @throws ApiError conflict if one of them cannot be moved to the new folder
 */
export async function planFileMoves(session: Session, { from, to }: FolderNames, limit: number): Promise<MovedFiles> {
  const files = await listBelowFolder(session, from, limit)
  for (const file of files) computeFolderOfFile(file, { from, to })
  const taken = files.length > 0 && (await findTakenPath(session, from, to))
  if (taken) throw refuse(taken, 'its name is taken there.')
  return { keys: files.map(({ key }) => key), names: [...new Set(files.map(({ name_key }) => name_key))] }
}

function hasFileMoves({ keys, names }: MovedFiles, { at, links }: FileMoveState): boolean {
  return at < keys.length || links.name < names.length
}

/**
 * Moves about `size` attachments, or else rewrites links to them in about as many notes of other folders. The notes of
 * the folder keep theirs when they move, after that.
 * @param lenient true: an attachment that cannot be moved is skipped and reported
 */
async function moveFilesStep(
  session: Session,
  { attachmentWriter, relinkNotes }: Pick<AttachmentContext, 'attachmentWriter' | 'relinkNotes'>,
  { files, ...folders }: FolderNames & { readonly files: MovedFiles; readonly lenient: boolean },
  from: FileMoveState,
  size: number,
): Promise<FileMoveState> {
  if (from.at >= files.keys.length) {
    const order = {
      ...toRenamedFiles(files, folders),
      names: files.names,
      movesNotesOf: (folder: string | null) => isInFolder(folder, folders.from),
    }
    return { ...from, links: (await relinkNotes.step(session, order, from.links, size)).state }
  }
  const keys = files.keys.slice(from.at, from.at + size)
  let state: FileMoveState = { ...from, at: from.at + keys.length }
  for (const row of await listByKeys(session, keys)) {
    // Somebody may have moved it in the meantime.
    if (!isInFolder(row.folder, folders.from)) continue
    try {
      await attachmentWriter.replace(session, row, { folder: computeFolderOfFile(row, folders) }, null)
      state = { ...state, moved: state.moved + 1 }
    } catch (error) {
      if (!folders.lenient || !(error instanceof ApiError && error.code === 'conflict')) throw error
      state = addNoteLeft(state, row.id)
    }
  }
  return state
}

/** Returns what keeps the links of the notes that move after the attachments. */
function keepLinksToMoved(files: MovedFiles, folders: FolderNames): KeepFileLinks {
  const renamed = files.keys.length === 0 ? null : toRenamedFiles(files, folders)
  return (session, body, noteFolders) => keepFileLinks(session, body, noteFolders, renamed)
}

function toRenamedFiles({ keys }: MovedFiles, { from, to }: FolderNames): RenamedFiles {
  const moved = new Set(keys)
  return {
    newNames: [],
    toFormer: (row) =>
      moved.has(row.key) && isInFolder(row.folder, to) ? { ...row, folder: moveFolder(row.folder, to, from) } : row,
  }
}

/** Returns the path of a folder that is `from` or below it, when `from` is called `to`. */
function moveFolder(folder: string | null, from: string, to: string): string {
  return to + (folder ?? '').slice(from.length)
}

function isInFolder(folder: string | null, above: string): boolean {
  return folder === above || folder?.startsWith(`${above}/`) === true
}

function computeFolderOfFile(file: AttachmentRow, { from, to }: FolderNames): string | null {
  try {
    return checkFolder(moveFolder(file.folder, from, to))
  } catch (error) {
    throw error instanceof ApiError ? refuse(file.id, error.detail) : error
  }
}

function refuse(id: string, detail: string): ApiError {
  return new ApiError('conflict', `Attachment ${id} cannot move to the new folder: ${detail}`, { attachment_id: id })
}

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
  context: Pick<AttachmentContext, 'now' | 'renaming' | 'attachmentWriter' | 'relinkNotes'>,
  lenient: boolean,
): Pick<WorkKind<RenameFolderOrder, RenameFolderState>, 'step'> {
  return {
    async step(session, order, from, size) {
      const { now, renaming } = context
      const { rename: id, total, merged } = order
      const begun = from ?? { ...createRenameState('names'), merged, files: FILE_MOVE_START }
      const isOfFiles = hasFileMoves(order.files, begun.files)
      const files = isOfFiles
        ? await moveFilesStep(session, context, { ...order, lenient }, begun.files, size)
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
    listNext: (session, after, limit) => listNotesInFolder(session, from, after, limit),
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
