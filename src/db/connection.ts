import { SQLiteError, type Database as Sqlite, type Statement } from 'bun:sqlite'
import { DatabaseUnavailable, type Queries, type Value } from './database'

/** How many prepared statements a connection keeps. The SQL is ours and finite; filters multiply it a little. */
const STATEMENTS_KEPT = 500
/** Result codes that mean "not now" (disk, locks, damage), not "the statement is wrong". Source: sqlite.org/rescode.html */
const UNAVAILABLE = /^SQLITE_(FULL|IOERR|BUSY|LOCKED|READONLY|CORRUPT|CANTOPEN|NOTADB|NOMEM|PROTOCOL|PERM|AUTH)/
/** What a passing lack of room or lock needs is patience; after any other fault the file has to be opened again. */
const PASSING = /^SQLITE_(FULL|BUSY|LOCKED|NOMEM)/

/** How long a lock is waited for, in milliseconds; see openSqlite. */
export const SET_BUSY_TIMEOUT = 'PRAGMA busy_timeout = 1000'

/** One connection: prepared statements, parameters, savepoints, and errors in the words of the port. */
export class Connection implements Queries {
  readonly #connect: () => Sqlite
  readonly #damaged: () => void
  #db: Sqlite | null
  readonly #statements = new Map<string, Statement>()
  #depth = 0
  /** What runs after the commit, by name: that of the innermost savepoint that is open, or of the transaction. */
  #notices = new Map<string, () => void>()

  /**
   * Connects at once.
   * @param connect opens the file; it throws DatabaseUnavailable
   * @param damaged is called for every fault after which the file has to be opened again
   */
  constructor(connect: () => Sqlite, damaged: () => void = () => {}) {
    this.#connect = connect
    this.#damaged = damaged
    this.#db = connect()
  }

  get inTransaction(): boolean {
    return this.#db?.inTransaction ?? false
  }

  /** Lets go of the file, with all that is remembered of it; the next use opens it again. No transaction may be open. */
  reset(): void {
    this.close()
    this.#statements.clear()
    this.#db = null
  }

  async all<Row>(sql: string, params: readonly Value[] = []): Promise<Row[]> {
    return this.#try(() => this.#statement(sql).all(bind(params)) as Row[])
  }

  async get<Row>(sql: string, params: readonly Value[] = []): Promise<Row | null> {
    return this.#try(() => this.#statement(sql).get(bind(params)) as Row | null)
  }

  async run(sql: string, params: readonly Value[] = []): Promise<number> {
    return this.#try(() => this.#statement(sql).run(bind(params)).changes)
  }

  transaction<T>(work: (tx: Queries) => Promise<T>): Promise<T> {
    return this.savepoint(work)
  }

  afterCommit(name: string, work: () => void): void {
    this.#notices.set(name, work)
  }

  /** Tells of what was just committed. */
  runNotices(): void {
    const notices = [...this.#notices.values()]
    this.#notices.clear()
    for (const tell of notices) tell()
  }

  /** Runs `work` in a savepoint. */
  async savepoint<T>(work: (tx: Queries) => Promise<T>): Promise<T> {
    const name = `s${++this.#depth}`
    this.exec(`SAVEPOINT ${name}`)
    const outer = this.#notices
    this.#notices = new Map()
    try {
      const value = await work(this)
      this.exec(`RELEASE ${name}`)
      for (const [notice, tell] of this.#notices) outer.set(notice, tell)
      return value
    } catch (error) {
      if (this.inTransaction) this.exec(`ROLLBACK TO ${name}; RELEASE ${name}`)
      throw error
    } finally {
      this.#notices = outer
      this.#depth--
    }
  }

  exec(sql: string): void {
    this.#try(() => this.#open().run(sql))
  }

  /**
   * Moves the write-ahead log into the database and truncates its file. It waits for nobody: false if another reader or
   * writer is in the way, or the disk. No transaction may be open. It never throws.
   */
  emptyLog(): boolean {
    try {
      this.exec('PRAGMA busy_timeout = 0')
      const sql = 'PRAGMA wal_checkpoint(TRUNCATE)'
      return this.#try(() => this.#open().query<{ busy: number }, []>(sql).get()?.busy === 0)
    } catch {
      return false
    } finally {
      this.exec(SET_BUSY_TIMEOUT)
    }
  }

  /** Ends whatever transaction is open, if one is. The caller reports the fault that led here. */
  rollBack(): void {
    this.#notices.clear()
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

  #try<T>(call: () => T): T {
    try {
      return translateErrors(call)
    } catch (error) {
      if (error instanceof DatabaseUnavailable && !isTransient(error.cause)) this.#damaged()
      throw error
    }
  }

  #statement(sql: string): Statement {
    const known = this.#statements.get(sql)
    if (known) return known
    const statement = this.#open().prepare(withStablePlan(sql))
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
 * SQLite plans a statement again at every binding where the plan could depend on the value, as in `a = $1 … ORDER BY b`;
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

/** Whether all that is needed is room, or patience with the holder of a lock. */
export function isTransient(fault: unknown): boolean {
  return fault instanceof SQLiteError && PASSING.test(fault.code ?? '')
}

/** Makes a failure of the disk, a lock or damage DatabaseUnavailable; any other error stays. */
export function translateErrors<T>(call: () => T): T {
  try {
    return call()
  } catch (error) {
    if (error instanceof SQLiteError && error.code && UNAVAILABLE.test(error.code))
      throw new DatabaseUnavailable(`${error.code}: ${error.message}`, { cause: error })
    throw error
  }
}
