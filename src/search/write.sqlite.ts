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

/** A word with the other terms that it is found by. */
class Form {
  number = 0
  /** The documents of this transaction that have it. */
  docs = 0
  /** The last of them. */
  last: object | null = null
  readonly word: string
  readonly also: string
  /** Both as FTS5 reads them. */
  readonly encoded: Encoded

  /** @param forms to which it belongs */
  constructor(
    readonly forms: Forms,
    word: string,
    also: string,
  ) {
    this.word = word
    this.also = also
    this.encoded = { word: encodeTerms(word), also: encodeTerms(also) }
  }
}

interface Encoded {
  readonly word: string
  readonly also: string
}

/** An indexed text. `forms`: its words in order, see forward.ts. */
interface Row {
  readonly doc: number
  readonly hash: number
  readonly forms: Uint8Array
}

/**
 * Writes changes in one transaction; all up to the last of them are then in the index. Blocks for 10 ms per 32 KiB of
 * text. Returns whether it removed a text.
 */
export function writeTexts(index: IndexFile, changes: readonly ChangedText[]): boolean {
  return index.transaction(() => new Writer(index).write(changes))
}

class Writer {
  readonly #index: IndexFile
  readonly #forms = new Forms()
  readonly #lengths: number[]
  readonly #languages: Set<string>
  /** The documents that lost each form. */
  readonly #lost = new Map<number, number>()
  #documents: number

  constructor(index: IndexFile) {
    this.#index = index
    this.#lengths = [...index.state.lengths]
    this.#languages = new Set(index.state.languages)
    this.#documents = index.state.documents
  }

  write(changes: readonly ChangedText[]): boolean {
    const read = changes.map((change) => this.#read(change))
    this.#forms.store(this.#index)
    let hasRemoved = false
    for (const { change, id, old, hash, sections } of read) {
      const type = TYPES.indexOf(change.type)
      if (old && !sections && change.texts) {
        const sql = 'UPDATE docs SET seq = ?2, key = ?3 WHERE doc = ?1'
        this.#index.run(sql, old.doc, change.seq, change.key)
        continue
      }
      if (old) this.#remove(old)
      hasRemoved ||= old !== null && !change.texts
      if (!sections) continue
      this.#count(sections, 1)
      this.#index.run(
        'INSERT INTO docs (doc, type, key, id, seq, hash, forms) VALUES (?1, ?2, ?3, ?4, ?1, ?5, ?6)',
        ...[change.seq, type, change.key, id, hash],
        packForms(sections.map((section) => section.map(({ number }) => number))),
      )
      this.#index.run(
        'INSERT INTO words (rowid, title, tags, body, title_also, tags_also, body_also) VALUES (?, ?, ?, ?, ?, ?, ?)',
        ...[change.seq, ...toColumns(sections, ({ encoded }) => encoded)],
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
    if (!texts || old?.hash === hash) return { change, id, old, hash, sections: null }
    const analysis = analyze(fields, texts.marks)
    this.#languages.add(analysis.language)
    return { change, id, old, hash, sections: this.#forms.ofText(analysis) }
  }

  #remove({ doc, forms: bytes }: Row): void {
    const { starts, forms } = unpackForms(bytes)
    const known = this.#index.formsOf([...new Set(forms)])
    const sections = starts.slice(1).map((end, i) => Array.from(forms.subarray(starts[i], end)))
    // FTS5 keeps no texts, so it needs those that it is to delete.
    const columns = toColumns(sections, (form) => {
      const { word = '', also = '' } = known.get(form) ?? {}
      return { word: encodeTerms(word), also: encodeTerms(also) }
    })
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
    addDocs(this.#index, [...this.#lost].map(([form, docs]) => [form, -docs]))
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

/** The forms of the texts of one transaction. */
class Forms {
  readonly #byText = new Map<string, Form>()

  /** Returns the forms of the words of each field, then those of its other terms. */
  ofText({ words, extras, language }: Analysis): Form[][] {
    const text = {}
    const count = (form: Form): Form => {
      if (form.last !== text) form.docs++
      form.last = text
      return form
    }
    return [
      ...words.map((tokens) => tokens.map((token) => count(this.#ofToken(token, language)))),
      ...extras.map((terms) => Array.from(terms, (term) => count(this.#of(term, '')))),
    ]
  }

  #ofToken(token: Token, language: Latin): Form {
    const terms = token.terms(language)
    const { memo } = token
    if (memo instanceof Form && memo.forms === this) return memo
    const form = this.#of(terms[0] ?? '', terms.slice(1).join(' '))
    token.memo = form
    return form
  }

  #of(word: string, also: string): Form {
    const text = also === '' ? word : `${word} ${also}`
    let form = this.#byText.get(text)
    if (!form) {
      form = new Form(this, word, also)
      this.#byText.set(text, form)
    }
    return form
  }

  /** Finds the numbers of all forms, and stores those that are new. */
  store(index: IndexFile): void {
    const forms = [...this.#byText.values()]
    const rows = index.all<{ form: number; word: string; also: string }>(
      'SELECT form, word, also FROM forms WHERE word IN (SELECT value FROM json_each(?1))',
      JSON.stringify(forms.map(({ word }) => word)),
    )
    const known: [number, number][] = []
    for (const { form: number, word, also } of rows) {
      const form = this.#byText.get(also === '' ? word : `${word} ${also}`)
      if (!form) continue
      form.number = number
      known.push([number, form.docs])
    }
    addDocs(index, known)
    let last = index.get<{ form: number | null }>('SELECT max(form) AS form FROM forms')?.form ?? 0
    // In order, they go into few pages.
    const added = forms.filter(({ number }) => number === 0).sort((a, b) => (a.word < b.word ? -1 : 1))
    for (const form of added) form.number = ++last
    runEach(
      index,
      'INSERT INTO forms SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(?1)',
      added.map(({ number, word, also, docs }) => [number, word, also, docs]),
    )
    runEach(
      index,
      'INSERT INTO terms SELECT value ->> 0, value ->> 1 FROM json_each(?1) ORDER BY 1',
      added.flatMap(({ also, number }) => (also === '' ? [] : also.split(' ').map((term) => [term, number]))),
    )
  }
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
function toColumns<One>(sections: readonly (readonly One[])[], encode: (form: One) => Encoded): string[] {
  const columns = Array.from({ length: 2 * FIELDS }, () => '')
  const add = (column: number, terms: string) => {
    if (terms !== '') columns[column] += `${terms} `
  }
  for (const [section, forms] of sections.entries())
    for (const form of forms) {
      const { word, also } = encode(form)
      add(section, word)
      if (section < FIELDS) add(section + FIELDS, also)
    }
  return columns
}

/** 52 bits, which a number can hold. */
const hashOf = (texts: readonly string[]) => Number(BigInt.asUintN(52, BigInt(Bun.hash(texts.join('\0')))))
