import { existsSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

/** Linux keeps files of this folder in memory: no test waits there for a disk that others keep busy. */
const MEMORY = '/dev/shm'
/** A run of all tests holds about 100 MiB at a time. */
const MEMORY_BYTES = 2 ** 30

/** Where tests make their folders: in memory, where the system has such a folder with room. */
export const TEMPORARY = hasRoom(MEMORY) ? MEMORY : tmpdir()

function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return false
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize >= MEMORY_BYTES
}
