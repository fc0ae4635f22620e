/** A segment of a workspace's index: documents that were indexed together, with their terms. It never changes. */
import type { Analysis, Token } from './analyze'
import { type Block, BlockWriter, compareTerms } from './blocks'
import type { Latin } from './languages'
import type { PostingWriter, Renumbering } from './postings'
import { TYPES, type Type } from './source'
import { runSync, type Steps } from './steps'

/** One state of a note, a task or a fact: a change of its text makes a new document. */
export interface Document {
  /** Its number: ascending in the order of writing, over all workspaces. */
  readonly doc: number
  readonly type: Type
  readonly analysis: Analysis
}

/** The documents of a segment with the data that ranking needs, by their numbers in it. */
export interface Documents {
  readonly count: number
  readonly docs: Float64Array
  /** Indexes into TYPES. */
  readonly types: Uint8Array
  /** The number of words of each field. */
  readonly lengths: readonly [title: Uint32Array, tags: Uint32Array, body: Uint32Array]
}

/** The contents of a segment. */
export interface Segment {
  readonly documents: Documents
  /** In the order of their terms. */
  readonly blocks: readonly Block[]
  /** The languages that words were stemmed by. */
  readonly languages: ReadonlySet<string>
}

/** Bytes that a document takes in `Documents`: its number, three lengths and its type. */
export const DOCUMENT_BYTES = 21
/** Words that are collected in one step: a few milliseconds, about 10 for hostile text. */
const STEP_WORDS = 16 * 1024
/** Terms that are written in one step. */
const STEP_TERMS = 8 * 1024

/** Builds a segment. @param documents ascending by `doc` */
export function buildSegment(documents: readonly Document[]): Segment {
  return runSync(buildSegmentInSteps(documents))
}

/** Builds a segment in steps. */
export function* buildSegmentInSteps(documents: readonly Document[]): Steps<Segment> {
  const entries = new Entries()
  let taken = 0
  for (const [number, { analysis }] of documents.entries()) {
    for (const field of [0, 1, 2] as const) {
      const words = analysis.words[field]
      for (let from = 0; from < words.length; from += STEP_WORDS) {
        const to = Math.min(words.length, from + STEP_WORDS)
        entries.addWords(words, { number, field, language: analysis.language, from, to })
        taken += to - from
        if (taken < STEP_WORDS) continue
        taken = 0
        yield
      }
      entries.addExtras(analysis.extras[field], number, field)
    }
  }
  const blocks: Block[] = []
  const writer = new BlockWriter((block) => blocks.push(block))
  let written = 0
  for (const term of sortTerms(entries.terms())) {
    entries.write(term, writer.postings)
    writer.add(term)
    if (++written % STEP_TERMS === 0) yield
  }
  writer.end()
  const length = (field: 0 | 1 | 2) => Uint32Array.from(documents, ({ analysis }) => analysis.words[field].length)
  return {
    documents: {
      count: documents.length,
      docs: Float64Array.from(documents, ({ doc }) => doc),
      types: Uint8Array.from(documents, ({ type }) => TYPES.indexOf(type)),
      lengths: [length(0), length(1), length(2)],
    },
    blocks,
    languages: new Set(documents.map(({ analysis }) => analysis.language)),
  }
}

/** Sorts terms by code points. Without surrogates and units after them, that is the order of UTF-16 units. */
function sortTerms(terms: string[]): string[] {
  return terms.some((term) => /[\ud800-\uffff]/.test(term)) ? terms.sort(compareTerms) : terms.sort()
}

/** Merges the current documents of several segments. `parts` are the new numbers, segment by segment. */
export function mergeDocuments(
  parts: readonly Documents[],
  current: readonly Uint8Array[],
): { documents: Documents; parts: Renumbering[] } {
  const counts = current.map((mask) => mask.reduce((sum, one) => sum + one, 0))
  const count = counts.reduce((sum, one) => sum + one, 0)
  const docs = new Float64Array(count)
  const types = new Uint8Array(count)
  const lengths = [new Uint32Array(count), new Uint32Array(count), new Uint32Array(count)] as const
  let next = 0
  const merged = parts.map((part, i) => {
    const shift = counts[i] === part.count ? next : null
    const numbers = new Int32Array(part.count).fill(-1)
    for (let number = 0; number < part.count; number++) {
      if (current[i]?.[number] !== 1) continue
      docs[next] = part.docs[number] as number
      types[next] = part.types[number] as number
      for (const field of [0, 1, 2] as const) lengths[field][next] = part.lengths[field][number] as number
      numbers[number] = next++
    }
    return { numbers, shift }
  })
  return { documents: { count, docs, types, lengths }, parts: merged }
}

/** Returns a mask for each segment: 1 for each current document, 0 for outdated ones. @param dead in any order */
export function markCurrent(parts: readonly Documents[], dead: readonly number[]): Uint8Array[] {
  const outdated = Float64Array.from(dead).sort()
  let at = 0
  return parts.map(({ count, docs }) => {
    const living = new Uint8Array(count).fill(1)
    const [first, last] = [docs[0] ?? 0, docs[count - 1] ?? 0]
    while (at < outdated.length && (outdated[at] as number) < first) at++
    let number = 0
    for (; at < outdated.length && (outdated[at] as number) <= last; at++) {
      while ((docs[number] as number) < (outdated[at] as number)) number++
      if (docs[number] === outdated[at]) living[number] = 0
    }
    return living
  })
}

/** Serializes documents: one list after another, those with the longest numbers first. */
export function writeDocuments({ docs, types, lengths }: Documents): Uint8Array {
  const lists = [docs, ...lengths, types]
  const bytes = new Uint8Array(lists.reduce((sum, { byteLength }) => sum + byteLength, 0))
  let at = 0
  for (const { buffer, byteOffset, byteLength } of lists) {
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), at)
    at += byteLength
  }
  return bytes
}

/** Reads what `writeDocuments` wrote. @param count the number of documents */
export function readDocuments(bytes: Uint8Array, count: number): Documents {
  const { buffer } = bytes.slice()
  const length = (field: number) => new Uint32Array(buffer, count * (8 + 4 * field), count)
  return {
    count,
    docs: new Float64Array(buffer, 0, count),
    types: new Uint8Array(buffer, count * 20, count),
    lengths: [length(0), length(1), length(2)],
  }
}

/** The bit from which on a packed place holds its field; the bits below hold the place. No text has that many words. */
export const FIELD_BIT = 28
const PLACE_MASK = 2 ** FIELD_BIT - 1

/** The last numbering of terms. A numbering belongs to one Entries and one language. */
let numberings = 0

/**
 * The places of each term in new documents. The terms' lists are linked lists in shared arrays of numbers: an object
 * for each term or place would cost more than all the rest of indexing.
 */
class Entries {
  readonly #numbers = new Map<string, number>()
  readonly #numberings = new Map<Latin, number>()
  /** By number of a term: its first and its last entry. */
  #first = new Int32Array(1024)
  #last = new Int32Array(1024)
  /** By entry: its document, its place, and the next entry of the same term, or -1. */
  #docs = new Int32Array(4096)
  #places = new Int32Array(4096)
  #next = new Int32Array(4096)
  #count = 0

  /**
   * Adds words of a field. Words must be added in the order of documents, fields and places.
   */
  addWords(words: readonly Token[], at: WordsAt): void {
    const { number, field, language, from, to } = at
    const numberer = this.#numberingOf(language)
    for (let place = from; place < to; place++) {
      const word = words[place] as Token
      if (word.numbering !== numberer) {
        word.numbers = word.terms(language).map((term) => this.#numberOf(term))
        word.numbering = numberer
      }
      const { numbers } = word
      for (let i = 0; i < numbers.length; i++) this.#add(numbers[i] as number, number, (field << FIELD_BIT) + place)
    }
  }

  /** Adds terms that are stored without places. */
  addExtras(listTerms: ReadonlySet<string>, number: number, field: 0 | 1 | 2): void {
    for (const term of listTerms) this.#add(this.#numberOf(term), number, field << FIELD_BIT)
  }

  /** Lists all terms, in no order. */
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
        const place = packed & PLACE_MASK
        if (packed >> FIELD_BIT !== field) {
          field = packed >> FIELD_BIT
          before = -1
        }
        writer.places.writeNumber(place - before)
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
      this.#docs = grow(this.#docs)
      this.#places = grow(this.#places)
      this.#next = grow(this.#next)
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
      this.#first = grow(this.#first)
      this.#last = grow(this.#last)
    }
    this.#last[number] = -1
    this.#numbers.set(term, number)
    return number
  }

  #numberingOf(language: Latin): number {
    const known = this.#numberings.get(language) ?? ++numberings
    this.#numberings.set(language, known)
    return known
  }
}

/** The position of words: a range of places (`to` not included) in a field of a document. */
interface WordsAt {
  /** The number of the document in its segment. */
  readonly number: number
  readonly field: 0 | 1 | 2
  readonly language: Latin
  readonly from: number
  readonly to: number
}

function grow(numbers: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const all = new Int32Array(numbers.length * 2)
  all.set(numbers)
  return all
}
