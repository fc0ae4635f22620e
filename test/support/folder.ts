import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { TEMPORARY } from './temporary'

const made: string[] = []

/** A fresh empty folder, removed after the run of the tests or of the script; in memory, where the system has such a folder with room. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(TEMPORARY, 'satchel-test-'))
  made.push(folder)
  return folder
}

/** Removes the folders made so far. */
export function removeFolders(): void {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true })
}

// The test runner does not let the processes of a parallel run end by themselves: preload.ts registers a hook instead.
if (process.env.NODE_ENV !== 'test') process.on('exit', removeFolders)
