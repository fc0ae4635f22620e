import { SQL } from 'bun'
import { Cache, startTimer } from '../../lib/steps'
import { DatabaseFull, DatabaseTooSlow, DatabaseUnavailable, type SlowStatements, type Value } from '../database'

/**
 * Turns SQL as stores write it into PostgreSQL's. Functions and operators that SQLite has and PostgreSQL has not are in
 * the schema (see the migrations); what remains is hints to SQLite's planner, the row beside a lone min(), and parameters
 * that a statement does not use, whose type PostgreSQL cannot know.
 */

interface Translation {
  readonly sql: string
  /** The positions of the parameters that it uses, in the order of their new numbers; null: all, as they are. */
  readonly used: readonly number[] | null
  /** Whether it writes one row or fails, so that its answer is known before it comes. */
  readonly writesOneRow: boolean
}

/** An index that SQLite has to use. */
const INDEX_HINT = / INDEXED BY \w+/g
/** A unary plus before a column, which keeps SQLite from using an index for it. */
const PLUS_HINT = /(?<=[\s(])\+(?=[a-z])/g
/** A join with a condition whose order SQLite has to keep. */
const JOIN_HINT = /CROSS JOIN ((?:\w+|\w+\([^()]*\))(?: AS \w+)?\s+ON )/g

/** An insert of one row, or an update in its place, without a condition. */
const ONE_ROW =
  /^\s*INSERT INTO \w+ \([^()]*\)\s*VALUES \([^()]*\)(?:\s*ON CONFLICT \([^()]*\) DO UPDATE SET (?:(?!WHERE|RETURNING)[\s\S])*)?\s*$/

/** The columns beside a lone min(), which SQLite takes from the row of the group that has it. */
const FIRST_OF_GROUP = /SELECT min\((\w+)\), ((?:(?!GROUP BY)[\s\S])*) GROUP BY ([\w, ]+)\) AS first\b/g

const translations = new Cache<string, { readonly params: number; readonly translation: Translation }>(5000)

/** Returns the translation of a statement with that many parameters, which it makes once. */
export function translationOf(sql: string, params: number): Translation {
  const known = translations.get(sql)
  if (known?.params === params) return known.translation
  return translations.keep(sql, { params, translation: translate(sql, params) }).translation
}

export function translate(sql: string, params: number): Translation {
  const plain = sql
    .replace(INDEX_HINT, '')
    .replace(PLUS_HINT, '')
    .replace(JOIN_HINT, 'JOIN $1')
    .replace(FIRST_OF_GROUP, 'SELECT DISTINCT ON ($3) $2 ORDER BY $3, $1) AS first')
  const used = [...new Set([...plain.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)))].sort((a, b) => a - b)
  const writesOneRow = ONE_ROW.test(plain)
  if (used.length === params) return { sql: plain, used: null, writesOneRow }
  const numbers = new Map(used.map((number, i) => [number, i + 1]))
  return {
    sql: plain.replace(/\$(\d+)/g, (_, number: string) => `$${numbers.get(Number(number))}`),
    used: used.map((number) => number - 1),
    writesOneRow,
  }
}

/** Statements on a connection of Bun's client, or on any of a pool: how values are written and read, and which errors come. */

/** How long a process waits for a connection, for a lock of another transaction, and for one statement. */
export const MAX_ANSWER_MS = 10_000

/** Runs statements without parameters. Returns what the last of them was. @throws DatabaseUnavailable */
export async function command(connection: SQL, sql: string): Promise<string> {
  const result: { command?: string } = await inTime(connection.unsafe(sql).simple())
  return result.command ?? ''
}

/** Runs statements on a connection, or on any of a pool, and notes the slow ones. */
export class PostgresStatements {
  constructor(
    readonly connection: SQL,
    readonly slow: SlowStatements,
  ) {}

  /** Returns the number of rows. @throws DatabaseUnavailable, or the error of a wrong statement */
  async run(sql: string, params: readonly Value[] = []): Promise<number> {
    return (await this.#send(sql, params)).count
  }

  /** Returns the rows, with numbers in place of BigInt and booleans. */
  async all<Row>(sql: string, params: readonly Value[] = []): Promise<Row[]> {
    const rows: Record<string, unknown>[] = await this.#send(sql, params)
    for (const row of rows) {
      for (const name in row) {
        const value = row[name]
        if (typeof value === 'bigint' || typeof value === 'boolean') row[name] = Number(value)
      }
    }
    return rows as Row[]
  }

  async get<Row>(sql: string, params: readonly Value[] = []): Promise<Row | null> {
    return (await this.all<Row>(sql, params))[0] ?? null
  }

  async #send(statement: string, params: readonly Value[]) {
    const { sql, used } = translationOf(statement, params.length)
    const values = used ? used.map((i) => writeValue(params[i])) : params.map(writeValue)
    const began = this.slow.ticks()
    try {
      return await inTime(this.connection.unsafe(sql, values))
    } finally {
      this.slow.note(statement, began)
    }
  }
}

/**
 * A number is sent as text: PostgreSQL then gives the parameter the type of its place, the same for every value. It
 * refuses NUL, which no stored text has: what is sent in its place is in none either.
 */
function writeValue(value: Value | undefined): Exclude<Value, number> {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uffff') : (value ?? null)
}

/** Waits for an answer, but not for ever: a server that hangs answers nothing. @throws DatabaseUnavailable */
export async function inTime<T>(answer: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const cancel = startTimer(MAX_ANSWER_MS + 1000, () =>
    late.reject(new DatabaseUnavailable('PostgreSQL does not answer')),
  )
  try {
    return await translated(Promise.race([answer, late.promise]))
  } finally {
    cancel()
  }
}

export async function runScript(connection: SQL, sql: string): Promise<void> {
  await translated(connection.unsafe(sql).simple())
}

async function translated<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    throw translateError(error)
  }
}

/**
 * Classes of SQLSTATE that say that the server cannot work now: connection, resources, operator, system, its own
 * faults, a login that fails, rights that were taken away, and what took too long. Source: postgresql.org, Appendix A.
 */
const UNAVAILABLE = /^(08|25006|25P0[34]|28|3D000|40|42501|53|55P03|57|58|XX)/
const DISK_FULL = '53100'
/** Those of them for which the server has worked: it ran out of memory, room or time, or met another transaction. */
const TOO_SLOW = /^(25P04|40|53[24]00|55P03|57014)/
/** The code of what the server says; the client's own errors, such as that of a lost connection, have none. */
const SQLSTATE = /^[0-9A-Z]{5}$/

/** Makes the errors of the port of those of a server that cannot be reached or cannot work now; others stay. */
function translateError(error: unknown): unknown {
  if (!(error instanceof SQL.PostgresError)) return error
  const { errno, message } = error
  const state = String(errno ?? '')
  if (SQLSTATE.test(state) && !UNAVAILABLE.test(state)) return error
  const Fault = state === DISK_FULL ? DatabaseFull : TOO_SLOW.test(state) ? DatabaseTooSlow : DatabaseUnavailable
  return new Fault(`PostgreSQL: ${message}`, { cause: error })
}
