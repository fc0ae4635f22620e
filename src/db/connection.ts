import { SQLiteError, type Database as Sqlite, type Statement } from 'bun:sqlite'
import { AfterCommit, DatabaseFull, DatabaseUnavailable, type Queries, slowStatements, type Value } from './database'

/** Prepared statements that a connection caches. The SQL is ours and finite, but filters have many forms. */
const MAX_CACHED_STATEMENTS = 500
/** Result codes of the disk, locks and damage, as opposed to wrong statements. Source: sqlite.org/rescode.html */
const UNAVAILABLE = /^SQLITE_(FULL|IOERR|BUSY|LOCKED|READONLY|CORRUPT|CANTOPEN|NOTADB|NOMEM|PROTOCOL|PERM|AUTH)/
/** Result codes that may pass by themselves. After any other fault the file has to be opened again. */
const TRANSIENT = /^SQLITE_(FULL|BUSY|LOCKED|NOMEM)/

/** Sets how long a connection waits for a lock: 1000 ms; see openSqlite. */
export const SET_BUSY_TIMEOUT = 'PRAGMA busy_timeout = 1000'

/** A connection to SQLite: prepared statements, parameters, savepoints, and the errors of the port. */
export class Connection implements Queries {
  readonly #connect: () => Sqlite
  readonly #onDamage: () => void
  #db: Sqlite | null
  readonly #statements = new Map<string, Statement>()
  #depth = 0
  readonly #afterCommit = new AfterCommit()

  /** @param connect may throw DatabaseUnavailable @param onDamage called when the file has to be opened again */
  constructor(connect: () => Sqlite, onDamage: () => void = () => {}) {
    this.#connect = connect
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
    const began = slowStatements.ticks()
    try {
      return translateErrors(call)
    } catch (error) {
      if (error instanceof DatabaseUnavailable && !isTransient(error.cause)) this.#onDamage()
      throw error
    } finally {
      slowStatements.note(sql, began)
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

export function isTransient(fault: unknown): boolean {
  return fault instanceof SQLiteError && TRANSIENT.test(fault.code ?? '')
}

/** Calls a function. Errors of the disk, a lock or damage become DatabaseUnavailable or DatabaseFull; others stay. */
export function translateErrors<T>(call: () => T): T {
  try {
    return call()
  } catch (error) {
    if (!(error instanceof SQLiteError) || !error.code || !UNAVAILABLE.test(error.code)) throw error
    const Fault = error.code === 'SQLITE_FULL' ? DatabaseFull : DatabaseUnavailable
    throw new Fault(`${error.code}: ${error.message}`, { cause: error })
  }
}
