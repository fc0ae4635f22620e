import { ApiError } from '../http/api-error'

/** The end of the disk itself, which a server without a floor (MIN_FREE_BYTES=0), or one beside others, can come to. */

/** Of files, and of SQLite. */
const CODES = ['ENOSPC', 'EDQUOT', 'EFBIG', 'SQLITE_FULL']

export const FULL_DISK = 'The disk of this server is full. What was imported by then stays; import the rest later.'

/** Whether an error of a file or of a database beside the main one says that there is no more room. */
export function isFullDisk(error: unknown): boolean {
  return error instanceof Error && 'code' in error && CODES.includes(String(error.code))
}

/** What to answer in place of an error that says so; any other as it is. */
export function toStorageError(error: unknown): unknown {
  return isFullDisk(error) ? new ApiError('storage_full', FULL_DISK) : error
}
