/**
 * Keeps the index: texts are indexed after their commit, in steps, from the row that their transaction left. A workspace's
 * index is a list of segments; new documents make a small one, and eight of a size become one of the next.
 */
import type { Database, Queries, WorkspaceId } from '../db/database'
import { analyze } from './analyze'
import { type Block, BlockWriter, compareTerms, type Entry, readBlock } from './blocks'
import {
  addBlocks,
  addSegment,
  dropBlocks,
  listBlocks,
  listLiving,
  listPending,
  listSegments,
  listUnready,
  nextPending,
  type Pending,
  type StoredSegment,
  setReady,
  setUnready,
} from './index-store'
import { mergePostings, type Posting } from './postings'
import { buildSegment, type Document, type Documents, type Segment } from './segment'
import type { Sources } from './source'

/** Documents, and UTF-16 units of their texts, that become one segment. */
const SEGMENT_DOCUMENTS = 64
const SEGMENT_UNITS = 256 * 1024
/** UTF-16 units that are analyzed in one turn of the event loop: some 10 ms. */
const TURN_UNITS = 32 * 1024
/** So many segments of a size become one: a document is written once for each power of it. */
const FAN = 8
/** Blocks in one transaction, of some 4 KiB each: a few milliseconds. */
const BLOCKS_PER_STEP = 64
/** Blocks of a segment that are read at once, and bytes that are merged in one turn of the event loop: a few milliseconds. */
const BLOCKS_READ = 16
const BYTES_PER_TURN = 256 * 1024
/** A search that began before a segment was replaced may read it for so long. */
const LINGER_MS = 30_000

export interface IndexingDeps {
  readonly db: Database
  readonly sources: Sources
  /** Milliseconds since 1970. */
  readonly now: () => number
}

export interface Indexing {
  /** Indexes some of what is pending in a workspace; false if nothing is. */
  step(workspace: WorkspaceId): Promise<boolean>
  /** Analyzes what is pending, without writing anything. */
  read(db: Queries, workspace: WorkspaceId, pending: readonly Pending[]): Promise<Segment>
  /** Indexes all that is pending, merges, and throws away what was replaced, until `signal` is aborted. */
  run(signal: AbortSignal): Promise<void>
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

export function createIndexing({ db, sources, now }: IndexingDeps): Indexing {
  /** Segments that this process is writing. */
  const writing = new Set<number>()
  const replacedAt = new Map<number, number>()
  /** What is done to a workspace's index, one after the other. */
  const queues = new Map<WorkspaceId, Promise<unknown>>()

  function inTurn<T>(workspace: WorkspaceId, work: () => Promise<T>): Promise<T> {
    const result = (queues.get(workspace) ?? Promise.resolve()).then(work, work)
    queues.set(workspace, result)
    const done = () => {
      if (queues.get(workspace) === result) queues.delete(workspace)
    }
    result.then(done, done)
    return result
  }

  async function documentsOf(reader: Queries, workspace: WorkspaceId, pending: readonly Pending[]) {
    const documents: Document[] = []
    let units = 0
    let turnUnits = 0
    for (const { doc, type, key } of pending) {
      const texts = (await sources[type].texts(reader, workspace, [key])).get(key)
      if (!texts) continue
      const fields = [texts.title, texts.tags.join('\n'), texts.body] as const
      const length = fields.reduce((sum, field) => sum + field.length, 0)
      documents.push({ doc, type, analysis: analyze(fields, texts.marks) })
      units += length
      turnUnits += length
      if (units >= SEGMENT_UNITS) break
      if (turnUnits >= TURN_UNITS) {
        turnUnits = 0
        await turn()
      }
    }
    return documents
  }

  async function write(workspace: WorkspaceId, segment: Omit<Segment, 'terms'>, blocks: AsyncIterable<Block[]>, finish: (tx: Queries, id: number) => Promise<void>) {
    const id = await db.transaction((tx) => addSegment(tx, workspace, segment))
    writing.add(id)
    try {
      for await (const some of blocks) await db.transaction((tx) => addBlocks(tx, id, some))
      await db.transaction((tx) => finish(tx, id))
    } finally {
      writing.delete(id)
    }
  }

  async function indexSome(workspace: WorkspaceId): Promise<boolean> {
    const pending = await listPending(db, workspace, SEGMENT_DOCUMENTS)
    if (pending.length === 0) return false
    const documents = await documentsOf(db, workspace, pending)
    const last = documents.at(-1)?.doc ?? Number.POSITIVE_INFINITY
    const done = pending.filter(({ doc }) => documents.length < 1 || doc <= last).map(({ doc }) => doc)
    if (documents.length === 0) {
      // Rows of what is gone: whoever erased it may have been interrupted.
      await db.transaction((tx) => tx.run('DELETE FROM search_docs WHERE doc IN (SELECT value FROM json_each($1))', [JSON.stringify(done)]).then(() => {}))
      return true
    }
    const segment = buildSegment(documents)
    await write(workspace, segment, blocksOf(segment), (tx, id) => setReady(tx, id, done))
    return true
  }

  /** Merges the newest segments where there are many of a size. Answers whether it did. */
  async function mergeSome(workspace: WorkspaceId): Promise<boolean> {
    const segments = await listSegments(db, workspace)
    const chosen = chooseMerge(segments.map(({ documents }) => documents.count))
    const parts = segments.slice(segments.length - chosen)
    if (parts.length === 0) return false
    const numbers: Int32Array[] = []
    const kept: { part: Documents; number: number }[] = []
    for (const { documents } of parts) {
      const living = await listLiving(db, workspace, documents.docs)
      numbers.push(
        Int32Array.from(documents.docs, (doc, number) => (living.has(doc) ? kept.push({ part: documents, number }) - 1 : -1)),
      )
    }
    const length = (field: 0 | 1 | 2) => Uint32Array.from(kept, ({ part, number }) => part.lengths[field][number] ?? 0)
    const segment = {
      documents: {
        count: kept.length,
        docs: Float64Array.from(kept, ({ part, number }) => part.docs[number] ?? 0),
        types: Uint8Array.from(kept, ({ part, number }) => part.types[number] ?? 0),
        lengths: [length(0), length(1), length(2)] as const,
      },
      languages: new Set(parts.flatMap(({ languages }) => languages)),
    }
    const old = parts.map((part) => part.segment)
    await write(workspace, segment, mergedBlocks(db, old, numbers), async (tx, id) => {
      await setReady(tx, id, [])
      await setUnready(tx, old)
    })
    for (const one of old) replacedAt.set(one, now())
    return true
  }

  /** Throws away the terms of segments that nobody reads any more. */
  async function dropUnready(signal: AbortSignal): Promise<void> {
    for (const segment of await listUnready(db)) {
      if (writing.has(segment) || now() < (replacedAt.get(segment) ?? 0) + LINGER_MS) continue
      let done = false
      while (!done && !signal.aborted) {
        done = await db.transaction((tx) => dropBlocks(tx, segment, BLOCKS_PER_STEP))
        await turn()
      }
      replacedAt.delete(segment)
    }
  }

  return {
    step: (workspace) => inTurn(workspace, () => indexSome(workspace)),
    read: async (reader, workspace, pending) => buildSegment(await documentsOf(reader, workspace, pending)),
    async run(signal) {
      let workspace = await nextPending(db, '')
      while (workspace && !signal.aborted) {
        const own = workspace
        while (!signal.aborted && (await inTurn(own, () => indexSome(own)))) {
          while (!signal.aborted && (await inTurn(own, () => mergeSome(own)))) await turn()
          await turn()
        }
        workspace = await nextPending(db, own)
      }
      await dropUnready(signal)
    },
  }
}

/** How many of the newest segments become one, by their numbers of documents in the order of age; 0 for none. */
export function chooseMerge(sizes: readonly number[]): number {
  const level = (size: number) => Math.floor(Math.log(Math.max(1, size)) / Math.log(FAN))
  let chosen = 0
  for (let most = 0; most <= level(Math.max(1, ...sizes)); most++) {
    const first = sizes.findLastIndex((size) => level(size) > most) + 1
    if (sizes.length - first >= FAN) chosen = sizes.length - first
  }
  return chosen
}

async function* blocksOf({ terms }: Segment): AsyncGenerator<Block[]> {
  let blocks: Block[] = []
  const writer = new BlockWriter((block) => blocks.push(block))
  for (const [term, posting] of terms) {
    writer.add(term, posting)
    if (blocks.length < BLOCKS_PER_STEP) continue
    yield blocks
    blocks = []
    await turn()
  }
  writer.end()
  yield blocks
}

/** The terms of a stored segment, one after the other. It waits only where the next block has to be read. */
class SegmentReader {
  entry: Entry | undefined
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
    this.entry = this.#entries[0]
    this.#at = 1
  }
}

/** The terms of several segments as of one. @param numbers what becomes of the documents of each; see `mergePostings` */
async function* mergedBlocks(
  db: Queries,
  segments: readonly number[],
  numbers: readonly Int32Array[],
): AsyncGenerator<Block[]> {
  let blocks: Block[] = []
  const writer = new BlockWriter((block) => blocks.push(block))
  const readers = segments.map((segment, i) => ({
    reader: new SegmentReader(db, segment),
    numbers: numbers[i] ?? new Int32Array(),
  }))
  for (const { reader } of readers) await reader.next()
  let worked = 0
  for (;;) {
    let least: string | null = null
    for (const { reader } of readers) {
      const term = reader.entry?.term
      if (term !== undefined && (least === null || compareTerms(term, least) < 0)) least = term
    }
    if (least === null) break
    const parts: { posting: Posting; numbers: Int32Array }[] = []
    for (const { reader, numbers: own } of readers) {
      if (reader.entry?.term !== least) continue
      parts.push({ posting: reader.entry.posting, numbers: own })
      worked += 128 + reader.entry.posting.counts.length
      const reading = reader.next()
      if (reading) await reading
    }
    const merged = mergePostings(parts)
    if (merged.counts.length > 0) writer.add(least, merged)
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
