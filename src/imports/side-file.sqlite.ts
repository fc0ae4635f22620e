import { type SQLQueryBindings, Database as Sqlite, type Statement } from 'bun:sqlite'
import { closeSync, fsyncSync, openSync } from 'node:fs'
import { type ByteSource, sha256Of } from '../blobs/blob'
import type { FileFacts, Line, ReadItem, StoredItem, StoredLine } from './kind'
import { mergeLines } from './lines'

/**
 * The side file of a run: the items of its file as they were read, and their report lines. It is a separate SQLite
 * file in the run's folder, and is deleted with the run.
 */

/** Items with the same key that `itemsOfKey` returns: a file may have thousands. */
const MAX_ITEMS_OF_KEY = 1000
/** The size of the items of one group: characters of JSON plus bytes of binary data. One item may be larger. */
const MAX_GROUP_SIZE = 1024 * 1024
/** Bytes of a row of binary data: reading a part of it reads only the rows that have it. */
const PART_BYTES = 256 * 1024

const SCHEMA = `
  CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE items (
    seq INTEGER PRIMARY KEY, place TEXT NOT NULL, type TEXT NOT NULL, key TEXT, value TEXT, fault INTEGER NOT NULL) STRICT;
  CREATE TABLE bytes (seq INTEGER PRIMARY KEY, size INTEGER NOT NULL, sha256 TEXT NOT NULL) STRICT;
  CREATE TABLE parts (seq INTEGER NOT NULL, position INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (seq, position)) STRICT;
  CREATE TABLE lines (
    seq INTEGER NOT NULL, pass INTEGER NOT NULL, type TEXT NOT NULL, key TEXT, resource TEXT, line TEXT NOT NULL,
    PRIMARY KEY (seq, pass)) STRICT, WITHOUT ROWID;
  CREATE INDEX lines_of_key ON lines (key, seq) WHERE key IS NOT NULL;
  CREATE INDEX lines_of_resource ON lines (resource) WHERE resource IS NOT NULL;`

/** The number of the pass under which the lines of unreadable items are stored. */
const READING_PASS = -1

/** An item as a pass gets it, or an unreadable one. */
export interface SideItem extends StoredItem {
  readonly isFaulty: boolean
}

interface ItemRow {
  readonly seq: number
  readonly place: string
  readonly type: string
  readonly key: string | null
  readonly fault: number
  /** The length of its value, in characters of JSON. */
  readonly length: number
  /** The length of its binary data, in bytes; null if it has none. */
  readonly bytes: number | null
}

export interface ItemLine {
  readonly item: Pick<StoredItem, 'seq' | 'type' | 'key'>
  readonly line: Line
}

/** Writes the items of a file, in the Worker that reads it. It is neither durable nor complete until `finish`. */
export class SideWriter {
  readonly #path: string
  readonly #db: Sqlite
  readonly #insertItem: Statement
  readonly #insertBytes: Statement
  readonly #insertPart: Statement
  readonly #insertLine: Statement
  #seq = 0

  /** @param path the path of the side file, where no file may exist */
  constructor(path: string) {
    closeSync(openSync(path, 'wx', 0o600))
    this.#path = path
    this.#db = new Sqlite(path, { strict: true, readwrite: true })
    this.#db.run('PRAGMA journal_mode = OFF')
    this.#db.run('PRAGMA synchronous = OFF')
    this.#db.run(SCHEMA)
    this.#insertItem = this.#db.prepare('INSERT INTO items VALUES (?, ?, ?, ?, ?, ?)')
    this.#insertBytes = this.#db.prepare('INSERT INTO bytes VALUES (?, ?, ?)')
    this.#insertPart = this.#db.prepare('INSERT INTO parts VALUES (?, ?, ?)')
    this.#insertLine = this.#db.prepare('INSERT INTO lines VALUES (?, ?, ?, ?, NULL, ?)')
    this.#db.run('BEGIN')
  }

  get count(): number {
    return this.#seq
  }

  /** Adds an item. Returns its approximate size in bytes. */
  add({ where, type, key, value, bytes, fault }: ReadItem): number {
    const seq = this.#seq++
    const text = fault ? null : JSON.stringify(value ?? null)
    this.#insertItem.run(seq, where, type, key ?? null, text, fault ? 1 : 0)
    if (bytes && !fault) this.#addBytes(seq, bytes)
    if (fault) {
      const line: Line = { action: 'failed', id: null, warnings: [fault] }
      this.#insertLine.run(seq, READING_PASS, type, key ?? null, JSON.stringify(line))
    }
    return where.length + (text?.length ?? 0) + (bytes?.length ?? 0)
  }

  #addBytes(seq: number, bytes: Uint8Array): void {
    this.#insertBytes.run(seq, bytes.length, sha256Of(bytes))
    for (let from = 0; from < bytes.length; from += PART_BYTES)
      this.#insertPart.run(seq, from / PART_BYTES, bytes.subarray(from, from + PART_BYTES))
  }

  /** Commits the items added so far, so that they do not stay in memory. */
  flush(): void {
    this.#db.run('COMMIT')
    this.#db.run('BEGIN')
  }

  /** Completes the file and syncs it to the disk. */
  finish(facts: FileFacts): void {
    this.#db.run('CREATE INDEX items_of_key ON items (key, seq) WHERE key IS NOT NULL')
    this.#db.run('INSERT INTO facts VALUES (?, ?)', ['file', JSON.stringify(facts)])
    this.#db.run('COMMIT')
    this.close()
    const handle = openSync(this.#path, 'r')
    fsyncSync(handle)
    closeSync(handle)
  }

  close(): void {
    for (const statement of [this.#insertItem, this.#insertBytes, this.#insertPart, this.#insertLine])
      statement.finalize()
    this.#db.close()
  }
}

/** The items of a run and their lines, for the passes. */
export class SideFile {
  readonly #db: Sqlite
  readonly facts: FileFacts
  /** The number of items, including those that cannot be read. */
  readonly total: number

  /** Opens a side file. @throws Error if it is missing or incomplete */
  constructor(path: string) {
    this.#db = new Sqlite(path, { strict: true, readwrite: true })
    this.#db.run('PRAGMA busy_timeout = 1000')
    this.#db.run('PRAGMA journal_mode = WAL')
    this.#db.run('PRAGMA synchronous = NORMAL')
    const file = this.#get<{ value: string }>("SELECT value FROM facts WHERE name = 'file'")
    if (!file) throw new Error('the items of the import were not read to their end')
    this.facts = JSON.parse(file.value)
    this.total = this.#get<{ total: number }>('SELECT count(*) AS total FROM items')?.total ?? 0
  }

  close(): void {
    this.#db.close()
  }

  /** Returns the items from `seq` on: at most `limit`, fewer if they are large, and none after the last. */
  items(seq: number, limit: number): SideItem[] {
    const items: SideItem[] = []
    let size = 0
    const rows = this.#db.query<ItemRow, [number]>(`${ITEMS} WHERE seq >= ? ORDER BY seq`).iterate(seq)
    for (const row of rows) {
      size += row.length + (row.bytes ?? 0)
      if (items.length > 0 && size > MAX_GROUP_SIZE) break
      items.push(this.#toItem(row))
      if (items.length === limit) break
    }
    return items
  }

  itemsOfKey(key: string, type?: string): SideItem[] {
    const sql = `${ITEMS} WHERE key = ?1 AND (?2 IS NULL OR type = ?2) ORDER BY seq LIMIT ?3`
    return this.#all<ItemRow>(sql, key, type ?? null, MAX_ITEMS_OF_KEY).map((row) => this.#toItem(row))
  }

  bytes(seq: number): ByteSource | null {
    const row = this.#get<Pick<ByteSource, 'size' | 'sha256'>>('SELECT size, sha256 FROM bytes WHERE seq = ?', seq)
    return row && { ...row, read: (from, length) => this.#readBytes(seq, from, length) }
  }

  #readBytes(seq: number, from: number, length: number): Uint8Array {
    const sql = 'SELECT bytes FROM parts WHERE seq = ? AND position >= ? AND position < ? ORDER BY position'
    const first = Math.floor(from / PART_BYTES)
    const rows = this.#all<{ bytes: Uint8Array }>(sql, seq, first, Math.ceil((from + length) / PART_BYTES))
    const start = from - first * PART_BYTES
    return Buffer.concat(rows.map(({ bytes }) => bytes)).subarray(start, start + length)
  }

  line(seq: number): StoredLine | null {
    return this.lines(seq, seq).get(seq) ?? null
  }

  /** Returns the merged lines of the items `first` to `last`, by seq. @param before only passes before it count */
  lines(first: number, last: number, before = Number.MAX_SAFE_INTEGER): ReadonlyMap<number, StoredLine> {
    const sql = 'SELECT seq, line FROM lines WHERE seq BETWEEN ? AND ? AND pass < ? ORDER BY seq, pass'
    const found = new Map<number, StoredLine>()
    for (const { seq, line } of this.#all<{ seq: number; line: string }>(sql, first, last, before))
      found.set(seq, { ...mergeLines(found.get(seq) ?? null, JSON.parse(line)), seq })
    return found
  }

  lineOfKey(key: string, type?: string): StoredLine | null {
    const sql = 'SELECT seq FROM lines WHERE key = ?1 AND (?2 IS NULL OR type = ?2) ORDER BY seq DESC LIMIT 1'
    const row = this.#get<{ seq: number }>(sql, key, type ?? null)
    return row && this.line(row.seq)
  }

  countFaults(): { readonly type: string; readonly count: number }[] {
    return this.#all('SELECT type, count(*) AS count FROM items WHERE fault = 1 GROUP BY type')
  }

  hasMet(id: string): boolean {
    return this.#get('SELECT 1 FROM lines WHERE resource = ? LIMIT 1', id) !== null
  }

  /** Lists the items that have a line, from `seq` on, for the report: without their values, which may be large. */
  listLines(
    seq: number,
    limit: number,
  ): { readonly item: Pick<SideItem, 'seq' | 'where' | 'type'>; readonly line: StoredLine }[] {
    const sql = `SELECT seq, place AS "where", type FROM items
      WHERE seq >= ? AND EXISTS (SELECT 1 FROM lines WHERE lines.seq = items.seq) ORDER BY seq LIMIT ?`
    const items = this.#all<Pick<SideItem, 'seq' | 'where' | 'type'>>(sql, seq, limit)
    const lines = this.lines(seq, items.at(-1)?.seq ?? seq)
    return items.flatMap((item) => {
      const line = lines.get(item.seq)
      return line ? [{ item, line }] : []
    })
  }

  /** Stores the lines of some items, and that the pass has done `done` items, in one transaction. */
  storeLines(pass: number, done: number, lines: readonly ItemLine[]): void {
    this.#db
      .transaction(() => {
        const insert = this.#db.query('INSERT OR REPLACE INTO lines VALUES (?, ?, ?, ?, ?, ?)')
        for (const { item, line } of lines)
          insert.run(item.seq, pass, item.type, item.key, line.id, JSON.stringify(line))
        this.#setProgress(pass, done)
      })
      .immediate()
  }

  /** Deletes the lines from a position on, which a step stored that was then rolled back in the database. */
  deleteLinesFrom(pass: number, seq: number): void {
    this.#db
      .transaction(() => {
        this.#db.run('DELETE FROM lines WHERE pass > ?1 OR (pass = ?1 AND seq >= ?2)', [pass, seq])
        this.#setProgress(pass, seq)
      })
      .immediate()
  }

  /** Whether all lines up to a position are stored; after a power failure some may be missing. */
  hasLinesUpTo(pass: number, done: number): boolean {
    const value = this.#get<{ value: string }>("SELECT value FROM facts WHERE name = 'progress'")?.value
    const [storedPass = 0, storedDone = 0] = value ? (JSON.parse(value) as number[]) : []
    return storedPass > pass || (storedPass === pass && storedDone >= done)
  }

  /** Makes an item whose value is read when it is first used: it may be large, and not every pass needs it. */
  #toItem({ seq, place, type, key, fault, bytes }: ItemRow): SideItem {
    const read = () => {
      const text = this.#get<{ value: string | null }>('SELECT value FROM items WHERE seq = ?', seq)?.value
      return text && JSON.parse(text)
    }
    let cached: { readonly value: unknown } | null = null
    return {
      seq,
      where: place,
      type,
      key,
      hasBytes: bytes !== null,
      isFaulty: fault === 1,
      get value() {
        cached ??= { value: read() }
        return cached.value
      },
    }
  }

  #setProgress(pass: number, done: number): void {
    this.#db.query("INSERT OR REPLACE INTO facts VALUES ('progress', ?)").run(JSON.stringify([pass, done]))
  }

  #get<Row>(sql: string, ...values: SQLQueryBindings[]): Row | null {
    return this.#db.query<Row, SQLQueryBindings[]>(sql).get(...values)
  }

  #all<Row>(sql: string, ...values: SQLQueryBindings[]): Row[] {
    return this.#db.query<Row, SQLQueryBindings[]>(sql).all(...values)
  }
}

const ITEMS = `SELECT seq, place, type, key, fault, coalesce(length(value), 0) AS length,
  (SELECT size FROM bytes WHERE bytes.seq = items.seq) AS bytes FROM items`
