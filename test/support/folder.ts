import { afterAll } from 'bun:test'
import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Linux keeps files of this folder in memory: no test waits there for a disk that others keep busy. */
const MEMORY = '/dev/shm'
/** A run of all tests holds about 100 MiB at a time. */
const MEMORY_BYTES = 2 ** 30

const made: string[] = []
const where = hasRoom(MEMORY) ? MEMORY : tmpdir()

/** A fresh empty folder, gone when the run of the tests is over; in memory, where the system has such a folder with room. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(where, 'satchel-test-'))
  made.push(folder)
  return folder
}

// bunfig.toml preloads this module: loaded by a test file, it would be tidied up after that file and never again.
afterAll(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return false
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize >= MEMORY_BYTES
}
