import { SQLiteError, Database as Sqlite } from 'bun:sqlite'
import { DatabaseFull, DatabaseUnavailable } from './database'

/** How a file of SQLite is opened, and what its errors mean. */

/** Result codes of the disk, locks and damage, as opposed to wrong statements. Source: sqlite.org/rescode.html */
const UNAVAILABLE = /^SQLITE_(FULL|IOERR|BUSY|LOCKED|READONLY|CORRUPT|CANTOPEN|NOTADB|NOMEM|PROTOCOL|PERM|AUTH)/
/** Result codes that may pass by themselves. After any other fault the file has to be opened again. */
const TRANSIENT = /^SQLITE_(FULL|BUSY|LOCKED|NOMEM)/

/** Sets how long a connection waits for a lock: 1000 ms; see openSqlite. */
export const SET_BUSY_TIMEOUT = 'PRAGMA busy_timeout = 1000'

/** The page cache of the reader: an agenda of 100,000 tasks reads more than 2 MiB. */
const READER_CACHE_KIB = 32 * 1024
/** The page cache of the writer, which uses the same pages less often. */
const WRITER_CACHE_KIB = 8 * 1024
/**
 * The size of the write-ahead log, in pages of 4 KiB, at which a commit also moves it into the database. At SQLite's
 * default of 1000 every twelfth commit of a note did so. The log holds many versions of a page, so moving it less often
 * is also less work.
 */
const CHECKPOINT_PAGES = 4000

/** How a file is opened. `create`: it is made if it is missing. */
type Mode = 'create' | 'readwrite' | 'readonly'

/**
 * Makes SQLite keep the temporary files of all connections of this process, Workers included, in a folder: its default is
 * /var/tmp, which may be full while the folder has room, and may be read by others. They are for what may need more than
 * there is memory: migrations, indexes of imported files, `check`. They are removed when they are closed.
 */
export function keepTemporaryFilesIn(folder: string): void {
  using db = new Sqlite(':memory:')
  db.run(`PRAGMA temp_store_directory = '${folder.replaceAll("'", "''")}'`)
}

/** @param durable whether commits must survive a crash of the machine @throws DatabaseUnavailable */
export function openSqlite(path: string, mode: Mode = 'create', durable = true): Sqlite {
  return translateErrors(() => {
    const db = new Sqlite(path, { strict: true, [mode]: true })
    // Waiting for a lock blocks the event loop, so the timeout is short: this process is the only writer.
    db.run(SET_BUSY_TIMEOUT)
    db.run('PRAGMA foreign_keys = ON')
    db.run(`PRAGMA cache_size = -${mode === 'readonly' ? READER_CACHE_KIB : WRITER_CACHE_KIB}`)
    db.run(`PRAGMA synchronous = ${durable ? 'FULL' : 'OFF'}`)
    if (mode !== 'readonly') {
      db.run(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
      // Deleted data is overwritten with zeros; otherwise the text would remain in free pages.
      db.run('PRAGMA secure_delete = ON')
      const journal = db.query<{ journal_mode: string }, []>('PRAGMA journal_mode = WAL').get()
      if (journal?.journal_mode !== 'wal') throw new DatabaseUnavailable(`${path} cannot be put into WAL mode`)
    }
    return db
  })
}

/** Pages that a savepoint changes are kept in memory, since each write has one: 120 KiB for a note. */
export function openWriter(path: string, durable: boolean): Sqlite {
  const db = openSqlite(path, 'readwrite', durable)
  db.run('PRAGMA temp_store = MEMORY')
  return db
}

export function isTransient(fault: unknown): boolean {
  return fault instanceof SQLiteError && TRANSIENT.test(fault.code ?? '')
}

/** Errors of the disk, a lock or damage become DatabaseUnavailable or DatabaseFull; others stay. */
export function translateError(error: unknown): unknown {
  if (!(error instanceof SQLiteError) || !error.code || !UNAVAILABLE.test(error.code)) return error
  const Fault = error.code === 'SQLITE_FULL' ? DatabaseFull : DatabaseUnavailable
  return new Fault(`${error.code}: ${error.message}`, { cause: error })
}

/** Calls a function. See translateError. */
export function translateErrors<T>(call: () => T): T {
  try {
    return call()
  } catch (error) {
    throw translateError(error)
  }
}
