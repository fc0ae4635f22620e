/**
 * How an index keeps where a term stands. A segment numbers its documents from 0. Of each term it has two byte strings,
 * of variable-length numbers (seven bits a byte, the lowest first; the top bit says that another byte follows):
 *
 *     counts   for each document, ascending: its distance from the one before (from -1) times 4, plus 0 (once, in the
 *              body), 1 (in the body alone; how often follows) or 2 (in title, tags and body: three numbers follow)
 *     places   for each document its places in title, tags and body, each the distance from the one before (from -1)
 *
 * so that ranking reads the first alone, and phrases the second beside it.
 */
import { FIELD_BIT, type PackedPlaces, type Places } from './analyze'

/** Bytes that grow. */
export class Bytes {
  #bytes = new Uint8Array(16)
  #length = 0

  number(value: number): void {
    if (this.#length + 8 > this.#bytes.length) this.#grow(this.#length + 8)
    if (value < 128) {
      this.#bytes[this.#length++] = value
      return
    }
    let rest = value
    while (rest >= 128) {
      this.#bytes[this.#length++] = (rest % 128) + 128
      rest = Math.floor(rest / 128)
    }
    this.#bytes[this.#length++] = rest
  }

  append(bytes: Uint8Array): void {
    if (this.#length + bytes.length > this.#bytes.length) this.#grow(this.#length + bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }

  get length(): number {
    return this.#length
  }

  /** A copy. */
  take(): Uint8Array {
    return this.#bytes.slice(0, this.#length)
  }

  clear(): void {
    this.#length = 0
  }

  #grow(least: number): void {
    const grown = new Uint8Array(Math.max(least, this.#bytes.length * 2))
    grown.set(this.#bytes)
    this.#bytes = grown
  }
}

/** What a segment keeps of one term. */
export interface Posting {
  /** How many. */
  readonly documents: number
  readonly counts: Uint8Array
  readonly places: Uint8Array
}

/** Gathers the documents of one term, which must come in ascending order; after `take`, those of the next. */
export class PostingWriter {
  readonly #counts = new Bytes()
  readonly #places = new Bytes()
  #last = -1
  #documents = 0

  get documents(): number {
    return this.#documents
  }

  add(doc: number, places: PackedPlaces): void {
    let [title, tags, body] = [0, 0, 0]
    for (const packed of places) {
      const field = packed >> FIELD_BIT
      if (field === 2) body++
      else if (field === 1) tags++
      else title++
    }
    this.#count(doc, title, tags, body)
    let [before, field] = [-1, -1]
    for (const packed of places) {
      const own = packed >> FIELD_BIT
      if (own !== field) before = (own << FIELD_BIT) - 1
      field = own
      this.#places.number(packed - before)
      before = packed
    }
  }

  /** Adds a document whose places are bytes already. */
  append(doc: number, title: number, tags: number, body: number, places: Uint8Array): void {
    this.#count(doc, title, tags, body)
    this.#places.append(places)
  }

  /** Adds all documents of a posting, their numbers made larger by `shift`. */
  appendAll({ documents, counts, places }: Posting, shift: number): void {
    const first = new NumberReader(counts)
    const head = first.next()
    // Numbers are distances: but for the first, they stay as they are.
    this.#counts.number(head + 4 * (shift - 1 - this.#last))
    this.#counts.append(counts.subarray(first.at))
    this.#places.append(places)
    this.#documents += documents
    this.#last = shift + lastDoc(counts)
  }

  take(): Posting {
    const posting = { documents: this.#documents, counts: this.#counts.take(), places: this.#places.take() }
    this.#counts.clear()
    this.#places.clear()
    ;[this.#last, this.#documents] = [-1, 0]
    return posting
  }

  #count(doc: number, title: number, tags: number, body: number): void {
    const form = title > 0 || tags > 0 ? 2 : body === 1 ? 0 : 1
    this.#counts.number((doc - this.#last) * 4 + form)
    this.#last = doc
    this.#documents++
    if (form === 1) this.#counts.number(body)
    if (form === 2) for (const count of [title, tags, body]) this.#counts.number(count)
  }
}

function lastDoc(counts: Uint8Array): number {
  let last = -1
  eachCount(counts, (doc) => {
    last = doc
  })
  return last
}

/** The documents of a term, by their numbers within the segment, and how often each has it in its title, tags and body. */
export interface Counts {
  readonly length: number
  readonly docs: Uint32Array
  readonly titles: Uint32Array
  readonly tags: Uint32Array
  readonly bodies: Uint32Array
}

/** Room for the documents of one term, used again: one search goes through hundreds of thousands. */
let room = roomFor(1024)

function roomFor(most: number): Omit<Counts, 'length'> {
  const list = () => new Uint32Array(most)
  return { docs: list(), titles: list(), tags: list(), bodies: list() }
}

/** Reads the counts of a term, without a call for each. What it answers holds until it is called again. */
export function readCounts(counts: Uint8Array): Counts {
  // Each document takes a byte at least.
  if (counts.length > room.docs.length) room = roomFor(counts.length * 2)
  const { docs, titles, tags, bodies } = room
  const numbers = new NumberReader(counts)
  let at = 0
  let doc = -1
  let length = 0
  while (at < counts.length) {
    let head = counts[at++] as number
    if (head >= 128) {
      numbers.at = at - 1
      head = numbers.next()
      at = numbers.at
    }
    const form = head & 3
    doc += head >>> 2
    docs[length] = doc
    if (form === 2) {
      numbers.at = at
      titles[length] = numbers.next()
      tags[length] = numbers.next()
      bodies[length++] = numbers.next()
      at = numbers.at
      continue
    }
    titles[length] = 0
    tags[length] = 0
    if (form === 0) bodies[length++] = 1
    else if ((counts[at] as number) < 128) bodies[length++] = counts[at++] as number
    else {
      numbers.at = at
      bodies[length++] = numbers.next()
      at = numbers.at
    }
  }
  return { length, docs, titles, tags, bodies }
}

/** Tells each document of a term as `readCounts` reads it. @param take reads no other term */
export function eachCount(
  counts: Uint8Array,
  take: (doc: number, title: number, tags: number, body: number) => void,
): void {
  const { length, docs, titles, tags, bodies } = readCounts(counts)
  for (let i = 0; i < length; i++) take(docs[i] as number, titles[i] as number, tags[i] as number, bodies[i] as number)
}

/** Reads numbers one after the other. */
export class NumberReader {
  readonly #bytes: Uint8Array
  /** Where the next number begins. */
  at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  next(): number {
    const first = this.#bytes[this.at] ?? 0
    if (first < 128) {
      this.at++
      return first
    }
    let value = 0
    let scale = 1
    for (;;) {
      const byte = this.#bytes[this.at++] ?? 0
      value += (byte % 128) * scale
      if (byte < 128) return value
      scale *= 128
    }
  }

  skip(count: number): void {
    const bytes = this.#bytes
    let at = this.at
    for (let left = count; left > 0 && at < bytes.length; at++) if ((bytes[at] as number) < 128) left--
    this.at = at
  }

  /** The bytes of the next so many numbers. */
  slice(count: number): Uint8Array {
    const start = this.at
    this.skip(count)
    return this.#bytes.subarray(start, this.at)
  }
}

/** The places of a term in those documents that are wanted. */
export function readPlaces(
  { counts, places }: Pick<Posting, 'counts' | 'places'>,
  wanted: (doc: number) => boolean,
): Map<number, Places> {
  const numbers = new NumberReader(places)
  const list = (count: number): number[] => {
    const own: number[] = []
    let before = -1
    for (let i = 0; i < count; i++) {
      before += numbers.next()
      own.push(before)
    }
    return own
  }
  const found = new Map<number, Places>()
  eachCount(counts, (doc, title, tags, body) => {
    if (wanted(doc)) found.set(doc, [list(title), list(tags), list(body)])
    else numbers.skip(title + tags + body)
  })
  return found
}

/** A posting of one segment, and what becomes of the numbers of its documents when segments are merged. */
export interface MergedPart {
  readonly posting: Posting
  /** For each document its new number, -1 leaves it out. */
  readonly numbers: Int32Array
  /** What is added to each number, if none is left out; else null. */
  readonly shift: number | null
}

/** The same term of several segments as of one. Numbers must go on ascending from one part to the next. */
export function mergePostings(parts: readonly MergedPart[], writer = new PostingWriter()): Posting {
  for (const { posting, numbers, shift } of parts) {
    if (shift !== null) {
      writer.appendAll(posting, shift)
      continue
    }
    const places = new NumberReader(posting.places)
    eachCount(posting.counts, (doc, title, tags, body) => {
      const number = numbers[doc] as number
      if (number >= 0) writer.append(number, title, tags, body, places.slice(title + tags + body))
      else places.skip(title + tags + body)
    })
  }
  return writer.take()
}
