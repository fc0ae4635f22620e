/**
 * The index of one workspace: a file of SQLite that is made from the change feed, and can be thrown away. The analysis
 * makes the terms (see analyze.ts), FTS5 has the postings. A form is a word as it is written, folded, with all terms that
 * it is found by.
 */
import { type SQLQueryBindings, Database as Sqlite, type Statement } from 'bun:sqlite'
import { DatabaseFull, DatabaseUnavailable } from '../db/database'
import { translateErrors } from '../db/sqlite-file'

const CACHED_STATEMENTS = 100
/** Pages in memory: with fewer, SQLite writes those of a large transaction several times. */
const CACHE_KIB = 8 * 1024

/** Raise it with every change of the analysis or of this schema: older files are made again. */
const VERSION = 5
/** The columns of title, tags and body: the words, and all other terms. */
export const COLUMNS = ['title', 'tags', 'body', 'title_also', 'tags_also', 'body_also'] as const

export interface State {
  readonly version: number
  /** The last change of the feed that is in the index. */
  readonly seq: number
  readonly documents: number
  /** The words of all titles, tags and bodies. */
  readonly lengths: readonly number[]
  /** The languages in which words were stemmed. */
  readonly languages: readonly string[]
  /** How often forms were dropped: a vocabulary in memory is then read again. */
  readonly dropped: number
}

const FIRST: State = { version: VERSION, seq: 0, documents: 0, lengths: [0, 0, 0], languages: [], dropped: 0 }

const SCHEMA = `
  PRAGMA page_size = 4096;
  PRAGMA journal_mode = WAL;
  PRAGMA secure_delete = ON;
  BEGIN;
  -- The State as JSON.
  CREATE TABLE state (value TEXT NOT NULL) STRICT;
  INSERT INTO state VALUES ('${JSON.stringify(FIRST)}');
  -- doc: the seq of the change with its present text, so that a later text has a higher number.
  CREATE TABLE docs (
    doc   INTEGER PRIMARY KEY,
    type  TEXT NOT NULL,
    key   INTEGER NOT NULL,
    id    BLOB NOT NULL,
    seq   INTEGER NOT NULL,
    hash  INTEGER NOT NULL,
    forms BLOB NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX docs_by_id ON docs (id, type);
  CREATE UNIQUE INDEX docs_by_key ON docs (type, key);
  -- docs: the number of documents that have the form.
  CREATE TABLE forms (
    form INTEGER PRIMARY KEY,
    word TEXT NOT NULL,
    also TEXT NOT NULL,
    docs INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX forms_by_word ON forms (word, also);
  CREATE TABLE terms (term TEXT NOT NULL, form INTEGER NOT NULL, PRIMARY KEY (term, form)) STRICT, WITHOUT ROWID;
  -- It finds, and does not rank, so it needs no lengths.
  CREATE VIRTUAL TABLE words USING fts5(${COLUMNS.join(', ')}, content = '', columnsize = 0, tokenize = 'ascii');
  -- What is deleted is overwritten, instead of being left to a later merge.
  INSERT INTO words (words, rank) VALUES ('secure-delete', 1);
  COMMIT;`

/** Anything that the tokenizer would split at or change, as a character that it takes as it is. */
const OTHER_ASCII = /[^ 0-9a-z\u0080-\uffff]/g

/** Writes terms, which have no space, as FTS5 reads them. */
export const encodeTerms = (terms: string): string =>
  terms.replace(OTHER_ASCII, (sign) => String.fromCharCode(0xf000 + sign.charCodeAt(0)))

/** The index is damaged, or of another version. It has to be made again. */
export class IndexDamaged extends DatabaseUnavailable {}

/** @throws IndexDamaged, or DatabaseFull */
function guard<T>(call: () => T): T {
  try {
    return translateErrors(call)
  } catch (error) {
    if (error instanceof DatabaseUnavailable && !(error instanceof DatabaseFull))
      throw new IndexDamaged(error.message, { cause: error })
    throw error
  }
}

/** One open file. All calls are synchronous. They throw IndexDamaged, and DatabaseFull if the disk is full. */
export class IndexFile {
  static #openings = 0
  /** Tells a file that was made again from the one before. */
  readonly made = ++IndexFile.#openings
  readonly #db: Sqlite
  readonly #statements = new Map<string, Statement>()
  #state: State

  /** @param path null: in memory */
  constructor(
    readonly path: string | null,
    mode: 'create' | 'open',
  ) {
    this.#db = guard(() => new Sqlite(path ?? ':memory:', mode === 'create' ? { create: true } : { readwrite: true }))
    try {
      guard(() => {
        if (mode === 'create') this.#db.run(SCHEMA)
        // A commit waits for no disk. What a power cut takes is read from the feed again.
        this.#db.run(`PRAGMA busy_timeout = 1000; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -${CACHE_KIB}`)
        this.#db.run('PRAGMA secure_delete = ON')
      })
      this.#state = this.readState()
      if (this.#state.version !== VERSION) throw new IndexDamaged(`The index is of version ${this.#state.version}.`)
    } catch (error) {
      this.close()
      if (mode === 'create') throw error
      throw new IndexDamaged('The index cannot be read.', { cause: error })
    }
  }

  get state(): State {
    return this.#state
  }

  /** Reads the state, which another connection may have changed. */
  readState(): State {
    const row = this.get<{ value: string }>('SELECT value FROM state')
    if (!row) throw new IndexDamaged('The index has no state.')
    this.#state = JSON.parse(row.value)
    return this.#state
  }

  /** Stores the state within a transaction. */
  writeState(state: State): void {
    this.run('UPDATE state SET value = ?1', JSON.stringify(state))
    this.#state = state
  }

  /** Notes that there is nothing to index up to `seq`. It is stored with what is indexed next. */
  advance(seq: number): void {
    this.#state = { ...this.#state, seq }
  }

  all<Row>(sql: string, ...params: SQLQueryBindings[]): Row[] {
    return guard(() => this.#statement(sql).all(...params) as Row[])
  }

  get<Row>(sql: string, ...params: SQLQueryBindings[]): Row | null {
    return guard(() => this.#statement(sql).get(...params) as Row | null)
  }

  /** Lists the documents that a SELECT finds. As one text they are read three times as fast. */
  listAsText(sql: string, ...params: SQLQueryBindings[]): number[] {
    const row = this.get<{ docs: string }>(`SELECT json_group_array(doc) AS docs FROM (${sql})`, ...params)
    return JSON.parse(row?.docs ?? '[]')
  }

  run(sql: string, ...params: SQLQueryBindings[]): void {
    guard(() => this.#statement(sql).run(...params))
  }

  /** Runs work in one transaction, which sees one state of the file. */
  transaction<T>(work: () => T): T {
    this.run('BEGIN')
    try {
      this.readState()
      const result = work()
      this.run('COMMIT')
      return result
    } catch (error) {
      if (this.#db.inTransaction) this.run('ROLLBACK')
      this.readState()
      throw error
    }
  }

  /** Truncates the log, which has what was deleted. */
  emptyLog(): void {
    this.all('PRAGMA wal_checkpoint(TRUNCATE)')
  }

  close(): void {
    for (const statement of this.#statements.values()) statement.finalize()
    this.#statements.clear()
    this.#db.close()
  }

  formsOf(forms: readonly number[]): Map<number, { word: string; also: string; docs: number }> {
    const rows = this.all<{ form: number; word: string; also: string; docs: number }>(
      'SELECT form, word, also, docs FROM forms WHERE form IN (SELECT value FROM json_each(?1))',
      JSON.stringify(forms),
    )
    return new Map(rows.map((row) => [row.form, row]))
  }

  #statement(sql: string): Statement {
    const cached = this.#statements.get(sql)
    if (cached) return cached
    const statement = this.#db.prepare(sql)
    this.#statements.set(sql, statement)
    const [oldest] = this.#statements
    if (oldest && this.#statements.size > CACHED_STATEMENTS) {
      this.#statements.delete(oldest[0])
      oldest[1].finalize()
    }
    return statement
  }
}
