import type { Database as Sqlite } from 'bun:sqlite'
import type { Value } from '../database'
import type { PostgresTransaction } from './postgres'

/** Copies the whole database of a stopped server from SQLite to PostgreSQL, and compares the two. */

/** Rows and bytes that one statement inserts, at most; a row of more bytes goes alone. */
const BATCH = { rows: 200, bytes: 4 * 1024 * 1024 }
/** Rows that are read back at once. */
const PAGE_ROWS = 200

interface Table {
  readonly name: string
  readonly columns: readonly string[]
  /** The columns of its primary key, in order. */
  readonly key: readonly string[]
  /** The column that refers to rows of the table itself; null if none does. */
  readonly parent: string | null
}

type Row = readonly Value[]

/**
 * Replaces all rows of PostgreSQL by those of SQLite, and compares the numbers and the SHA-256 of the rows of each
 * table. Nothing is changed if it throws.
 * @param tell called with a sentence for each table that is copied
 * @throws Error of one sentence if a table is not the same afterwards
 */
export async function copyDatabase(from: Sqlite, to: PostgresTransaction, tell: (sentence: string) => void) {
  const tables = listTables(from)
  await to.runScript(`TRUNCATE ${tables.map(({ name }) => name).join(', ')}`)
  // Triggers would number texts again and count twice. Foreign keys stay, so tables that others refer to come first.
  for (const { name } of tables) await to.runScript(`ALTER TABLE ${name} DISABLE TRIGGER USER`)
  for (const table of tables) {
    const sent = new RowHash()
    for (const rows of batches(readRows(from, table, parentsFirst(table)), sent)) await insertRows(to, table, rows)
    const found = await hashTable(to, table)
    const expected = hashRows(readRows(from, table, orderBy(table.key)))
    if (found.rows !== sent.rows || found.digest !== expected.digest)
      throw new Error(`The table ${table.name} is not the same in PostgreSQL: ${found.rows} rows of ${sent.rows}.`)
    tell(`${table.name}: ${found.rows} rows.`)
  }
  for (const { name } of tables) await to.runScript(`ALTER TABLE ${name} ENABLE TRIGGER USER`)
  await continueKeys(from, to)
}

/** Lists the tables of the server, each behind those that it refers to. */
function listTables(db: Sqlite): Table[] {
  const names = db
    .query<{ name: string }, []>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~' AND name <> 'schema_versions'",
    )
    .all()
    .map(({ name }) => name)
  const references = db.query<{ table: string; from: string }, [string]>(
    'SELECT "table", "from" FROM pragma_foreign_key_list(?)',
  )
  const columns = db.query<{ name: string; pk: number }, [string]>('SELECT name, pk FROM pragma_table_info(?)')
  const tables = new Map<string, Table>()
  const add = (name: string) => {
    if (tables.has(name)) return
    const all = references.all(name)
    for (const { table } of all) if (table !== name) add(table)
    const info = columns.all(name)
    const key = info.filter(({ pk }) => pk > 0).toSorted((a, b) => a.pk - b.pk)
    tables.set(name, {
      name,
      columns: info.map((column) => column.name),
      key: key.map((column) => column.name),
      parent: all.find(({ table }) => table === name)?.from ?? null,
    })
  }
  names.forEach(add)
  return [...tables.values()]
}

const orderBy = (columns: readonly string[]) => `ORDER BY ${columns.join(', ')}`

/** Orders rows so that those that others of the table refer to come first. */
function parentsFirst({ name, key: [key = ''], parent }: Table): string {
  if (parent === null) return ''
  return `JOIN (WITH RECURSIVE tree (of, depth) AS (SELECT ${key}, 0 FROM ${name} WHERE ${parent} IS NULL
      UNION ALL SELECT ${key}, depth + 1 FROM ${name} JOIN tree ON ${parent} = of)
    SELECT * FROM tree) ON of = ${key} ORDER BY depth`
}

/** Reads all rows of a table, one by one. @param rest of the statement, behind the table */
function* readRows(db: Sqlite, { name, columns }: Table, rest: string): Generator<Row> {
  const list = columns.map((column) => `${name}."${column}"`).join(', ')
  const statement = db.prepare<Record<string, Value>, []>(`SELECT ${list} FROM ${name} ${rest}`)
  try {
    for (const row of statement.iterate()) yield columns.map((column) => row[column] ?? null)
  } finally {
    statement.finalize()
  }
}

const bytesOf = (row: Row) =>
  row.reduce<number>((sum, value) => sum + (value === null || typeof value === 'number' ? 8 : value.length), 0)

/** Gathers rows for one statement each. @param count counts them */
function* batches(rows: Iterable<Row>, count: { rows: number }): Generator<Row[]> {
  let batch: Row[] = []
  let bytes = 0
  for (const row of rows) {
    const more = bytesOf(row)
    if (batch.length === BATCH.rows || (batch.length > 0 && bytes + more > BATCH.bytes)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(row)
    bytes += more
    count.rows++
  }
  if (batch.length > 0) yield batch
}

async function insertRows(to: PostgresTransaction, { name, columns }: Table, rows: readonly Row[]): Promise<void> {
  const list = columns.map((column) => `"${column}"`).join(', ')
  const places = rows.map((row, i) => `(${row.map((_, j) => `$${i * columns.length + j + 1}`).join(', ')})`)
  await to.run(`INSERT INTO ${name} (${list}) VALUES ${places.join(', ')}`, rows.flat())
}

async function hashTable(from: PostgresTransaction, { name, columns, key }: Table) {
  const list = columns.map((column) => `"${column}"`).join(', ')
  const hash = new RowHash()
  await from.runScript(`DECLARE copied CURSOR FOR SELECT ${list} FROM ${name} ${orderBy(key)}`)
  for (let read = PAGE_ROWS; read === PAGE_ROWS; ) {
    const rows = await from.all<Record<string, Value>>(`FETCH ${PAGE_ROWS} FROM copied`)
    for (const row of rows) hash.add(columns.map((column) => row[column] ?? null))
    read = rows.length
  }
  await from.runScript('CLOSE copied')
  return { rows: hash.rows, digest: hash.digest() }
}

function hashRows(rows: Iterable<Row>) {
  const hash = new RowHash()
  for (const row of rows) hash.add(row)
  return { rows: hash.rows, digest: hash.digest() }
}

/** The SHA-256 of rows: of the kind, the length and the content of each value. */
class RowHash {
  rows = 0
  readonly #hasher = new Bun.CryptoHasher('sha256')

  add(row: Row): void {
    this.rows++
    for (const value of row) {
      const content = value instanceof Uint8Array ? value : String(value)
      const kind = value instanceof Uint8Array ? 'bytes' : value === null ? 'null' : typeof value
      this.#hasher.update(`${kind} ${content.length} `).update(content)
    }
  }

  digest(): string {
    return this.#hasher.digest('hex')
  }
}

/** Lets keys continue behind the largest that was ever given. */
async function continueKeys(from: Sqlite, to: PostgresTransaction): Promise<void> {
  const given = new Map(
    from
      .query<{ name: string; seq: number }, []>('SELECT name, seq FROM sqlite_sequence')
      .all()
      .map(({ name, seq }) => [name, seq]),
  )
  const identities = await to.all<{ name: string; key: string }>(
    `SELECT table_name AS name, column_name AS key FROM information_schema.columns
     WHERE table_schema = 'satchel' AND is_identity = 'YES'`,
  )
  for (const { name, key } of identities) {
    const row = await to.get<{ last: number }>(`SELECT coalesce(max(${key}), 0) AS last FROM ${name}`)
    const last = Math.max(row?.last ?? 0, given.get(name) ?? 0)
    if (last > 0)
      await to.get(`SELECT setval(pg_get_serial_sequence('satchel.${name}', '${key}'), CAST($1 AS bigint))`, [last])
  }
}
