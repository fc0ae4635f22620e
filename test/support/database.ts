import { Database as Sqlite } from 'bun:sqlite'
import { existsSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { SQL } from 'bun'
import type { Database, Queries } from '../../src/db/database'
import { migrate, openDatabase } from '../../src/db/open'
import { openPostgres } from '../../src/db/postgres/open'
import { PostgresDatabase } from '../../src/db/postgres/postgres'
import { Connection } from '../../src/db/sqlite'

/** The address of the PostgreSQL server that `bun run test:postgres` has started; without it tests run on SQLite. */
const server = process.env.TEST_DATABASE_URL ?? ''

/** Whether tests run on PostgreSQL. */
export const ON_POSTGRES = server !== ''

/**
 * Opens a migrated database: that of a folder, which is made if it is not there yet. A new one gets what the migrations
 * make, which run once in a process: they take longer than all else that a new world needs.
 */
export async function openMigrated(...[path, now, check, ticks]: Parameters<typeof openDatabase>): Promise<Database> {
  if (ON_POSTGRES) return openOfFolder(dirname(path), now, check, ticks)
  if (!existsSync(path)) writeFileSync(path, readMigrated())
  return openDatabase(path, now, check, ticks)
}

/**
 * Works on the database of a folder beside the server that has it open: reads or changes what no request does. With
 * SQLite each statement is a transaction of its own.
 */
export async function useDatabase<T>(folder: string, work: (db: Queries) => Promise<T>): Promise<T> {
  const db = await openOnceMore(folder)
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}

/**
 * Does `work` while another connection holds all rows of a table with a change that it has not committed; in SQLite that
 * holds the whole database.
 */
export async function whileHeld(folder: string, table: string, work: () => Promise<void>): Promise<void> {
  await useDatabase(folder, (db) =>
    db.transaction(async (tx) => {
      const [column] = await columnsOf(tx, table)
      await tx.run(`UPDATE ${table} SET ${column} = ${column}`)
      await work()
    }),
  )
}

async function openOnceMore(folder: string): Promise<Queries & { close(): void | Promise<void> }> {
  if (!ON_POSTGRES) return new Connection(() => new Sqlite(join(folder, 'satchel.db'), { strict: true }))
  const address = await databases.get(folder)
  if (!address) throw new Error(`no database was opened for ${folder}`)
  return new PostgresDatabase(address)
}

/** Lists the tables, but those of the engine itself. */
export async function tablesOf(db: Pick<Queries, 'all'>): Promise<string[]> {
  const sql = ON_POSTGRES
    ? "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'satchel' ORDER BY name"
    : "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY name"
  return (await db.all<{ name: string }>(sql)).map(({ name }) => name)
}

/** The names of the columns of a table. */
export async function columnsOf(db: Pick<Queries, 'all'>, table: string): Promise<string[]> {
  const sql = ON_POSTGRES
    ? "SELECT column_name AS name FROM information_schema.columns WHERE table_schema = 'satchel' AND table_name = $1"
    : 'SELECT name FROM pragma_table_info($1)'
  return (await db.all<{ name: string }>(sql, [table])).map(({ name }) => name)
}

/** The names of the tables that have a column. */
export async function tablesWith(db: Pick<Queries, 'all'>, column: string): Promise<string[]> {
  const sql = ON_POSTGRES
    ? `SELECT table_name AS name FROM information_schema.columns WHERE table_schema = 'satchel' AND column_name = $1
       ORDER BY name`
    : `SELECT m.name FROM sqlite_schema AS m JOIN pragma_table_info(m.name) AS c ON c.name = $1
       WHERE m.type = 'table' ORDER BY m.name`
  return (await db.all<{ name: string }>(sql, [column])).map(({ name }) => name)
}

type CheckFingerprint = Parameters<typeof openDatabase>[2]

let migrated: Buffer | null = null

function readMigrated(): Buffer {
  if (migrated) return migrated
  const db = new Sqlite(':memory:')
  migrate(db, 0)
  migrated = db.serialize()
  db.close()
  return migrated
}

/** The databases of this process, by folder. */
const databases = new Map<string, Promise<string>>()
/** The folders whose database is closed, the one closed longest ago first. */
const closed = new Set<string>()
/** Databases that are kept after their close, for tests that open their folder again. */
const KEPT_CLOSED = 20

async function openOfFolder(
  folder: string,
  ...rest: [now: number, check: CheckFingerprint, ticks?: () => number]
): Promise<Database> {
  closed.delete(folder)
  const address = databases.get(folder) ?? takeDatabase()
  databases.set(folder, address)
  const db = await openPostgres(await address, ...rest)
  const close = db.close.bind(db)
  db.close = async () => {
    await close()
    closed.add(folder)
  }
  return db
}

/** Empties a database that is not needed any more, or makes one. */
function takeDatabase(): Promise<string> {
  const [oldest] = closed
  const address = oldest !== undefined && closed.size > KEPT_CLOSED ? databases.get(oldest) : undefined
  if (oldest === undefined || !address) return createDatabase()
  closed.delete(oldest)
  databases.delete(oldest)
  return address.then(async (address) =>
    (await shapeOf(address)) === (await template) ? emptied(address) : createDatabase(),
  )
}

/** Resolves with the shape of the database that all others are made of. */
let template: Promise<string> | null = null
let count = 0

async function createDatabase(): Promise<string> {
  const models = `model_${process.pid}`
  template ??= makeTemplate(models)
  await template
  const name = `test_${process.pid}_${++count}`
  await administer(server, `CREATE DATABASE ${name} TEMPLATE ${models} STRATEGY file_copy`)
  return inDatabase(name)
}

async function makeTemplate(name: string): Promise<string> {
  await administer(server, `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`)
  const address = inDatabase(name)
  await (await openPostgres(address, 0, () => '')).close()
  await administer(address, "DELETE FROM satchel.facts WHERE name = 'secret_fingerprint'")
  return shapeOf(address)
}

/** The names of all tables, indexes and triggers: a test may have dropped some, or added its own. */
async function shapeOf(address: string): Promise<string> {
  const rows = await administer(
    address,
    `SELECT string_agg(name, ' ' ORDER BY name) AS shape FROM (
       SELECT relname::text AS name FROM pg_class WHERE relnamespace = 'satchel'::regnamespace
       UNION ALL SELECT tgname::text FROM pg_trigger WHERE NOT tgisinternal) AS named`,
  )
  return rows[0]?.shape ?? ''
}

/** Deletes all rows, without the triggers. */
async function emptied(address: string): Promise<string> {
  await administer(
    address,
    `DO $$ DECLARE name text; BEGIN
       SET LOCAL session_replication_role = replica;
       FOR name IN SELECT relname FROM pg_class WHERE relnamespace = 'satchel'::regnamespace AND relkind = 'r'
         AND relname <> 'schema_versions' LOOP
         EXECUTE format('DELETE FROM satchel.%I', name);
       END LOOP;
     END $$`,
  )
  return address
}

async function administer(address: string, sql: string): Promise<{ shape: string }[]> {
  const connection = new SQL({ url: address, max: 1 })
  try {
    return await connection.unsafe(sql).simple()
  } finally {
    await connection.close({ timeout: 0 })
  }
}

function inDatabase(name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}
