/** The documents of an index that fulfil a condition, as statements of SQLite. */
import type { Position } from './cursor'
import { FIELDS, unpackForms } from './forward'
import { COLUMNS, encodeTerms, type IndexFile } from './index.sqlite'
import type { DocRow } from './read.sqlite'
import { TYPES, type Type } from './source'
import { readVocabulary } from './vocabulary'

/** A condition on a row of `docs`, and the values of its question marks. */
export interface Condition {
  readonly sql: string
  readonly values: readonly (string | number)[]
}

export const NOTHING: Condition = { sql: 'FALSE', values: [] }
export const EVERYTHING: Condition = { sql: 'TRUE', values: [] }

export function joinConditions(kind: 'and' | 'or', parts: readonly Condition[]): Condition {
  const [sql, values] = [parts.map((part) => part.sql).join(` ${kind} `), parts.flatMap((part) => part.values)]
  return { sql: `(${sql})`, values }
}

export const negate = ({ sql, values }: Condition): Condition => ({ sql: `NOT ${sql}`, values })

/** What matches an expression of FTS5. */
export const matching = (expression: string): Condition => ({
  sql: 'doc IN (SELECT rowid FROM words WHERE words MATCH ?)',
  values: [expression],
})

/** @param keys of one type, as JSON */
export const withKeys = (type: Type, keys: string): Condition => ({
  sql: '(type = ? AND key IN (SELECT value FROM json_each(?)))',
  values: [type, keys],
})

export const amongDocs = (docs: readonly number[]): Condition => ({
  sql: 'doc IN (SELECT value FROM json_each(?))',
  values: [JSON.stringify(docs)],
})

/** Documents that match which are all scored, in about a millisecond. */
const MANY_DOCS = 500
/** Forms with a piece that FTS5 looks up; with more, the documents are read. */
const MAX_PIECE_TERMS = 300
/** Words of documents that are read for one piece: about 50 ms. */
const MAX_PIECE_FORMS = 5_000_000
/** Documents that are read for it at a time. */
const DOCS_PER_READ = 500

/** Returns an expression of FTS5 for words in a row. @param isOpen whether the last one is a beginning */
export function matchRow(words: readonly string[], field: number | null, isOpen = false): string {
  return `${columnsOf(field)} "${encodeTerms(words.join(' '))}"${isOpen ? ' *' : ''}`
}

/** Returns an expression of FTS5 for any of the terms; without any it matches nothing. */
export function matchAny(terms: readonly string[], field: number | null): string {
  const some = terms.length > 0 ? terms : ['\u{10ffff}']
  return `${columnsOf(field)} (${some.map((term) => `"${encodeTerms(term)}"`).join(' OR ')})`
}

function columnsOf(field: number | null): string {
  return field === null ? `{${COLUMNS.join(' ')}} :` : `{${COLUMNS[field]} ${COLUMNS[field + FIELDS]}} :`
}

/** The documents of some types that fulfil a condition. */
export class Where {
  readonly #condition: Condition

  constructor(
    private readonly index: IndexFile,
    types: readonly Type[],
    condition: Condition,
  ) {
    const others = TYPES.filter((type) => !types.includes(type))
    const isAll = others.every((type) => !index.get('SELECT 1 FROM docs WHERE type = ?1 LIMIT 1', type))
    const ofTypes = { sql: `type IN (${types.map(() => '?').join(', ')})`, values: types }
    this.#condition = isAll ? condition : joinConditions('and', [ofTypes, condition])
  }

  /** Lists the documents, newest first. */
  list(limit = -1): DocRow[] {
    const { sql, values } = this.#condition
    return this.index.all(
      `SELECT doc, type, key FROM docs WHERE ${sql} ORDER BY doc DESC LIMIT ?`,
      ...[...values, limit],
    )
  }

  /** Lists the documents that match an expression, newest first. */
  match(expression: string, limit = -1): number[] {
    const sql = `SELECT ${this.#from} ORDER BY rowid DESC LIMIT ?`
    return this.index.listAsText(sql, expression, ...this.#condition.values, limit)
  }

  /** Lists the documents that match. Of very many, `some`: those that match in title and tags, and the newest. */
  candidates(expression: string, some: number): number[] {
    const found = this.match(expression, MANY_DOCS + 1)
    if (found.length <= MANY_DOCS) return found
    const titled = this.match(`{title title_also tags tags_also} : ${expression}`, some)
    return [...new Set([...titled, ...found])].slice(0, some)
  }

  /**
   * Lists what comes after the best, newest first: what has all words, then what has some.
   * @param expressions both of FTS5; null if there are no words
   */
  rest(
    expressions: { readonly all: string; readonly any: string } | null,
    { rest, best, newest }: Pick<Position, 'rest' | 'best' | 'newest'>,
    limit: number,
  ): { doc: number; tier: number }[] {
    const [tier, doc] = rest ?? [0, newest + 1]
    const { sql, values } = this.#condition
    const isOther = 'rowid NOT IN (SELECT rowid FROM words WHERE words MATCH ?)'
    const from = expressions
      ? `SELECT ${isOther} AS tier, ${this.#from}`
      : `SELECT 0 AS tier, doc FROM docs WHERE ${sql}`
    return this.index.all(
      `SELECT doc, tier FROM (${from}) WHERE (tier, -doc) > (?, ?) AND doc <= ?
        AND doc NOT IN (SELECT value FROM json_each(?)) ORDER BY tier, doc DESC LIMIT ?`,
      ...(expressions ? [expressions.all, expressions.any] : []),
      ...[...values, tier, -doc, newest, JSON.stringify(best), limit],
    )
  }

  /** As a subquery of one row, so that the condition is not the outer loop, which would ask FTS5 once for each row. */
  get #from(): string {
    const { sql } = this.#condition
    const among = sql === EVERYTHING.sql ? '' : `AND (SELECT ${sql} FROM docs WHERE doc = words.rowid)`
    return `rowid AS doc FROM words WHERE words MATCH ? ${among}`
  }
}

/** Finds the documents of which a word holds a piece. @param field null for all */
export function findPiece(
  index: IndexFile,
  piece: string,
  field: number | null,
): { condition: Condition; limited: boolean } {
  const found = readVocabulary(index).findPiece(piece)
  const words = found.map(({ word }) => word)
  if (found.length <= MAX_PIECE_TERMS) return { condition: matching(matchAny(words, field)), limited: false }
  const forms = new Set(found.map(({ form }) => form))
  const docs: number[] = []
  const [first, end] = field === null ? [0, FIELDS] : [field, field + 1]
  let left = MAX_PIECE_FORMS
  for (let after = 0; left > 0; ) {
    const rows = index.all<{ doc: number; forms: Uint8Array }>(
      `SELECT doc, forms FROM docs WHERE doc > ?1 ORDER BY doc LIMIT ${DOCS_PER_READ}`,
      after,
    )
    for (const row of rows) {
      const { starts, forms: own } = unpackForms(row.forms, Math.max(0, left))
      left -= own.length
      if (own.subarray(starts[first], starts[end]).some((form) => forms.has(form))) docs.push(row.doc)
    }
    after = rows.at(-1)?.doc ?? after
    if (rows.length < DOCS_PER_READ) return { condition: amongDocs(docs), limited: false }
  }
  return { condition: amongDocs(docs), limited: true }
}
