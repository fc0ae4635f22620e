/**
 * The encoding of the places of a term. A segment numbers its documents from 0. For each term it stores two byte
 * strings of variable-length numbers (seven bits a byte, the lowest first; the top bit says that another byte follows):
 *
 *     counts   for each document, ascending: its distance from the one before (from -1) times 4, plus 0 (once, in the
 *              body), 1 (in the body alone; how often follows) or 2 (in title, tags and body: three numbers follow)
 *     places   for each document its places in title, tags and body, each the distance from the one before (from -1)
 *
 * Ranking reads only the first; phrases read both.
 */
import type { Places } from './analyze'

/** A growing buffer of bytes. */
export class Bytes {
  #bytes = new Uint8Array(16)
  #length = 0

  writeNumber(value: number): void {
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

  /** Appends a range of other bytes. */
  append(bytes: Uint8Array, from: number, to: number): void {
    const length = to - from
    if (this.#length + length > this.#bytes.length) this.#grow(this.#length + length)
    if (length > BULK_COPY_BYTES) this.#bytes.set(bytes.subarray(from, to), this.#length)
    else for (let i = 0; i < length; i++) this.#bytes[this.#length + i] = bytes[from + i] as number
    this.#length += length
  }

  get length(): number {
    return this.#length
  }

  /** Removes the first `count` bytes and returns a copy of them. */
  takeFirst(count = this.#length): Uint8Array {
    const taken = this.#bytes.slice(0, count)
    this.#bytes.copyWithin(0, count, this.#length)
    this.#length -= count
    return taken
  }

  #grow(least: number): void {
    const grown = new Uint8Array(Math.max(least, this.#bytes.length * 2))
    grown.set(this.#bytes)
    this.#bytes = grown
  }
}

/** Bytes from which one bulk copy is faster than a loop. */
const BULK_COPY_BYTES = 32

/** The documents and places of one term in a segment. */
export interface Posting {
  /** The number of documents. */
  readonly documents: number
  readonly counts: Uint8Array
  readonly places: Uint8Array
}

/** A posting as ranges of longer byte strings, such as those of a block. */
export interface PostingPart {
  readonly documents: number
  readonly counts: Uint8Array
  readonly countsFrom: number
  readonly countsTo: number
  readonly places: Uint8Array
  readonly placesFrom: number
  readonly placesTo: number
}

/** The new numbers of a segment's documents when segments are merged. */
export interface Renumbering {
  /** The new number of each document; -1 drops it. */
  readonly numbers: Int32Array
  /** The difference between new and old numbers, if no document is dropped; else null. */
  readonly shift: number | null
}

/** Writes postings one after another. The documents of a term come in ascending order; `next` begins the next term. */
export class PostingWriter {
  readonly counts = new Bytes()
  readonly places = new Bytes()
  #last = -1
  #documents = 0

  /** The documents of the present term so far. */
  get documents(): number {
    return this.#documents
  }

  next(): void {
    this.#last = -1
    this.#documents = 0
  }

  /** Adds a document with the counts of the term in its fields. The caller writes its places to `places`. */
  add(doc: number, title: number, tags: number, body: number): void {
    const form = title > 0 || tags > 0 ? 2 : body === 1 ? 0 : 1
    this.counts.writeNumber((doc - this.#last) * 4 + form)
    this.#last = doc
    this.#documents++
    if (form === 0) return
    if (form === 2) {
      this.counts.writeNumber(title)
      this.counts.writeNumber(tags)
    }
    this.counts.writeNumber(body)
  }

  /** Adds the documents of a posting that are not dropped, with their new numbers. */
  addAll(posting: PostingPart, { numbers, shift }: Renumbering): void {
    const { documents, counts, countsFrom, countsTo, places, placesFrom, placesTo } = posting
    if (shift === null) {
      this.#addKept(counts.subarray(countsFrom, countsTo), places.subarray(placesFrom, placesTo), numbers)
      return
    }
    let [head, scale, at] = [0, 1, countsFrom]
    for (let more = true; more; scale *= 128) {
      const byte = counts[at++] as number
      head += (byte & 127) * scale
      more = byte >= 128
    }
    // Numbers are stored as distances, so only the first one changes.
    this.counts.writeNumber(head + 4 * (shift - 1 - this.#last))
    this.counts.append(counts, at, countsTo)
    this.places.append(places, placesFrom, placesTo)
    this.#last = documents === 1 ? shift - 1 + (head >>> 2) : shift + findLastDoc(counts.subarray(countsFrom, countsTo))
    this.#documents += documents
  }

  #addKept(counts: Uint8Array, places: Uint8Array, numbers: Int32Array): void {
    const reader = new NumberReader(places)
    forEachCount(counts, (doc, title, tags, body) => {
      const number = numbers[doc] as number
      const from = reader.at
      reader.skip(title + tags + body)
      if (number < 0) return
      this.add(number, title, tags, body)
      this.places.append(places, from, reader.at)
    })
  }
}

function findLastDoc(counts: Uint8Array): number {
  let last = -1
  forEachCount(counts, (doc) => {
    last = doc
  })
  return last
}

/** The documents of a term, by their numbers in the segment, with its counts in title, tags and body. */
export interface TermCounts {
  readonly length: number
  readonly docs: Uint32Array
  readonly titles: Uint32Array
  readonly tags: Uint32Array
  readonly bodies: Uint32Array
}

/** Buffers for the documents of one term, used again and again: one search reads hundreds of thousands of postings. */
let room = allocateRoom(1024)

function allocateRoom(most: number): Omit<TermCounts, 'length'> {
  const list = () => new Uint32Array(most)
  return { docs: list(), titles: list(), tags: list(), bodies: list() }
}

/** Reads the counts of a term, without a call for each. The result is valid until the next call. */
export function readCounts(counts: Uint8Array): TermCounts {
  // Each document takes at least a byte.
  if (counts.length > room.docs.length) room = allocateRoom(counts.length * 2)
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

/** Calls `take` with each document of a term. `take` must not call `readCounts`. */
export function forEachCount(
  counts: Uint8Array,
  take: (doc: number, title: number, tags: number, body: number) => void,
): void {
  const { length, docs, titles, tags, bodies } = readCounts(counts)
  for (let i = 0; i < length; i++) take(docs[i] as number, titles[i] as number, tags[i] as number, bodies[i] as number)
}

/** Reads numbers one after the other. */
export class NumberReader {
  readonly #bytes: Uint8Array
  /** The offset of the next number. */
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
}

/** Reads the places of a term in the wanted documents. */
export function readPlaces(
  { counts, places }: Pick<Posting, 'counts' | 'places'>,
  wanted: (doc: number) => boolean,
): Map<number, Places> {
  const numbers = new NumberReader(places)
  const list = (count: number): number[] => {
    const ascending: number[] = []
    let before = -1
    for (let i = 0; i < count; i++) {
      before += numbers.next()
      ascending.push(before)
    }
    return ascending
  }
  const found = new Map<number, Places>()
  forEachCount(counts, (doc, title, tags, body) => {
    if (wanted(doc)) found.set(doc, [list(title), list(tags), list(body)])
    else numbers.skip(title + tags + body)
  })
  return found
}
