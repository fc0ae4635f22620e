/**
 * The database port: all that the stores know of a database. It is asynchronous, so that a server database can be put
 * behind it without changing a store. SQL is the common subset of SQLite and PostgreSQL, with `$1` parameters.
 */

export type Value = string | number | null | Uint8Array

export interface Queries {
  /** Every row of the answer. */
  all<Row>(sql: string, params?: readonly Value[]): Promise<Row[]>
  /** The first row, or null. */
  get<Row>(sql: string, params?: readonly Value[]): Promise<Row | null>
  /** Runs one statement that changes; the answer is how many rows it changed. */
  run(sql: string, params?: readonly Value[]): Promise<number>
  /**
   * Runs `work` in a transaction: all of it, or nothing if it throws. Inside a transaction it nests (a savepoint).
   * `work` must use the `tx` it is given, one statement after the other, and wait for nothing but the database: the
   * other writers wait behind it.
   */
  transaction<T>(work: (tx: Queries) => Promise<T>): Promise<T>
  /**
   * Runs `work` once the commit is on disk and other connections see it; outside a transaction, at once. Of several under
   * one name the last one counts; what is rolled back is forgotten. It must not throw: what was written stays.
   */
  afterCommit(name: string, work: () => void): void
}

/** The database as it was at one moment, whatever is written meanwhile. It costs a connection until it is closed. */
export interface Snapshot extends Pick<Queries, 'all' | 'get'> {
  close(): void
}

export interface Database extends Queries {
  /** Opens a snapshot of this moment, for a read that takes many turns. */
  snapshot(): Promise<Snapshot>
  /**
   * Truncates the write-ahead log, so that nothing overwritten is left in it. It holds up the writers for as long as its
   * pages take to be moved, and waits for no reader. False: a snapshot still needs the log, so try again later.
   */
  emptyLog(): Promise<boolean>
  /** Waits for the writers in line, then closes. */
  close(): Promise<void>
}

/** The database cannot be read or written now (full, locked, read-only, corrupt): 503, and it may work again later. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable'
}

declare const workspaceId: unique symbol

/**
 * The id of a workspace, 32 hexadecimal digits. Branded: only the gate makes one, so no store function can be called
 * with a string that merely looks like it.
 */
export type WorkspaceId = string & { readonly [workspaceId]: true }

/** `key`: lasts. `scratch`: shared by all callers of one address and site, erased after 24 hours without a request. */
export type Workspace =
  | { readonly id: WorkspaceId; readonly kind: 'key' }
  | {
      readonly id: WorkspaceId
      readonly kind: 'scratch'
      /** A hash of the network address, which answers for its spaces at all sites: 32 hexadecimal digits. */
      readonly address: string
    }

/** Whose limits what is done in a workspace counts towards: the key's, or the address's over all its sites. */
export function payerOf(workspace: Workspace): string {
  return workspace.kind === 'key' ? workspace.id : workspace.address
}

/** What a service works in: one workspace, through the database or through a transaction that is already open. */
export interface Session {
  readonly workspace: Workspace
  readonly db: Queries
  /** A hash of the network whose keys share limits, like `address` of a scratch space; absent where no keys do. */
  readonly network?: string
  /** What is done frees more bytes in all than any part of it adds: a full disk refuses none of it. */
  readonly frees?: boolean
}

/** Collects the values of a statement that is put together from parts; each gets the next `$n`. */
export class Bindings {
  readonly values: Value[]

  constructor(...values: Value[]) {
    this.values = values
  }

  /** Takes a value and gives its placeholder. */
  add(value: Value): string {
    return `$${this.values.push(value)}`
  }
}

/** Runs `work` in a transaction that is rolled back: what it answers is what it would have come to. */
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
