import { Bindings, type Session } from '../db/database'
import { byIndex, integersIn } from '../db/dialect'
import { keysOf } from '../db/table'
import type { Key } from '../http/cursor'
import { yieldTurn } from '../lib/steps'
import { getDayRange } from './filter/candidates-store'
import { buildTaskFilterConditions, getSortKeyRange, type TaskFilter } from './filter/store'
import { DATE_FIELDS } from './filter/syntax'
import type { SortName } from './list-schema'

export interface SortKey {
  readonly name: SortName
  readonly descending: boolean
}

interface TaskListing {
  readonly filter: TaskFilter
  readonly trashed: boolean
  /** At least one key; ties are sorted by id, in the direction of the last key. */
  readonly sort: readonly SortKey[]
  /** The sort keys and the id of the last task shown, or null for the first page. */
  readonly after: readonly Key[] | null
  readonly limit: number
  /** A few keys that include those of all matching tasks; null: the index of the first sort key is read instead. */
  readonly candidates: readonly number[] | null
}

interface ListedRow {
  readonly key: number
  readonly id: string
  readonly size_bytes: number
  readonly sorted: readonly (string | number)[]
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

export function getSortKeyKind({ name }: SortKey): 'string' | 'number' {
  return name === 'priority' || name === 'created' || name === 'updated' ? 'number' : 'string'
}

interface RangeListing extends TaskListing {
  /** The sort key and the id of the last task of the range, if there is one sort key; null or absent if it has no end. */
  readonly until?: readonly Key[] | null
}

type SortedRow = Pick<ListedRow, 'key' | 'id' | 'size_bytes'> & Record<`sort${number}`, string | number>

/** Lists the tasks of a range in order, without reading their texts. */
async function listRange({ db, workspace }: Session, listing: RangeListing): Promise<ListedRow[]> {
  const bind = new Bindings(workspace.id)
  const limit = `LIMIT ${bind.add(listing.limit)}`
  const rows = await db.all<SortedRow>(mergeSelects(buildSelects(listing, bind), listing, limit), bind.values)
  return rows.map((row) => ({
    key: row.key,
    id: row.id,
    size_bytes: row.size_bytes,
    sorted: listing.sort.map((_, i) => row[`sort${i}`] ?? ''),
  }))
}

/**
 * Returns the place of the task that is `count` tasks further on, whether the filter matches or not: of the open or of
 * the closed ones, whichever comes first. Returns null if there are less of both. Reads only the index.
 */
async function findPlaceAt(
  { db, workspace }: Session,
  listing: TaskListing,
  count: number,
): Promise<readonly Key[] | null> {
  const bind = new Bindings(workspace.id)
  const every = { ...listing, filter: { ...listing.filter, filter: null, archived: 'any' } } as const
  const limit = `LIMIT 1 OFFSET ${bind.add(count - 1)}`
  const sql = mergeSelects(buildSelects(every, bind, 'tasks.id'), listing, limit)
  const place = await db.get<Pick<SortedRow, 'id' | 'sort0'>>(sql, bind.values)
  return place && [place.sort0, place.id]
}

/** Joins SELECTs, each of which can read its index in order. */
function mergeSelects(selects: readonly string[], { sort }: TaskListing, limit: string): string {
  const order = [...sort.map((_, i) => `sort${i}`), 'id']
    .map((column, i) => `${column} ${getOrder(sort, i)}`)
    .join(', ')
  const limited = selects.map((select) => `SELECT * FROM (${select} ORDER BY ${order} ${limit}) AS listed`)
  return `${limited.join(' UNION ALL ')} ORDER BY ${order} ${limit.replace(/ OFFSET.*/, '')}`
}

function getOrder(sort: readonly SortKey[], index: number): 'ASC' | 'DESC' {
  return (sort[index] ?? sort.at(-1))?.descending ? 'DESC' : 'ASC'
}

const ALL_COLUMNS = 'tasks.key, tasks.id, tasks.size_bytes'

/** Builds one SELECT, or one for open and one for closed tasks: each can read its index in order. */
function buildSelects(listing: RangeListing, bind: Bindings, columns = ALL_COLUMNS): string[] {
  const { filter, trashed, sort, candidates } = listing
  const sorted = sort.map(({ name }, i) => `tasks.${COLUMNS[name]} AS sort${i}`)
  const select = `SELECT ${columns}, ${sorted.join(', ')} FROM tasks`
  const range = `${buildAfter(listing, bind)} ${buildUntil(listing, bind)}`
  const where = (closed: TaskFilter['closed']) => `${buildTaskFilterConditions({ ...filter, closed }, bind)} ${range}`
  const deleted = trashed ? 'tasks.deleted_at IS NOT NULL' : 'tasks.deleted_at IS NULL'
  if (candidates)
    return [
      `${select} WHERE tasks.key IN ${integersIn(bind.add(JSON.stringify(candidates)))}
         AND +tasks.workspace = $1 AND ${deleted} ${where(filter.closed)}`,
    ]
  return filter.closed.map((closed) => `${select} ${byIndexOfSort(sort)} ${where([closed])}`)
}

/** Builds the beginning of a WHERE that reads the index of the first sort key, which has only tasks outside the trash. */
function byIndexOfSort([first]: readonly SortKey[]): string {
  const name = first?.name ?? 'due'
  return `${byIndex(`tasks_by_${name === 'priority' ? 'urgency' : name}`)} WHERE tasks.workspace = $1
    AND tasks.deleted_at IS NULL`
}

/** Builds the condition that a task is not after the end of a range. */
function buildUntil({ sort, until }: RangeListing, bind: Bindings): string {
  const [first] = sort
  if (!until || !first) return ''
  const values = until.map((key) => bind.add(key)).join(', ')
  return `AND (tasks.${COLUMNS[first.name]}, tasks.id) ${first.descending ? '>=' : '<='} (${values})`
}

/** By the first sort key and the id, whether the filter matches or not, after a place of that order. */
async function listInOrderOfFirst(
  { db, workspace }: Session,
  { sort, filter }: TaskListing,
  place: readonly Key[] | null,
  limit: number,
): Promise<{ key: number; place: readonly Key[] }[]> {
  const first = sort.slice(0, 1)
  const bind = new Bindings(workspace.id)
  const every = { ...filter, filter: null, archived: 'any' } as const
  const listing = { filter: every, sort: first, after: place, trashed: false, candidates: null, limit }
  const sql = mergeSelects(buildSelects(listing, bind, 'tasks.key, tasks.id'), listing, `LIMIT ${bind.add(limit)}`)
  const rows = await db.all<Pick<SortedRow, 'key' | 'id' | 'sort0'>>(sql, bind.values)
  return rows.map(({ key, id, sort0 }) => ({ key, place: [sort0, id] }))
}

/** Builds the condition that a task comes after the last one shown. */
function buildAfter({ sort, after }: TaskListing, bind: Bindings): string {
  if (!after) return ''
  const keys = [...sort.map(({ name }) => COLUMNS[name]), 'id'].map((column, i) => ({
    column: `tasks.${column}`,
    value: bind.add(after[i] ?? null),
    beyond: getOrder(sort, i) === 'DESC' ? '<' : '>',
  }))
  const [first] = keys
  if (keys.every(({ beyond }) => beyond === first?.beyond)) {
    const columns = keys.map(({ column }) => column)
    return `AND (${columns.join(', ')}) ${first?.beyond} (${keys.map(({ value }) => value).join(', ')})`
  }
  const isAfter = keys.reduceRight((later, { column, value, beyond }) => {
    const equal = later === '' ? '' : ` OR (${column} = ${value} AND ${later})`
    return `(${column} ${beyond} ${value}${equal})`
  }, '')
  // The first key alone bounds the range of its index.
  return `AND ${first?.column} ${first?.beyond}= ${first?.value} AND ${isAfter}`
}

/** Tasks of which one step of a list evaluates the filter: less than a millisecond. */
const ROWS_PER_STEP = 256
/** Matching tasks that are collected before they are sorted. */
const ROWS_PER_SORT = 2000

/** A filter may match none of very many tasks: they are read in steps, with turns of the event loop in between. */
export async function listTaskKeys(session: Session, listing: TaskListing): Promise<ListedRow[]> {
  const { filter, trashed, candidates } = listing
  if (candidates) return collect(session, listing, listCandidateSteps(candidates))
  if (trashed) return collect(session, listing, listTrashSteps(session))
  if (filter.filter === null) return listRange(session, listing)
  return listing.sort.length === 1
    ? walkInOrder(session, listing)
    : collect(session, listing, listStepsOfFirst(session, listing))
}

/** Reads the index of the sort step by step, until the page is full. */
async function walkInOrder(session: Session, listing: TaskListing): Promise<ListedRow[]> {
  const found = new Map<number, ListedRow>()
  const { first, last } = getPlaces(listing)
  let after = listing.after ?? first
  for (;;) {
    const until = await findPlaceAt(session, { ...listing, after }, ROWS_PER_STEP)
    for (const row of await listRange(session, { ...listing, after, until })) {
      // A task that is changed between two steps may come again.
      if (!found.has(row.key)) found.set(row.key, row)
      if (found.size === listing.limit) return [...found.values()]
    }
    if (!until || (last !== null && isBeyond(until, last, listing))) return [...found.values()]
    after = until
    await yieldTurn()
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
  session: Session,
  listing: TaskListing,
  steps: Iterable<Step> | AsyncIterable<Step>,
): Promise<ListedRow[]> {
  const sortKeys = (candidates: readonly number[], filter: TaskFilter, limit: number) =>
    listRange(session, { ...listing, candidates, filter, limit })
  const any = { ...listing.filter, filter: null }
  let best: number[] = []
  for await (const { keys, last } of steps) {
    for (const { key } of await sortKeys(keys, listing.filter, keys.length)) best.push(key)
    if (best.length > ROWS_PER_SORT || (last !== undefined && best.length >= listing.limit)) {
      const sorted = await sortKeys(best, any, listing.limit)
      // The tasks of later steps come after all with another first key than the last one of this step.
      if (last !== undefined && sorted.length === listing.limit && sorted.at(-1)?.sorted[0] !== last) return sorted
      best = keysOf(sorted)
    }
    if (keys.length === ROWS_PER_STEP) await yieldTurn()
  }
  return best.length > 0 ? sortKeys(best, any, listing.limit) : []
}

interface Step {
  readonly keys: readonly number[]
  /** The first sort key of the last of them, if the steps are in the order of that key. */
  readonly last?: Key | undefined
}

function* listCandidateSteps(candidates: readonly number[]): Generator<Step> {
  for (let at = 0; at < candidates.length; at += ROWS_PER_STEP) yield { keys: candidates.slice(at, at + ROWS_PER_STEP) }
}

/** Yields all tasks in the order of the first of several sort keys. */
async function* listStepsOfFirst(session: Session, listing: TaskListing): AsyncGenerator<Step> {
  const { first, last } = getPlaces(listing)
  const [after] = listing.after ?? []
  // Of the tasks with the first key of the cursor some may follow it, whatever their id.
  let place = after === undefined ? first : [after, listing.sort[0]?.descending ? AFTER_ALL_IDS : '']
  for (;;) {
    const rows = await listInOrderOfFirst(session, listing, place, ROWS_PER_STEP)
    const end = rows.at(-1)?.place
    if (!end) return
    yield { keys: keysOf(rows), last: end[0] }
    if (rows.length < ROWS_PER_STEP || (last !== null && isBeyond(end, last, listing))) return
    place = end
  }
}

/** Sorts after every id. */
const AFTER_ALL_IDS = '~'

async function* listTrashSteps({ db, workspace }: Session): AsyncGenerator<Step> {
  let rows: { key: number; deleted_at: number; id: string }[] = []
  do {
    const { deleted_at = 0, id = '' } = rows.at(-1) ?? {}
    rows = await db.all(
      `SELECT key, deleted_at, id FROM tasks ${byIndex('tasks_in_trash')}
       WHERE workspace = $1 AND deleted_at IS NOT NULL AND (deleted_at, id) > ($2, $3)
       ORDER BY deleted_at, id LIMIT $4`,
      [workspace.id, deleted_at, id, ROWS_PER_STEP],
    )
    if (rows.length > 0) yield { keys: keysOf(rows) }
  } while (rows.length === ROWS_PER_STEP)
}
