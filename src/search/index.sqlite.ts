/**
 * The index of one workspace: a file of SQLite that is made from the change feed, and can be thrown away. The analysis
 * makes the terms (see analyze.ts), FTS5 has the postings. A form is a word as it is written, folded, with all terms that
 * it is found by.
 */
import { type SQLQueryBindings, Database as Sqlite, type Statement } from 'bun:sqlite'
import { translateErrors } from '../db/connection'
import { DatabaseFull, DatabaseUnavailable } from '../db/database'
import type { Analysis, Token } from './analyze'
import { packForms, unpackForms } from './forward'
import { SCHEMA, VERSION } from './index-schema.sqlite'
import type { Latin } from './languages'
import { TYPES, type Type } from './source'

const [CACHED_STATEMENTS, CACHED_SIGNS, CACHE_KIB] = [100, 5000, 2 * 1024]

export interface State {
  readonly version: number
  readonly seq: number
  readonly documents: number
  /** The words of all titles, tags and bodies. */
  readonly lengths: readonly number[]
  readonly languages: ReadonlySet<string>
  readonly dropped: number
  readonly asked_at: number
}

/** A text that is indexed, or one of which only the last change is noted: then `analysis` is null. */
export interface Entry {
  readonly seq: number
  readonly type: Type
  readonly id: string
  readonly key: number
  readonly hash: number
  readonly analysis: Analysis | null
}

interface Column {
  readonly words: string[]
  readonly also: string[]
}

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
  readonly #db: Sqlite
  readonly #statements = new Map<string, Statement>()
  #state: State
  /** The numbers of forms by their terms, which the analysis keeps as one list for each word. */
  #forms = new WeakMap<readonly string[], number>()
  readonly #signs = new Map<string, number>()
  readonly #counts = new Map<number, number>()

  constructor(path: string, mode: 'create' | 'readwrite' | 'readonly') {
    this.#db = guard(() => {
      const db = new Sqlite(path, mode === 'create' ? { create: true } : { [mode]: true })
      try {
        if (mode === 'create') db.run(SCHEMA)
        db.run('PRAGMA busy_timeout = 1000')
        db.run(`PRAGMA cache_size = -${CACHE_KIB}`)
        if (mode !== 'readonly') {
          // A commit waits for no disk. What a power cut takes is read from the feed again.
          db.run('PRAGMA synchronous = NORMAL')
          db.run('PRAGMA secure_delete = ON')
        }
        return db
      } catch (error) {
        db.close()
        throw error
      }
    })
    try {
      this.#state = this.readState()
      if (this.#state.version !== VERSION) throw new IndexDamaged(`The index is of version ${this.#state.version}.`)
    } catch (error) {
      this.#db.close()
      throw new IndexDamaged('The index cannot be read.', { cause: error })
    }
  }

  get state(): State {
    return this.#state
  }

  readState(): State {
    const row = this.get<Record<string, number | string>>('SELECT * FROM state')
    const { version, seq, documents, lengths, languages, dropped, asked_at } = (row ?? {}) as never
    const list = String(languages ?? '').split(' ')
    this.#state = {
      version: version ?? 0,
      seq: seq ?? 0,
      documents: documents ?? 0,
      lengths: JSON.parse(lengths ?? '[0,0,0]'),
      languages: new Set(list.filter(Boolean)),
      dropped: dropped ?? 0,
      asked_at: asked_at ?? 0,
    }
    return this.#state
  }

  all<Row>(sql: string, ...params: SQLQueryBindings[]): Row[] {
    return guard(() => this.#statement(sql).all(...params) as Row[])
  }

  get<Row>(sql: string, ...params: SQLQueryBindings[]): Row | null {
    return guard(() => this.#statement(sql).get(...params) as Row | null)
  }

  /** Returns one column of all rows. */
  list<Value>(sql: string, ...params: SQLQueryBindings[]): Value[] {
    return guard(() =>
      this.#statement(sql)
        .values(...params)
        .map(([value]) => value as Value),
    )
  }

  /** Lists the documents that a SELECT finds. As one text they are read three times as fast. */
  listAsText(sql: string, ...params: SQLQueryBindings[]): number[] {
    const row = this.get<{ docs: string }>(`SELECT json_group_array(doc) AS docs FROM (${sql})`, ...params)
    return JSON.parse(row?.docs ?? '[]')
  }

  run(sql: string, ...params: SQLQueryBindings[]): void {
    guard(() => this.#statement(sql).run(...params))
  }

  begin(): void {
    this.run('BEGIN')
  }

  /** Notes the terms of some words, so that to put a long text takes no long turn. */
  learn(tokens: readonly Token[], language: Latin): void {
    for (const token of tokens) this.#formOf(token.terms(language))
  }

  /** Stores in how many documents forms are now, of `most` forms. Returns whether there are more. */
  storeCounts(most = Number.POSITIVE_INFINITY): boolean {
    let [left, dropped] = [most, 0]
    for (const [form, count] of this.#counts) {
      if (left-- === 0) break
      this.#counts.delete(form)
      if (count === 0) continue
      this.run('UPDATE forms SET docs = docs + ?2 WHERE form = ?1', form, count)
      if (count > 0) continue
      const gone = this.get<{ also: string }>('DELETE FROM forms WHERE form = ?1 AND docs <= 0 RETURNING also', form)
      if (!gone) continue
      dropped++
      for (const term of gone.also.split(' ')) this.run('DELETE FROM terms WHERE term = ?1 AND form = ?2', term, form)
    }
    if (dropped > 0) this.#forgetForms()
    this.#state = { ...this.#state, dropped: this.#state.dropped + dropped }
    return this.#counts.size > 0
  }

  /** Commits what was put and removed; all changes up to `seq` are then in the index. */
  commit(seq: number): void {
    this.storeCounts()
    const { documents, lengths, languages } = this.#state
    this.#state = { ...this.#state, seq }
    this.run(
      'UPDATE state SET seq = ?1, documents = ?2, lengths = ?3, languages = ?4, dropped = ?5',
      seq,
      documents,
      JSON.stringify(lengths),
      [...languages].join(' '),
      this.#state.dropped,
    )
    this.run('COMMIT')
  }

  rollBack(): void {
    this.#counts.clear()
    this.#forgetForms()
    if (this.#db.inTransaction) this.run('ROLLBACK')
    this.readState()
  }

  /** Truncates the log, which has what was deleted. */
  emptyLog(): void {
    this.list('PRAGMA wal_checkpoint(TRUNCATE)')
  }

  noteAsked(now: number): void {
    this.run('UPDATE state SET asked_at = ?1', now)
    this.#state = { ...this.#state, asked_at: now }
  }

  close(): void {
    for (const statement of this.#statements.values()) statement.finalize()
    this.#statements.clear()
    this.#db.close()
  }

  /** Returns the hash of a text; null if it is not indexed. */
  hashOf(type: Type, id: string): number | null {
    const sql = 'SELECT hash FROM docs WHERE id = ?1 AND type = ?2'
    return this.get<{ hash: number }>(sql, toBytes(id), TYPES.indexOf(type))?.hash ?? null
  }

  /** Puts a text in the place of its earlier one. Within a transaction. */
  put({ seq, type, id, key, hash, analysis }: Entry): void {
    const typeNumber = TYPES.indexOf(type)
    if (!analysis) {
      this.run('UPDATE docs SET seq = ?3, key = ?4 WHERE id = ?1 AND type = ?2', toBytes(id), typeNumber, seq, key)
      return
    }
    this.remove(type, id)
    const columns: Column[] = []
    const [words, extras]: [number[][], number[][]] = [[], []]
    analysis.words.forEach((tokens, field) => {
      const column: Column = { words: [], also: [] }
      words.push(
        tokens.map((token) => {
          const terms = token.terms(analysis.language)
          column.words.push(token.word)
          for (let i = 1; i < terms.length; i++) column.also.push(terms[i] as string)
          return this.#formOf(terms)
        }),
      )
      extras.push(
        [...(analysis.extras[field] ?? [])].map((term) => {
          column.also.push(term)
          return this.#formOfSign(term)
        }),
      )
      columns.push(column)
    })
    const forms = [...words, ...extras]
    this.run(
      'INSERT INTO docs (doc, type, key, id, seq, hash, forms) VALUES (?1, ?2, ?3, ?4, ?1, ?5, ?6)',
      ...[seq, typeNumber, key, toBytes(id), hash, packForms(forms)],
    )
    this.run(
      'INSERT INTO words (rowid, title, tags, body, title_also, tags_also, body_also) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)',
      seq,
      ...toTexts(columns),
    )
    this.#count(forms, 1)
    const languages = this.#state.languages.has(analysis.language)
      ? this.#state.languages
      : new Set([...this.#state.languages, analysis.language])
    this.#state = { ...this.#state, languages }
  }

  /** Removes a text; without a trace in the file once the transaction is committed and the log is emptied. */
  remove(type: Type, id: string): boolean {
    const found = this.get<{ doc: number; forms: Uint8Array }>(
      'DELETE FROM docs WHERE id = ?1 AND type = ?2 RETURNING doc, forms',
      toBytes(id),
      TYPES.indexOf(type),
    )
    if (!found) return false
    const { starts, forms } = unpackForms(found.forms)
    const sections = starts.slice(1).map((end, i) => [...forms.subarray(starts[i], end)])
    // FTS5 keeps no texts, so it needs those that it is to delete.
    const known = this.formsOf([...new Set(forms)])
    const columns = sections.slice(0, 3).map((words, field): Column => {
      const rows = words.map((form) => known.get(form))
      const others = (sections[field + 3] ?? []).map((form) => known.get(form)?.word ?? '')
      const also = rows.flatMap((row) => (row && row.also !== '' ? [row.also] : []))
      return { words: rows.map((row) => row?.word ?? ''), also: [...also, ...others] }
    })
    this.run(
      "INSERT INTO words (words, rowid, title, tags, body, title_also, tags_also, body_also) VALUES ('delete', ?1, ?2, ?3, ?4, ?5, ?6, ?7)",
      found.doc,
      ...toTexts(columns),
    )
    this.#count(sections, -1)
    return true
  }

  formsOf(forms: readonly number[]): Map<number, { word: string; also: string; docs: number }> {
    const rows = this.all<{ form: number; word: string; also: string; docs: number }>(
      'SELECT form, word, also, docs FROM forms WHERE form IN (SELECT value FROM json_each(?1))',
      JSON.stringify(forms),
    )
    return new Map(rows.map((row) => [row.form, row]))
  }

  #formOf(terms: readonly string[]): number {
    const known = this.#forms.get(terms)
    if (known !== undefined) return known
    const [word = '', ...others] = terms
    const also = others.join(' ')
    let form = this.get<{ form: number }>('SELECT form FROM forms WHERE word = ?1 AND also = ?2', word, also)?.form
    if (form === undefined) {
      form =
        this.get<{ form: number }>('INSERT INTO forms (word, also, docs) VALUES (?1, ?2, 0) RETURNING form', word, also)
          ?.form ?? 0
      for (const term of others) this.run('INSERT INTO terms (term, form) VALUES (?1, ?2)', term, form)
    }
    this.#forms.set(terms, form)
    return form
  }

  #formOfSign(term: string): number {
    const known = this.#signs.get(term) ?? this.#formOf([term])
    if (this.#signs.size >= CACHED_SIGNS) this.#signs.clear()
    this.#signs.set(term, known)
    return known
  }

  #forgetForms(): void {
    this.#forms = new WeakMap()
    this.#signs.clear()
  }

  /** Counts a document in the totals and in each of its forms, or takes it out of them. */
  #count(sections: readonly (readonly number[])[], by: 1 | -1): void {
    for (const form of new Set(sections.flat())) this.#counts.set(form, (this.#counts.get(form) ?? 0) + by)
    const { documents, lengths } = this.#state
    const words = lengths.map((length, field) => length + by * (sections[field]?.length ?? 0))
    this.#state = { ...this.#state, documents: documents + by, lengths: words }
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

function toTexts(columns: readonly Column[]): string[] {
  return [...columns.map(({ words }) => words), ...columns.map(({ also }) => also)].map((terms) =>
    encodeTerms(terms.join(' ')),
  )
}

/** An id takes 16 bytes instead of 36, in the table and in its index. */
const toBytes = (id: string) => Buffer.from(id.replaceAll('-', ''), 'hex')
