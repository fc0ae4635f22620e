/** Terms as they are stored: a hundred in a row, so that writing a segment takes few rows, and a scan few bytes. */
import { Bytes, NumberReader, type Posting } from './postings'

/** A row of the table of terms; see the migration. */
export interface Block {
  readonly first: string
  readonly terms: string
  readonly sizes: Uint8Array
  readonly counts: Uint8Array
  readonly places: Uint8Array
}

/** Terms in a block, and bytes of postings from which the next term begins another. */
const TERMS = 128
const BYTES = 4 * 1024
/** Blocks that one transaction writes or throws away: a few milliseconds. */
export const BLOCKS_PER_STEP = 64

/** The order of terms, which is that of the database: by code points. */
export function compareTerms(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const [one, other] = [a.charCodeAt(i), b.charCodeAt(i)]
    if (one === other) continue
    // Surrogates stand for what comes behind all else.
    const [oneHigh, otherHigh] = [one >= 0xd800 && one <= 0xdfff, other >= 0xd800 && other <= 0xdfff]
    return oneHigh === otherHigh ? one - other : oneHigh ? 1 : -1
  }
  return a.length - b.length
}

/** Gathers terms, which must come in their order, into blocks. */
export class BlockWriter {
  #terms: string[] = []
  #sizes = new Bytes()
  #counts = new Bytes()
  #places = new Bytes()
  readonly #put: (block: Block) => void

  constructor(put: (block: Block) => void) {
    this.#put = put
  }

  add(term: string, posting: Posting): void {
    const bytes = posting.counts.length + posting.places.length
    const size = this.#counts.length + this.#places.length
    if (this.#terms.length >= TERMS || (size > 0 && size + bytes > BYTES)) this.end()
    this.#terms.push(term)
    for (const number of [posting.documents, posting.counts.length, posting.places.length]) this.#sizes.number(number)
    this.#counts.append(posting.counts)
    this.#places.append(posting.places)
  }

  /** Puts what is left. */
  end(): void {
    const [first] = this.#terms
    if (first === undefined) return
    this.#put({
      first,
      terms: `\n${this.#terms.join('\n')}\n`,
      sizes: this.#sizes.take(),
      counts: this.#counts.take(),
      places: this.#places.take(),
    })
    this.#terms = []
    this.#sizes = new Bytes()
    this.#counts = new Bytes()
    this.#places = new Bytes()
  }
}

export interface Entry {
  readonly term: string
  readonly posting: Posting
}

const NOTHING = new Uint8Array()

/** The entries of a block in their order. Where counts or places were not read, those of the entries are empty. */
export function readBlock(block: Omit<Block, 'first' | 'counts' | 'places'> & Partial<Block>): Entry[] {
  const sizes = new NumberReader(block.sizes)
  let [counted, placed] = [0, 0]
  return block.terms
    .slice(1, -1)
    .split('\n')
    .map((term) => {
      const [documents, counts, places] = [sizes.next(), sizes.next(), sizes.next()]
      const posting = {
        documents,
        counts: block.counts?.subarray(counted, counted + counts) ?? NOTHING,
        places: block.places?.subarray(placed, placed + places) ?? NOTHING,
      }
      counted += counts
      placed += places
      return { term, posting }
    })
}

/** The entry of one term; null if the block has none. */
export function findInBlock(block: Parameters<typeof readBlock>[0], term: string): Entry | null {
  const at = block.terms.indexOf(`\n${term}\n`)
  if (at < 0) return null
  const sizes = new NumberReader(block.sizes)
  let [counted, placed] = [0, 0]
  for (let i = block.terms.indexOf('\n'); i < at; i = block.terms.indexOf('\n', i + 1)) {
    sizes.skip(1)
    counted += sizes.next()
    placed += sizes.next()
  }
  const [documents, counts, places] = [sizes.next(), sizes.next(), sizes.next()]
  const posting = {
    documents,
    counts: block.counts?.subarray(counted, counted + counts) ?? NOTHING,
    places: block.places?.subarray(placed, placed + places) ?? NOTHING,
  }
  return { term, posting }
}
