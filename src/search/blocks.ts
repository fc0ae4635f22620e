/**
 * Blocks of terms, as they are stored: about a hundred terms a row, so that a segment takes few rows, and a scan few
 * bytes.
 */
import { Bytes, NumberReader, type Posting, PostingWriter } from './postings'

/** A row of `search_blocks`; see the schema. */
export interface Block {
  readonly first: string
  readonly terms: string
  readonly sizes: Uint8Array
  readonly counts: Uint8Array
  readonly places: Uint8Array
}

/** Terms in a block at most. */
const TERMS_PER_BLOCK = 128
/** Bytes of postings from which the next term begins a new block. */
const POSTING_BYTES_PER_BLOCK = 4 * 1024
/** Blocks that one transaction writes or deletes: a few milliseconds. */
export const BLOCKS_PER_STEP = 64

/** Compares terms as the database does: by code points. */
export function compareTerms(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const [unitA, unitB] = [a.charCodeAt(i), b.charCodeAt(i)]
    if (unitA === unitB) continue
    // Surrogates stand for code points greater than all others.
    const [isHighA, isHighB] = [unitA >= 0xd800 && unitA <= 0xdfff, unitB >= 0xd800 && unitB <= 0xdfff]
    return isHighA === isHighB ? unitA - unitB : isHighA ? 1 : -1
  }
  return a.length - b.length
}

/**
 * Gathers terms into blocks. Terms come in their order: write a term's documents to `postings`, then `add` the term.
 */
export class BlockWriter {
  readonly postings = new PostingWriter()
  #terms: string[] = []
  readonly #sizes = new Bytes()
  /** The bytes of counts and of places that belong to the terms so far: where those of the next term begin. */
  #counted = 0
  #placed = 0
  readonly #put: (block: Block) => void

  constructor(put: (block: Block) => void) {
    this.#put = put
  }

  /** Adds a term with all that was written to `postings` since the last one. A term without documents is dropped. */
  add(term: string): void {
    const { counts, places, documents } = this.postings
    this.postings.next()
    if (documents === 0) return
    if (
      this.#terms.length >= TERMS_PER_BLOCK ||
      (this.#terms.length > 0 && counts.length + places.length > POSTING_BYTES_PER_BLOCK)
    )
      this.#emit()
    this.#terms.push(term)
    this.#sizes.writeNumber(documents)
    this.#sizes.writeNumber(counts.length - this.#counted)
    this.#sizes.writeNumber(places.length - this.#placed)
    this.#counted = counts.length
    this.#placed = places.length
  }

  /** Emits the last block. */
  end(): void {
    if (this.#terms.length > 0) this.#emit()
  }

  #emit(): void {
    this.#put({
      first: this.#terms[0] as string,
      terms: `\n${this.#terms.join('\n')}\n`,
      sizes: this.#sizes.takeFirst(),
      counts: this.postings.counts.takeFirst(this.#counted),
      places: this.postings.places.takeFirst(this.#placed),
    })
    this.#terms = []
    this.#counted = 0
    this.#placed = 0
  }
}

/** A term with its documents. */
export interface Entry {
  readonly term: string
  readonly posting: Posting
}

const NOTHING = new Uint8Array()

/** Returns the entries of a block in order. If counts or places were not read, those of the entries are empty. */
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

/** Returns the entry of one term; null if the block does not have it. */
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
