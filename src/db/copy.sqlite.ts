/** Makes the database that a dry run writes to: a separate one, with the rows of one workspace. */
import { Database as Sqlite } from 'bun:sqlite'
import { closeSync, openSync } from 'node:fs'
import type { Workspace } from './database'

interface CopyOptions {
  readonly from: string
  /** The path of the copy, where no file may exist. */
  readonly to: string
  readonly workspace: Workspace
}

/** Tables that an import neither reads nor writes itself; they are empty in the copy. */
export const SKIPPED_TABLES = /^(search_|chat_|import_|changes$|idempotency$|erasures$|sqlite_)/
/** Tables of the server that every writer needs; all their rows are copied. */
export const SERVER_TABLES = /^(facts|schema_versions)$/

/**
 * Copies the schema and the rows of one workspace: by an index that begins with the column `workspace`, else by the rows
 * of other tables that they refer to, so that no table is read that has the rows of all workspaces. It goes by the
 * schema itself, so tables of later migrations are copied as well. It reads one snapshot of the database, locks nothing,
 * and takes seconds for a full workspace: call it in a Worker; see copyInWorker.
 */
export function copyWorkspace({ from, to, workspace }: CopyOptions): void {
  const db = createCopy(to)
  try {
    db.run('ATTACH DATABASE ? AS source', [from])
    db.run('BEGIN')
    const statements = listSchema(db)
    for (const { type, sql } of statements) if (type === 'table') db.run(sql)
    copyRows(db, workspace)
    for (const { type, sql } of statements) if (type !== 'table') db.run(sql)
    db.run('COMMIT')
    db.run('DETACH DATABASE source')
  } finally {
    db.close()
  }
}

/** Makes the file of a copy, where none may exist, and opens it. The copy need not survive a crash. */
export function createCopy(path: string): Sqlite {
  closeSync(openSync(path, 'wx', 0o600))
  const db = new Sqlite(path, { strict: true, readwrite: true })
  for (const setting of ['journal_mode', 'synchronous', 'foreign_keys']) db.run(`PRAGMA ${setting} = OFF`)
  return db
}

/** Lists the statements that make tables, then indexes, then triggers: rows are copied before the last two exist. */
function listSchema(db: Sqlite): { type: string; sql: string }[] {
  return db
    .query<{ type: string; sql: string }, []>(
      `SELECT type, sql FROM source.sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite~_%' ESCAPE '~'
       ORDER BY CASE type WHEN 'table' THEN 0 WHEN 'index' THEN 1 ELSE 2 END, rowid`,
    )
    .all()
}

function copyRows(db: Sqlite, workspace: Workspace): void {
  const address = workspace.kind === 'scratch' ? workspace.address : null
  const copied = new Set<string>()
  const remaining = new Set(listTables(db).filter((table) => !SKIPPED_TABLES.test(table)))
  const copy = (table: string, where: string, ...values: (string | null)[]) => {
    const names = listColumns(db, table).join(', ')
    db.query(`INSERT INTO main.${table} (${names}) SELECT ${names} FROM source.${table} WHERE ${where}`).run(...values)
    copied.add(table)
    remaining.delete(table)
  }
  for (const table of remaining) {
    if (SERVER_TABLES.test(table)) copy(table, 'true')
    // The scratch spaces of an address share its quota, so the totals of all of them are needed.
    else if (table === 'workspaces') copy(table, 'id = ?1 OR address = ?2', workspace.id, address)
    else if (hasIndexByWorkspace(db, table)) copy(table, 'workspace = ?', workspace.id)
  }
  for (let before = -1; before !== remaining.size; ) {
    before = remaining.size
    for (const table of remaining) {
      const parent = listForeignKeys(db, table).find(({ table }) => copied.has(table))
      if (parent) copy(table, `${parent.from} IN (SELECT ${parent.to} FROM main.${parent.table})`)
    }
  }
  for (const table of remaining)
    if (listColumns(db, table).includes('"workspace"')) copy(table, 'workspace = ?', workspace.id)
}

function listTables(db: Sqlite): string[] {
  const rows = db.query<{ name: string }, []>("SELECT name FROM source.sqlite_schema WHERE type = 'table'").all()
  return rows.map(({ name }) => name)
}

/** Lists the columns of a table, without generated ones. */
function listColumns(db: Sqlite, table: string): string[] {
  const rows = db.query<{ name: string }, [string]>("SELECT name FROM pragma_table_xinfo(?, 'source') WHERE hidden = 0")
  return rows.all(table).map(({ name }) => `"${name}"`)
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

/** @throws the reason of `signal`, or an Error with the code of the system or of SQLite */
export async function copyInWorker(options: CopyOptions, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const worker = new Worker(new URL('./copy-worker.ts', import.meta.url))
  try {
    await new Promise<void>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      worker.onerror = ({ message }) => reject(new Error(`the copy failed: ${message}`))
      worker.onmessage = ({ data }: MessageEvent<{ readonly message: string; readonly code?: unknown } | null>) => {
        if (data === null) resolve()
        else reject(Object.assign(new Error(`the copy failed: ${data.message}`), { code: data.code }))
      }
      worker.postMessage(options)
    })
  } finally {
    worker.terminate()
  }
}
