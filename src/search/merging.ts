/** Merges several segments into one, term by term. */
import type { Queries, WorkspaceId } from '../db/database'
import { BLOCKS_PER_STEP, type Block, BlockWriter, compareTerms } from './blocks'
import { listBlocks } from './index-store'
import { NumberReader, type PostingPart, type Renumbering } from './postings'
import { yieldTurn } from './steps'

/** Blocks of a segment that are read at once. */
const BLOCKS_PER_READ = 16
/** Terms that are merged in one turn of the event loop: a few milliseconds. */
const TERMS_PER_TURN = 4096
/** Bytes of postings that are merged in one turn of the event loop. */
const BYTES_PER_TURN = 1024 * 1024

/** Text with surrogates, or units after them: there the order of UTF-16 units is not that of code points. */
const NEEDS_CODE_POINT_ORDER = /[\ud800-\uffff]/
const NOTHING: Uint8Array = new Uint8Array()

/**
 * Iterates over the terms of a stored segment with their postings. It is asynchronous only when it has to read blocks.
 */
class SegmentReader implements PostingPart {
  /** The present term; null after the last one. */
  term: string | null = null
  /** Whether the terms of the present block can be compared by UTF-16 units. */
  sortsAsUtf16 = true
  documents = 0
  counts = NOTHING
  countsFrom = 0
  countsTo = 0
  places = NOTHING
  placesFrom = 0
  placesTo = 0
  readonly renumbering: Renumbering
  #terms: readonly string[] = []
  #at = 0
  #sizes = new NumberReader(NOTHING)
  #blocks: readonly Block[] = []
  #block = 0
  #after = ''
  readonly #db: Queries
  readonly #workspace: WorkspaceId
  readonly #segment: number

  constructor(db: Queries, workspace: WorkspaceId, segment: number, renumbering: Renumbering) {
    this.#db = db
    this.#workspace = workspace
    this.#segment = segment
    this.renumbering = renumbering
  }

  /** Goes to the next term. Returns a promise only if it has to read. */
  next(): Promise<void> | undefined {
    if (this.#at === this.#terms.length) {
      const block = this.#blocks[this.#block++]
      if (!block) return this.#read()
      this.#open(block)
    }
    this.term = this.#terms[this.#at++] as string
    this.documents = this.#sizes.next()
    this.countsFrom = this.countsTo
    this.countsTo += this.#sizes.next()
    this.placesFrom = this.placesTo
    this.placesTo += this.#sizes.next()
    return undefined
  }

  #open({ terms, sizes, counts, places }: Block): void {
    this.#terms = terms.slice(1, -1).split('\n')
    this.#at = 0
    this.#sizes = new NumberReader(sizes)
    this.sortsAsUtf16 = !NEEDS_CODE_POINT_ORDER.test(terms)
    this.counts = counts
    this.places = places
    this.countsTo = 0
    this.placesTo = 0
  }

  async #read(): Promise<void> {
    this.#blocks = await listBlocks(this.#db, this.#workspace, this.#segment, this.#after, BLOCKS_PER_READ)
    this.#block = 0
    const last = this.#blocks.at(-1)
    if (!last) {
      this.term = null
      return
    }
    this.#after = last.first
    await this.next()
  }
}

/** Merges the terms of segments. @param renumberings the new numbers of the documents, segment by segment */
export async function* mergeSegments(
  db: Queries,
  workspace: WorkspaceId,
  segments: readonly number[],
  renumberings: readonly Renumbering[],
): AsyncGenerator<Block[]> {
  let blocks: Block[] = []
  const writer = new BlockWriter((block) => blocks.push(block))
  const readers = renumberings.map(
    (renumbering, i) => new SegmentReader(db, workspace, segments[i] as number, renumbering),
  )
  for (const reader of readers) await reader.next()
  let [terms, bytes] = [0, 0]
  for (;;) {
    const least = findLeastTerm(readers)
    if (least === null) break
    for (const reader of readers) {
      if (reader.term !== least) continue
      writer.postings.addAll(reader, reader.renumbering)
      bytes += reader.countsTo - reader.countsFrom
      const reading = reader.next()
      if (reading) await reading
    }
    writer.add(least)
    if (++terms > TERMS_PER_TURN || bytes > BYTES_PER_TURN) {
      terms = 0
      bytes = 0
      await yieldTurn()
    }
    if (blocks.length < BLOCKS_PER_STEP) continue
    yield blocks
    blocks = []
  }
  writer.end()
  yield blocks
}

function findLeastTerm(readers: readonly SegmentReader[]): string | null {
  let least: string | null = null
  let isPlain = true
  for (const reader of readers) isPlain &&= reader.sortsAsUtf16
  for (const { term } of readers) {
    if (term === null || term === least) continue
    if (least === null || (isPlain ? term < least : compareTerms(term, least) < 0)) least = term
  }
  return least
}
