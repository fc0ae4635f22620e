import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseFull } from '../db/database'
import { ApiError } from '../http/api-error'

/** The folder of a run in the data folder, readable only by the owner of the process, and its files. */
export interface RunFolder {
  readonly path: string
  readonly file: string
  /** See SideFile. The number in its name is that of its form: a file of another form is not found, and its run reads again. */
  readonly side: string
  /** The copy of the workspace that a dry run writes to. */
  readonly copy: string
}

export function getRunFolder(root: string, id: string): RunFolder {
  const path = join(root, id)
  const at = (name: string) => join(path, name)
  return { path, file: at('file'), side: at('items-2.sqlite'), copy: at('copy.sqlite') }
}

export function makeRunFolder(root: string, id: string): RunFolder {
  const folder = getRunFolder(root, id)
  mkdirSync(folder.path, { recursive: true, mode: 0o700 })
  return folder
}

/** Removes the folder, if there is one. Removing a file of 400 MiB takes 40 ms, so another thread does it. */
export async function removeRunFolder({ path }: RunFolder): Promise<void> {
  await rm(path, { recursive: true, force: true })
}

/** Removes a SQLite database together with its journal files. */
export function removeDatabaseFiles(path: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${path}${suffix}`, { force: true })
}

/** Lists the ids of the runs that have a folder; makes `root` if it is missing. */
export function listRunFolders(root: string): string[] {
  mkdirSync(root, { recursive: true, mode: 0o700 })
  return readdirSync(root)
}

/** Error codes of the system and of SQLite for a full disk or an exceeded disk quota. */
const FULL_DISK_CODES = ['ENOSPC', 'EDQUOT', 'EFBIG', 'SQLITE_FULL']

export const FULL_DISK_DETAIL =
  'The disk of this server is full. What was imported before stays; import the rest later.'

/** The disk is full with MIN_FREE_BYTES=0, or if other programs fill it. */
export function isFullDisk(error: unknown): boolean {
  if (error instanceof DatabaseFull) return true
  return error instanceof Error && 'code' in error && FULL_DISK_CODES.includes(String(error.code))
}

/** Turns the error of a full disk into storage_full; returns any other error as it is. */
export function toStorageError(error: unknown): unknown {
  return isFullDisk(error) ? new ApiError('storage_full', FULL_DISK_DETAIL) : error
}
