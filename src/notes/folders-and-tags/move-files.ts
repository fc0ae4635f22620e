import type { Session } from '../../db/database'
import { ApiError } from '../../http/api-error'
import { keepFileLinks, type RenamedFiles } from '../attachments/keep-file-links'
import { RELINK_START, type RelinkNotes, type RelinkState } from '../attachments/relink-notes'
import { type AttachmentRow, listBelowFolder, listByKeys } from '../attachments/store'
import type { AttachmentWriter } from '../attachments/writer'
import { addNoteLeft, type KeepFileLinks } from '../links/rename-steps'
import { checkFolder } from '../note'
import { findTakenPath } from './store'

export interface FolderNames {
  readonly from: string
  readonly to: string
}

/** The attachments that a rename of a folder moves: JSON. */
export interface MovedFiles {
  /** Their keys, the shortest folders first. */
  readonly keys: readonly number[]
  /** Their names, each once, see name_key. */
  readonly names: readonly string[]
}

/** The progress of moving them: JSON. */
export interface FileMoveState {
  readonly at: number
  readonly moved: number
  readonly links: RelinkState
  /** Ids of attachments that could not be moved; the first 100. */
  readonly left: readonly string[]
}

export const FILE_MOVE_START: FileMoveState = { at: 0, moved: 0, links: RELINK_START, left: [] }

export interface FileMover {
  readonly writer: AttachmentWriter
  readonly relink: RelinkNotes
}

/**
 * Lists the attachments in a folder and below it.
 * @throws ApiError conflict if one of them cannot be moved to the new folder
 */
export async function planFileMoves(
  { db, workspace }: Session,
  { from, to }: FolderNames,
  limit: number,
): Promise<MovedFiles> {
  const files = await listBelowFolder(db, workspace.id, from, limit)
  for (const file of files) computeFolderOfFile(file, { from, to })
  const taken = files.length > 0 && (await findTakenPath(db, workspace.id, from, to))
  if (taken) throw refuse(taken, 'its name is taken there.')
  return { keys: files.map(({ key }) => key), names: [...new Set(files.map(({ name_key }) => name_key))] }
}

export function hasFileMoves({ keys, names }: MovedFiles, { at, links }: FileMoveState): boolean {
  return at < keys.length || links.name < names.length
}

/**
 * Moves about `size` attachments, or else rewrites links to them in about as many notes of other folders. The notes of
 * the folder keep theirs when they move, after that.
 * @param lenient true: an attachment that cannot be moved is skipped and reported
 */
export async function moveFilesStep(
  session: Session,
  { writer, relink }: FileMover,
  { files, ...folders }: FolderNames & { readonly files: MovedFiles; readonly lenient: boolean },
  from: FileMoveState,
  size: number,
): Promise<FileMoveState> {
  const { db, workspace } = session
  if (from.at >= files.keys.length) {
    const order = {
      ...toRenamedFiles(files, folders),
      names: files.names,
      movesNotesOf: (folder: string | null) => isInFolder(folder, folders.from),
    }
    return { ...from, links: (await relink.step(session, order, from.links, size)).state }
  }
  const keys = files.keys.slice(from.at, from.at + size)
  let state: FileMoveState = { ...from, at: from.at + keys.length }
  for (const row of await listByKeys(db, workspace.id, keys)) {
    // Somebody may have moved it in the meantime.
    if (!isInFolder(row.folder, folders.from)) continue
    try {
      await writer.replace(session, row, { folder: computeFolderOfFile(row, folders) }, null)
      state = { ...state, moved: state.moved + 1 }
    } catch (error) {
      if (!folders.lenient || !(error instanceof ApiError && error.code === 'conflict')) throw error
      state = addNoteLeft(state, row.id)
    }
  }
  return state
}

/** Returns what keeps the links of the notes that move after the attachments. */
export function keepLinksToMoved(files: MovedFiles, folders: FolderNames): KeepFileLinks {
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
export function moveFolder(folder: string | null, from: string, to: string): string {
  return to + (folder ?? '').slice(from.length)
}

export function isInFolder(folder: string | null, above: string): boolean {
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
