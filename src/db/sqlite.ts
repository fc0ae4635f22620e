import type { Database as Sqlite, Statement } from 'bun:sqlite'
import {
  AfterCommit,
  type Database,
  DatabaseUnavailable,
  type Queries,
  SlowStatements,
  type Snapshot,
  type Value,
  type Workspace,
} from './database'
import { isTransient, openSqlite, openWriter, SET_BUSY_TIMEOUT, translateError } from './sqlite-file'

/** Prepared statements that a connection caches. The SQL is ours and finite, but filters have many forms. */
const MAX_CACHED_STATEMENTS = 500
/** A connection to SQLite: prepared statements, parameters, savepoints, and the errors of the port. */
export class Connection implements Queries {
  readonly #connect: () => Sqlite
  readonly #slow: SlowStatements
  readonly #onDamage: () => void
  #db: Sqlite | null
  readonly #statements = new Map<string, Statement>()
  #depth = 0
  readonly #afterCommit = new AfterCommit()

  /** @param connect may throw DatabaseUnavailable @param onDamage called when the file has to be opened again */
  constructor(connect: () => Sqlite, slow = new SlowStatements(), onDamage: () => void = () => {}) {
    this.#connect = connect
    this.#slow = slow
    this.#onDamage = onDamage
    this.#db = connect()
  }

  get inTransaction(): boolean {
    return this.#db?.inTransaction ?? false
  }

  /** Closes the file and drops all cached statements. The next use opens it again. No transaction may be open. */
  reset(): void {
    this.close()
    this.#statements.clear()
    this.#db = null
  }

  async all<Row>(sql: string, params: readonly Value[] = []): Promise<Row[]> {
    return this.#try(sql, () => this.#statement(sql).all(bind(params)) as Row[])
  }

  async get<Row>(sql: string, params: readonly Value[] = []): Promise<Row | null> {
    return this.#try(sql, () => this.#statement(sql).get(bind(params)) as Row | null)
  }

  async run(sql: string, params: readonly Value[] = []): Promise<number> {
    return this.#try(sql, () => this.#statement(sql).run(bind(params)).changes)
  }

  afterCommit(name: string, work: () => void): void {
    this.#afterCommit.add(name, work)
  }

  runAfterCommit(): void {
    this.#afterCommit.run()
  }

  /** Runs `work` in a savepoint; see Queries. */
  async transaction<T>(work: (tx: Queries) => Promise<T>): Promise<T> {
    const name = `s${++this.#depth}`
    this.exec(`SAVEPOINT ${name}`)
    try {
      return await this.#afterCommit.within(async () => {
        const value = await work(this)
        this.exec(`RELEASE ${name}`)
        return value
      })
    } catch (error) {
      if (this.inTransaction) for (const sql of [`ROLLBACK TO ${name}`, `RELEASE ${name}`]) this.exec(sql)
      throw error
    } finally {
      this.#depth--
    }
  }

  exec(sql: string): void {
    this.#try(sql, () => this.#statement(sql).run())
  }

  /** Neither waits nor throws: false if another connection or the disk prevents it. No transaction may be open. */
  emptyLog(): boolean {
    try {
      this.exec('PRAGMA busy_timeout = 0')
      const sql = 'PRAGMA wal_checkpoint(TRUNCATE)'
      return this.#try(sql, () => this.#open().query<{ busy: number }, []>(sql).get()?.busy === 0)
    } catch {
      return false
    } finally {
      this.exec(SET_BUSY_TIMEOUT)
    }
  }

  rollBack(): void {
    this.#afterCommit.clear()
    if (this.inTransaction) this.exec('ROLLBACK')
  }

  close(): void {
    for (const statement of this.#statements.values()) statement.finalize()
    this.#db?.close()
  }

  #open(): Sqlite {
    this.#db ??= this.#connect()
    return this.#db
  }

  #try<T>(sql: string, call: () => T): T {
    const began = this.#slow.ticks()
    try {
      return call()
    } catch (error) {
      const fault = translateError(error)
      if (fault instanceof DatabaseUnavailable && !isTransient(fault.cause)) this.#onDamage()
      throw fault
    } finally {
      this.#slow.note(sql, began)
    }
  }

  #statement(sql: string): Statement {
    const cached = this.#statements.get(sql)
    if (cached) return cached
    const statement = this.#open().prepare(withStablePlan(sql))
    this.#statements.set(sql, statement)
    const [oldest] = this.#statements
    if (oldest && this.#statements.size > MAX_CACHED_STATEMENTS) {
      this.#statements.delete(oldest[0])
      oldest[1].finalize()
    }
    return statement
  }
}

/**
 * Rewrites the parameters so that SQLite keeps its plan. It would plan a statement such as `a = $1 … ORDER BY b` again
 * for each value, which took ten times as long as running it. For an expression such as `+$1`, which has the same
 * value, it does not.
 */
function withStablePlan(sql: string): string {
  return sql.replace(/\$\d+/g, '+$&')
}

/** bun:sqlite would bind a list by order of appearance; with an object it binds by number. */
function bind(params: readonly Value[]): Record<string, Value> {
  const named: Record<string, Value> = {}
  for (let i = 0; i < params.length; i++) named[i + 1] = params[i] ?? null
  return named
}

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
const SNAPSHOT_CACHE_KIB = 2 * 1024
/** Delay after damage was found before the file is opened again; it may have been repaired. */
const REOPEN_MS = 1000

interface Writer {
  readonly work: (tx: Queries) => Promise<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (reason: unknown) => void
}

/** Settles the promise of a writer, once the commit that it shares is on disk. */
type Settle = () => void

/**
 * The SQLite adapter of the port. One connection writes and another reads, so a read never sees half a change. Writers
 * wait in one queue. Those that arrive in the same turn of the event loop share a transaction, each in its own
 * savepoint, and so share one fsync. Their promises settle after the commit is on disk.
 */
export class SqliteDatabase implements Database {
  readonly isShared = false
  readonly slow: SlowStatements
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
  constructor(path: string, { durable = true, ticks }: { durable?: boolean; ticks?: (() => number) | undefined } = {}) {
    this.#path = path
    this.slow = new SlowStatements(ticks)
    const onDamage = () => this.#reopenSoon()
    this.#writer = new Connection(() => openWriter(path, durable), this.slow, onDamage)
    this.#readerConnection = new Connection(() => openSqlite(path, 'readonly'), this.slow, onDamage)
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
    const connection = new Connection(() => openSqlite(this.#path, 'readonly'), this.slow)
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
