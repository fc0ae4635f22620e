import { Database as Sqlite } from 'bun:sqlite'
import { Connection, SET_BUSY_TIMEOUT, translateErrors } from './connection'
import { type Database, DatabaseUnavailable, type Queries, type Snapshot, type Value } from './database'

/**
 * Reads through one connection, those of one turn of the event loop in one transaction: to begin one for each statement
 * (locks, and a look whether the file has changed) takes longer than a small read itself.
 */
class TurnReader implements Pick<Queries, 'all' | 'get'> {
  readonly #connection: Connection
  #end: NodeJS.Immediate | null = null

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

  /**
   * What is read from here on is as it is then: a commit must call this before anybody hears of it, and code that closes
   * the connection before that.
   */
  endTurn(): void {
    if (this.#end) clearImmediate(this.#end)
    this.#end = null
    this.#connection.rollBack()
  }

  #begin(): void {
    if (this.#connection.inTransaction) return
    this.#connection.exec('BEGIN')
    this.#end = setImmediate(() => this.endTurn())
  }
}

/** How many writers share one commit at most: bounds how long the first of them waits for its answer. */
const WRITERS_PER_COMMIT = 256
/** Pages that the reader keeps in memory, once it has read them, in KiB: an agenda of 100,000 tasks reads more than 2 MiB. */
const CACHE_KIB = 32 * 1024
/** The same of who writes, which goes to the same places less often. */
const WRITER_CACHE_KIB = 8 * 1024
/** The same of a snapshot. */
const SNAPSHOT_CACHE_KIB = 2 * 1024
/**
 * How long the log grows before a commit also moves it into the database, in pages of 4 KiB. At SQLite's own 1000 that
 * was every twelfth commit of a note; the same page is in the log many times, so less often is also less work.
 */
const CHECKPOINT_PAGES = 4000

/** How long after damage was found the file is opened again, in milliseconds: by then it may be repaired. */
const REOPEN_MS = 1000

interface Writer {
  readonly work: (tx: Queries) => Promise<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (reason: unknown) => void
}

/** How a writer's work came out, held back until the commit that it shares is on disk. */
type Outcome = () => void

/** `create`: the file is made if it is not there. */
type Mode = 'create' | 'readwrite' | 'readonly'

/**
 * Opens one connection with the settings that every connection of Satchel has. Throws DatabaseUnavailable.
 * @param durable false: nobody needs the file after a crash
 */
export function openSqlite(path: string, mode: Mode = 'create', durable = true): Sqlite {
  return translateErrors(() => {
    const db = new Sqlite(path, { strict: true, [mode]: true })
    // Waiting for a lock blocks the event loop, so the wait is short: there is one writer, and it is us.
    db.run(SET_BUSY_TIMEOUT)
    db.run('PRAGMA foreign_keys = ON')
    db.run(`PRAGMA cache_size = -${mode === 'readonly' ? CACHE_KIB : WRITER_CACHE_KIB}`)
    db.run(`PRAGMA synchronous = ${durable ? 'FULL' : 'OFF'}`)
    if (mode !== 'readonly') {
      db.run(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
      // What is deleted is overwritten with zeros: a page that is only marked as free keeps its text.
      db.run('PRAGMA secure_delete = ON')
      const mode = db.query<{ journal_mode: string }, []>('PRAGMA journal_mode = WAL').get()
      if (mode?.journal_mode !== 'wal') throw new DatabaseUnavailable(`${path} cannot be put into WAL mode`)
    }
    return db
  })
}

/**
 * The SQLite adapter of the port. One connection writes, another reads, so a read never sees half a change. Writers
 * stand in one line; those that arrive in the same turn of the event loop share a BEGIN … COMMIT, each in a savepoint
 * of its own, and so share one fsync. Nobody is answered before that commit is on disk.
 */
export class SqliteDatabase implements Database {
  readonly #path: string
  readonly #writer: Connection
  readonly #readerConnection: Connection
  readonly #reader: TurnReader
  readonly #line: Writer[] = []
  #draining: Promise<void> | null = null
  #reopening: Timer | null = null
  #closed = false
  /** The writer's connection is to be made again before its next transaction. */
  #writerIsStale = false

  readonly #writersPerCommit: number

  /** `path` is a file whose migrations have run; see migrate.ts. `durable`: see openSqlite. */
  constructor(path: string, { writersPerCommit = WRITERS_PER_COMMIT, durable = true } = {}) {
    this.#path = path
    this.#writersPerCommit = writersPerCommit
    const damaged = () => this.#reopenSoon()
    this.#writer = new Connection(() => openSqlite(path, 'readwrite', durable), damaged)
    this.#readerConnection = new Connection(() => openSqlite(path, 'readonly'), damaged)
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
      this.#line.push({ work, resolve: resolve as (value: unknown) => void, reject })
      this.#draining ??= this.#drain()
    })
  }

  afterCommit(_name: string, work: () => void): void {
    work()
  }

  async emptyLog(): Promise<boolean> {
    let emptied = false
    // After a commit no transaction of ours is open, neither the writer's nor the reader's: only snapshots are in the way.
    await this.transaction(async (tx) =>
      tx.afterCommit('empty the log', () => {
        emptied = this.#writer.emptyLog()
      }),
    )
    return emptied
  }

  async snapshot(): Promise<Snapshot> {
    const connection = new Connection(() => openSqlite(this.#path, 'readonly'))
    // It reads everything once: what it kept would be of no use, and take memory for each.
    connection.exec(`PRAGMA cache_size = -${SNAPSHOT_CACHE_KIB}`)
    connection.exec('BEGIN')
    // BEGIN alone fixes nothing: the first read does.
    await connection.get('SELECT 1 FROM migrations')
    return {
      all: (sql, params) => connection.all(sql, params),
      get: (sql, params) => connection.get(sql, params),
      close: () => connection.close(),
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
    while (this.#line.length > 0) {
      // One turn of the event loop: work that arrives in it joins the batch.
      await new Promise<void>((resolve) => setImmediate(resolve))
      await this.#commitTogether(this.#line.splice(0, this.#writersPerCommit))
    }
    // In the same task as the last look at the queue: work that comes a microtask later starts the writer again.
    this.#draining = null
  }

  /** Runs the writers one after the other and commits once. A failed commit fails them all. */
  async #commitTogether(writers: readonly Writer[]): Promise<void> {
    const outcomes: Outcome[] = []
    try {
      if (this.#writerIsStale) this.#writer.reset()
      this.#writerIsStale = false
      this.#writer.exec('BEGIN IMMEDIATE')
      for (const writer of writers) outcomes.push(await this.#runOne(writer))
      // Also, a reader that holds to the past would keep the log from being emptied.
      this.#reader.endTurn()
      this.#writer.exec('COMMIT')
    } catch (error) {
      const reason = this.#abandoned(error)
      for (const writer of writers) writer.reject(reason)
      return
    }
    this.#writer.runNotices()
    for (const settle of outcomes) settle()
  }

  /** A connection keeps the pages that it has read, and would meet the same damage for ever after the file is mended. */
  #reopenSoon(): void {
    this.#reopening ??= setTimeout(() => {
      this.#reopening = null
      if (this.#closed) return
      this.#writerIsStale = true
      this.#reader.endTurn()
      this.#readerConnection.reset()
    }, REOPEN_MS).unref()
  }

  /** Ends the transaction after a fault, and tells what to tell its writers. It never throws: they wait for an answer. */
  #abandoned(fault: unknown): unknown {
    try {
      this.#writer.rollBack()
      return fault
    } catch (second) {
      const cause = new AggregateError([fault, second])
      return new DatabaseUnavailable('the transaction can neither be finished nor rolled back', { cause })
    }
  }

  async #runOne({ work, resolve, reject }: Writer): Promise<Outcome> {
    try {
      const value = await this.#writer.savepoint(work)
      return () => resolve(value)
    } catch (error) {
      // A full disk can make SQLite roll back everything: then those before in this commit are gone as well.
      if (!this.#writer.inTransaction) throw error
      return () => reject(error)
    }
  }
}
