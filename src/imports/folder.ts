import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ApiError } from '../http/api-error'

/** Where a run keeps its files: in a folder of its own, for its owner alone, within the data folder. */
export interface RunFolder {
  readonly path: string
  /** What was sent. */
  readonly file: string
  /** See SideFile. */
  readonly side: string
  /** What a dry run writes to. */
  readonly copy: string
  /** What is kept of it. */
  readonly report: string
}

export function getRunFolder(root: string, id: string): RunFolder {
  const path = join(root, id)
  const at = (name: string) => join(path, name)
  return { path, file: at('file'), side: at('items.sqlite'), copy: at('copy.sqlite'), report: at('report.sqlite') }
}

export function makeRunFolder(root: string, id: string): RunFolder {
  const folder = getRunFolder(root, id)
  mkdirSync(folder.path, { recursive: true, mode: 0o700 })
  return folder
}

export function removeRunFolder({ path }: RunFolder): void {
  rmSync(path, { recursive: true, force: true })
}

/**
 * Removes what an ended run no longer needs: all but its report. A reader may have left files beside the one it read. Work
 * without a file has no folder.
 */
export function removeAllButReport({ path, report }: RunFolder): void {
  if (!existsSync(path)) return
  for (const name of readdirSync(path))
    if (join(path, name) !== report) rmSync(join(path, name), { recursive: true, force: true })
}

/** Removes one of SQLite's files, with what goes along with it. */
export function removeDatabaseFiles(path: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${path}${suffix}`, { force: true })
}

/** Ids of the runs that have a folder. */
export function listRunFolders(root: string): string[] {
  mkdirSync(root, { recursive: true, mode: 0o700 })
  return readdirSync(root)
}

/** Of files, and of SQLite. */
const CODES = ['ENOSPC', 'EDQUOT', 'EFBIG', 'SQLITE_FULL']

export const FULL_DISK_DETAIL =
  'The disk of this server is full. What was imported by then stays; import the rest later.'

/**
 * Whether an error of a file, or of a database beside the main one, says that the disk is full. A server without a floor
 * (MIN_FREE_BYTES=0), or one beside others, can come to that.
 */
export function isFullDisk(error: unknown): boolean {
  return error instanceof Error && 'code' in error && CODES.includes(String(error.code))
}

/** The error to answer with where the disk is full; any other as it is. */
export function toStorageError(error: unknown): unknown {
  return isFullDisk(error) ? new ApiError('storage_full', FULL_DISK_DETAIL) : error
}
