/** Checks the invariants of a database, for the command `check` and for tests. */
import { existsSync } from 'node:fs'
import { Connection } from '../db/connection'
import { NEWEST_VERSION, readFileVersion } from '../db/open'
import { openSqlite } from '../db/sqlite'
import { findContradictions } from './contradictions-store'
import { type FolderSettings, meterPath, requireDatabase, runLongStep } from './data-folder'

/** Lists the damaged pages that SQLite finds in a file, one line each that begins with `name`. */
async function findDamagedPages(db: Connection, name: string): Promise<string[]> {
  const rows = await db.all<{ integrity_check: string }>('PRAGMA integrity_check')
  return rows.filter((row) => row.integrity_check !== 'ok').map((row) => `${name}: ${JSON.stringify(row)}`)
}

async function findDangling(db: Connection): Promise<string[]> {
  const rows = await db.all('SELECT * FROM pragma_foreign_key_check')
  return rows.map((row) => `reference to nothing: ${JSON.stringify(row)}`)
}

export interface Findings {
  /** The faults, one line each; none if both are sound. */
  readonly faults: readonly string[]
  /** Whether a server holds meter.db exclusively, so that it was not checked. */
  readonly meterInUse: boolean
}

/** The databases may be in use. @throws Error of one sentence if satchel.db cannot be read */
export async function checkDataFolder({ DATA_DIR }: FolderSettings): Promise<Findings> {
  const path = requireDatabase(DATA_DIR)
  const faults = await runLongStep(`${path} cannot be read`, () =>
    runChecks(path, (db) => checkNewestVersion(db, path)),
  )
  const meterFile = meterPath(DATA_DIR)
  if (!existsSync(meterFile)) return { faults, meterInUse: false }
  try {
    const more = await runLongStep(`${meterFile} cannot be read`, () =>
      runChecks(meterFile, (db) => findDamagedPages(db, 'meter.db')),
    )
    return { faults: [...faults, ...more], meterInUse: false }
  } catch (error) {
    if (error instanceof Error && error.message.includes('SQLITE_BUSY')) return { faults, meterInUse: true }
    throw error
  }
}

/** Runs checks on a file; returns a single line instead if it is too damaged for them. */
async function runChecks(path: string, checks: (db: Connection) => Promise<string[]>): Promise<string[]> {
  let db: Connection | null = null
  try {
    db = new Connection(() => openSqlite(path, 'readwrite'))
    // All checks see one moment.
    db.exec('BEGIN')
    return await checks(db)
  } catch (error) {
    const damage = error instanceof Error ? /SQLITE_(?:CORRUPT|NOTADB)\w*/.exec(`${error} ${codeOf(error)}`) : null
    if (!damage) throw error
    return [`${path} is damaged (${damage[0]}).`]
  } finally {
    db?.close()
  }
}

const codeOf = (error: Error) => ('code' in error ? String(error.code) : '')

async function checkNewestVersion(db: Connection, path: string): Promise<string[]> {
  const version = readFileVersion(path)
  if (version === NEWEST_VERSION)
    return [
      ...(await findDamagedPages(db, 'integrity')),
      ...(await findDangling(db)),
      ...(await findContradictions(db)),
    ]
  throw new Error(
    `${path} is at version ${version}, and this Satchel checks version ${NEWEST_VERSION}: migrate it first.`,
  )
}
