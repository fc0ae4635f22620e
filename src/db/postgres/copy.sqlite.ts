import type { Database as Sqlite } from 'bun:sqlite'
import { createCopy, SERVER_TABLES, SKIPPED_TABLES } from '../copy.sqlite'
import type { Snapshot, Workspace } from '../database'
import { migrate } from '../open'

/** Rows that are read at once. The largest have 256 KiB. */
const PAGE_ROWS = 100

interface CopyOptions {
  readonly from: Snapshot
  /** The path of the copy, where no file may exist. */
  readonly to: string
  readonly workspace: Workspace
}

/**
 * Makes the database that a dry run writes to, as copyWorkspace of ../copy.sqlite.ts does, from a snapshot of PostgreSQL.
 * @throws the reason of `signal`, DatabaseUnavailable, or an Error with the code of the system or of SQLite
 */
export async function copySnapshot({ from, to, workspace }: CopyOptions, signal: AbortSignal): Promise<void> {
  const db = createCopy(to)
  try {
    migrate(db, 0)
    const triggers = db
      .query<{ name: string; sql: string }, []>("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
      .all()
    db.run('BEGIN')
    for (const { name } of triggers) db.run(`DROP TRIGGER ${name}`)
    for (const table of listTables(db)) await copyTable(db, table, { from, workspace }, signal)
    for (const { sql } of triggers) db.run(sql)
    db.run('COMMIT')
  } finally {
    db.close()
  }
}

async function copyTable(
  db: Sqlite,
  table: string,
  { from, workspace }: Pick<CopyOptions, 'from' | 'workspace'>,
  signal: AbortSignal,
): Promise<void> {
  const columns = db
    .query<{ name: string }, [string]>('SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0')
    .all(table)
    .map(({ name }) => name)
  const address = workspace.kind === 'scratch' ? workspace.address : null
  const [where, values] = SERVER_TABLES.test(table)
    ? ['true', []]
    : table === 'workspaces'
      ? ['id = $1 OR address = $2', [workspace.id, address]]
      : ['workspace = $1', [workspace.id]]
  const names = columns.map((name) => `"${name}"`).join(', ')
  db.run(`DELETE FROM ${table}`)
  const insert = db.prepare(`INSERT INTO ${table} (${names}) VALUES (${columns.map(() => '?').join(', ')})`)
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

function listTables(db: Sqlite): string[] {
  return db
    .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .all()
    .map(({ name }) => name)
    .filter((name) => !SKIPPED_TABLES.test(name))
}
