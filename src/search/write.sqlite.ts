/** Writes texts into an index. */
import { type Analysis, analyze } from './analyze'
import { FIELDS, packForms, unpackForms } from './forward'
import { encodeTerms, type IndexFile } from './index.sqlite'
import { getNewestForm } from './read.sqlite'
import type { Texts, Type } from './source'

/** A change of the feed with the present text; null if there is none. */
export interface ChangedText {
  readonly seq: number
  readonly type: Type
  readonly id: string
  readonly key: number
  readonly texts: Texts | null
}

/** A word with the other terms that it is found by, as the index has it. */
interface Form {
  readonly word: string
  /** With blanks between. */
  readonly also: string
  /** 0 until it is stored. */
  number: number
  /** The documents of this transaction that have it. */
  docs: number
}

/** An indexed text. `forms`: its words in order, see forward.ts. */
interface Row {
  readonly doc: number
  readonly hash: number
  readonly forms: Uint8Array
}

/**
 * Writes changes in one transaction; all up to the last of them are then in the index. Blocks for 10 ms per 32 KiB of
 * text. Returns whether it removed a text, or replaced one.
 */
export function writeTexts(index: IndexFile, changes: readonly ChangedText[]): boolean {
  return index.transaction(() => new Writer(index).write(changes))
}

class Writer {
  /** Those of the texts that are written, by their terms. */
  readonly #forms = new Map<string, Form>()
  readonly #lengths: number[]
  readonly #languages: Set<string>
  /** The documents that lost each form. */
  readonly #lost = new Map<number, number>()
  #documents: number

  constructor(private readonly index: IndexFile) {
    this.#lengths = [...index.state.lengths]
    this.#languages = new Set(index.state.languages)
    this.#documents = index.state.documents
  }

  write(changes: readonly ChangedText[]): boolean {
    const read = changes.map((change) => this.#read(change))
    this.#storeForms()
    let hasRemoved = false
    for (const { change, id, old, hash, text } of read) {
      if (old && !text && change.texts) {
        const sql = 'UPDATE docs SET seq = ?2, key = ?3 WHERE doc = ?1'
        this.index.run(sql, old.doc, change.seq, change.key)
        continue
      }
      if (old) this.#remove(old)
      hasRemoved ||= old !== null
      if (!text) continue
      this.#count(text, 1)
      this.index.run(
        'INSERT INTO docs (doc, type, key, id, seq, hash, forms) VALUES (?1, ?2, ?3, ?4, ?1, ?5, ?6)',
        ...[change.seq, change.type, change.key, id, hash],
        packForms(text.map((section) => section.map(({ number }) => number))),
      )
      this.index.run(
        'INSERT INTO words (rowid, title, tags, body, title_also, tags_also, body_also) VALUES (?, ?, ?, ?, ?, ?, ?)',
        ...[change.seq, ...toColumns(text)],
      )
    }
    const { state } = this.index
    this.index.writeState({
      ...state,
      seq: changes.at(-1)?.seq ?? state.seq,
      documents: this.#documents,
      lengths: this.#lengths,
      languages: [...this.#languages],
      dropped: state.dropped + this.#dropForms(),
    })
    return hasRemoved
  }

  /** Analyzes a text, unless it is indexed as it is. */
  #read(change: ChangedText) {
    const { texts } = change
    // 16 bytes instead of 36, in the table and in its index.
    const id = Buffer.from(change.id.replaceAll('-', ''), 'hex')
    const sql = 'SELECT doc, hash, forms FROM docs WHERE id = ?1 AND type = ?2'
    const old = this.index.get<Row>(sql, id, change.type)
    const fields = [texts?.title ?? '', texts?.tags.join('\n') ?? '', texts?.body ?? ''] as const
    const hash = hashOf([...fields, ...(texts?.marks ?? [])])
    if (!texts || old?.hash === hash) return { change, id, old, hash, text: null }
    const analysis = analyze(fields, texts.marks)
    this.#languages.add(analysis.language)
    return { change, id, old, hash, text: this.#readForms(analysis) }
  }

  /** Returns the forms of the words of each field, then those of its other terms. */
  #readForms({ words, extras, language }: Analysis): Form[][] {
    const sections = [
      ...words.map((tokens) => tokens.map((token) => this.#formOf(token.terms(language)))),
      ...extras.map((terms) => Array.from(terms, (term) => this.#formOf(term))),
    ]
    for (const form of new Set(sections.flat())) form.docs++
    return sections
  }

  #formOf(terms: string): Form {
    const known = this.#forms.get(terms)
    if (known) return known
    const at = terms.indexOf(' ')
    const [word, also] = at < 0 ? [terms, ''] : [terms.slice(0, at), terms.slice(at + 1)]
    const form = { word, also, number: 0, docs: 0 }
    this.#forms.set(terms, form)
    return form
  }

  /** Stores the forms that are new, and counts the documents of all. */
  #storeForms(): void {
    const newest = getNewestForm(this.index)
    // In order, they go into few pages.
    const forms = [...this.#forms].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, form]) => form)
    const rows = this.index.all<Pick<Form, 'word' | 'also' | 'number'>>(
      `INSERT INTO forms (word, also, docs) SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?1) WHERE true
       ON CONFLICT (word, also) DO UPDATE SET docs = docs + excluded.docs RETURNING form AS number, word, also`,
      JSON.stringify(forms.map(({ word, also, docs }) => [word, also, docs])),
    )
    for (const { word, also, number } of rows) this.#formOf(also === '' ? word : `${word} ${also}`).number = number
    const added = forms.filter(({ also, number }) => also !== '' && number > newest)
    this.index.run(
      'INSERT INTO terms SELECT value ->> 0, value ->> 1 FROM json_each(?1) ORDER BY 1',
      JSON.stringify(added.flatMap(({ also, number }) => also.split(' ').map((term) => [term, number]))),
    )
  }

  #remove({ doc, forms: bytes }: Row): void {
    const { starts, forms } = unpackForms(bytes)
    const known = this.index.formsOf([...new Set(forms)])
    const sections = starts.slice(1).map((end, i) => Array.from(forms.subarray(starts[i], end)))
    // FTS5 keeps no texts, so it needs those that it is to delete.
    const columns = toColumns(sections.map((section) => section.flatMap((form) => known.get(form) ?? [])))
    this.index.run(
      "INSERT INTO words (words, rowid, title, tags, body, title_also, tags_also, body_also) VALUES ('delete', ?, ?, ?, ?, ?, ?, ?)",
      ...[doc, ...columns],
    )
    this.index.run('DELETE FROM docs WHERE doc = ?1', doc)
    this.#count(sections, -1)
    for (const form of known.keys()) this.#lost.set(form, (this.#lost.get(form) ?? 0) + 1)
  }

  #count(sections: readonly { readonly length: number }[], by: 1 | -1): void {
    this.#documents += by
    for (let field = 0; field < FIELDS; field++)
      this.#lengths[field] = (this.#lengths[field] ?? 0) + by * (sections[field]?.length ?? 0)
  }

  /** Deletes the forms that no document has any longer. Returns how many. */
  #dropForms(): number {
    const lost = JSON.stringify([...this.#lost])
    this.index.run(
      'UPDATE forms SET docs = docs - (lost.value ->> 1) FROM json_each(?1) AS lost WHERE form = lost.value ->> 0',
      lost,
    )
    const dropped = this.index.all<{ form: number; also: string }>(
      'DELETE FROM forms WHERE docs <= 0 AND form IN (SELECT value ->> 0 FROM json_each(?1)) RETURNING form, also',
      lost,
    )
    const terms = dropped.flatMap(({ form, also }) => also.split(' ').map((term) => [term, form]))
    this.index.run(
      'DELETE FROM terms WHERE (term, form) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?1))',
      JSON.stringify(terms),
    )
    return dropped.length
  }
}

/** The six columns of FTS5: the words of each field, then all their other terms. */
function toColumns(sections: readonly (readonly Pick<Form, 'word' | 'also'>[])[]): string[] {
  const words = sections.map((section) => section.map(({ word }) => word).join(' '))
  const others = sections.slice(0, FIELDS).map((section, field) => {
    const also = section.map((form) => form.also).filter(Boolean)
    return [...also, words[field + FIELDS]].join(' ')
  })
  return [...words.slice(0, FIELDS), ...others].map(encodeTerms)
}

/** 52 bits, which a number can hold. */
const hashOf = (texts: readonly string[]) => Number(BigInt.asUintN(52, BigInt(Bun.hash(texts.join('\0')))))
