import type { Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { MIGRATIONS, schemaVersion } from '../db/open'
import { openSqlite } from '../db/sqlite'
import { contradictionsIn, faultsOfPages } from './check.sqlite'
import { expectDatabase, type FolderSettings, meterIn, step } from './data-folder'

/** What a look at both databases of a data folder found. */
export interface Findings {
  /** What is wrong, one line each; none when both are sound. */
  readonly faults: readonly string[]
  /** A server holds meter.db for itself: it was not looked at. */
  readonly meterInUse: boolean
}

/**
 * Looks at the databases of a data folder. It may be in use.
 * @throws Error of one sentence when satchel.db cannot be looked at
 */
export function check({ DATA_DIR }: FolderSettings): Findings {
  const path = expectDatabase(DATA_DIR)
  const faults = step(`${path} cannot be read`, () => look(path, (db) => contradictionsInNewest(db, path)))
  const meter = meterIn(DATA_DIR)
  if (!existsSync(meter)) return { faults, meterInUse: false }
  try {
    const more = step(`${meter} cannot be read`, () => look(meter, (db) => faultsOfPages(db, 'meter.db')))
    return { faults: [...faults, ...more], meterInUse: false }
  } catch (error) {
    if (error instanceof Error && error.message.includes('SQLITE_BUSY')) return { faults, meterInUse: true }
    throw error
  }
}

/** What `questions` find in a file, or a line of its own when it is damaged so far that they cannot be asked. */
function look(path: string, questions: (db: Database) => string[]): string[] {
  let db: Database | null = null
  try {
    db = openSqlite(path, 'readwrite')
    return questions(db)
  } catch (error) {
    const damage = error instanceof Error ? /SQLITE_(?:CORRUPT|NOTADB)\w*/.exec(`${error} ${codeOf(error)}`) : null
    if (!damage) throw error
    return [`${path} is damaged (${damage[0]}).`]
  } finally {
    db?.close()
  }
}

const codeOf = (error: Error) => ('code' in error ? String(error.code) : '')

function contradictionsInNewest(db: Database, path: string): string[] {
  const [version, newest] = [schemaVersion(db), MIGRATIONS.at(-1)?.version ?? 0]
  if (version === newest) return contradictionsIn(db)
  throw new Error(`${path} is at version ${version}, and this Satchel checks version ${newest}: migrate it first.`)
}
