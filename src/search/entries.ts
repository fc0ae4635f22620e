/**
 * Where each term of new documents stands, gathered for a segment. A list for each term, in arrays of numbers that all
 * share: an object for each, or for each place, would cost more than all the rest of indexing.
 */
import type { Latin } from './languages'
import type { PostingWriter } from './postings'
import type { Token } from './words'

/** A place is a number with its field in the bits from here on. No text has so many words. */
export const FIELD_BIT = 28
const PLACE = 2 ** FIELD_BIT - 1

/** Numbers of terms hold for one Entries and one language. */
let numberers = 0

export class Entries {
  readonly #numbers = new Map<string, number>()
  readonly #numberers = new Map<Latin, number>()
  /** For each term its first and its last entry. */
  #first = new Int32Array(1024)
  #last = new Int32Array(1024)
  /** For each entry its document, its place, and the next one of the same term: -1 if there is none. */
  #docs = new Int32Array(4096)
  #places = new Int32Array(4096)
  #next = new Int32Array(4096)
  #count = 0

  /**
   * Adds words of a field, from one place to another. Whatever is added must stand behind all that was added before.
   * @param number of the document in its segment
   */
  addWords(words: readonly Token[], at: WordsAt): void {
    const { number, field, language, from, to } = at
    const numberer = this.#numbererOf(language)
    for (let place = from; place < to; place++) {
      const word = words[place] as Token
      if (word.numberer !== numberer) {
        word.numbers = word.terms(language).map((term) => this.#numberOf(term))
        word.numberer = numberer
      }
      const { numbers } = word
      for (let i = 0; i < numbers.length; i++) this.#add(numbers[i] as number, number, (field << FIELD_BIT) + place)
    }
  }

  /** Adds terms whose places do not matter. */
  addExtras(terms: ReadonlySet<string>, number: number, field: 0 | 1 | 2): void {
    for (const term of terms) this.#add(this.#numberOf(term), number, field << FIELD_BIT)
  }

  /** In no order. */
  terms(): string[] {
    return [...this.#numbers.keys()]
  }

  /** Writes all documents of a term. */
  write(term: string, writer: PostingWriter): void {
    const [docs, places, next] = [this.#docs, this.#places, this.#next]
    let at = this.#first[this.#numbers.get(term) ?? -1] ?? -1
    while (at >= 0) {
      const doc = docs[at] as number
      let [title, tags, body, field, before] = [0, 0, 0, -1, -1]
      do {
        const packed = places[at] as number
        const place = packed & PLACE
        if (packed >> FIELD_BIT !== field) {
          field = packed >> FIELD_BIT
          before = -1
        }
        writer.places.number(place - before)
        before = place
        if (field === 2) body++
        else if (field === 1) tags++
        else title++
        at = next[at] as number
      } while (at >= 0 && docs[at] === doc)
      writer.add(doc, title, tags, body)
    }
  }

  #add(term: number, doc: number, place: number): void {
    const at = this.#count++
    if (at === this.#docs.length) {
      this.#docs = grown(this.#docs)
      this.#places = grown(this.#places)
      this.#next = grown(this.#next)
    }
    this.#docs[at] = doc
    this.#places[at] = place
    this.#next[at] = -1
    const last = this.#last[term] as number
    if (last < 0) this.#first[term] = at
    else this.#next[last] = at
    this.#last[term] = at
  }

  #numberOf(term: string): number {
    const known = this.#numbers.get(term)
    if (known !== undefined) return known
    const number = this.#numbers.size
    if (number === this.#last.length) {
      this.#first = grown(this.#first)
      this.#last = grown(this.#last)
    }
    this.#last[number] = -1
    this.#numbers.set(term, number)
    return number
  }

  #numbererOf(language: Latin): number {
    const known = this.#numberers.get(language) ?? ++numberers
    this.#numberers.set(language, known)
    return known
  }
}

/** Words of a field of a document, from one place to another (not included). */
export interface WordsAt {
  readonly number: number
  readonly field: 0 | 1 | 2
  readonly language: Latin
  readonly from: number
  readonly to: number
}

function grown(numbers: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const all = new Int32Array(numbers.length * 2)
  all.set(numbers)
  return all
}
