import { Database, SQLiteError } from 'bun:sqlite'
import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs'
import {
  type AnkiCalendar,
  type AnkiCard,
  type AnkiDeck,
  type AnkiNote,
  type AnkiReview,
  invalidPackage,
  LAST_SECOND,
  type Notetype,
  type PackageLimits,
  packageTooLarge,
  type SqliteValue,
  unsupportedPackage,
} from './collection'
import { type CollectionDescription, describeSchema11, describeSchema18 } from './schema'

/**
 * Reads an Anki collection, an untrusted SQLite database. Its header and schema are checked, and a schema with more
 * than tables and indexes is refused, before any query runs. Tables are only scanned, since an index of the file may be
 * wrong.
 */

const MAGIC = 'SQLite format 3\0'
const HEADER_BYTES = 100
/** Bytes of the file that are searched at once. */
const WINDOW_BYTES = 4 * 1024 * 1024

/**
 * Checks the header of a database (sqlite.org/fileformat2.html), and changes it to say that there is no write-ahead
 * log, since a package contains none. Throws FileFault.
 */
function refuseWal(path: string): void {
  withFile(path, (handle) => {
    const head = Buffer.alloc(HEADER_BYTES)
    const { size } = fstatSync(handle)
    const read = readSync(handle, head, 0, HEADER_BYTES, 0)
    if (read < HEADER_BYTES || head.toString('latin1', 0, MAGIC.length) !== MAGIC)
      throw invalidPackage('The collection is not a SQLite database.')
    const stored = head.readUInt16BE(16)
    const pageSize = stored === 1 ? 65_536 : stored
    if (pageSize < 512 || (pageSize & (pageSize - 1)) !== 0)
      throw invalidPackage('The collection has an impossible page size.')
    const pages = head.readUInt32BE(28)
    const isCounted = head.readUInt32BE(24) === head.readUInt32BE(92)
    if (isCounted && (pages === 0 || pages * pageSize > size)) throw invalidPackage('The collection is cut off.')
    writeSync(handle, new Uint8Array([1, 1]), 0, 2, 18)
  })
}

/** Replaces each of `texts` in the whole file by the result of `change`, which must have the same number of bytes. */
function replaceTexts(path: string, texts: readonly string[], change: (text: string) => string): void {
  const changes = texts.map((text) => [Buffer.from(text), Buffer.from(change(text))] as const)
  const longest = Math.max(0, ...changes.map(([text]) => text.length))
  if (longest === 0) return
  withFile(path, (handle) => {
    const { size } = fstatSync(handle)
    const window = Buffer.alloc(Math.min(size, WINDOW_BYTES + longest))
    // Windows overlap, so that each text lies within one.
    for (let from = 0; from < size; from += WINDOW_BYTES) {
      const part = window.subarray(0, readSync(handle, window, 0, window.length, from))
      for (const [text, changed] of changes)
        for (let at = part.indexOf(text); at >= 0; at = part.indexOf(text, at + text.length))
          writeSync(handle, changed, 0, changed.length, from + at)
    }
  })
}

function withFile(path: string, work: (handle: number) => void): void {
  const handle = openSync(path, 'r+')
  try {
    work(handle)
  } finally {
    closeSync(handle)
  }
}

export interface Collection {
  readonly calendar: AnkiCalendar
  readonly notetypes: ReadonlyMap<number, Notetype>
  readonly decks: ReadonlyMap<number, AnkiDeck>
  noteIds(): Generator<number>
  notes(): Generator<AnkiNote>
  cards(): Generator<AnkiCard>
  reviews(): Generator<AnkiReview>
  close(): void
}

type Row = Record<string, SqliteValue>

const CARD_NUMBERS = [
  ...(['id', 'nid', 'did', 'ord', 'type', 'queue', 'due', 'ivl', 'factor'] as const),
  ...(['reps', 'lapses', 'left', 'odue', 'odid', 'flags'] as const),
]
const REVIEW_NUMBERS = ['id', 'cid', 'ease', 'time', 'type', 'factor'] as const
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  col: ['crt', 'mod', 'ver', 'conf', 'models', 'decks'],
  notes: ['id', 'guid', 'mid', 'mod', 'tags', 'flds'],
  cards: [...CARD_NUMBERS, 'data'],
  revlog: REVIEW_NUMBERS,
}
const COLUMNS_18: Readonly<Record<string, readonly string[]>> = {
  notetypes: ['id', 'name', 'config'],
  fields: ['ntid', 'ord', 'name', 'config'],
  templates: ['ntid', 'ord', 'name', 'config'],
  decks: ['id', 'name', 'kind'],
  config: ['key', 'val'],
}
/** The parts of a statement that are not keywords: comments, texts and quoted names. */
const QUOTED_PARTS = /'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g
const PLAIN_STATEMENT = /^\s*create\s+(?:table|(?:unique\s+)?index)\b/i
/** Conditions and generated columns, which would run code while a table is read. Anki's schema has none. */
const RUNNING_CLAUSE = /\b(?:check|as)\b/i
/** Anki's own collation, which SQLite does not have. The replacement is padded to the same length. */
const UNICASE = /\bcollate\s+unicase\b/gi

/** Tables and indexes; Anki has about thirty. */
const MAX_SCHEMA_ROWS = 1000
/** Decks, fields and other rows that are kept in memory. */
const MAX_DESCRIBED_ROWS = 50_000
/** Bytes of all settings of schema 11, far more than a collection with hundreds of notetypes has. */
const MAX_JSON_BYTES = 16 * 1024 * 1024
const MAX_PARTS = 1000
/** UTF-16 units of the column `data` of a card; Anki writes about a hundred. */
const MAX_DATA_UNITS = 10_000

/** Opens the collection in a file, which is modified. Throws FileFault, also from its generators. */
export function openCollection(path: string, limits: PackageLimits): Collection {
  const db = openDatabase(path)
  try {
    return refuseSqliteErrors(() => readCollection(db, limits))
  } catch (error) {
    db.close()
    throw error
  }
}

function readCollection(db: Database, limits: PackageLimits): Collection {
  checkColumns(db, COLUMNS)
  limitRows(db, { col: 1 })
  limitSettings(db)
  const [col] = [...scan(db, 'col', COLUMNS.col ?? [])]
  if (!col) throw invalidPackage('The collection has no settings.')
  const version = readNumber(col, 'ver')
  if (version !== 11 && version !== 18)
    throw unsupportedPackage(`The collection has schema ${version}; 11 and 18 are read.`)
  limitRows(db, { cards: limits.cards, revlog: limits.reviews })
  const described = version === 11 ? describeSchema11(col) : describe18(db)
  return {
    calendar: {
      created: readTime(col, 'crt', 1),
      modified: readTime(col, 'mod', 1000),
      creationOffset: described.config('creationOffset'),
      rollover: described.config('rollover'),
      isFirstScheduler: described.config('schedVer') !== 2,
    },
    notetypes: new Map(described.notetypes.map((notetype) => [notetype.anki_id, notetype])),
    decks: new Map(described.decks.map((deck) => [deck.id, deck])),
    *noteIds() {
      for (const row of scan(db, 'notes', ['id'])) yield readNumber(row, 'id')
    },
    notes: () => mapRows(db, 'notes', toNote),
    cards: () => mapRows(db, 'cards', toCard),
    reviews: () => mapRows(db, 'revlog', toReview, 'ORDER BY id'),
    close: () => db.close(),
  }
}

/** Runs a query. Converts errors of SQLite to a FileFault, since the file causes them. */
function refuseSqliteErrors<Result>(read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    if (error instanceof SQLiteError) throw invalidPackage('The collection is not a complete SQLite database.')
    throw error
  }
}

function openDatabase(path: string): Database {
  refuseWal(path)
  const texts = readSchema(path)
  replaceTexts(
    path,
    texts.filter((text) => text.search(UNICASE) >= 0),
    (text) => text.replace(UNICASE, (found) => 'COLLATE NOCASE'.padEnd(found.length)),
  )
  const db = refuseSqliteErrors(() => new Database(path, { readonly: true, strict: true }))
  return closeOnError(db, () => {
    db.run('PRAGMA query_only = ON')
    db.run('PRAGMA trusted_schema = OFF')
    const [verdict] = db.query<{ quick_check: SqliteValue }, []>('PRAGMA quick_check(1)').all()
    if (verdict?.quick_check !== 'ok') throw invalidPackage('The collection is damaged.')
    return db
  })
}

function readSchema(path: string): string[] {
  const db = refuseSqliteErrors(() => new Database(path, { readonly: true, strict: true }))
  return closeOnError(db, () => {
    const rows = db.query<Row, []>(`SELECT type, sql FROM sqlite_master LIMIT ${MAX_SCHEMA_ROWS + 1}`).all()
    if (rows.length > MAX_SCHEMA_ROWS) throw invalidPackage('The collection holds too many tables.')
    // Check the statement too: SQLite accepts a blob here, and ignores the column `type`.
    if (!rows.every(({ type, sql }) => (type === 'table' || type === 'index') && isPlain(sql ?? null)))
      throw invalidPackage('The collection holds more than tables and indexes.')
    db.close()
    return rows.flatMap(({ sql }) => (typeof sql === 'string' ? [sql] : []))
  })
}

/** Whether a statement creates only a table or an index. Null is the automatic index of a table. */
function isPlain(sql: SqliteValue): boolean {
  if (typeof sql !== 'string') return sql === null
  const words = sql.replace(QUOTED_PARTS, ' ')
  return PLAIN_STATEMENT.test(words) && !RUNNING_CLAUSE.test(words)
}

function closeOnError<Result>(db: Database, read: () => Result): Result {
  try {
    return refuseSqliteErrors(read)
  } catch (error) {
    db.close()
    throw error
  }
}

function checkColumns(db: Database, tables: typeof COLUMNS): void {
  for (const [table, columns] of Object.entries(tables)) {
    const found = db.query<Row, []>(`PRAGMA table_xinfo("${table}")`).all()
    const stored = new Set(found.filter(({ hidden }) => hidden === 0).map(({ name }) => String(name).toLowerCase()))
    if (stored.size < found.length || columns.some((column) => !stored.has(column.toLowerCase())))
      throw invalidPackage(`The collection lacks the table ${table}, or a column of it.`)
  }
}

function limitRows(db: Database, limits: Readonly<Record<string, number>>): void {
  for (const [table, limit] of Object.entries(limits)) {
    const row = db.query<{ count: number }, []>(`SELECT count(*) AS count FROM "${table}" NOT INDEXED`).get()
    if ((row?.count ?? 0) > limit) throw packageTooLarge(`The collection has more than ${limit} rows of ${table}.`)
  }
}

function limitSettings(db: Database): void {
  const sizes = ['conf', 'models', 'decks'].map((column) => `coalesce(octet_length(${column}), 0)`)
  const sql = `SELECT ${sizes.join(' + ')} AS bytes FROM col NOT INDEXED`
  const row = db.query<{ bytes: number | null }, []>(sql).get()
  if ((row?.bytes ?? 0) > MAX_JSON_BYTES) throw packageTooLarge('The settings of the collection are too large.')
}

function describe18(db: Database): CollectionDescription {
  checkColumns(db, COLUMNS_18)
  limitRows(db, Object.fromEntries(Object.keys(COLUMNS_18).map((table) => [table, MAX_DESCRIBED_ROWS])))
  const all = (table: string) => [...scan(db, table, COLUMNS_18[table] ?? [])]
  return describeSchema18({
    notetypes: all('notetypes'),
    fields: all('fields'),
    templates: all('templates'),
    decks: all('decks'),
    config: all('config'),
  })
}

function* scan(db: Database, table: string, columns: readonly string[], order = ''): Generator<Row> {
  // Column names of SQLite ignore case, but members of a row do not.
  const names = columns.map((name) => `"${name}" AS "${name}"`).join(', ')
  const rows = refuseSqliteErrors(() =>
    db.query<Row, []>(`SELECT ${names} FROM "${table}" NOT INDEXED ${order}`).iterate(),
  )
  for (let row = refuseSqliteErrors(() => rows.next()); !row.done; row = refuseSqliteErrors(() => rows.next()))
    yield row.value
}

function* mapRows<Item>(db: Database, table: string, map: (row: Row) => Item, order?: string): Generator<Item> {
  for (const row of scan(db, table, COLUMNS[table] ?? [], order)) yield map(row)
}

function readNumber(row: Row, column: string): number {
  const value = row[column]
  if (typeof value !== 'number' || !Number.isFinite(value))
    throw invalidPackage(`The column ${column} holds no number.`)
  return Math.trunc(value)
}

/** Reads a time as seconds since 1970. @param parts units of the column in a second */
function readTime(row: Row, column: string, parts: number): number {
  const seconds = readNumber(row, column) / parts
  if (seconds < 0 || seconds > LAST_SECOND) throw invalidPackage(`The column ${column} holds no time.`)
  return seconds
}

function readText(row: Row, column: string): string {
  const value = row[column]
  if (typeof value !== 'string') throw invalidPackage(`The column ${column} holds no text.`)
  return value
}

function toNote(row: Row): AnkiNote {
  return {
    id: readNumber(row, 'id'),
    guid: String(row.guid ?? ''),
    notetype: readNumber(row, 'mid'),
    modified: readNumber(row, 'mod'),
    tags: readText(row, 'tags').split(/\s+/, MAX_PARTS).filter(Boolean),
    // SQLite may have turned a field that looks like a number into one.
    fields: String(row.flds ?? '').split('\x1f', MAX_PARTS),
  }
}

function toCard(row: Row): AnkiCard {
  const data = typeof row.data === 'string' && row.data.length <= MAX_DATA_UNITS ? row.data : ''
  return { ...readNumbers(row, CARD_NUMBERS), data }
}

function toReview(row: Row): AnkiReview {
  return readNumbers(row, REVIEW_NUMBERS)
}

/** Reads the columns of a row in its place: a collection may have millions of reviews. */
function readNumbers<Name extends string>(row: Row, columns: readonly Name[]): Record<Name, number> {
  for (const column of columns) row[column] = readNumber(row, column)
  return row as Record<Name, number>
}
