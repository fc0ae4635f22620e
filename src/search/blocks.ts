/** Terms as they are stored: a hundred in a row, so that writing a segment takes few rows, and a scan few bytes. */
import { Bytes, NumberReader, type Posting, PostingWriter } from './postings'

/** A row of the table of terms; see the migration. */
export interface Block {
  readonly first: string
  readonly terms: string
  readonly sizes: Uint8Array
  readonly counts: Uint8Array
  readonly places: Uint8Array
}

/** Terms in a block, and bytes of postings from which the next term begins another. */
const TERMS_PER_BLOCK = 128
const POSTING_BYTES_PER_BLOCK = 4 * 1024
/** Blocks that one transaction writes or throws away: a few milliseconds. */
export const BLOCKS_PER_STEP = 64

/** The order of terms, which is that of the database: by code points. */
export function compareTerms(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const [one, other] = [a.charCodeAt(i), b.charCodeAt(i)]
    if (one === other) continue
    // Surrogates are of code points behind all others.
    const [oneHigh, otherHigh] = [one >= 0xd800 && one <= 0xdfff, other >= 0xd800 && other <= 0xdfff]
    return oneHigh === otherHigh ? one - other : oneHigh ? 1 : -1
  }
  return a.length - b.length
}

/** Gathers terms, which must come in their order, into blocks: `postings` is written to, then `add` gets the term. */
export class BlockWriter {
  readonly postings = new PostingWriter()
  #terms: string[] = []
  readonly #sizes = new Bytes()
  /** Where the postings of the next term begin. */
  #counted = 0
  #placed = 0
  readonly #put: (block: Block) => void

  constructor(put: (block: Block) => void) {
    this.#put = put
  }

  /** All that was written since the term before is about this one. Nothing is kept of a term without documents. */
  add(term: string): void {
    const { counts, places, documents } = this.postings
    this.postings.next()
    if (documents === 0) return
    if (
      this.#terms.length >= TERMS_PER_BLOCK ||
      (this.#terms.length > 0 && counts.length + places.length > POSTING_BYTES_PER_BLOCK)
    )
      this.#end()
    this.#terms.push(term)
    this.#sizes.writeNumber(documents)
    this.#sizes.writeNumber(counts.length - this.#counted)
    this.#sizes.writeNumber(places.length - this.#placed)
    this.#counted = counts.length
    this.#placed = places.length
  }

  /** Puts what is left. */
  end(): void {
    if (this.#terms.length > 0) this.#end()
  }

  #end(): void {
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
