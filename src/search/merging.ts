/** Several segments as one, term by term. */
import type { Queries } from '../db/database'
import { BLOCKS_PER_STEP, type Block, BlockWriter, compareTerms, type Entry, readBlock } from './blocks'
import { listBlocks } from './index-store'
import { type MergedPart, mergePostings, PostingWriter } from './postings'
import { turn } from './steps'

/** Blocks of a segment that are read at once, and bytes that are merged in one turn of the event loop: a few milliseconds. */
const BLOCKS_READ = 16
const BYTES_PER_TURN = 256 * 1024

/** Of code points beyond the surrogates, and of these, the order is not that of UTF-16 units. */
const BEYOND = /[\ud800-\uffff]/

/** The terms of a stored segment, one after the other. It waits only where the next block has to be read. */
class SegmentReader {
  entry: Entry | undefined
  /** Whether the terms at hand are in the order of UTF-16 units too. */
  isPlain = true
  #entries: Entry[] = []
  #at = 0
  #after = ''
  readonly #db: Queries
  readonly #segment: number

  constructor(db: Queries, segment: number) {
    this.#db = db
    this.#segment = segment
  }

  /** Goes to the next entry; answers a promise only if it has to read. */
  next(): Promise<void> | undefined {
    this.entry = this.#entries[this.#at++]
    return this.entry ? undefined : this.#read()
  }

  async #read(): Promise<void> {
    const blocks = await listBlocks(this.#db, this.#segment, this.#after, BLOCKS_READ)
    this.#after = blocks.at(-1)?.first ?? this.#after
    this.#entries = blocks.flatMap(readBlock)
    this.isPlain = blocks.every(({ terms }) => !BEYOND.test(terms))
    this.entry = this.#entries[0]
    this.#at = 1
  }
}

/** The terms of several segments as of one. @param documents what becomes of the documents of each */
export async function* mergedBlocks(
  db: Queries,
  segments: readonly number[],
  documents: readonly Omit<MergedPart, 'posting'>[],
): AsyncGenerator<Block[]> {
  let blocks: Block[] = []
  const writer = new BlockWriter((block) => blocks.push(block))
  const postings = new PostingWriter()
  const readers = segments.map((segment) => new SegmentReader(db, segment))
  for (const reader of readers) await reader.next()
  let worked = 0
  for (;;) {
    const least = leastOf(readers)
    if (least === null) break
    const parts: MergedPart[] = []
    for (const [i, reader] of readers.entries()) {
      const own = documents[i]
      if (reader.entry?.term !== least || !own) continue
      parts.push({ posting: reader.entry.posting, ...own })
      worked += 128 + reader.entry.posting.counts.length
      const reading = reader.next()
      if (reading) await reading
    }
    const merged = mergePostings(parts, postings)
    if (merged.documents > 0) writer.add(least, merged)
    if (worked > BYTES_PER_TURN) {
      worked = 0
      await turn()
    }
    if (blocks.length < BLOCKS_PER_STEP) continue
    yield blocks
    blocks = []
  }
  writer.end()
  yield blocks
}

function leastOf(readers: readonly SegmentReader[]): string | null {
  let least: string | null = null
  const isPlain = readers.every((reader) => reader.isPlain)
  for (const { entry } of readers) {
    if (!entry || entry.term === least) continue
    if (least === null || (isPlain ? entry.term < least : compareTerms(entry.term, least) < 0)) least = entry.term
  }
  return least
}
