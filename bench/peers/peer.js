/**
 * What all peers share: the page of notes, read with Satchel's own SQL and given its form by Satchel's own function, so
 * that what differs is the framework, its limiter and its SQLite.
 *
 * @typedef {object} Given What the bench hands a peer, as JSON in its one argument; the database is in DATA_DIR.
 * @property {'better-sqlite3' | 'node:sqlite' | 'bun:sqlite'} driver what reads SQLite
 * @property {string} toSummary the module that exports Satchel's function of this name
 * @property {string} sql
 * @property {(string | number)[]} values of its parameters $1, $2, …
 */
import { join } from 'node:path'

/** A limit that is never reached, in an hour, for each key: the limiter counts and does not refuse. */
export const LIMIT = 1_000_000_000
export const HOUR_MS = 3_600_000

const DATABASE = join(process.env.DATA_DIR ?? '.', 'satchel.db')
const given = /** @type {Given} */ (JSON.parse(process.argv[2] ?? '{}'))

/** Reads the notes, as the answer of GET /api/notes is to be. */
export async function openNotes() {
  const { toSummary } = await import(given.toSummary)
  const all = await prepared()
  const values = Object.fromEntries(given.values.map((value, i) => [i + 1, value]))
  return () => ({ items: all(values).map(toSummary), next_cursor: null })
}

/** The statement, prepared once. */
async function prepared() {
  if (given.driver === 'bun:sqlite') {
    const { Database } = await import('bun:sqlite')
    const statement = new Database(DATABASE, { readonly: true, strict: true }).prepare(given.sql)
    return (values) => statement.all(values)
  }
  if (given.driver === 'node:sqlite') {
    const { DatabaseSync } = await import('node:sqlite')
    const statement = new DatabaseSync(DATABASE, { readOnly: true }).prepare(given.sql)
    return (values) => statement.all(values)
  }
  const { default: Database } = await import('better-sqlite3')
  const statement = new Database(DATABASE, { readonly: true }).prepare(given.sql)
  return (values) => statement.all(values)
}

/** Tells the bench where the peer listens. */
export function ready(port) {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}/` })}\n`)
}
