/** A workspace's index as one search sees it: the stored segments, and one more in memory for the pending documents. */
import { type Context, DatabaseUnavailable, type Session } from '../db/database'
import { type Block, type Entry, findInBlock, readBlock } from './blocks'
import { type Depth, findBlocks, readBlocks } from './find-store'
import { listDead, listPending, listSegments, type StoredSegment } from './index-store'
import type { Indexing } from './indexing'
import { countDocs } from './masks'
import { NumberReader, type Posting, readCounts } from './postings'
import { buildSegment, type Documents, markCurrent, type Segment } from './segment'
import type { SegmentCache } from './segment-cache'
import { yieldTurn } from './steps'
import { findBlocksWithTerms, forEachTerm, type TermRange, type Vocabulary } from './vocabulary'

/** Pending documents that a search analyzes itself; with more, they are indexed first. */
const MAX_PENDING = 16
/** UTF-16 units of their texts, likewise. */
const MAX_PENDING_UNITS = 64 * 1024
/** The time for which a search waits for indexing; then it searches what is indexed. */
const INDEX_WAIT_MS = 5000
/** The time for which a search may block the event loop. */
const TURN_MS = 10
/** Blocks that are read first, since they may be enough. */
const FIRST_BLOCKS = 8
/** Blocks that are read at a time after that. */
const BLOCKS_PER_READ = 32
/** Terms that are looked up in one query: a few milliseconds. */
const TERMS_PER_READ = 64

/** The posting of a term in each part of the index; null if a part does not have it. */
export type Postings = readonly (Posting | null)[]

export interface ViewDeps extends Pick<Context, 'ticks'> {
  readonly indexing: Indexing
  /** The caches of segments and of their terms. */
  readonly segments: SegmentCache<StoredSegment>
  readonly vocabularies: SegmentCache<Vocabulary>
}

/** A view of the index for one request. It caches the postings that it reads. */
export class IndexView {
  /** The documents of each part, oldest first. */
  readonly parts: readonly Documents[]
  /** For each part and document: 1 if it is current. */
  readonly current: readonly Uint8Array[]
  readonly languages: ReadonlySet<string>
  /** Whether some documents are still pending. */
  readonly incomplete: boolean
  readonly #session: Session
  readonly #ticks: () => number
  readonly #vocabularies: SegmentCache<Vocabulary>
  readonly #segments: readonly number[]
  readonly #fresh: ReadonlyMap<string, Posting>
  /** The number of outdated documents of each part, once one was needed. */
  #dead: readonly number[] | null = null
  /** The postings that were read already, without and with places. */
  readonly #counted = new Map<string, (Posting | null)[]>()
  readonly #placed = new Map<string, (Posting | null)[]>()
  #turnBegan: number

  private constructor(
    session: Session,
    ticks: () => number,
    vocabularies: SegmentCache<Vocabulary>,
    index: StoredIndex,
  ) {
    const { stored, dead, fresh } = index
    this.#session = session
    this.#ticks = ticks
    this.#vocabularies = vocabularies
    this.#turnBegan = ticks()
    this.#segments = stored.map(({ segment }) => segment)
    this.parts = [...stored.map(({ documents }) => documents), ...(fresh ? [fresh.documents] : [])]
    this.current = markCurrent(this.parts, dead)
    this.languages = new Set([...stored.flatMap(({ languages }) => languages), ...(fresh?.languages ?? [])])
    this.#fresh = new Map(
      fresh?.blocks.flatMap((block) => readBlock(block).map(({ term, posting }) => [term, posting])),
    )
    this.incomplete = index.incomplete
  }

  /** Opens a view. @param wait how long it may index pending documents first, in milliseconds */
  static async open(
    session: Session,
    { indexing, ticks, segments, vocabularies }: ViewDeps,
    wait = INDEX_WAIT_MS,
  ): Promise<IndexView> {
    const { db, workspace } = session
    const until = ticks() + wait
    for (;;) {
      const pending = await listPending(db, workspace.id, MAX_PENDING + 1)
      const few = pending.length <= MAX_PENDING
      const read = few ? await indexing.analyzePending(db, workspace.id, pending, MAX_PENDING_UNITS) : null
      if (!read && ticks() < until && (await tryIndexBatch(indexing, session))) continue
      const documents = read ?? []
      const [stored, dead] = [await listSegments(db, workspace.id, segments), await listDead(db, workspace.id)]
      // Documents that were indexed since they were listed are in the segments already.
      const newest = stored.at(-1)?.documents.docs.at(-1) ?? 0
      const unwritten = documents.filter(({ doc }) => doc > newest)
      const fresh = unwritten.length > 0 ? buildSegment(unwritten) : null
      return new IndexView(session, ticks, vocabularies, { stored, dead, fresh, incomplete: read === null })
    }
  }

  /** Whether a current document has a term. */
  occurs(readPostings: Postings = []): boolean {
    this.#dead ??= this.current.map((mask) => mask.length - countDocs(mask))
    const dead = this.#dead
    return readPostings.some((posting, part) => {
      if (!posting) return false
      const living = this.current[part]
      if (posting.documents > (dead[part] ?? 0)) return true
      const { length, docs } = readCounts(posting.counts)
      return docs.subarray(0, length).some((doc) => living?.[doc] === 1)
    })
  }

  /** Lets other requests run, if this search has taken long. The caller continues with the same segments. */
  async yieldTurn(): Promise<void> {
    if (this.#ticks() - this.#turnBegan < TURN_MS) return
    await yieldTurn()
    this.#turnBegan = this.#ticks()
  }

  /** Reads the postings of each term. @param places whether to read places in addition to counts */
  async postings(terms: readonly string[], places = false): Promise<Map<string, Postings>> {
    const { db, workspace } = this.#session
    const known = places ? this.#placed : this.#counted
    const unread = terms.filter((term) => !known.has(term))
    for (const term of unread) {
      const list = this.parts.map((): Posting | null => null)
      const posting = this.#fresh.get(term)
      if (posting) list[list.length - 1] = posting
      known.set(term, list)
    }
    for (let at = 0; at < unread.length && this.#segments.length > 0; at += TERMS_PER_READ) {
      const some = unread.slice(at, at + TERMS_PER_READ)
      for (const block of await findBlocks(db, workspace.id, this.#segments, some, places)) {
        const entry = findInBlock(block, block.term)
        const list = known.get(block.term)
        if (entry && list) list[this.#segments.indexOf(block.segment)] = entry.posting
      }
      await this.yieldTurn()
    }
    return new Map(terms.map((term) => [term, known.get(term) ?? []]))
  }

  /**
   * Calls `take` with the wanted terms of a range, part by part. Terms of the same blocks outside the range come as
   * well.
   * @param take returns whether to skip the rest of the part
   */
  async scan(
    range: TermRange,
    depth: Depth,
    wanted: (term: string) => boolean,
    take: (part: number, entry: Entry) => boolean | undefined,
  ): Promise<void> {
    const { db, workspace } = this.#session
    const reading = { db, workspace: workspace.id, cache: this.#vocabularies, yieldTurn: () => this.yieldTurn() }
    for (const [part, segment] of this.#segments.entries()) {
      const terms = new Map(await findBlocksWithTerms(reading, segment, range, wanted))
      const firsts = [...terms.keys()]
      let done = false
      for (let at = 0, some = FIRST_BLOCKS; at < firsts.length && !done; at += some, some = BLOCKS_PER_READ) {
        for (const block of await readBlocks(db, workspace.id, segment, firsts.slice(at, at + some), depth)) {
          done ||= forEachWanted(
            { ...block, terms: terms.get(block.first) ?? '' },
            range,
            wanted,
            (entry) => take(part, entry) === true,
          )
          await this.yieldTurn()
        }
      }
    }
    for (const [term, posting] of this.#fresh)
      if ((range.piece === null || term.includes(range.piece)) && wanted(term))
        take(this.parts.length - 1, { term, posting })
  }
}

interface StoredIndex {
  readonly stored: Awaited<ReturnType<typeof listSegments>>
  readonly dead: readonly number[]
  readonly fresh: Segment | null
  readonly incomplete: boolean
}

/** Indexes a batch of pending documents; false if the disk is full: then the search goes on without them. */
async function tryIndexBatch(indexing: Indexing, { workspace }: Session): Promise<boolean> {
  try {
    await indexing.indexBatch(workspace.id)
    return true
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return false
    throw error
  }
}

const NOTHING = new Uint8Array()

/** Calls `take` with the wanted entries of a block until it returns true; returns whether it did. */
function forEachWanted(
  { terms, sizes, counts, places }: Pick<Block, 'terms' | 'sizes'> & Partial<Block>,
  range: TermRange,
  wanted: (term: string) => boolean,
  take: (entry: Entry) => boolean,
): boolean {
  const numbers = new NumberReader(sizes)
  let [counted, placed, next] = [0, 0, 0]
  return forEachTerm(terms, range, (index, term) => {
    if (!wanted(term)) return false
    for (; next < index; next++) {
      numbers.skip(1)
      counted += numbers.next()
      placed += numbers.next()
    }
    next++
    const [documents, countBytes, placeBytes] = [numbers.next(), numbers.next(), numbers.next()]
    const posting = {
      documents,
      counts: counts?.subarray(counted, counted + countBytes) ?? NOTHING,
      places: places?.subarray(placed, placed + placeBytes) ?? NOTHING,
    }
    counted += countBytes
    placed += placeBytes
    return take({ term, posting })
  })
}
