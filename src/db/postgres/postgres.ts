import { type ReservedSQL, SQL } from 'bun'
import { copySnapshot } from '../copy.sqlite'
import {
  AfterCommit,
  type Database,
  DatabaseUnavailable,
  type Queries,
  SlowStatements,
  type Snapshot,
  type Value,
  type Workspace,
} from '../database'
import { command, inTime, MAX_ANSWER_MS, PostgresStatements, runScript, translationOf } from './statement'

/** Connections of a process for statements and transactions. */
const CONNECTIONS = 10
/** Statements that one owner reads with at the same time in a process, at most: others need connections as well. */
const READS_OF_OWNER = 6
/** Connections of a process for snapshots, which last as long as an export does. */
const SNAPSHOT_CONNECTIONS = 10
/** Connections of a process for the locks of `exclusively`, which last as long as a job does. */
const LOCK_CONNECTIONS = 10
/** Connections of a process in all, at most. */
export const CONNECTIONS_OF_PROCESS = CONNECTIONS + SNAPSHOT_CONNECTIONS + LOCK_CONNECTIONS
/** The server ends a transaction in which a process has been silent for this long: it holds locks. */
const MAX_SILENCE_MS = 60_000
/** A connection is replaced after this time, in seconds: it keeps each statement that it ever prepared. */
const MAX_CONNECTION_AGE_S = 30 * 60

/** Opens a pool of connections. None is made before it is needed. */
function openPool(url: string, max: number): SQL {
  return new SQL({
    url,
    max,
    // Otherwise int8 would come as text, which cannot be distinguished from text.
    bigint: true,
    connectionTimeout: MAX_ANSWER_MS / 1000,
    maxLifetime: MAX_CONNECTION_AGE_S,
    connection: {
      application_name: 'satchel',
      // The schema before PostgreSQL's own functions, some of which it replaces.
      search_path: 'satchel, pg_catalog',
      statement_timeout: MAX_ANSWER_MS,
      lock_timeout: MAX_ANSWER_MS,
      idle_in_transaction_session_timeout: MAX_SILENCE_MS,
    },
  })
}

/** The advisory lock that transactions of owners share, and that a transaction of the database has alone. Two numbers lock apart from one. */
const WHOLE_DATABASE = '0, 0'

/**
 * The PostgreSQL adapter of the port, for any number of processes. Transactions are read committed. Those of one owner
 * run one after the other: each takes advisory locks before its first statement and holds them to its commit, so that
 * services can read and then write as with SQLite's one writer, nothing has to be tried again, and the feed of a
 * workspace is in the order of the commits. Those of a process wait in its memory, so that one owner writes on one
 * connection of each process, and reads on a few more.
 */
export class PostgresDatabase implements Database {
  readonly isShared = true
  readonly slow: SlowStatements
  readonly #pool: SQL
  readonly #statements: PostgresStatements
  readonly #snapshots: SQL
  readonly #locks: SQL
  /** The newest transaction of each first owner that has one in this process. */
  readonly #turns = new Map<string, Promise<void>>()
  /** The owners that read in this process: how many reads they have, and those that wait. */
  readonly #reading = new Map<string, { count: number; readonly waiting: (() => void)[] }>()

  /** @param url of a database whose migrations have run; see open.ts */
  constructor(url: string, ticks?: () => number) {
    this.slow = new SlowStatements(ticks)
    this.#pool = openPool(url, CONNECTIONS)
    this.#statements = new PostgresStatements(this.#pool, this.slow)
    this.#snapshots = openPool(url, SNAPSHOT_CONNECTIONS)
    this.#locks = openPool(url, LOCK_CONNECTIONS)
  }

  all<Row>(sql: string, params: readonly Value[] = []): Promise<Row[]> {
    return this.#statements.all<Row>(sql, params)
  }

  get<Row>(sql: string, params: readonly Value[] = []): Promise<Row | null> {
    return this.#statements.get<Row>(sql, params)
  }

  run(sql: string, params: readonly Value[] = []): Promise<number> {
    return this.#use((statements) => statements.run(sql, params))
  }

  transaction<T>(work: (tx: PostgresTransaction) => Promise<T>): Promise<T> {
    return this.#inTurn('', () => this.#transact(`BEGIN; SELECT pg_advisory_xact_lock(${WHOLE_DATABASE})`, work))
  }

  afterCommit(_name: string, work: () => void): void {
    work()
  }

  ownedBy(...owners: readonly string[]): Queries {
    const locks = owners.map((owner) => `, pg_advisory_xact_lock(${lockOf(owner)})`)
    const begin = `BEGIN; SELECT pg_advisory_xact_lock_shared(${WHOLE_DATABASE})${locks.join('')}`
    // The others of an address would only wait for its lock, each with a connection.
    const [turn = ''] = owners
    return {
      all: (sql, params, begin) => this.#readInTurn(turn, () => this.all(sql, params), begin),
      get: (sql, params, begin) => this.#readInTurn(turn, () => this.get(sql, params), begin),
      run: (sql, params) => this.run(sql, params),
      transaction: (work) => this.#inTurn(turn, () => this.#transact(begin, work)),
      afterCommit: (name, work) => this.afterCommit(name, work),
    }
  }

  /** See Database. If the connection that holds the lock is lost, another process may begin before this one has ended. */
  async exclusively<T>(name: string, work: () => Promise<T>, { wait = true } = {}): Promise<T> {
    const lock = `(${lockOf(Bun.hash(name).toString(16).padStart(16, '0'))})`
    const connection = await reserve(this.#locks)
    try {
      const statements = new PostgresStatements(connection, this.slow)
      if (wait) await command(connection, `SELECT pg_advisory_lock${lock}`)
      else if (!(await statements.get(`SELECT 1 WHERE pg_try_advisory_lock${lock}`))) return null as T
      return await work()
    } finally {
      await giveBack(connection, 'SELECT pg_advisory_unlock_all()')
    }
  }

  /** See Database. PostgreSQL's log is its own, and its vacuum overwrites what was deleted. */
  async emptyLog(): Promise<boolean> {
    return true
  }

  async snapshot(): Promise<Snapshot> {
    const connection = await reserve(this.#snapshots)
    const close = () => giveBack(connection, 'ROLLBACK')
    try {
      // The first statement fixes the moment of the snapshot; BEGIN alone does not.
      await command(connection, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT 1')
    } catch (error) {
      await close()
      throw error
    }
    const statements = new PostgresStatements(connection, this.slow)
    return {
      all: (sql, params) => statements.all(sql, params),
      get: (sql, params) => statements.get(sql, params),
      close: () => void close(),
    }
  }

  async copyWorkspace(workspace: Workspace, path: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const from = await this.snapshot()
    try {
      await copySnapshot(from, workspace, path, signal)
    } finally {
      from.close()
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#turns.values())
    await Promise.all([this.#pool, this.#snapshots, this.#locks].map((pool) => pool.close({ timeout: 1 })))
  }

  /** Runs `work` after the transactions with that name that began before it in this process. */
  async #inTurn<T>(name: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#turns.get(name) ?? Promise.resolve()).then(work)
    const end = turn.then(
      () => {},
      () => {},
    )
    this.#turns.set(name, end)
    try {
      return await turn
    } finally {
      if (this.#turns.get(name) === end) this.#turns.delete(name)
    }
  }

  /** Runs `read` as soon as fewer than READS_OF_OWNER others of the owner are under way. */
  async #readInTurn<T>(owner: string, read: () => Promise<T>, begin?: () => void): Promise<T> {
    const line = this.#reading.get(owner) ?? { count: 0, waiting: [] }
    this.#reading.set(owner, line)
    if (line.count < READS_OF_OWNER) line.count++
    else await new Promise<void>((resolve) => line.waiting.push(resolve))
    try {
      begin?.()
      return await read()
    } finally {
      const next = line.waiting.shift()
      // It takes the place of this one.
      if (next) next()
      else if (--line.count === 0) this.#reading.delete(owner)
    }
  }

  async #transact<T>(begin: string, work: (tx: PostgresTransaction) => Promise<T>): Promise<T> {
    const { tx, value } = await this.#use(async (statements) => {
      const tx = new PostgresTransaction(statements)
      await command(statements.connection, begin)
      const value = await work(tx)
      await tx.commit()
      return { tx, value }
    })
    tx.runAfterCommit()
    return value
  }

  async #use<T>(work: (statements: PostgresStatements) => Promise<T>): Promise<T> {
    const connection = await reserve(this.#pool)
    try {
      const value = await work(new PostgresStatements(connection, this.slow))
      connection.release()
      return value
    } catch (error) {
      await giveBack(connection, 'ROLLBACK', error)
      throw error
    }
  }
}

/** Rows that are written without waiting for each answer; the answers are waited for together. */
const MAX_UNANSWERED = 64

/**
 * An open transaction or savepoint. What a statement that writes one row answers is known, so nothing waits for it: it goes
 * to PostgreSQL together with what follows. If it fails, so does all that follows, and its own error is the one that is thrown.
 */
export class PostgresTransaction implements Queries {
  readonly #afterCommit = new AfterCommit()
  /** The statements whose answers are not there yet, each of which resolves with its error if it failed. */
  #unanswered: Promise<{ error: unknown } | null>[] = []
  #depth = 0

  constructor(private readonly statements: PostgresStatements) {}

  all<Row>(sql: string, params: readonly Value[] = []): Promise<Row[]> {
    return this.#answered(this.statements.all<Row>(sql, params))
  }

  async get<Row>(sql: string, params: readonly Value[] = []): Promise<Row | null> {
    return (await this.all<Row>(sql, params))[0] ?? null
  }

  async run(sql: string, params: readonly Value[] = []): Promise<number> {
    const answer = this.statements.run(sql, params)
    if (!translationOf(sql, params.length).writesOneRow) return this.#answered(answer)
    const failed = answer.then(
      () => null,
      (error: unknown) => ({ error }),
    )
    if (this.#unanswered.push(failed) >= MAX_UNANSWERED) await this.#answered(answer)
    return 1
  }

  async transaction<T>(work: (tx: Queries) => Promise<T>): Promise<T> {
    const { connection } = this.statements
    const name = `s${++this.#depth}`
    await this.#answered(command(connection, `SAVEPOINT ${name}`))
    try {
      return await this.#afterCommit.within(async () => {
        const value = await work(this)
        await this.#answered(command(connection, `RELEASE ${name}`))
        return value
      })
    } catch (error) {
      // If this fails, the connection is lost and the transaction with it. The first error is the one to pass on.
      await command(connection, `ROLLBACK TO ${name}; RELEASE ${name}`).catch(() => {})
      this.#unanswered = []
      throw error
    } finally {
      this.#depth--
    }
  }

  async commit(): Promise<void> {
    const { connection, slow } = this.statements
    const began = slow.ticks()
    // A template is a prepared statement, which is sent together with the rows before it.
    const done = inTime(connection`COMMIT`).then(({ command }: { command?: string }) => {
      // After a statement that failed, whose error was not passed on, COMMIT rolls back without an error of its own.
      if (command !== 'COMMIT') throw new Error('a transaction went on after a statement that failed')
    })
    await this.#answered(done).finally(() => slow.note('COMMIT', began))
  }

  /** Waits for an answer, and with it for those of the rows before. @throws the error of the first that failed */
  async #answered<T>(answer: Promise<T>): Promise<T> {
    try {
      const value = await answer
      this.#unanswered = []
      return value
    } catch (error) {
      const failed = (await Promise.all(this.#unanswered)).find((fault) => fault !== null)
      throw failed ? failed.error : error
    }
  }

  afterCommit(name: string, work: () => void): void {
    this.#afterCommit.add(name, work)
  }

  /** Runs statements without parameters, however long they take, in a transaction that may be silent for as long. */
  async runScript(sql: string): Promise<void> {
    const { connection } = this.statements
    await command(connection, 'SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0')
    await runScript(connection, sql)
  }

  runAfterCommit(): void {
    this.#afterCommit.run()
  }
}

/** Returns the number of the lock of a name of at least 16 hexadecimal digits. Two names with one wait in vain. */
function lockOf(name: string): bigint {
  return BigInt.asIntN(64, BigInt(`0x${name.slice(0, 16)}`))
}

/** Takes a connection for itself. @throws DatabaseUnavailable */
async function reserve(pool: SQL): Promise<ReservedSQL> {
  const reserved = pool.reserve()
  try {
    return await inTime(reserved)
  } catch (error) {
    // It may come after all.
    reserved.then(
      (connection) => connection.release(),
      () => {},
    )
    throw error
  }
}

/** A connection that cannot run the last statement is closed. Never throws. @param fault what went wrong on it */
async function giveBack(connection: ReservedSQL, last: string, fault?: unknown): Promise<void> {
  try {
    // After a failover the server of an old connection is read-only for as long as the connection lasts.
    if (fault instanceof DatabaseUnavailable) throw fault
    await command(connection, last)
    connection.release()
  } catch {
    // What is left open or locked would be in the way of the next one.
    await connection.close({ timeout: 0 }).catch(() => {})
  }
}
