/** What a dry run writes to: a database of its own, with the rows of one workspace. */
import { Database as Sqlite } from 'bun:sqlite'
import { closeSync, openSync } from 'node:fs'
import type { Workspace } from '../db/database'
import { FileFault } from '../lib/file-fault'
import { FULL_DISK_DETAIL } from './folder'

interface CopyOrder {
  /** Path of the database. */
  readonly from: string
  /** Path of the copy, which must not be there. */
  readonly to: string
  readonly workspace: Workspace
}

/** What an import neither reads nor writes itself: it is empty in the copy. */
const LEFT_OUT = /^(search_|chat_|import_|changes$|idempotency$|erasures$|sqlite_)/
/** Of the server, and needed by every writer. */
const WHOLE = /^(facts|migrations)$/

/**
 * Copies the schema, and of the rows those of the workspace: of tables with a `workspace`, and of those that refer to
 * them. The schema itself decides, so that a table made later is copied as well. It reads one moment of the
 * database, locks nothing, and takes seconds for a full workspace: call it in a Worker; see copyInWorker.
 */
export function copyWorkspace({ from, to, workspace }: CopyOrder): void {
  closeSync(openSync(to, 'wx', 0o600))
  const db = new Sqlite(to, { strict: true, readwrite: true })
  try {
    // The copy is of no use after a crash.
    db.run('PRAGMA journal_mode = OFF')
    db.run('PRAGMA synchronous = OFF')
    db.run('PRAGMA foreign_keys = OFF')
    db.run('ATTACH DATABASE ? AS source', [from])
    db.run('BEGIN')
    const made = schemaOf(db)
    for (const { type, sql } of made) if (type === 'table') db.run(sql)
    copyRows(db, workspace)
    for (const { type, sql } of made) if (type !== 'table') db.run(sql)
    db.run('COMMIT')
    db.run('DETACH DATABASE source')
  } finally {
    db.close()
  }
}

/** Tables, then indexes, then triggers, so that rows come into bare tables. */
function schemaOf(db: Sqlite): { type: string; sql: string }[] {
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
  const left = new Set(tablesOf(db).filter((table) => !LEFT_OUT.test(table)))
  const copy = (table: string, where: string, ...values: (string | null)[]) => {
    const names = columnsOf(db, table).join(', ')
    db.query(`INSERT INTO main.${table} (${names}) SELECT ${names} FROM source.${table} WHERE ${where}`).run(...values)
    copied.add(table)
    left.delete(table)
  }
  for (const table of left) {
    if (WHOLE.test(table)) copy(table, 'true')
    // The spaces of an address share its quota.
    else if (table === 'workspaces') copy(table, 'id = ?1 OR address = ?2', workspace.id, address)
    else if (columnsOf(db, table).includes('"workspace"')) copy(table, 'workspace = ?', workspace.id)
  }
  for (let before = -1; before !== left.size; ) {
    before = left.size
    for (const table of left) {
      const parent = parentsOf(db, table).find(({ table }) => copied.has(table))
      if (parent) copy(table, `${parent.from} IN (SELECT ${parent.to} FROM main.${parent.table})`)
    }
  }
}

function tablesOf(db: Sqlite): string[] {
  const rows = db.query<{ name: string }, []>("SELECT name FROM source.sqlite_schema WHERE type = 'table'").all()
  return rows.map(({ name }) => name)
}

/** Without what is computed. */
function columnsOf(db: Sqlite, table: string): string[] {
  const rows = db.query<{ name: string }, [string]>("SELECT name FROM pragma_table_xinfo(?, 'source') WHERE hidden = 0")
  return rows.all(table).map(({ name }) => `"${name}"`)
}

function parentsOf(db: Sqlite, table: string): { table: string; from: string; to: string }[] {
  return db
    .query<{ table: string; from: string; to: string }, [string]>(
      `SELECT "table", "from", "to" FROM pragma_foreign_key_list(?, 'source')`,
    )
    .all(table)
}

/** Copies a workspace for a dry run without holding up anybody; see copyWorkspace. @param signal ends it */
export async function copyInWorker(order: CopyOrder, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const worker = new Worker(new URL('./copy-worker.ts', import.meta.url))
  try {
    await new Promise<void>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      worker.onerror = ({ message }) => reject(new Error(`the copy broke: ${message}`))
      worker.onmessage = ({ data }: MessageEvent<string | null>) => {
        if (data === null) resolve()
        else
          reject(
            data === 'full' ? new FileFault('storage_full', FULL_DISK_DETAIL) : new Error(`the copy broke: ${data}`),
          )
      }
      worker.postMessage(order)
    })
  } finally {
    worker.terminate()
  }
}
