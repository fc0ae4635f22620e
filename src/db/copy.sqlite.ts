/** Makes the database that a dry run writes to: a separate one, with the rows of one workspace. */
import { Database as Sqlite } from 'bun:sqlite'
import { closeSync, openSync } from 'node:fs'
import type { Snapshot, Value, Workspace } from './database'
import { migrate } from './open'

/** Tables that an import neither reads nor writes itself; they are empty in the copy. */
const SKIPPED_TABLES = /^(search_|chat_|import_|changes$|idempotency$|erasures$|sqlite_)/
/** Tables of the server that every writer needs; all their rows are copied. */
const SERVER_TABLES = /^(facts|schema_versions)$/

/**
 * Makes a copy at a path, where no file may exist. It need not survive a crash.
 * @param fill copies the rows of the tables, which have neither indexes nor triggers at that time
 */
async function makeCopy(
  path: string,
  fill: (db: Sqlite, tables: readonly string[]) => Promise<void> | void,
): Promise<void> {
  closeSync(openSync(path, 'wx', 0o600))
  const db = new Sqlite(path, { strict: true, readwrite: true })
  try {
    for (const setting of ['journal_mode', 'synchronous', 'foreign_keys']) db.run(`PRAGMA ${setting} = OFF`)
    migrate(db, 0)
    const schema = db.query<{ type: string; name: string; sql: string }, []>(
      "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND type IN ('table', 'index', 'trigger')",
    )
    const { table: tables = [], ...others } = Object.groupBy(schema.all(), ({ type }) => type)
    const later = [...(others.index ?? []), ...(others.trigger ?? [])]
    for (const { type, name } of later) db.run(`DROP ${type} ${name}`)
    const copied = tables.map(({ name }) => name).filter((name) => !SKIPPED_TABLES.test(name))
    // What the migrations have written.
    for (const name of copied) db.run(`DELETE FROM ${name}`)
    await fill(db, copied)
    for (const { sql } of later) db.run(sql)
  } finally {
    db.close()
  }
}

/** Returns the condition for the rows of a table that are copied. */
function rowsToCopy(table: string, workspace: Workspace): { where: string; values: Value[] } {
  if (SERVER_TABLES.test(table)) return { where: 'true', values: [] }
  if (table !== 'workspaces') return { where: 'workspace = $1', values: [workspace.id] }
  // The scratch spaces of an address share its quota, so the totals of all of them are needed.
  const address = workspace.kind === 'scratch' ? workspace.address : null
  return { where: 'id = $1 OR address = $2', values: [workspace.id, address] }
}

/** Lists the columns of a table, without generated ones. */
function listColumns(db: Sqlite, table: string): string[] {
  const rows = db.query<{ name: string }, [string]>('SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0')
  return rows.all(table).map(({ name }) => name)
}

interface CopyOptions {
  readonly from: string
  /** The path of the copy, where no file may exist. */
  readonly to: string
  readonly workspace: Workspace
}

/**
 * Copies the rows of one workspace: by an index that begins with the column `workspace`, else by the rows of other tables
 * that they refer to, so that no table is read that has the rows of all workspaces. It goes by the schema itself, so
 * tables of later migrations are copied as well. It reads one snapshot of the database, locks nothing, and takes seconds
 * for a full workspace: call it in a Worker; see SqliteDatabase.
 */
export function copyWorkspace({ from, to, workspace }: CopyOptions): Promise<void> {
  return makeCopy(to, (db, tables) => {
    db.run('ATTACH DATABASE ? AS source', [from])
    db.run('BEGIN')
    copyRows(db, tables, workspace)
    db.run('COMMIT')
    db.run('DETACH DATABASE source')
  })
}

function copyRows(db: Sqlite, tables: readonly string[], workspace: Workspace): void {
  const remaining = new Set(tables)
  const copied = new Set<string>()
  const copy = (table: string, where: string, values: readonly Value[] = []) => {
    const names = listColumns(db, table)
      .map((name) => `"${name}"`)
      .join(', ')
    const sql = `INSERT INTO main.${table} (${names}) SELECT ${names} FROM source.${table} WHERE ${where}`
    db.query(sql).run(...values)
    copied.add(table)
    remaining.delete(table)
  }
  const copyOwn = (table: string) => {
    const { where, values } = rowsToCopy(table, workspace)
    copy(table, where, values)
  }
  for (const table of remaining)
    if (table === 'workspaces' || SERVER_TABLES.test(table) || hasIndexByWorkspace(db, table)) copyOwn(table)
  for (let before = -1; before !== remaining.size; ) {
    before = remaining.size
    for (const table of remaining) {
      const parent = listForeignKeys(db, table).find(({ table }) => copied.has(table))
      if (parent) copy(table, `${parent.from} IN (SELECT ${parent.to} FROM main.${parent.table})`)
    }
  }
  remaining.forEach(copyOwn)
}

function hasIndexByWorkspace(db: Sqlite, table: string): boolean {
  const sql = `SELECT 1 FROM pragma_index_list(?, 'source') AS own, pragma_index_info(own.name, 'source') AS part
    WHERE own.partial = 0 AND part.seqno = 0 AND part.name = 'workspace'`
  return db.query(sql).get(table) !== null
}

function listForeignKeys(db: Sqlite, table: string): { table: string; from: string; to: string }[] {
  return db
    .query<{ table: string; from: string; to: string }, [string]>(
      `SELECT "table", "from", "to" FROM pragma_foreign_key_list(?, 'source')`,
    )
    .all(table)
}

/** Rows that are read at once. The largest have 256 KiB. */
const PAGE_ROWS = 100

/**
 * Makes the database that a dry run writes to, as copyWorkspace does, from a snapshot of PostgreSQL.
 * @throws the reason of `signal`, DatabaseUnavailable, or an Error with the code of the system or of SQLite
 */
export function copySnapshot(from: Snapshot, workspace: Workspace, to: string, signal: AbortSignal): Promise<void> {
  return makeCopy(to, async (db, tables) => {
    db.run('BEGIN')
    for (const table of tables) await copyTable({ from, to: db, table, workspace }, signal)
    db.run('COMMIT')
  })
}

interface TableCopy {
  readonly from: Snapshot
  readonly to: Sqlite
  readonly table: string
  readonly workspace: Workspace
}

async function copyTable({ from, to, table, workspace }: TableCopy, signal: AbortSignal): Promise<void> {
  const columns = listColumns(to, table)
  const names = columns.map((name) => `"${name}"`).join(', ')
  const { where, values } = rowsToCopy(table, workspace)
  const insert = to.prepare(`INSERT INTO ${table} (${names}) VALUES (${columns.map(() => '?').join(', ')})`)
  try {
    await from.all(`DECLARE copy_${table} NO SCROLL CURSOR FOR SELECT ${names} FROM ${table} WHERE ${where}`, values)
    for (let read = PAGE_ROWS; read === PAGE_ROWS; ) {
      signal.throwIfAborted()
      const rows = await from.all<Record<string, string>>(`FETCH ${PAGE_ROWS} FROM copy_${table}`)
      for (const row of rows) insert.run(...columns.map((name) => row[name] ?? null))
      read = rows.length
    }
  } finally {
    insert.finalize()
  }
}
