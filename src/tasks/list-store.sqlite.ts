import { setImmediate } from 'node:timers/promises'
import type { Queries, WorkspaceId } from '../db/database'
import { Bindings } from '../db/database'
import type { Key } from '../http/cursor'
import { countTexts, dropTexts } from './filter/resolve'
import { buildTaskFilterConditions, type TaskFilter } from './filter/store'
import type { SortName, TaskSort } from './schema'

/** Which tasks a page shows, and in which order. */
export interface TaskListing {
  readonly filter: TaskFilter
  readonly trashed: boolean
  readonly sort: TaskSort
  /** The sort key and the id of the last task shown, or null for the first page. */
  readonly after: readonly Key[] | null
  readonly limit: number
  /** A few keys that include those of all matching tasks; null: the index of the sort is read instead. */
  readonly candidates: readonly number[] | null
}

/** The columns that a page needs before it reads whole tasks. */
export interface ListedRow {
  readonly key: number
  readonly id: string
  readonly sorted: string | number
  readonly size_bytes: number
}

/** The columns to sort by; each has an index `tasks_by_…` that begins with `closed`. */
const COLUMNS = {
  due: 'due_key',
  start: 'start_key',
  priority: 'urgency',
  position: 'position',
  created: 'created_at',
  updated: 'updated_at',
  title: 'title_key',
} as const satisfies Record<SortName, string>

/** Returns the type of the first sort key. */
export function getSortKeyKind(sort: TaskSort): 'string' | 'number' {
  return /priority|created|updated/.test(sort) ? 'number' : 'string'
}

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
  return filter.filter === null ? listRange(db, workspace, listing) : walkInOrder(db, workspace, listing)
}

/** A listing from one place of the order to another. */
interface RangeListing extends TaskListing {
  /** The sort key and the id of the last task of the range; absent if it has no end. */
  readonly until?: readonly Key[] | null
}

function listRange(db: Queries, workspace: WorkspaceId, listing: RangeListing): Promise<ListedRow[]> {
  const bind = new Bindings(workspace)
  return db.all<ListedRow>(mergeSelects(buildSelects(listing, bind), listing, bind.add(listing.limit)), bind.values)
}

/** Joins SELECTs, each of which can read its index in order. */
function mergeSelects(selects: readonly string[], { sort }: TaskListing, limit: string, offset = ''): string {
  const order = sort.startsWith('-') ? 'DESC' : 'ASC'
  const each = selects.map(
    (select) => `SELECT * FROM (${select} ORDER BY sorted ${order}, id ${order} LIMIT ${limit} ${offset})`,
  )
  return `${each.join(' UNION ALL ')} ORDER BY sorted ${order}, id ${order} LIMIT ${limit}`
}

/** Reads the index of the sort step by step, until the page is full. */
async function walkInOrder(db: Queries, workspace: WorkspaceId, listing: TaskListing): Promise<ListedRow[]> {
  const found = new Map<number, ListedRow>()
  const matcher = new Matcher(db, workspace, listing.filter)
  let { after } = listing
  for (;;) {
    const until = await findStepEnd(db, workspace, { ...listing, after })
    const rows = await listRange(db, workspace, { ...listing, after, until, ...matcher.firstPass(listing.limit) })
    for await (const row of matcher.keepMatching(rows)) {
      // A task that is changed between two steps may come again.
      if (!found.has(row.key)) found.set(row.key, row)
      if (found.size === listing.limit) return [...found.values()]
    }
    if (!until) return [...found.values()]
    after = until
    await setImmediate()
  }
}

/** Returns the place of the last task of the next step; null if it is the last step. Reads only the index. */
async function findStepEnd(
  db: Queries,
  workspace: WorkspaceId,
  listing: TaskListing,
): Promise<readonly [string | number, string] | null> {
  const bind = new Bindings(workspace)
  const every = { ...listing, filter: { ...listing.filter, filter: null } }
  const selects = buildSelects(every, bind, 'tasks.id')
  const sql = mergeSelects(selects, listing, bind.add(1), `OFFSET ${bind.add(ROWS_PER_STEP - 1)}`)
  const end = await db.get<Pick<ListedRow, 'sorted' | 'id'>>(sql, bind.values)
  return end && [end.sorted, end.id]
}

/** Lists a page of the matching tasks among keys that come in any order, in steps. */
async function collect(
  db: Queries,
  workspace: WorkspaceId,
  listing: TaskListing,
  steps: Iterable<readonly number[]> | AsyncIterable<readonly number[]>,
): Promise<ListedRow[]> {
  const matcher = new Matcher(db, workspace, listing.filter)
  const sortKeys = (candidates: readonly number[], filter: TaskFilter, limit: number) =>
    listRange(db, workspace, { ...listing, candidates, filter, limit })
  const any = { ...listing.filter, filter: null }
  let best: number[] = []
  for await (const step of steps) {
    if (best.length > 0) await setImmediate()
    const rows = await sortKeys(step, matcher.firstPass(0).filter, step.length)
    for await (const { key } of matcher.keepMatching(rows)) best.push(key)
    if (best.length > ROWS_PER_SORT) best = (await sortKeys(best, any, listing.limit)).map(({ key }) => key)
  }
  return best.length > 0 ? sortKeys(best, any, listing.limit) : []
}

function* listCandidateSteps(keys: readonly number[]): Generator<readonly number[]> {
  for (let at = 0; at < keys.length; at += ROWS_PER_STEP) yield keys.slice(at, at + ROWS_PER_STEP)
}

async function* listTrashSteps(db: Queries, workspace: WorkspaceId): AsyncGenerator<readonly number[]> {
  let rows: { key: number; deleted_at: number; id: string }[] = []
  do {
    const { deleted_at = 0, id = '' } = rows.at(-1) ?? {}
    rows = await db.all(
      `SELECT key, deleted_at, id FROM tasks INDEXED BY tasks_in_trash
       WHERE workspace = $1 AND deleted_at IS NOT NULL AND (deleted_at, id) > ($2, $3)
       ORDER BY deleted_at, id LIMIT $4`,
      [workspace, deleted_at, id, ROWS_PER_STEP],
    )
    if (rows.length > 0) yield rows.map(({ key }) => key)
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
      `SELECT tasks.key FROM tasks WHERE tasks.key IN (SELECT value FROM json_each($2))
         AND +tasks.workspace = $1 ${buildTaskFilterConditions(this.#filter, bind)}`,
      bind.values,
    )
    return new Set(rows.map(({ key }) => key))
  }
}

const ALL_COLUMNS = 'tasks.key, tasks.id, tasks.size_bytes'

/** Builds one SELECT, or one for open and one for closed tasks: each can read its index in order. */
function buildSelects(
  { filter, trashed, sort, after, until, candidates }: RangeListing,
  bind: Bindings,
  columns = ALL_COLUMNS,
): string[] {
  const name = sort.replace('-', '') as SortName
  const column = `tasks.${COLUMNS[name]}`
  const select = `SELECT ${columns}, ${column} AS sorted FROM tasks`
  const [behind, before] = sort.startsWith('-') ? ['<', '>='] : ['>', '<=']
  const bound = (place: readonly Key[] | null | undefined, sign: string) =>
    place ? `AND (${column}, tasks.id) ${sign} (${place.map((key) => bind.add(key)).join(', ')})` : ''
  const range = `${bound(after, behind)} ${bound(until, before)}`
  const where = (closed: TaskFilter['closed']) => `${buildTaskFilterConditions({ ...filter, closed }, bind)} ${range}`
  const deleted = trashed ? 'tasks.deleted_at IS NOT NULL' : 'tasks.deleted_at IS NULL'
  if (candidates)
    return [
      `${select} WHERE tasks.key IN (SELECT value FROM json_each(${bind.add(JSON.stringify(candidates))}))
         AND +tasks.workspace = $1 AND ${deleted} ${where(filter.closed)}`,
    ]
  return filter.closed.map(
    (closed) =>
      `${select} INDEXED BY tasks_by_${name === 'priority' ? 'urgency' : name} WHERE tasks.workspace = $1
         AND tasks.deleted_at IS NULL ${where([closed])}`,
  )
}
