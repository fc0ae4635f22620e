import { SQLiteError, Database as Sqlite, type Statement } from 'bun:sqlite'
import { type Database, DatabaseUnavailable, type Queries, type Snapshot, type Value } from './database'

/** How many writers share one commit at most: bounds how long the first of them waits for its answer. */
const WRITERS_PER_COMMIT = 256
/** Pages that a connection keeps in memory, once it has read them, in KiB: an agenda of 100,000 tasks reads more than 2 MiB. */
const CACHE_KIB = 32 * 1024
/**
 * How long the log grows before a commit also moves it into the database, in pages of 4 KiB. At SQLite's own 1000 that
 * was every twelfth commit of a note; the same page is in the log many times, so less often is also less work.
 */
const CHECKPOINT_PAGES = 4000
/** How many prepared statements a connection keeps. The SQL is ours and finite; filters multiply it a little. */
const STATEMENTS_KEPT = 500
/** Result codes that mean "not now" (disk, locks, damage), not "the statement is wrong". Source: sqlite.org/rescode.html */
const UNAVAILABLE = /^SQLITE_(FULL|IOERR|BUSY|LOCKED|READONLY|CORRUPT|CANTOPEN|NOTADB|NOMEM|PROTOCOL|PERM|AUTH)/

interface Writer {
  readonly work: (tx: Queries) => Promise<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (reason: unknown) => void
}

/** What is left to do just before a commit. */
type Ending = (tx: Queries) => Promise<void>

/** How a writer's work came out, held back until the commit that it shares is on disk. */
type Outcome = () => void

/** Opens one connection with the settings that every connection of Satchel has. Throws DatabaseUnavailable. */
export function openSqlite(path: string, options: { readonly?: boolean } = {}): Sqlite {
  return translated(() => {
    const db = new Sqlite(path, { strict: true, ...(options.readonly ? { readonly: true } : { create: true }) })
    // Waiting for a lock blocks the event loop, so the wait is short: there is one writer, and it is us.
    db.run('PRAGMA busy_timeout = 1000')
    db.run('PRAGMA foreign_keys = ON')
    db.run(`PRAGMA cache_size = -${CACHE_KIB}`)
    db.run('PRAGMA synchronous = FULL')
    if (!options.readonly) {
      db.run(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
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
  readonly #reader: Connection
  readonly #line: Writer[] = []
  #draining: Promise<void> | null = null

  readonly #writersPerCommit: number

  /** `path` is a file whose migrations have run; see migrate.ts. */
  constructor(path: string, { writersPerCommit = WRITERS_PER_COMMIT } = {}) {
    this.#path = path
    this.#writersPerCommit = writersPerCommit
    this.#writer = new Connection(openSqlite(path))
    this.#reader = new Connection(openSqlite(path, { readonly: true }))
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

  beforeCommit(_name: string, work: (tx: Queries) => Promise<void>): Promise<void> {
    return this.transaction(work)
  }

  async snapshot(): Promise<Snapshot> {
    const connection = new Connection(openSqlite(this.#path, { readonly: true }))
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
    this.#reader.close()
    this.#writer.close()
  }

  async #drain(): Promise<void> {
    while (this.#line.length > 0) {
      // One turn of the event loop: whoever arrives in it comes along.
      await new Promise<void>((resolve) => setImmediate(resolve))
      await this.#commitTogether(this.#line.splice(0, this.#writersPerCommit))
    }
    // In the same breath as the last look at the line: whoever comes a microtask later starts it anew.
    this.#draining = null
  }

  /** Runs the writers one after the other and commits once. A failed commit fails them all. */
  async #commitTogether(writers: readonly Writer[]): Promise<void> {
    const outcomes: Outcome[] = []
    try {
      this.#writer.exec('BEGIN IMMEDIATE')
      for (const writer of writers) outcomes.push(await this.#runOne(writer))
      await this.#writer.runEndings()
      this.#writer.exec('COMMIT')
    } catch (error) {
      const reason = this.#abandoned(error)
      for (const writer of writers) writer.reject(reason)
      return
    }
    for (const settle of outcomes) settle()
  }

  /** Ends the transaction after a fault, and tells what to tell its writers. It never throws: they wait for an answer. */
  #abandoned(fault: unknown): unknown {
    try {
      this.#writer.abandon()
      return fault
    } catch (second) {
      const cause = new AggregateError([fault, second])
      return new DatabaseUnavailable('the transaction can neither be finished nor rolled back', { cause })
    }
  }

  async #runOne({ work, resolve, reject }: Writer): Promise<Outcome> {
    try {
      const value = await this.#writer.nested(work)
      return () => resolve(value)
    } catch (error) {
      // A full disk can make SQLite roll back everything: then those before in this commit are gone as well.
      if (!this.#writer.inTransaction) throw error
      return () => reject(error)
    }
  }
}

/** One connection: prepared statements, parameters, savepoints, and errors in the words of the port. */
class Connection implements Queries {
  readonly #db: Sqlite
  readonly #statements = new Map<string, Statement>()
  #depth = 0
  /** What runs before the commit, by name: the work of the innermost savepoint that is open, or of the transaction. */
  #endings = new Map<string, Ending>()

  constructor(db: Sqlite) {
    this.#db = db
  }

  get inTransaction(): boolean {
    return this.#db.inTransaction
  }

  async all<Row>(sql: string, params: readonly Value[] = []): Promise<Row[]> {
    return translated(() => this.#statement(sql).all(bind(params)) as Row[])
  }

  async get<Row>(sql: string, params: readonly Value[] = []): Promise<Row | null> {
    return translated(() => this.#statement(sql).get(bind(params)) as Row | null)
  }

  async run(sql: string, params: readonly Value[] = []): Promise<number> {
    return translated(() => this.#statement(sql).run(bind(params)).changes)
  }

  transaction<T>(work: (tx: Queries) => Promise<T>): Promise<T> {
    return this.nested(work)
  }

  async beforeCommit(name: string, work: Ending): Promise<void> {
    this.#endings.set(name, work)
  }

  async runEndings(): Promise<void> {
    for (const work of this.#endings.values()) {
      await work(this)
      // Readers have their turn in between: there may be hundreds of these, or a few long ones.
      await new Promise<void>((resolve) => setImmediate(resolve))
    }
    this.#endings.clear()
  }

  /** Runs `work` in a savepoint. */
  async nested<T>(work: (tx: Queries) => Promise<T>): Promise<T> {
    const name = `s${++this.#depth}`
    this.exec(`SAVEPOINT ${name}`)
    const outer = this.#endings
    this.#endings = new Map()
    try {
      const value = await work(this)
      this.exec(`RELEASE ${name}`)
      for (const [ending, run] of this.#endings) outer.set(ending, run)
      return value
    } catch (error) {
      if (this.inTransaction) this.exec(`ROLLBACK TO ${name}; RELEASE ${name}`)
      throw error
    } finally {
      this.#endings = outer
      this.#depth--
    }
  }

  exec(sql: string): void {
    translated(() => this.#db.run(sql))
  }

  /** Ends whatever transaction is open, if one is. The caller reports the fault that led here. */
  abandon(): void {
    this.#endings.clear()
    if (this.inTransaction) this.exec('ROLLBACK')
  }

  close(): void {
    for (const statement of this.#statements.values()) statement.finalize()
    this.#db.close()
  }

  #statement(sql: string): Statement {
    const known = this.#statements.get(sql)
    if (known) return known
    const statement = this.#db.prepare(withStablePlan(sql))
    this.#statements.set(sql, statement)
    const [oldest] = this.#statements
    if (oldest && this.#statements.size > STATEMENTS_KEPT) {
      this.#statements.delete(oldest[0])
      oldest[1].finalize()
    }
    return statement
  }
}

/**
 * SQLite plans a statement anew at every binding where the plan could depend on the value, as in `a = $1 … ORDER BY b`;
 * that cost ten times as much as running it. An expression is not looked into, so `+$1`, the same value, keeps the plan.
 */
function withStablePlan(sql: string): string {
  return sql.replace(/\$\d+/g, '+$&')
}

/** bun:sqlite binds a list in order of appearance, not by number; an object with the numbers as names binds right. */
function bind(params: readonly Value[]): Record<string, Value> {
  const named: Record<string, Value> = {}
  for (let i = 0; i < params.length; i++) named[i + 1] = params[i] ?? null
  return named
}

/** Makes a failure of the disk, a lock or damage DatabaseUnavailable; any other error stays. */
export function translated<T>(call: () => T): T {
  try {
    return call()
  } catch (error) {
    if (error instanceof SQLiteError && error.code && UNAVAILABLE.test(error.code))
      throw new DatabaseUnavailable(`${error.code}: ${error.message}`, { cause: error })
    throw error
  }
}
