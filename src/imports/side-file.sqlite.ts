import { type SQLQueryBindings, Database as Sqlite, type Statement } from 'bun:sqlite'
import { closeSync, fsyncSync, openSync } from 'node:fs'
import type { FileFacts, Line, ReadItem, StoredItem, StoredLine } from './kind'
import { mergeLines } from './lines'

/**
 * What a run keeps beside the database: the items of its file as they were read, and what became of them. A file of
 * SQLite's in the run's folder, for its owner alone; no data of a workspace is kept here for longer than the run.
 */

/** Items with the same key that are returned at most: a file may have thousands. */
const ITEMS_OF_KEY = 1000
/** How large the items of one group may be together, in characters of JSON and bytes, unless it is one item. */
const GROUP_SIZE = 1024 * 1024

const SCHEMA = `
  CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE items (
    seq INTEGER PRIMARY KEY, place TEXT NOT NULL, type TEXT NOT NULL, key TEXT, value TEXT, fault INTEGER NOT NULL) STRICT;
  CREATE TABLE bytes (seq INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
  CREATE TABLE lines (
    seq INTEGER NOT NULL, pass INTEGER NOT NULL, type TEXT NOT NULL, key TEXT, resource TEXT, line TEXT NOT NULL,
    PRIMARY KEY (seq, pass)) STRICT, WITHOUT ROWID;
  CREATE INDEX lines_of_key ON lines (key, seq) WHERE key IS NOT NULL;
  CREATE INDEX lines_of_resource ON lines (resource) WHERE resource IS NOT NULL;`

/** The pass that the lines of unreadable items have. */
const READING = -1

/** An item as a pass gets it, or one that the reader could not read. */
export interface SideItem extends StoredItem {
  readonly isFaulty: boolean
}

interface ItemRow {
  readonly seq: number
  readonly place: string
  readonly type: string
  readonly key: string | null
  readonly fault: number
  /** Of its value, in characters of JSON. */
  readonly length: number
  /** Null where it has none. */
  readonly bytes: number | null
}

/** A line to be kept. */
export interface ItemLine {
  readonly item: Pick<StoredItem, 'seq' | 'type' | 'key'>
  readonly line: Line
}

/** Writes the items of a file, in the Worker that reads it. Nothing is durable, nor whole, until `finish`. */
export class SideWriter {
  readonly #path: string
  readonly #db: Sqlite
  readonly #item: Statement
  readonly #bytes: Statement
  readonly #line: Statement
  #seq = 0

  /** @param path of a file that is not there */
  constructor(path: string) {
    closeSync(openSync(path, 'wx', 0o600))
    this.#path = path
    this.#db = new Sqlite(path, { strict: true, readwrite: true })
    this.#db.run('PRAGMA journal_mode = OFF')
    this.#db.run('PRAGMA synchronous = OFF')
    this.#db.run(SCHEMA)
    this.#item = this.#db.prepare('INSERT INTO items VALUES (?, ?, ?, ?, ?, ?)')
    this.#bytes = this.#db.prepare('INSERT INTO bytes VALUES (?, ?)')
    this.#line = this.#db.prepare('INSERT INTO lines VALUES (?, ?, ?, ?, NULL, ?)')
    this.#db.run('BEGIN')
  }

  /** How many items there are. */
  get count(): number {
    return this.#seq
  }

  /** Adds an item; returns about how many bytes it takes. */
  add({ where, type, key, value, bytes, fault }: ReadItem): number {
    const seq = this.#seq++
    const text = fault ? null : JSON.stringify(value ?? null)
    this.#item.run(seq, where, type, key ?? null, text, fault ? 1 : 0)
    if (bytes && !fault) this.#bytes.run(seq, bytes)
    if (fault) {
      const line: Line = { action: 'failed', id: null, warnings: [fault] }
      this.#line.run(seq, READING, type, key ?? null, JSON.stringify(line))
    }
    return where.length + (text?.length ?? 0) + (bytes?.length ?? 0)
  }

  /** Lets what was added go to the disk. */
  flush(): void {
    this.#db.run('COMMIT')
    this.#db.run('BEGIN')
  }

  /** The file is whole from here on, whatever happens to the machine. */
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
    for (const statement of [this.#item, this.#bytes, this.#line]) statement.finalize()
    this.#db.close()
  }
}

/** The items of a run and their lines, for the passes. A line counts from the moment it is kept here. */
export class SideFile {
  readonly #db: Sqlite
  readonly facts: FileFacts
  /** How many items there are, those included that cannot be read. */
  readonly total: number

  /** @throws Error if the file is not there, or not whole */
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

  /** The next items from `seq` on: at most `limit`, and fewer where they are large; none after the last. */
  items(seq: number, limit: number): SideItem[] {
    const items: SideItem[] = []
    let size = 0
    const rows = this.#db.query<ItemRow, [number]>(`${ITEMS} WHERE seq >= ? ORDER BY seq`).iterate(seq)
    for (const row of rows) {
      size += row.length + (row.bytes ?? 0)
      if (items.length > 0 && size > GROUP_SIZE) break
      items.push(this.#toItem(row))
      if (items.length === limit) break
    }
    return items
  }

  itemsOfKey(key: string, type?: string): SideItem[] {
    const sql = `${ITEMS} WHERE key = ?1 AND (?2 IS NULL OR type = ?2) ORDER BY seq LIMIT ?3`
    return this.#all<ItemRow>(sql, key, type ?? null, ITEMS_OF_KEY).map((row) => this.#toItem(row))
  }

  bytes(seq: number): Uint8Array | null {
    return this.#get<{ bytes: Uint8Array }>('SELECT bytes FROM bytes WHERE seq = ?', seq)?.bytes ?? null
  }

  line(seq: number): StoredLine | null {
    const rows = this.#all<{ line: string }>('SELECT line FROM lines WHERE seq = ? ORDER BY pass', seq)
    const line = rows.reduce<Line | null>((earlier, { line }) => mergeLines(earlier, JSON.parse(line)), null)
    return line && { ...line, seq }
  }

  lineOfKey(key: string, type?: string): StoredLine | null {
    const sql = 'SELECT seq FROM lines WHERE key = ?1 AND (?2 IS NULL OR type = ?2) ORDER BY seq DESC LIMIT 1'
    const row = this.#get<{ seq: number }>(sql, key, type ?? null)
    return row && this.line(row.seq)
  }

  /** How many items cannot be read, by type. */
  faults(): { readonly type: string; readonly count: number }[] {
    return this.#all('SELECT type, count(*) AS count FROM items WHERE fault = 1 GROUP BY type')
  }

  hasMet(id: string): boolean {
    return this.#get('SELECT 1 FROM lines WHERE resource = ? LIMIT 1', id) !== null
  }

  /** The items that have a line, from `seq` on, as the report has them: without their values, which may be large. */
  listLines(
    seq: number,
    limit: number,
  ): { readonly item: Pick<SideItem, 'seq' | 'where' | 'type'>; readonly line: StoredLine }[] {
    const sql = `SELECT seq, place AS "where", type FROM items
      WHERE seq >= ? AND EXISTS (SELECT 1 FROM lines WHERE lines.seq = items.seq) ORDER BY seq LIMIT ?`
    return this.#all<Pick<SideItem, 'seq' | 'where' | 'type'>>(sql, seq, limit).flatMap((item) => {
      const line = this.line(item.seq)
      return line ? [{ item, line }] : []
    })
  }

  /** Keeps the lines of some items, and that the pass has done `done` items: all or nothing. */
  keepLines(pass: number, done: number, lines: readonly ItemLine[]): void {
    this.#db
      .transaction(() => {
        const keep = this.#db.query('INSERT OR REPLACE INTO lines VALUES (?, ?, ?, ?, ?, ?)')
        for (const { item, line } of lines) keep.run(item.seq, pass, item.type, item.key, line.id, JSON.stringify(line))
        this.#mark(pass, done)
      })
      .immediate()
  }

  /** What comes after a place was kept by a step that was not committed: it is forgotten. */
  forgetFrom(pass: number, seq: number): void {
    this.#db
      .transaction(() => {
        this.#db.run('DELETE FROM lines WHERE pass > ?1 OR (pass = ?1 AND seq >= ?2)', [pass, seq])
        this.#mark(pass, seq)
      })
      .immediate()
  }

  /** Whether all lines up to a place are here; a machine that lost its power may have lost some. */
  reaches(pass: number, done: number): boolean {
    const value = this.#get<{ value: string }>("SELECT value FROM facts WHERE name = 'progress'")?.value
    const [keptPass = 0, keptDone = 0] = value ? (JSON.parse(value) as number[]) : []
    return keptPass > pass || (keptPass === pass && keptDone >= done)
  }

  /** Its value is read when a pass needs it: not every pass does, and it may be large. */
  #toItem({ seq, place, type, key, fault, bytes }: ItemRow): SideItem {
    const read = () => {
      const text = this.#get<{ value: string | null }>('SELECT value FROM items WHERE seq = ?', seq)?.value
      return text && JSON.parse(text)
    }
    let known: { readonly value: unknown } | null = null
    return {
      seq,
      where: place,
      type,
      key,
      hasBytes: bytes !== null,
      isFaulty: fault === 1,
      get value() {
        known ??= { value: read() }
        return known.value
      },
    }
  }

  #mark(pass: number, done: number): void {
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
  (SELECT length(bytes) FROM bytes WHERE bytes.seq = items.seq) AS bytes FROM items`
