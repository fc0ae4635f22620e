import type { Queries } from '../database'
import { FINGERPRINT_NAME, READ_VERSION, requireKnownVersion, requireOwnTables, VERSIONS_TABLE } from '../open'
import schema from './migrations/0001-schema.sql' with { type: 'text' }
import { PostgresDatabase, type PostgresTransaction } from './postgres'

/** Each leads to the version of SQLite's migration of that number. A released one is never changed: add another one. */
const MIGRATIONS: readonly { readonly version: number; readonly sql: string }[] = [{ version: 1, sql: schema }]

/**
 * Opens the database of PostgreSQL at an address, after it has run the pending migrations and checked the secret. Of
 * several processes that start at once one runs the migrations.
 * @param now milliseconds since 1970
 * @param checkFingerprint and `ticks`: see openDatabase of ../open.ts
 * @throws Error of one sentence, or DatabaseUnavailable
 */
export async function openPostgres(
  url: string,
  now: number,
  checkFingerprint: (stored: string | null) => string,
  ticks?: () => number,
): Promise<PostgresDatabase> {
  const db = new PostgresDatabase(url, ticks)
  try {
    await db.transaction(async (tx) => {
      await migrate(tx, now)
      await storeFingerprint(tx, checkFingerprint)
    })
  } catch (error) {
    await db.close()
    throw error
  }
  return db
}

/** The row of `facts` that says when the rows were copied from SQLite, in milliseconds since 1970. */
export const MOVED_AT = 'moved_at'

/** Makes the rows those of a server that starts: they are not replaced by another copy from now on. */
export async function keepRows(db: Queries): Promise<void> {
  await db.run('DELETE FROM facts WHERE name = $1', [MOVED_AT])
}

async function migrate(tx: PostgresTransaction, now: number): Promise<void> {
  const server = await tx.get<{ encoding: string; version: number }>(
    `SELECT current_setting('server_encoding') AS encoding,
       CAST(current_setting('server_version_num') AS bigint) / 10000 AS version`,
  )
  if (server?.encoding !== 'UTF8') throw new Error(`The database is in ${server?.encoding}: Satchel needs UTF8.`)
  if (server.version < OLDEST_VERSION)
    throw new Error(`The server is PostgreSQL ${server.version}: Satchel needs ${OLDEST_VERSION} or newer.`)
  await tx.runScript('CREATE SCHEMA IF NOT EXISTS satchel')
  await requireOwnSchema(tx)
  await tx.runScript(
    `CREATE TABLE IF NOT EXISTS satchel.${VERSIONS_TABLE} (version bigint PRIMARY KEY, applied_at bigint NOT NULL)`,
  )
  const row = await tx.get<{ version: number | null }>(READ_VERSION)
  const present = row?.version ?? 0
  requireKnownVersion(present)
  for (const { version, sql } of MIGRATIONS) {
    if (version <= present) continue
    await tx.runScript(sql)
    await tx.run(`INSERT INTO ${VERSIONS_TABLE} (version, applied_at) VALUES ($1, $2)`, [version, now])
  }
}

/** Returns whether the database has a version; see requireOwnTables. @throws Error of one sentence */
export async function requireOwnSchema(db: Pick<Queries, 'all'>): Promise<boolean> {
  const tables = await db.all<{ name: string }>("SELECT tablename AS name FROM pg_tables WHERE schemaname = 'satchel'")
  const names = tables.map(({ name }) => name)
  return requireOwnTables(names, 'The database in PostgreSQL', 'an empty database')
}

/** The oldest version of PostgreSQL whose SQL the migrations and stores use. */
const OLDEST_VERSION = 15

async function storeFingerprint(tx: Queries, check: (stored: string | null) => string): Promise<void> {
  const row = await tx.get<{ value: string }>('SELECT value FROM facts WHERE name = $1', [FINGERPRINT_NAME])
  const fingerprint = check(row?.value ?? null)
  if (!row) await tx.run('INSERT INTO facts (name, value) VALUES ($1, $2)', [FINGERPRINT_NAME, fingerprint])
}
