import { Database as Sqlite } from 'bun:sqlite'
import { type Database, DatabaseUnavailable } from './database'
import schema from './migrations/0001-schema.sql' with { type: 'text' }
import { SqliteDatabase } from './sqlite'
import { openSqlite, translateErrors } from './sqlite-file'

interface Migration {
  readonly version: number
  readonly sql: string
}

/** All migrations, in order. A released migration is never changed: add another one. */
export const MIGRATIONS: readonly Migration[] = [{ version: 1, sql: schema }]

export const NEWEST_VERSION = MIGRATIONS.at(-1)?.version ?? 0

export const VERSIONS_TABLE = 'schema_versions'

/**
 * Runs the pending migrations in one transaction, so that a crash or a fault leaves the database as it was.
 * @param now milliseconds since 1970
 * @throws Error of one sentence if a newer Satchel has written the database, or one before the first release
 */
export function migrate(db: Sqlite, now: number, migrations: readonly Migration[] = MIGRATIONS): void {
  const present = readSchemaVersion(db)
  requireKnownVersion(present, migrations)
  const pending = migrations.filter(({ version }) => version > present)
  if (pending.length === 0) return
  db.transaction(() => {
    db.run(
      `CREATE TABLE IF NOT EXISTS ${VERSIONS_TABLE} (version INTEGER PRIMARY KEY, applied_at INTEGER NOT NULL) STRICT`,
    )
    for (const { version, sql } of pending) {
      db.run(sql)
      db.run(`INSERT INTO ${VERSIONS_TABLE} (version, applied_at) VALUES (?, ?)`, [version, now])
    }
  }).immediate()
}

/** @throws Error of one sentence if a newer Satchel has written a database at this version */
export function requireKnownVersion(version: number, migrations: readonly Migration[] = MIGRATIONS): void {
  const newest = migrations.at(-1)?.version ?? 0
  if (version > newest)
    throw new Error(
      `The database is at version ${version}, and this Satchel knows versions up to ${newest}. Start the newer Satchel that wrote it.`,
    )
}

/**
 * Checks the tables of a database. Before the first release databases had another list of versions, of which nothing
 * is read.
 * @param name what the sentence calls the database
 * @returns whether it has a version; a new database has no tables
 * @throws Error of one sentence
 */
export function requireOwnTables(tables: readonly string[], name: string, fresh = 'an empty folder'): boolean {
  const hasVersion = tables.includes(VERSIONS_TABLE)
  if (!hasVersion && tables.length > 0)
    throw new Error(
      `${name} was made before Satchel 0.1.0, the first release, and cannot be opened: begin with ${fresh}.`,
    )
  return hasVersion
}

/** The newest migration that has run; 0 for a new database. @throws Error of one sentence; see requireOwnTables */
export function readSchemaVersion(db: Sqlite): number {
  const tables = db.query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
  const names = tables.map(({ name }) => name)
  if (!requireOwnTables(names, db.filename)) return 0
  return db.query<{ version: number | null }, []>(READ_VERSION).get()?.version ?? 0
}

export const READ_VERSION = `SELECT max(version) AS version FROM ${VERSIONS_TABLE}`

/** Changes nothing. @throws Error of one sentence also for a newer database, or DatabaseUnavailable */
export function readFileVersion(path: string): number {
  return translateErrors(() => {
    // For writing, since the last reader of a write-ahead log could not remove it.
    using db = new Sqlite(path, { strict: true, readwrite: true })
    const version = readSchemaVersion(db)
    requireKnownVersion(version)
    return version
  })
}

export const FINGERPRINT_NAME = 'secret_fingerprint'

/**
 * Opens satchel.db, after it has run the pending migrations and checked the secret.
 * @param now milliseconds since 1970
 * @param checkFingerprint called with the stored fingerprint of the secret, or null for a new database. It throws if
 *   another secret is in use, with which no workspace would be found, and returns the fingerprint to store.
 * @param ticks the clock for slow statements; without it none is counted
 * @throws Error of one sentence, or DatabaseUnavailable
 */
export function openDatabase(
  path: string,
  now: number,
  checkFingerprint: (stored: string | null) => string,
  ticks?: () => number,
): SqliteDatabase {
  const db = openSqlite(path)
  try {
    migrate(db, now)
    storeFingerprint(db, checkFingerprint)
  } finally {
    db.close()
  }
  return new SqliteDatabase(path, { ticks })
}

/** @param stored its fingerprint; null if it has none yet @throws Error of one sentence if it is another secret's */
export function checkFingerprint(stored: string | null, fingerprint: string, database: string): void {
  if (stored === null || stored === fingerprint) return
  throw new Error(
    `${database} belongs to another secret: start with the SATCHEL_SECRET or the file "secret" it was made with.`,
  )
}

function storeFingerprint(db: Sqlite, check: (stored: string | null) => string): void {
  const stored = readFingerprint(db)
  const fingerprint = check(stored)
  if (stored === null) db.run('INSERT INTO facts (name, value) VALUES (?, ?)', [FINGERPRINT_NAME, fingerprint])
}

/** Reads the fingerprint of the secret that the database belongs to; null if it is new. */
export function readFingerprint(db: Sqlite): string | null {
  return (
    db.query<{ value: string }, [string]>('SELECT value FROM facts WHERE name = ?').get(FINGERPRINT_NAME)?.value ?? null
  )
}

/** At the newest version, writable to the disk. @param now milliseconds since 1970 @throws DatabaseUnavailable */
export async function checkReady(db: Database, now: number): Promise<void> {
  const row = await db.get<{ version: number | null }>(READ_VERSION)
  if (row?.version !== NEWEST_VERSION)
    throw new DatabaseUnavailable(`the database is at version ${row?.version}, not at ${NEWEST_VERSION}`)
  await db.run(
    `INSERT INTO facts (name, value) VALUES ('ready_checked_at', $1)
     ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
    [String(now)],
  )
}
