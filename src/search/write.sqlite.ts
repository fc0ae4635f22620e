/** Writes texts into an index. */
import { type Analysis, analyze, type Token } from './analyze'
import { FIELDS, packForms, unpackForms } from './forward'
import { encodeTerms, type IndexFile } from './index.sqlite'
import type { Latin } from './languages'
import { type Texts, TYPES, type Type } from './source'

/** A change of the feed with the present text; null if there is none. */
export interface ChangedText {
  readonly seq: number
  readonly type: Type
  readonly id: string
  readonly key: number
  readonly texts: Texts | null
}

/** A word, and the other terms that it is found by, as FTS5 reads them. */
interface Encoded {
  readonly word: string
  readonly also: string
}

/** A form of an index. */
interface Form extends Encoded {
  readonly owner: Forms
  /** With blanks between. */
  readonly terms: string
  /** 0 until it is known. */
  number: number
  /** The documents of this transaction that have it. */
  docs: number
  /** The last of them. */
  last: object | null
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
  return index.transaction(() => {
    const { dropped } = index.state
    const isSame = last?.index === index && last.dropped === dropped && last.forms.size < MAX_KNOWN
    const forms = isSame && last ? last.forms : new Forms()
    // What a transaction that fails has numbered is forgotten.
    last = null
    const hasRemoved = new Writer(index, forms).write(changes)
    last = { index, dropped, forms }
    return hasRemoved
  })
}

/** The forms of the index that was written last, and how often it had dropped some: texts repeat the words of others. */
let last: { readonly index: IndexFile; readonly dropped: number; readonly forms: Forms } | null = null
/** Forms that are kept for the next transaction, of 200 bytes each. */
const MAX_KNOWN = 64 * 1024

class Writer {
  readonly #index: IndexFile
  readonly #forms: Forms
  readonly #lengths: number[]
  readonly #languages: Set<string>
  /** The documents that lost each form. */
  readonly #lost = new Map<number, number>()
  #documents: number

  constructor(index: IndexFile, forms: Forms) {
    this.#index = index
    this.#forms = forms
    this.#lengths = [...index.state.lengths]
    this.#languages = new Set(index.state.languages)
    this.#documents = index.state.documents
  }

  write(changes: readonly ChangedText[]): boolean {
    const read = changes.map((change) => this.#read(change))
    this.#forms.store(this.#index)
    let hasRemoved = false
    for (const { change, id, old, hash, text } of read) {
      const type = TYPES.indexOf(change.type)
      if (old && !text && change.texts) {
        const sql = 'UPDATE docs SET seq = ?2, key = ?3 WHERE doc = ?1'
        this.#index.run(sql, old.doc, change.seq, change.key)
        continue
      }
      if (old) this.#remove(old)
      hasRemoved ||= old !== null
      if (!text) continue
      const { sections, columns } = text
      this.#count(sections, 1)
      this.#index.run(
        'INSERT INTO docs (doc, type, key, id, seq, hash, forms) VALUES (?1, ?2, ?3, ?4, ?1, ?5, ?6)',
        ...[change.seq, type, change.key, id, hash],
        packForms(sections.map((section) => section.map(({ number }) => number))),
      )
      this.#index.run(
        'INSERT INTO words (rowid, title, tags, body, title_also, tags_also, body_also) VALUES (?, ?, ?, ?, ?, ?, ?)',
        ...[change.seq, ...columns],
      )
    }
    const { state } = this.#index
    this.#index.writeState({
      ...state,
      seq: changes.at(-1)?.seq ?? state.seq,
      documents: this.#documents,
      lengths: this.#lengths,
      languages: this.#languages,
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
    const old = this.#index.get<Row>(sql, id, TYPES.indexOf(change.type))
    const fields = [texts?.title ?? '', texts?.tags.join('\n') ?? '', texts?.body ?? ''] as const
    const hash = hashOf([...fields, ...(texts?.marks ?? [])])
    if (!texts || old?.hash === hash) return { change, id, old, hash, text: null }
    const analysis = analyze(fields, texts.marks)
    this.#languages.add(analysis.language)
    return { change, id, old, hash, text: this.#forms.read(analysis) }
  }

  #remove({ doc, forms: bytes }: Row): void {
    const { starts, forms } = unpackForms(bytes)
    const known = this.#index.formsOf([...new Set(forms)])
    const sections = starts.slice(1).map((end, i) => Array.from(forms.subarray(starts[i], end)))
    // FTS5 keeps no texts, so it needs those that it is to delete.
    const toEncoded = (form: number): Encoded => {
      const { word = '', also = '' } = known.get(form) ?? {}
      return { word: encodeTerms(word), also: encodeTerms(also) }
    }
    const columns = toColumns(sections.map((section) => section.map(toEncoded)))
    this.#index.run(
      "INSERT INTO words (words, rowid, title, tags, body, title_also, tags_also, body_also) VALUES ('delete', ?, ?, ?, ?, ?, ?, ?)",
      ...[doc, ...columns],
    )
    this.#index.run('DELETE FROM docs WHERE doc = ?1', doc)
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
    if (this.#lost.size === 0) return 0
    addDocs(
      this.#index,
      [...this.#lost].map(([form, docs]) => [form, -docs]),
    )
    const dropped = this.#index.all<{ form: number; also: string }>(
      'DELETE FROM forms WHERE docs <= 0 AND form IN (SELECT value FROM json_each(?1)) RETURNING form, also',
      JSON.stringify([...this.#lost.keys()]),
    )
    runEach(
      this.#index,
      'DELETE FROM terms WHERE (term, form) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?1))',
      dropped.flatMap(({ form, also }) => (also === '' ? [] : also.split(' ').map((term) => [term, form]))),
    )
    return dropped.length
  }
}

/** Forms of an index, as they are met in texts. */
class Forms {
  readonly #known = new Map<string, Form>()
  /** Those in texts of this transaction. */
  #used: Form[] = []

  get size(): number {
    return this.#known.size
  }

  /** Returns the forms of the words of each field, then those of its other terms, and both as columns of FTS5. */
  read({ words, extras, language }: Analysis): { sections: Form[][]; columns: string[] } {
    const sections = [
      ...words.map((tokens) => tokens.map((token) => this.#ofToken(token, language))),
      ...extras.map((terms) => Array.from(terms, (term) => this.#of(term))),
    ]
    const text = {}
    for (const section of sections)
      for (const form of section) {
        if (form.last === text) continue
        form.last = text
        if (form.docs++ === 0) this.#used.push(form)
      }
    return { sections, columns: toColumns(sections) }
  }

  #ofToken(token: Token, language: Latin): Form {
    const terms = token.terms(language)
    const memo = token.memo as Form | null
    if (memo?.owner === this) return memo
    const form = this.#of(terms.join(' '))
    token.memo = form
    return form
  }

  #of(terms: string): Form {
    const known = this.#known.get(terms)
    if (known) return known
    const [word, also] = split(terms)
    const encoded = { word: encodeTerms(word), also: encodeTerms(also) }
    const form = { owner: this, terms, ...encoded, number: 0, docs: 0, last: null }
    this.#known.set(terms, form)
    return form
  }

  /** Counts the documents of the forms, and stores those that are new. */
  store(index: IndexFile): void {
    this.#findNumbers(
      index,
      this.#used.filter(({ number }) => number === 0),
    )
    addDocs(
      index,
      this.#used.flatMap(({ number, docs }) => (number === 0 ? [] : [[number, docs] as const])),
    )
    let last = index.get<{ form: number | null }>('SELECT max(form) AS form FROM forms')?.form ?? 0
    // In order, they go into few pages.
    const added = this.#used.filter(({ number }) => number === 0).sort((a, b) => (a.terms < b.terms ? -1 : 1))
    for (const form of added) form.number = ++last
    runEach(
      index,
      'INSERT INTO forms SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(?1)',
      added.map(({ number, terms, docs }) => [number, ...split(terms), docs]),
    )
    const others = added.flatMap(({ number, terms }) => {
      const [, ...also] = terms.split(' ')
      return also.map((term) => [term, number])
    })
    runEach(index, 'INSERT INTO terms SELECT value ->> 0, value ->> 1 FROM json_each(?1) ORDER BY 1', others)
    for (const form of this.#used) form.docs = 0
    this.#used = []
  }

  #findNumbers(index: IndexFile, forms: readonly Form[]): void {
    if (forms.length === 0) return
    const rows = index.all<{ form: number; word: string; also: string }>(
      'SELECT form, word, also FROM forms WHERE word IN (SELECT value FROM json_each(?1))',
      JSON.stringify(forms.map(({ terms }) => split(terms)[0])),
    )
    for (const { form: number, word, also } of rows) {
      const form = this.#known.get(also === '' ? word : `${word} ${also}`)
      if (form) form.number = number
    }
  }
}

/** Splits the terms of a form into the word and the others. */
function split(terms: string): [word: string, also: string] {
  const at = terms.indexOf(' ')
  return at < 0 ? [terms, ''] : [terms.slice(0, at), terms.slice(at + 1)]
}

/** Runs a statement that reads its rows by json_each: much cheaper than one statement for each. */
function runEach(index: IndexFile, sql: string, rows: readonly unknown[]): void {
  if (rows.length > 0) index.run(sql, JSON.stringify(rows))
}

/** Adds to the numbers of documents that have forms. */
function addDocs(index: IndexFile, added: readonly (readonly [form: number, docs: number])[]): void {
  const sql =
    'UPDATE forms SET docs = docs + added.value ->> 1 FROM json_each(?1) AS added WHERE form = added.value ->> 0'
  runEach(index, sql, added)
}

/** The six columns of FTS5: the words of each field, then all their other terms. */
function toColumns(sections: readonly (readonly Encoded[])[]): string[] {
  const words = sections.map((section) => section.map(({ word }) => word).join(' '))
  const others = sections.slice(0, FIELDS).map((section, field) => {
    const also = section.map((form) => form.also).filter(Boolean)
    return [...also, words[field + FIELDS]].join(' ')
  })
  return [...words.slice(0, FIELDS), ...others]
}

/** 52 bits, which a number can hold. */
const hashOf = (texts: readonly string[]) => Number(BigInt.asUintN(52, BigInt(Bun.hash(texts.join('\0')))))
