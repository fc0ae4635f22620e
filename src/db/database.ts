/**
 * The database port: the interface through which stores use the database. It is asynchronous, so that a database server
 * could be used without changing the stores. The SQL is the common subset of SQLite and PostgreSQL, with `$1`
 * parameters; see dialect.ts.
 */

export type Value = string | number | null | Uint8Array

export interface Queries {
  /** @param begin called when the read has waited for its turn, if it has to; it may throw, so that nothing is read */
  all<Row>(sql: string, params?: readonly Value[], begin?: () => void): Promise<Row[]>
  get<Row>(sql: string, params?: readonly Value[], begin?: () => void): Promise<Row | null>
  /** Runs one statement that changes rows. Returns how many it changed. */
  run(sql: string, params?: readonly Value[]): Promise<number>
  /**
   * Runs `work` in a transaction, which is rolled back if it throws. Inside a transaction it is a savepoint. `work`
   * must use the `tx` that it gets, one statement at a time, and must await nothing but the database, since all other
   * writers wait for it. By convention a session with `tx` as its database is called `tx`, `inTx` or `within`.
   */
  transaction<T>(work: (tx: Queries) => Promise<T>): Promise<T>
  /**
   * Runs `work` after the commit is on disk and visible to other connections; outside a transaction, immediately. Of
   * several with one name only the last runs, and none after a rollback. `work` must not throw, since the commit is not
   * undone.
   */
  afterCommit(name: string, work: () => void): void
}

/** The database at one moment, unaffected by later writes. It takes a connection until it is closed. */
export interface Snapshot extends Pick<Queries, 'all' | 'get'> {
  close(): void
}

export interface Database extends Queries {
  /** Whether other processes may use it at the same time. */
  readonly isShared: boolean
  readonly slow: SlowStatements
  /**
   * Returns the database for work on what some owners have (see ownersOf): its transactions run one after the other
   * with all others of one of them, in all processes, as if there were one writer. A transaction of the database itself
   * runs alone. That is always right, and the others wait for it.
   */
  ownedBy(...owners: readonly string[]): Queries
  /**
   * Runs `work` while no other process does work of that name; waits until it may. With `wait` false it returns null at
   * once if another does. The work is not a transaction.
   */
  exclusively<T>(name: string, work: () => Promise<T>, options: { readonly wait: false }): Promise<T | null>
  exclusively<T>(name: string, work: () => Promise<T>): Promise<T>
  /** Opens a snapshot, for a read that takes many turns of the event loop. */
  snapshot(): Promise<Snapshot>
  /**
   * Copies the rows of a workspace, and those that writers need beside them, into a database of SQLite. Others read and
   * write meanwhile.
   * @param path of the copy, where no file may exist
   * @throws the reason of `signal`, DatabaseUnavailable, or an Error with the code of the system or of SQLite
   */
  copyWorkspace(workspace: Workspace, path: string, signal: AbortSignal): Promise<void>
  /**
   * Truncates the write-ahead log, so that it contains no overwritten data. Writers wait while its pages are moved; it
   * does not wait for readers. Returns false if a snapshot still needs the log: try again later.
   */
  emptyLog(): Promise<boolean>
  /** Waits for all queued writers, then closes. */
  close(): Promise<void>
}

/** Thrown if the database cannot be read or written now (locked, read-only, corrupt). The response is 503. */
export class DatabaseUnavailable extends Error {
  override readonly name: string = 'DatabaseUnavailable'
}

/** A statement, or a wait for a lock, takes too long: 503. The request counts, or long work would cost nothing. */
export class DatabaseTooSlow extends DatabaseUnavailable {
  override readonly name = 'DatabaseTooSlow'
}

/** Thrown if the disk has no room for a change. The response is 507. */
export class DatabaseFull extends DatabaseUnavailable {
  override readonly name = 'DatabaseFull'
}

declare const workspaceId: unique symbol

/** 32 hexadecimal digits. Only the gate makes it, so stores cannot be called with another string by mistake. */
export type WorkspaceId = string & { readonly [workspaceId]: true }

/** `key`: permanent. `scratch`: of all callers of one address and site, erased after 24 hours without a request. */
export type Workspace =
  | { readonly id: WorkspaceId; readonly kind: 'key' }
  | {
      readonly id: WorkspaceId
      readonly kind: 'scratch'
      /** A hash of the network address, whose scratch spaces at all sites share a quota: 32 hexadecimal digits. */
      readonly address: string
      /** Absent for a workspace that was read from the database, which then gets the places of `foreign`. */
      readonly siteKind?: SiteKind
    }

/**
 * How sure it is that a site is the server's own. `foreign`: a page of another site. `rebindable`: a page of the host
 * name that it calls, without https: DNS rebinding looks alike. `own`: no page can pass for it.
 */
export type SiteKind = 'own' | 'rebindable' | 'foreign'

/** Returns whose limits a workspace counts towards: those of its key, or of its address with all sites. */
export function payerOf(workspace: Workspace): string {
  return workspace.kind === 'key' ? workspace.id : workspace.address
}

/** Returns whom a change in a workspace can concern: its payer, whose quota it counts towards, and the workspace. */
export function ownersOf(workspace: Workspace): string[] {
  return workspace.kind === 'key' ? [workspace.id] : [workspace.address, workspace.id]
}

export interface RequestDeadline {
  /** Aborted with the error to answer when the time is over and nothing was changed, or when the caller disconnects. */
  readonly signal: AbortSignal
  /** Resolves when the time is over, even if a change was begun before: what else takes long then goes on without it. */
  readonly late: Promise<void>
  /** @throws the reason of `signal`, if it is aborted */
  check(): void
  /**
   * Begins a change, which is then finished and answered even if the time is over meanwhile. Call the returned function
   * when it has ended, with whether it was made.
   * @throws the reason of `signal`, if it is aborted
   */
  begin(): (isChanged: boolean) => void
}

/** The database for a request: nothing begins once the time of the request is over, or its caller has disconnected. */
export class DatabaseUntil implements Queries {
  readonly #db: Queries
  readonly #deadline: RequestDeadline
  readonly #check = () => this.#deadline.check()

  constructor(db: Queries, deadline: RequestDeadline) {
    this.#db = db
    this.#deadline = deadline
  }

  async all<Row>(sql: string, params?: readonly Value[]): Promise<Row[]> {
    this.#deadline.check()
    return this.#db.all<Row>(sql, params, this.#check)
  }

  async get<Row>(sql: string, params?: readonly Value[]): Promise<Row | null> {
    this.#deadline.check()
    return this.#db.get<Row>(sql, params, this.#check)
  }

  run(sql: string, params?: readonly Value[]): Promise<number> {
    return this.transaction((tx) => tx.run(sql, params))
  }

  async transaction<T>(work: (tx: Queries) => Promise<T>): Promise<T> {
    this.#deadline.check()
    let end: ((isChanged: boolean) => void) | undefined
    try {
      const value = await this.#db.transaction((tx) => {
        // It may have waited in line for longer than its caller does.
        end = this.#deadline.begin()
        return work(tx)
      })
      end?.(true)
      return value
    } catch (error) {
      end?.(false)
      throw error
    }
  }

  afterCommit(name: string, work: () => void): void {
    this.#db.afterCommit(name, work)
  }
}

/** The workspace that a service works in, and the database or an open transaction to use. */
export interface Session {
  readonly workspace: Workspace
  readonly db: Queries
  /** A hash of the network whose keys share limits, as `address` of a scratch space; absent if they share none. */
  readonly network?: string | undefined
  /** Absent for work that no request waits for. */
  readonly deadline?: RequestDeadline | undefined
  /** Whether the work frees more bytes in total than any part of it adds, so that it is allowed on a full disk. */
  readonly frees?: boolean
}

/** What a query needs of a session: a snapshot, or the database of a session, and the workspace. */
export interface Reader {
  readonly workspace: Pick<Workspace, 'id'>
  readonly db: Pick<Queries, 'all' | 'get'>
}

/** What a statement that writes needs of a session. */
export interface Writer extends Reader {
  readonly db: Queries
}

/** Collects the values of a statement that is built from parts; each gets the next `$n`. */
export class Bindings {
  readonly values: Value[]

  constructor(...values: Value[]) {
    this.values = values
  }

  add(value: Value): string {
    return `$${this.values.push(value)}`
  }
}

/** Runs `work` in a transaction that is always rolled back. Returns its result. */
export async function dryRun<T>(db: Queries, work: (tx: Queries) => Promise<T>): Promise<T> {
  const done: T[] = []
  const end = new Error('the dry run ends')
  try {
    await db.transaction(async (tx) => {
      done.push(await work(tx))
      throw end
    })
  } catch (error) {
    const [value] = done
    if (error === end && value !== undefined) return value
    throw error
  }
  throw new Error('a transaction outlived its rollback')
}

/** The functions that `afterCommit` of the port was called with: by name, those of a savepoint only once it is done. */
export class AfterCommit {
  #functions = new Map<string, () => void>()

  /** Adds a function. It replaces an earlier one of the same name. */
  add(name: string, work: () => void): void {
    this.#functions.set(name, work)
  }

  /** Runs a savepoint: what is added in it is dropped if it throws. */
  async within<T>(savepoint: () => Promise<T>): Promise<T> {
    const outer = this.#functions
    this.#functions = new Map()
    try {
      const value = await savepoint()
      for (const [name, work] of this.#functions) outer.set(name, work)
      return value
    } finally {
      this.#functions = outer
    }
  }

  run(): void {
    const functions = [...this.#functions.values()]
    this.clear()
    for (const call of functions) call()
  }

  clear(): void {
    this.#functions.clear()
  }
}

/** A statement that takes longer counts as slow, in milliseconds. */
const SLOW_STATEMENT_MS = 20
/** Names of slow statements that are counted; those of further names count as `other`. */
const MAX_SLOW_NAMES = 40

/** The slow statements of a database, by name: the first word and the first table, as `update notes`. */
export class SlowStatements {
  /** Milliseconds of a monotonic clock. Without one nothing is slow. */
  readonly ticks: () => number
  readonly counts = new Map<string, { count: number; seconds: number }>()

  constructor(ticks = () => 0) {
    this.ticks = ticks
  }

  /** Notes a statement, however it has ended. @param began `ticks` when it began */
  note(sql: string, began: number): void {
    const ms = this.ticks() - began
    if (ms <= SLOW_STATEMENT_MS) return
    const name = nameStatement(sql)
    const known = this.counts.has(name) || this.counts.size < MAX_SLOW_NAMES ? name : 'other'
    const counted = this.counts.getOrInsertComputed(known, () => ({ count: 0, seconds: 0 }))
    counted.count++
    counted.seconds += ms / 1000
  }
}

function nameStatement(sql: string): string {
  const [word] = sql.trimStart().split(/\W/, 1)
  // Not a function such as json_each.
  const table = /\b(?:FROM|INTO|UPDATE)\s+(\w+)\b(?!\()/.exec(sql)?.[1]
  return (table ? `${word} ${table}` : `${word}`).toLowerCase()
}

/** A log: `fields` are members of its line. */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** It is made once; each service takes the parts that it needs. */
export interface Context {
  /** The clock: milliseconds since 1970. */
  readonly now: () => number
  /** A monotonic clock for durations: milliseconds with fractions, from an arbitrary start. */
  readonly ticks: () => number
  /** Makes a UUIDv7. */
  readonly ids: () => string
  /** Fills the array with secure random bytes. */
  readonly random: (bytes: Uint8Array) => Uint8Array
  readonly log: Log
  readonly db: Database
}
