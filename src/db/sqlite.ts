import { Database as Sqlite } from 'bun:sqlite'
import { Connection, SET_BUSY_TIMEOUT, translateErrors } from './connection'
import { type Database, DatabaseUnavailable, type Queries, type Snapshot, type Value, type Workspace } from './database'

/**
 * Reads through one connection. The second read of a turn of the event loop begins a transaction that all further ones
 * share: locks, and a check whether the file has changed, take longer than a small read.
 */
class TurnReader implements Pick<Queries, 'all' | 'get'> {
  readonly #connection: Connection
  #endTimer: NodeJS.Immediate | null = null

  constructor(connection: Connection) {
    this.#connection = connection
  }

  async all<Row>(sql: string, params?: readonly Value[]): Promise<Row[]> {
    this.#begin()
    return this.#connection.all<Row>(sql, params)
  }

  async get<Row>(sql: string, params?: readonly Value[]): Promise<Row | null> {
    this.#begin()
    return this.#connection.get<Row>(sql, params)
  }

  /** Later reads then see the newest data. Call it before a commit becomes visible, and before closing. */
  endTurn(): void {
    if (this.#endTimer) clearImmediate(this.#endTimer)
    this.#endTimer = null
    this.#connection.rollBack()
  }

  #begin(): void {
    if (this.#endTimer === null) this.#endTimer = setImmediate(() => this.endTurn())
    else if (!this.#connection.inTransaction) this.#connection.exec('BEGIN')
  }
}

/** Writers that may share one commit. This limits how long the first of them waits. */
const MAX_WRITERS_PER_COMMIT = 256
/** The page cache of the reader: an agenda of 100,000 tasks reads more than 2 MiB. */
const READER_CACHE_KIB = 32 * 1024
/** The page cache of the writer, which uses the same pages less often. */
const WRITER_CACHE_KIB = 8 * 1024
const SNAPSHOT_CACHE_KIB = 2 * 1024
/**
 * The size of the write-ahead log, in pages of 4 KiB, at which a commit also moves it into the database. At SQLite's
 * default of 1000 every twelfth commit of a note did so. The log holds many versions of a page, so moving it less often
 * is also less work.
 */
const CHECKPOINT_PAGES = 4000

/** Delay after damage was found before the file is opened again; it may have been repaired. */
const REOPEN_MS = 1000

interface Writer {
  readonly work: (tx: Queries) => Promise<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (reason: unknown) => void
}

/** Settles the promise of a writer, once the commit that it shares is on disk. */
type Settle = () => void

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
function openWriter(path: string, durable: boolean): Sqlite {
  const db = openSqlite(path, 'readwrite', durable)
  db.run('PRAGMA temp_store = MEMORY')
  return db
}

/**
 * The SQLite adapter of the port. One connection writes and another reads, so a read never sees half a change. Writers
 * wait in one queue. Those that arrive in the same turn of the event loop share a transaction, each in its own
 * savepoint, and so share one fsync. Their promises settle after the commit is on disk.
 */
export class SqliteDatabase implements Database {
  readonly isShared = false
  readonly #path: string
  readonly #writer: Connection
  readonly #readerConnection: Connection
  readonly #reader: TurnReader
  readonly #queue: Writer[] = []
  #draining: Promise<void> | null = null
  #reopening: Timer | null = null
  #closed = false
  /** Whether the writer's connection must be opened again before its next transaction. */
  #writerIsStale = false

  /** @param path a file whose migrations have run; see open.ts */
  constructor(path: string, { durable = true } = {}) {
    this.#path = path
    const onDamage = () => this.#reopenSoon()
    this.#writer = new Connection(() => openWriter(path, durable), onDamage)
    this.#readerConnection = new Connection(() => openSqlite(path, 'readonly'), onDamage)
    this.#reader = new TurnReader(this.#readerConnection)
  }

  async all<Row>(sql: string, params: readonly Value[] = []): Promise<Row[]> {
    return this.#reader.all<Row>(sql, params)
  }

  async get<Row>(sql: string, params: readonly Value[] = []): Promise<Row | null> {
    return this.#reader.get<Row>(sql, params)
  }

  run(sql: string, params: readonly Value[] = []): Promise<number> {
    return this.transaction((tx) => tx.run(sql, params))
  }

  transaction<T>(work: (tx: Queries) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ work, resolve: resolve as (value: unknown) => void, reject })
      this.#draining ??= this.#drain()
    })
  }

  afterCommit(_name: string, work: () => void): void {
    work()
  }

  /** See Database: all writers wait in one queue. */
  ownedBy(): Queries {
    return this
  }

  /** See Database: there is no other process. */
  exclusively<T>(_name: string, work: () => Promise<T>): Promise<T> {
    return work()
  }

  async emptyLog(): Promise<boolean> {
    let emptied = false
    // After a commit neither the writer nor the reader has an open transaction: only a snapshot can prevent it.
    await this.transaction(async (tx) =>
      tx.afterCommit('empty the log', () => {
        emptied = this.#writer.emptyLog()
      }),
    )
    return emptied
  }

  async snapshot(): Promise<Snapshot> {
    const connection = new Connection(() => openSqlite(this.#path, 'readonly'))
    // A snapshot reads each page about once, so a large cache would only take memory.
    connection.exec(`PRAGMA cache_size = -${SNAPSHOT_CACHE_KIB}`)
    connection.exec('BEGIN')
    // The first read fixes the moment of the snapshot; BEGIN alone does not.
    await connection.get('SELECT 1 FROM schema_versions')
    return {
      all: (sql, params) => connection.all(sql, params),
      get: (sql, params) => connection.get(sql, params),
      close: () => connection.close(),
    }
  }

  async copyWorkspace(workspace: Workspace, path: string, signal: AbortSignal): Promise<void> {
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
        worker.postMessage({ from: this.#path, to: path, workspace })
      })
    } finally {
      worker.terminate()
    }
  }

  async close(): Promise<void> {
    while (this.#draining) await this.#draining
    this.#closed = true
    this.#reader.endTurn()
    this.#readerConnection.close()
    this.#writer.close()
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      // Wait one turn of the event loop: writers that arrive in it share the commit.
      await new Promise<void>((resolve) => setImmediate(resolve))
      await this.#commitTogether(this.#queue.splice(0, MAX_WRITERS_PER_COMMIT))
    }
    // Set in the same task as the last check of the queue, so a writer that arrives later starts it again.
    this.#draining = null
  }

  /** Runs writers one after the other and commits once. A failed commit fails all of them. */
  async #commitTogether(writers: readonly Writer[]): Promise<void> {
    const settles: Settle[] = []
    try {
      if (this.#writerIsStale) this.#writer.reset()
      this.#writerIsStale = false
      this.#writer.exec('BEGIN IMMEDIATE')
      for (const writer of writers) settles.push(await this.#runWriter(writer))
      // An old read transaction would also keep the log from being emptied.
      this.#reader.endTurn()
      this.#writer.exec('COMMIT')
    } catch (error) {
      const reason = this.#rollBack(error)
      for (const writer of writers) writer.reject(reason)
      return
    }
    this.#writer.runAfterCommit()
    for (const settle of settles) settle()
  }

  /** Opens the connections again later: they cache pages, and would report the same damage after a repair. */
  #reopenSoon(): void {
    this.#reopening ??= setTimeout(() => {
      this.#reopening = null
      if (this.#closed) return
      this.#writerIsStale = true
      this.#reader.endTurn()
      this.#readerConnection.reset()
    }, REOPEN_MS).unref()
  }

  /** Rolls back after a fault. Returns the error for the writers. It never throws, since they wait for it. */
  #rollBack(fault: unknown): unknown {
    try {
      this.#writer.rollBack()
      return fault
    } catch (second) {
      const cause = new AggregateError([fault, second])
      return new DatabaseUnavailable('the transaction can neither be finished nor rolled back', { cause })
    }
  }

  /** Runs one writer in a savepoint. @throws if the whole transaction was rolled back */
  async #runWriter({ work, resolve, reject }: Writer): Promise<Settle> {
    try {
      const value = await this.#writer.transaction(work)
      return () => resolve(value)
    } catch (error) {
      // A full disk can make SQLite roll back the whole transaction, and with it the earlier writers of this commit.
      if (!this.#writer.inTransaction) throw error
      return () => reject(error)
    }
  }
}
