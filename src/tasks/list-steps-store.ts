import { setImmediate } from 'node:timers/promises'
import { Bindings, type Queries, type WorkspaceId } from '../db/database'
import { byIndex, integersIn } from '../db/dialect'
import type { Key } from '../http/cursor'
import { getDayRange } from './filter/ranges'
import { countTexts, dropTexts } from './filter/resolve'
import { buildTaskFilterConditions, getSortKeyRange, type TaskFilter } from './filter/store'
import { DATE_FIELDS } from './filter/syntax'
import { findPlaceAt, type ListedRow, listInOrderOfFirst, listRange, type TaskListing } from './list-store'

/** Tasks of which one step of a list evaluates the filter: less than a millisecond, or some for the largest notes. */
const ROWS_PER_STEP = 256
/** Bytes of tasks in which one step searches for a text; each text of a filter searches them again. */
const TEXT_BYTES_PER_STEP = 512 * 1024
/** Matching tasks that are collected before they are sorted. */
const ROWS_PER_SORT = 2000

/**
 * Lists the tasks of a page in order, without reading their texts. A filter may match none of very many tasks, so they
 * are read in steps, with a turn of the event loop between any two.
 */
export async function listTaskKeys(db: Queries, workspace: WorkspaceId, listing: TaskListing): Promise<ListedRow[]> {
  const { filter, trashed, candidates } = listing
  if (candidates) return collect(db, workspace, listing, listCandidateSteps(candidates))
  if (trashed) return collect(db, workspace, listing, listTrashSteps(db, workspace))
  if (filter.filter === null) return listRange(db, workspace, listing)
  return listing.sort.length === 1
    ? walkInOrder(db, workspace, listing)
    : collect(db, workspace, listing, listStepsOfFirst(db, workspace, listing))
}

/** Reads the index of the sort step by step, until the page is full. */
async function walkInOrder(db: Queries, workspace: WorkspaceId, listing: TaskListing): Promise<ListedRow[]> {
  const found = new Map<number, ListedRow>()
  const matcher = new Matcher(db, workspace, listing.filter)
  const { first, last } = getPlaces(listing)
  let after = listing.after ?? first
  for (;;) {
    const until = await findPlaceAt(db, workspace, { ...listing, after }, ROWS_PER_STEP)
    const rows = await listRange(db, workspace, { ...listing, after, until, ...matcher.firstPass(listing.limit) })
    for await (const row of matcher.keepMatching(rows)) {
      // A task that is changed between two steps may come again.
      if (!found.has(row.key)) found.set(row.key, row)
      if (found.size === listing.limit) return [...found.values()]
    }
    if (!until || (last !== null && isBeyond(until, last, listing))) return [...found.values()]
    after = until
    await setImmediate()
  }
}

/** Returns the sort keys between which all matching tasks are, if the filter restricts the date of the sort. */
function getPlaces({ filter, sort }: TaskListing): { first: readonly Key[] | null; last: Key } {
  const [key] = sort
  const field = DATE_FIELDS.find((name) => name === key?.name)
  const days = field && filter.filter && getDayRange(filter.filter, field, filter)
  if (!days) return { first: null, last: null }
  const { from, to } = getSortKeyRange(field, days, filter)
  // Behind every id of the tasks with this key, in a descending order.
  return key?.descending
    ? { first: to === null ? null : [to, ''], last: from }
    : { first: from === null ? null : [from, ''], last: to }
}

function isBeyond([key = null]: readonly Key[], last: Key, { sort }: TaskListing): boolean {
  if (key === null || last === null) return false
  return sort[0]?.descending ? key < last : key >= last
}

/** Lists a page of the matching tasks among keys that come in any order, in steps. */
async function collect(
  db: Queries,
  workspace: WorkspaceId,
  listing: TaskListing,
  steps: Iterable<Step> | AsyncIterable<Step>,
): Promise<ListedRow[]> {
  const matcher = new Matcher(db, workspace, listing.filter)
  const sortKeys = (candidates: readonly number[], filter: TaskFilter, limit: number) =>
    listRange(db, workspace, { ...listing, candidates, filter, limit })
  const any = { ...listing.filter, filter: null }
  let best: number[] = []
  for await (const { keys, last } of steps) {
    const rows = await sortKeys(keys, matcher.firstPass(0).filter, keys.length)
    for await (const { key } of matcher.keepMatching(rows)) best.push(key)
    if (best.length > ROWS_PER_SORT || (last !== undefined && best.length >= listing.limit)) {
      const sorted = await sortKeys(best, any, listing.limit)
      // The tasks of later steps come after all with another first key than the last one of this step.
      if (last !== undefined && sorted.length === listing.limit && sorted.at(-1)?.sorted[0] !== last) return sorted
      best = sorted.map(({ key }) => key)
    }
    if (keys.length === ROWS_PER_STEP) await setImmediate()
  }
  return best.length > 0 ? sortKeys(best, any, listing.limit) : []
}

/** Tasks of which a step evaluates the filter. */
interface Step {
  readonly keys: readonly number[]
  /** The first sort key of the last of them, if the steps are in the order of that key. */
  readonly last?: Key | undefined
}

function* listCandidateSteps(candidates: readonly number[]): Generator<Step> {
  for (let at = 0; at < candidates.length; at += ROWS_PER_STEP) yield { keys: candidates.slice(at, at + ROWS_PER_STEP) }
}

/** Yields all tasks in the order of the first of several sort keys. */
async function* listStepsOfFirst(db: Queries, workspace: WorkspaceId, listing: TaskListing): AsyncGenerator<Step> {
  const { first, last } = getPlaces(listing)
  const [after] = listing.after ?? []
  // Of the tasks with the first key of the cursor some may follow it, whatever their id.
  let place = after === undefined ? first : [after, listing.sort[0]?.descending ? AFTER_ALL_IDS : '']
  for (;;) {
    const rows = await listInOrderOfFirst(db, workspace, listing, place, ROWS_PER_STEP)
    const end = rows.at(-1)?.place
    if (!end) return
    yield { keys: rows.map(({ key }) => key), last: end[0] }
    if (rows.length < ROWS_PER_STEP || (last !== null && isBeyond(end, last, listing))) return
    place = end
  }
}

/** Sorts after every id. */
const AFTER_ALL_IDS = '~'

async function* listTrashSteps(db: Queries, workspace: WorkspaceId): AsyncGenerator<Step> {
  let rows: { key: number; deleted_at: number; id: string }[] = []
  do {
    const { deleted_at = 0, id = '' } = rows.at(-1) ?? {}
    rows = await db.all(
      `SELECT key, deleted_at, id FROM tasks ${byIndex('tasks_in_trash')}
       WHERE workspace = $1 AND deleted_at IS NOT NULL AND (deleted_at, id) > ($2, $3)
       ORDER BY deleted_at, id LIMIT $4`,
      [workspace, deleted_at, id, ROWS_PER_STEP],
    )
    if (rows.length > 0) yield { keys: rows.map(({ key }) => key) }
  } while (rows.length === ROWS_PER_STEP)
}

/**
 * Evaluates a filter in two passes: the tasks that all but its texts match, and those of them that it matches. How long
 * the second takes depends on the size of the tasks, which the first tells.
 */
class Matcher {
  readonly #db: Queries
  readonly #workspace: WorkspaceId
  readonly #filter: TaskFilter
  readonly #texts: number

  constructor(db: Queries, workspace: WorkspaceId, filter: TaskFilter) {
    this.#db = db
    this.#workspace = workspace
    this.#filter = filter
    this.#texts = filter.filter === null ? 0 : countTexts(filter.filter)
  }

  /** Returns the filter of the first pass, and how many rows it may return if `limit` tasks are searched. */
  firstPass(limit: number): { filter: TaskFilter; limit: number } {
    const { filter } = this.#filter
    if (filter === null || this.#texts === 0) return { filter: this.#filter, limit }
    return { filter: { ...this.#filter, filter: dropTexts(filter) }, limit: 2 * ROWS_PER_STEP }
  }

  /** Yields the rows of the first pass that match, in their order. */
  async *keepMatching(rows: readonly ListedRow[]): AsyncGenerator<ListedRow> {
    if (this.#texts === 0) return yield* rows
    for (let at = 0; at < rows.length; ) {
      let [end, bytes] = [at, 0]
      while (end < rows.length && (end === at || bytes < TEXT_BYTES_PER_STEP / this.#texts))
        bytes += rows[end++]?.size_bytes ?? 0
      const step = rows.slice(at, end)
      const matching = await this.#filterMatching(step.map(({ key }) => key))
      yield* step.filter(({ key }) => matching.has(key))
      at = end
      if (at < rows.length) await setImmediate()
    }
  }

  async #filterMatching(keys: readonly number[]): Promise<ReadonlySet<number>> {
    const bind = new Bindings(this.#workspace, JSON.stringify(keys))
    const rows = await this.#db.all<{ key: number }>(
      `SELECT tasks.key FROM tasks WHERE tasks.key IN ${integersIn('$2')}
         AND +tasks.workspace = $1 ${buildTaskFilterConditions(this.#filter, bind)}`,
      bind.values,
    )
    return new Set(rows.map(({ key }) => key))
  }
}
