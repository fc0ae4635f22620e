/** What a search reads of an index. */
import type { IndexFile } from './index.sqlite'
import type { Type } from './source'

/** A document without its words. */
export interface DocRow {
  readonly doc: number
  readonly type: Type
  readonly key: number
}

/** A form with a term that it is found by. */
export interface FormOfTerm {
  readonly term: string
  readonly form: number
  readonly word: string
  readonly also: string
  readonly docs: number
}

/** Returns the forms of words, and those found by stems or parts of words. */
export function findForms(index: IndexFile, words: readonly string[], others: readonly string[]): FormOfTerm[] {
  return [
    ...index.all<FormOfTerm>(
      'SELECT word AS term, form, word, also, docs FROM forms WHERE word IN (SELECT value FROM json_each(?1))',
      JSON.stringify(words),
    ),
    ...index.all<FormOfTerm>(
      'SELECT term, form, word, also, docs FROM terms CROSS JOIN forms USING (form) WHERE term IN (SELECT value FROM json_each(?1))',
      JSON.stringify(others),
    ),
  ]
}

/** Lists the forms whose words begin with a text, the most common first. */
export function listCompletions(index: IndexFile, text: string, limit: number) {
  return index.all<{ form: number; word: string }>(
    'SELECT form, word FROM forms WHERE word >= ?1 AND word < ?2 ORDER BY docs DESC, word LIMIT ?3',
    ...[text, `${text}\u{10ffff}`, limit],
  )
}

/** Lists the words of forms after one, in order. */
export function listIndexedForms(index: IndexFile, after: number) {
  return index.all<{ form: number; word: string }>('SELECT form, word FROM forms WHERE form > ?1 ORDER BY form', after)
}

export function countDocs(index: IndexFile, expression: string): number {
  return index.get<{ docs: number }>('SELECT count(*) AS docs FROM words WHERE words MATCH ?1', expression)?.docs ?? 0
}

/** Returns the newest document; 0 if there is none. */
export const getNewestDoc = (index: IndexFile): number =>
  index.get<{ doc: number | null }>('SELECT max(doc) AS doc FROM docs')?.doc ?? 0

/** Returns the number of the newest form: there are no more forms than that. */
export const getNewestForm = (index: IndexFile): number =>
  index.get<{ form: number | null }>('SELECT max(form) AS form FROM forms')?.form ?? 0

/** Returns documents with their forms, in no order; those that are gone are left out. */
export function readDocs(index: IndexFile, docs: readonly number[]) {
  return index.all<DocRow & { forms: Uint8Array }>(
    'SELECT doc, type, key, forms FROM docs WHERE doc IN (SELECT value FROM json_each(?1))',
    JSON.stringify(docs),
  )
}

/** Whether any of some texts is in the index. */
export function hasAnyOf(index: IndexFile, texts: readonly { readonly id: string }[]): boolean {
  const sql = "SELECT 1 FROM docs WHERE id IN (SELECT unhex(value, '-') FROM json_each(?1)) LIMIT 1"
  return index.get(sql, JSON.stringify(texts.map(({ id }) => id))) !== null
}

/** Sums up the documents by their latest changes; see `sumChanges`. */
export function sumDocs(index: IndexFile): { texts: number; seqs: number } {
  const row = index.get<{ texts: number; seqs: number }>(
    'SELECT count(*) AS texts, coalesce(sum(seq), 0) AS seqs FROM docs',
  )
  return row ?? { texts: 0, seqs: 0 }
}
