import { afterAll } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { TEMPORARY } from './temporary'

const made: string[] = []

/** A fresh empty folder, gone when the run of the tests or the script is over; in memory, where the system has such a folder with room. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(TEMPORARY, 'satchel-test-'))
  made.push(folder)
  return folder
}

// bunfig.toml preloads this module: loaded by a test file, it would be tidied up after that file and never again.
const removeAll = () => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true })
}
// Scripts such as `bun run torture` run without the test runner, which sets NODE_ENV and refuses afterAll elsewhere.
if (process.env.NODE_ENV === 'test') afterAll(removeAll)
else process.on('exit', removeAll)
