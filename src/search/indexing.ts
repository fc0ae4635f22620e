/**
 * Indexes the documents that triggers marked as pending (see the schema), after the commit and in short steps. The
 * index of a workspace is a list of segments: new documents become a small one, and eight of one size are merged into
 * one.
 */
import { type Context, DatabaseUnavailable, type Queries, type WorkspaceId } from '../db/database'
import { analyzeInSteps } from './analyze'
import { BLOCKS_PER_STEP, type Block } from './blocks'
import {
  addBlocks,
  addSegment,
  deleteBlocks,
  deleteDead,
  deleteErased,
  deletePending,
  findNextPending,
  getNewestPending,
  listDead,
  listErased,
  listPending,
  listSizes,
  listUnready,
  type Pending,
  readSegments,
  type SegmentSize,
  setReady,
  setUnready,
} from './index-store'
import { mergeSegments } from './merging'
import { buildSegmentInSteps, type Document, markCurrent, mergeDocuments, type Segment } from './segment'
import type { SearchSources } from './source'
import { runInTurns, yieldTurn } from './steps'

/** Documents in a new segment, at most. */
const SEGMENT_DOCUMENTS = 512
/** UTF-16 units of texts in a new segment, after which no further document is added. */
const SEGMENT_UNITS = 1024 * 1024
/** UTF-16 units that are analyzed in one turn of the event loop: about 10 ms. */
const TURN_UNITS = 32 * 1024
/** Segments of similar size that are merged into one: a document is rewritten once for each power of it. */
const MERGE_FACTOR = 8
/** Marks of outdated documents that one transaction deletes: a few milliseconds. */
const DEAD_PER_STEP = 1000
/** The time for which a replaced segment is kept, for searches that began before. */
const REPLACED_SEGMENT_MS = 30_000

export interface IndexingDeps extends Pick<Context, 'db' | 'now'> {
  readonly sources: SearchSources
}

/** The indexer of all workspaces. */
export interface Indexing {
  /** Indexes one batch of the pending documents of a workspace; false if there are none. */
  indexBatch(workspace: WorkspaceId): Promise<boolean>
  /** Analyzes pending documents without writing anything; null if their texts exceed `units` UTF-16 units. */
  analyzePending(
    db: Queries,
    workspace: WorkspaceId,
    pending: readonly Pending[],
    units: number,
  ): Promise<Document[] | null>
  /** Indexes all pending documents, merges segments, and deletes replaced ones, until `signal` is aborted. */
  indexAll(signal: AbortSignal): Promise<void>
  /**
   * Purges the terms of erased texts of all workspaces, by merging their segments. `indexAll` deletes the replaced
   * ones.
   */
  purgeErased(signal: AbortSignal): Promise<void>
}

/** Creates the indexer. Work on one workspace runs in turns. */
export function createIndexing({ db, sources, now }: IndexingDeps): Indexing {
  /** Segments that this process is writing. */
  const writing = new Set<number>()
  const replacedAt = new Map<number, number>()
  /** The running work by workspace: one queue writes new segments, another merges existing ones. */
  const queues = new Map<string, Promise<unknown>>()

  function inTurn<T>(queue: string, work: () => Promise<T>): Promise<T> {
    const alone = () => db.exclusively(`search index ${queue}`, work)
    const result = (queues.get(queue) ?? Promise.resolve()).then(alone, alone)
    queues.set(queue, result)
    const done = () => {
      if (queues.get(queue) === result) queues.delete(queue)
    }
    result.then(done, done)
    return result
  }

  /**
   * Reads and analyzes documents, until their texts have `most` UTF-16 units. `gone`: documents whose texts are gone.
   */
  async function analyzeDocuments(reader: Queries, workspace: WorkspaceId, pending: readonly Pending[], most: number) {
    const documents: Document[] = []
    const gone: number[] = []
    let units = 0
    let turnUnits = 0
    for (const { doc, type, key } of pending) {
      if (units >= most) return { documents, gone, isAll: false }
      const texts = (await sources[type].readTexts(reader, workspace, [key])).get(key)
      if (!texts) {
        gone.push(doc)
        continue
      }
      const fields = [texts.title, texts.tags.join('\n'), texts.body] as const
      const length = fields.reduce((sum, field) => sum + field.length, 0)
      documents.push({ doc, type, analysis: await runInTurns(analyzeInSteps(fields, texts.marks)) })
      units += length
      turnUnits += length
      if (turnUnits < TURN_UNITS) continue
      turnUnits = 0
      await yieldTurn()
    }
    return { documents, gone, isAll: true }
  }

  /** Writes a segment batch by batch. @param finish runs in the transaction of the last batch */
  async function writeSegment(
    workspace: WorkspaceId,
    segment: Omit<Segment, 'blocks'>,
    blocks: AsyncIterable<readonly Block[]>,
    finish: (tx: Queries, id: number) => Promise<void>,
  ): Promise<void> {
    const owned = db.ownedBy(workspace)
    let id: number | null = null
    /** The last batch, kept back for the transaction that runs `finish`. */
    let held: readonly Block[] = []
    const put = async (tx: Queries) => {
      id ??= await addSegment(tx, workspace, segment)
      writing.add(id)
      await addBlocks(tx, workspace, id, held)
      return id
    }
    try {
      for await (const some of blocks) {
        if (held.length > 0) await owned.transaction(put)
        held = some
      }
      await owned.transaction(async (tx) => finish(tx, await put(tx)))
    } finally {
      if (id !== null) writing.delete(id)
    }
  }

  /** Indexes one batch. Returns its newest document; 0 if nothing was pending. */
  async function indexBatch(workspace: WorkspaceId): Promise<number> {
    const pending = await listPending(db, workspace, SEGMENT_DOCUMENTS)
    const { documents, gone } = await analyzeDocuments(db, workspace, pending, SEGMENT_UNITS)
    const newest = Math.max(0, documents.at(-1)?.doc ?? 0, gone.at(-1) ?? 0)
    if (documents.length === 0) {
      // A process that was interrupted while it erased texts leaves such documents.
      if (gone.length > 0) await db.ownedBy(workspace).transaction((tx) => deletePending(tx, workspace, gone))
      return newest
    }
    const segment = await runInTurns(buildSegmentInSteps(documents))
    await writeSegment(workspace, segment, batchBlocks(segment), async (tx, id) => {
      await setReady(tx, workspace, id, Array.from(segment.documents.docs))
      if (gone.length > 0) await deletePending(tx, workspace, gone)
    })
    return newest
  }

  /**
   * Merges segments if there are many of one size, or most of one is outdated. Returns whether it did.
   * @param choose selects the segments to merge
   */
  async function mergeOnce(workspace: WorkspaceId, choose = chooseMerge): Promise<boolean> {
    const sizes = await listSizes(db, workspace)
    const { from, count } = choose(sizes)
    const chosen = sizes.slice(from, from + count)
    const [first, last] = [chosen[0]?.first_doc, chosen.at(-1)?.last_doc]
    if (first === undefined || last === undefined) return false
    const parts = await readSegments(db, workspace, chosen)
    const dead = await listDead(db, workspace, first, last)
    const documents = parts.map((part) => part.documents)
    const old = parts.map(({ segment }) => segment)
    const merged = mergeDocuments(documents, markCurrent(documents, dead))
    if (merged.documents.count === 0) await db.ownedBy(workspace).transaction((tx) => setUnready(tx, workspace, old))
    else {
      const languages = new Set(parts.flatMap((part) => part.languages))
      const blocks = mergeSegments(db, workspace, old, merged.parts)
      await writeSegment(workspace, { documents: merged.documents, languages }, blocks, async (tx, id) => {
        // If the workspace was erased in between, it stays erased.
        if ((await setUnready(tx, workspace, old)) === old.length) await setReady(tx, workspace, id, null)
      })
    }
    for (const one of old) replacedAt.set(one, now())
    for (let at = 0; at < dead.length; at += DEAD_PER_STEP)
      await db.ownedBy(workspace).transaction((tx) => deleteDead(tx, workspace, dead.slice(at, at + DEAD_PER_STEP)))
    return true
  }

  /** Indexes the pending documents of a workspace, and merges its segments. */
  async function indexWorkspace(workspace: WorkspaceId, signal: AbortSignal): Promise<void> {
    // Texts that are written from now on are left for the next run: indexed one by one they would take much longer.
    const last = await getNewestPending(db, workspace)
    let newest = 0
    do {
      newest = await inTurn(workspace, () => indexBatch(workspace))
      while (!signal.aborted && (await inTurn(`merge ${workspace}`, () => mergeOnce(workspace)))) await yieldTurn()
      await yieldTurn()
    } while (newest > 0 && newest < last && !signal.aborted)
  }

  /** Deletes the segments that no search reads any more. */
  async function deleteUnready(signal: AbortSignal): Promise<void> {
    for (const { workspace, segment } of await listUnready(db)) {
      if (writing.has(segment) || now() < (replacedAt.get(segment) ?? 0) + REPLACED_SEGMENT_MS) continue
      let done = false
      while (!done && !signal.aborted) {
        done = await db.ownedBy(workspace).transaction((tx) => deleteBlocks(tx, workspace, segment, BLOCKS_PER_STEP))
        await yieldTurn()
      }
      replacedAt.delete(segment)
    }
  }

  /** Purges the terms of erased texts from the segments. */
  async function purgeErased(signal: AbortSignal): Promise<void> {
    for (const { workspace, times } of await listErased(db)) {
      while (!signal.aborted && (await inTurn(`merge ${workspace}`, () => mergeOnce(workspace, chooseOutdated))))
        await yieldTurn()
      if (!signal.aborted) await db.ownedBy(workspace).transaction((tx) => deleteErased(tx, workspace, times))
    }
  }

  return {
    purgeErased,
    indexBatch: async (workspace) => (await inTurn(workspace, () => indexBatch(workspace))) > 0,
    async analyzePending(reader, workspace, pending, units) {
      const { documents, isAll } = await analyzeDocuments(reader, workspace, pending, units)
      return isAll ? documents : null
    },
    async indexAll(signal) {
      let failure: unknown = null
      let workspace = await findNextPending(db, '')
      while (workspace && !signal.aborted) {
        const current = workspace
        await indexWorkspace(current, signal).catch((error: unknown) => {
          // Report the failure at the end, but index the other workspaces first.
          if (error instanceof DatabaseUnavailable) throw error
          failure ??= error
        })
        workspace = await findNextPending(db, current)
      }
      await deleteUnready(signal)
      if (failure !== null) throw failure
    },
  }
}

type Sizes = Pick<SegmentSize, 'current' | 'documents'>

/**
 * Chooses the segments to merge: the newest if there are many of one size, else one that is mostly outdated.
 * @param sizes oldest first: how many documents each segment has, and how many of them are current
 */
export function chooseMerge(sizes: readonly Sizes[]): {
  from: number
  count: number
} {
  const level = (size: number) => Math.floor(Math.log(Math.max(1, size)) / Math.log(MERGE_FACTOR))
  const levels = sizes.map(({ current: living }) => level(living))
  let chosen = 0
  for (let most = 0; most <= Math.max(0, ...levels); most++) {
    const newest = levels.slice(levels.findLastIndex((one) => one > most) + 1)
    // Count only the segments of this very size, else the large ones would be rewritten each time.
    if (newest.filter((one) => one === most).length >= MERGE_FACTOR) chosen = newest.length
  }
  if (chosen > 0) return { from: sizes.length - chosen, count: chosen }
  return findFirst(sizes, ({ documents, current: living }) => documents > 2 * living)
}

/** Chooses the first segment with an outdated document. */
function chooseOutdated(sizes: readonly Sizes[]) {
  return findFirst(sizes, ({ documents, current: living }) => documents > living)
}

function findFirst<T>(sizes: readonly T[], isWanted: (size: T) => boolean): { from: number; count: number } {
  const from = sizes.findIndex(isWanted)
  return { from, count: from < 0 ? 0 : 1 }
}

async function* batchBlocks({ blocks }: Segment): AsyncGenerator<readonly Block[]> {
  for (let at = 0; at < blocks.length; at += BLOCKS_PER_STEP) yield blocks.slice(at, at + BLOCKS_PER_STEP)
}
