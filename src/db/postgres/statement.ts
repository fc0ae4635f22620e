import { SQL } from 'bun'
import { DatabaseFull, DatabaseTooSlow, DatabaseUnavailable, type Value } from '../database'
import { translationOf } from './translate'

/** Statements on a connection of Bun's client, or on any of a pool: how values are written and read, and which errors come. */

/** How long a process waits for a connection, for a lock of another transaction, and for one statement. */
export const MAX_ANSWER_MS = 10_000

/** Runs statements without parameters. Returns what the last of them was. @throws DatabaseUnavailable */
export async function command(connection: SQL, sql: string): Promise<string> {
  const result: { command?: string } = await inTime(connection.unsafe(sql).simple())
  return result.command ?? ''
}

/** Runs a statement. @throws DatabaseUnavailable, or the error of a wrong statement */
export async function runStatement(connection: SQL, statement: string, params: readonly Value[]) {
  const { sql, used } = translationOf(statement, params.length)
  const values = used ? used.map((i) => writeValue(params[i])) : params.map(writeValue)
  return inTime(connection.unsafe(sql, values))
}

/** Runs a statement, and returns its rows with numbers in place of BigInt and booleans. */
export async function readAll<Row>(connection: SQL, sql: string, params: readonly Value[]): Promise<Row[]> {
  const rows: Record<string, unknown>[] = await runStatement(connection, sql, params)
  for (const row of rows) {
    for (const name in row) {
      const value = row[name]
      if (typeof value === 'bigint' || typeof value === 'boolean') row[name] = Number(value)
    }
  }
  return rows as Row[]
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
  let timer: Timer | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DatabaseUnavailable('PostgreSQL does not answer')), MAX_ANSWER_MS + 1000)
  })
  try {
    return await translated(Promise.race([answer, late]))
  } finally {
    clearTimeout(timer)
  }
}

/** Runs the statements of a script, however long they take. */
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
