/** The documents of an index that fulfil a condition, as one statement of SQLite. */
import { FIELDS, unpackForms } from './forward'
import { encodeTerms, type IndexFile } from './index.sqlite'
import { COLUMNS } from './index-schema.sqlite'
import type { DocRow } from './read.sqlite'
import { TYPES } from './source'
import type { Vocabulary } from './vocabulary'

/** A condition whose parts are texts of this index, or what other databases returned. */
export type Condition =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Condition[] }
  | { readonly kind: 'not'; readonly part: Condition }
  /** An expression of FTS5. */
  | { readonly kind: 'match'; readonly expression: string }
  /** The keys of one type, as JSON. */
  | { readonly kind: 'keys'; readonly type: number; readonly keys: string }
  | { readonly kind: 'docs'; readonly docs: readonly number[] }
  /** A piece of a word, in one field or in all. */
  | { readonly kind: 'piece'; readonly piece: string; readonly field: number | null }

/** Documents that are scored: those that FTS5 ranks best. */
/** Documents that FTS5 ranks: to rank one takes it ten times as long as to list it. Of more, the newest count. */
const MAX_RANKED = 1000
/** Forms with a piece that FTS5 looks up; with more, the documents are read. */
const MAX_PIECE_TERMS = 300
/** Words of documents that are read for one piece: about 50 ms. */
const MAX_PIECE_FORMS = 5_000_000

/** Returns an expression of FTS5 for words in a row. @param isOpen whether the last one is a beginning */
export function matchRow(words: readonly string[], field: number | null, isOpen = false): string {
  return `${columnsOf(field)} "${encodeTerms(words.join(' '))}"${isOpen ? ' *' : ''}`
}

/** Returns an expression of FTS5 for any of the terms; without any it matches nothing. */
export function matchAny(terms: readonly string[], field: number | null): string {
  const some = terms.length > 0 ? terms : ['\u{10ffff}']
  return `${columnsOf(field)} (${some.map((term) => `"${encodeTerms(term)}"`).join(' OR ')})`
}

/** Returns an expression of FTS5 for what matches within a title or a tag. */
export const inTitles = (expression: string) => `{title title_also tags tags_also} : ${expression}`

function columnsOf(field: number | null): string {
  return field === null ? `{${COLUMNS.join(' ')}} :` : `{${COLUMNS[field]} ${COLUMNS[field + FIELDS]}} :`
}

/** The documents of some types that fulfil a condition. */
export class Where {
  /** Whether a piece stopped at its limit, so that documents may be missing. */
  limited = false
  readonly #index: IndexFile
  readonly #vocabulary: () => Vocabulary
  /** The condition and its values; '' for every document of the types. */
  readonly #sql: string
  readonly #params: (string | number)[] = []
  /** The types, as a list of SQL; '' if the index has no others. */
  readonly #types: string

  constructor(index: IndexFile, vocabulary: () => Vocabulary, types: readonly number[], condition: Condition | null) {
    this.#index = index
    this.#vocabulary = vocabulary
    const others = TYPES.keys().filter((type) => !types.includes(type))
    const isAll = others.every((type) => !index.get('SELECT 1 FROM docs WHERE type = ?1 LIMIT 1', type))
    this.#types = isAll ? '' : types.join(', ')
    this.#sql = condition ? this.#compile(condition) : ''
  }

  /** Lists the documents, newest first. */
  list(limit = -1): DocRow[] {
    const sql = `SELECT doc, type, key FROM docs WHERE ${this.#condition} ORDER BY doc DESC LIMIT ?`
    return this.#index.all(sql, ...this.#params, limit)
  }

  get #condition(): string {
    return `${this.#types && `type IN (${this.#types}) AND `}${this.#sql || 'TRUE'}`
  }

  /**
   * Lists the documents to score of those that match: all, or the best. Of very many, those with one of the words in the
   * title or a tag, and the newest.
   * @param some matches what has one of the words @param most documents that it lists
   */
  best(all: string, some: string, most: number): readonly number[] {
    const found = this.newest(all, { limit: MAX_RANKED + 1 })
    if (found.length <= most) return found
    if (found.length <= MAX_RANKED) return this.#match(all, `ORDER BY rank, rowid DESC LIMIT ${most}`, [])
    const titled = this.newest(`(${all}) AND ${inTitles(`(${some})`)}`, { limit: most })
    return [...new Set([...titled, ...found])].slice(0, most)
  }

  /** Lists all documents that match an expression. */
  match(expression: string): number[] {
    return this.#match(expression, '', [])
  }

  newest(
    expression: string | null,
    { before, except, limit }: { before?: number; except?: readonly number[]; limit: number },
  ): number[] {
    const apart: (string | number)[] = []
    const later = (doc: string) => {
      if (before === undefined) return `ORDER BY ${doc} DESC LIMIT ${limit}`
      apart.push(before, JSON.stringify(except))
      return `AND ${doc} < ? AND ${doc} NOT IN (SELECT value FROM json_each(?)) ORDER BY ${doc} DESC LIMIT ${limit}`
    }
    if (expression !== null) return this.#match(expression, later('rowid'), apart)
    const sql = `SELECT doc FROM docs WHERE ${this.#condition} ${later('doc')}`
    return this.#index.list(sql, ...this.#params, ...apart)
  }

  #match(expression: string, rest: string, more: (string | number)[]): number[] {
    const ofTypes = this.#types && `AND (SELECT type FROM docs WHERE doc = words.rowid) IN (${this.#types})`
    // The plus keeps FTS5 from being asked once for each document of the condition.
    const among = this.#sql && `AND +rowid IN (SELECT doc FROM docs WHERE ${this.#sql})`
    const sql = `SELECT rowid AS doc FROM words WHERE words MATCH ? ${ofTypes} ${among} ${rest}`
    return this.#index.listAsText(sql, expression, ...this.#params, ...more)
  }

  #compile(condition: Condition): string {
    switch (condition.kind) {
      case 'and':
      case 'or':
        return `(${condition.parts.map((part) => this.#compile(part)).join(condition.kind === 'and' ? ' AND ' : ' OR ')})`
      case 'not':
        return `NOT ${this.#compile(condition.part)}`
      case 'match':
        this.#params.push(condition.expression)
        return 'doc IN (SELECT rowid FROM words WHERE words MATCH ?)'
      case 'keys':
        this.#params.push(condition.type, condition.keys)
        return '(type = ? AND key IN (SELECT value FROM json_each(?)))'
      case 'docs':
        this.#params.push(JSON.stringify(condition.docs))
        return 'doc IN (SELECT value FROM json_each(?))'
      case 'piece': {
        const found = this.#findPiece(condition.piece, condition.field)
        return this.#compile('docs' in found ? { kind: 'docs', docs: found.docs } : { kind: 'match', ...found })
      }
    }
  }

  /** Finds the documents of which a word holds a piece. */
  #findPiece(piece: string, field: number | null): { expression: string } | { docs: number[] } {
    const found = this.#vocabulary().findPiece(piece)
    if (found.length <= MAX_PIECE_TERMS)
      return {
        expression: matchAny(
          found.map(({ word }) => word),
          field,
        ),
      }
    const forms = new Set(found.map(({ form }) => form))
    const docs: number[] = []
    let left = MAX_PIECE_FORMS
    for (let after = 0; ; ) {
      const rows = this.#index.all<{ doc: number; forms: Uint8Array }>(
        'SELECT doc, forms FROM docs WHERE doc > ?1 ORDER BY doc LIMIT 500',
        after,
      )
      for (const { doc, forms: bytes } of rows) {
        const { starts, forms: own } = unpackForms(bytes, Math.max(0, left))
        left -= own.length
        const [from, to] =
          field === null ? [0, starts[FIELDS] as number] : [starts[field] as number, starts[field + 1] as number]
        for (let at = from; at < Math.min(to, own.length); at++) {
          if (!forms.has(own[at] as number)) continue
          docs.push(doc)
          break
        }
      }
      after = rows.at(-1)?.doc ?? after
      if (rows.length < 500) return { docs }
      if (left > 0) continue
      this.limited = true
      return { docs }
    }
  }
}
