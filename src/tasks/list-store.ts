import { Bindings, type Session } from '../db/database'
import { byIndex, integersIn } from '../db/dialect'
import { keysOf, readInSteps, type Walk, walkInSteps } from '../db/table'
import type { Key } from '../http/cursor'
import { getSortKeysOf } from './filter/candidates-store'
import { buildTaskFilterConditions, type TaskFilter } from './filter/store'
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
  title: 'title_sort',
} as const satisfies Record<SortName, string>

export function getSortKeyKind({ name }: SortKey): 'string' | 'number' {
  return name === 'priority' || name === 'created' || name === 'updated' ? 'number' : 'string'
}

interface RangeListing extends TaskListing {
  /** First sort keys and ids, after and up to which the tasks are; null or absent if there is no such bound. */
  readonly from?: readonly Key[] | null
  readonly until?: readonly Key[] | null
  /** What follows FROM, up to the conditions of the filter, in place of the index of the first sort key. */
  readonly within?: Walk['from']
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
 * Returns the first sort key and the id of the task that is `count` tasks after `from`, whether the filter matches or
 * not: of the open or of the closed ones, whichever comes first. Null if there are less of both. Reads only the index.
 */
async function findPlaceAt(
  { db, workspace }: Session,
  listing: RangeListing,
  count: number,
): Promise<readonly Key[] | null> {
  const bind = new Bindings(workspace.id)
  const filter = { ...listing.filter, filter: null, archived: 'any' } as const
  const every = { ...listing, filter, sort: listing.sort.slice(0, 1), after: null }
  const limit = `LIMIT 1 OFFSET ${bind.add(count - 1)}`
  const sql = mergeSelects(buildSelects(every, bind, 'tasks.id'), every, limit)
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
  const { filter, trashed, sort, candidates, within } = listing
  const sorted = sort.map(({ name }, i) => `tasks.${COLUMNS[name]} AS sort${i}`)
  const select = `SELECT ${columns}, ${sorted.join(', ')} FROM`
  const range = `${buildAfter(listing, bind)} ${buildRange(listing, bind)}`
  const where = (closed: TaskFilter['closed']) => `${buildTaskFilterConditions({ ...filter, closed }, bind)} ${range}`
  const deleted = trashed ? 'tasks.deleted_at IS NOT NULL' : 'tasks.deleted_at IS NULL'
  if (within) return [`${select} ${within(bind)} ${where(filter.closed)}`]
  if (candidates)
    return [
      `${select} tasks WHERE tasks.key IN ${integersIn(bind.add(JSON.stringify(candidates)))}
         AND +tasks.workspace = $1 AND ${deleted} ${where(filter.closed)}`,
    ]
  return filter.closed.map((closed) => `${select} tasks ${byIndexOfSort(sort)} ${where([closed])}`)
}

/** Builds the beginning of a WHERE that reads the index of the first sort key, which has only tasks outside the trash. */
function byIndexOfSort([first]: readonly SortKey[]): string {
  const name = first?.name ?? 'due'
  return `${byIndex(`tasks_by_${name === 'priority' ? 'urgency' : name}`)} WHERE tasks.workspace = $1
    AND tasks.deleted_at IS NULL`
}

/** Builds the condition that a task is in a range of the first sort key. */
function buildRange({ sort: [first], from, until }: RangeListing, bind: Bindings): string {
  const [after, upTo] = first?.descending ? ['<', '>='] : ['>', '<=']
  const compare = (operator: string, place: readonly Key[] | null = null) =>
    place && first
      ? `AND (tasks.${COLUMNS[first.name]}, tasks.id) ${operator} (${place.map((key) => bind.add(key)).join(', ')})`
      : ''
  return `${compare(after, from)} ${compare(upTo, until)}`
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

/** Tasks of which one statement evaluates the filter: 10 ms at most. */
const MAX_STEP_ROWS = 1024
/** Matching tasks that are collected before they are sorted. */
const ROWS_PER_SORT = 2000

/** A filter may match none of very many tasks: they are read in steps, with turns of the event loop in between. */
export async function listTaskKeys(session: Session, listing: TaskListing): Promise<ListedRow[]> {
  const { filter, trashed, candidates, sort } = listing
  if (trashed && !candidates) return listTrash(session, listing)
  if (candidates || (filter.filter === null && sort.length === 1)) return listRange(session, listing)
  return listInOrder(session, listing)
}

/** Returns the sort keys between which all matching tasks are, if the filter restricts the date of the sort. */
function getPlaces({ filter, sort }: TaskListing): { first: readonly Key[] | null; last: Key } {
  const [key] = sort
  const field = DATE_FIELDS.find((name) => name === key?.name)
  const range = field && filter.filter && getSortKeysOf(filter.filter, field, filter)
  if (!range) return { first: null, last: null }
  const { from, to } = range
  // Behind every id of the tasks with this key, in a descending order.
  return key?.descending
    ? { first: to === null ? null : [to, ''], last: from }
    : { first: from === null ? null : [from, ''], last: to }
}

function isBeyond([key = null]: readonly Key[], last: Key, { sort }: TaskListing): boolean {
  if (key === null || last === null) return false
  return sort[0]?.descending ? key < last : key >= last
}

/** Sorts tasks that were collected, and keeps those of one page. */
async function sortKeys(session: Session, listing: TaskListing, keys: readonly number[]): Promise<ListedRow[]> {
  if (keys.length === 0) return []
  return listRange(session, { ...listing, candidates: keys, filter: { ...listing.filter, filter: null } })
}

/** Lists a page of the matching tasks of steps that come in the order of the first sort key. */
async function listInOrder(session: Session, listing: TaskListing): Promise<ListedRow[]> {
  let best: number[] = []
  for await (const { last, ...step } of walkIndex(session, listing)) {
    best.push(...keysOf(await listRange(session, { ...listing, ...step })))
    if (best.length > ROWS_PER_SORT || (last && best.length >= listing.limit)) {
      const sorted = await sortKeys(session, listing, best)
      // The tasks of later steps come after all with another first key than the last one of this step.
      const isNext = listing.sort.length === 1 || sorted.at(-1)?.sorted[0] !== last?.[0]
      if (last && sorted.length === listing.limit && isNext) return sorted
      best = keysOf(sorted)
    }
  }
  return sortKeys(session, listing, best)
}

/** A range of the index; `last` is the first sort key and the id of the last of its tasks, null in the last step. */
type Step = Partial<RangeListing> & { readonly last: readonly Key[] | null }

/** Yields all tasks in the order of the first sort key. */
async function* walkIndex(session: Session, listing: TaskListing): AsyncGenerator<Step> {
  const { first, last } = getPlaces(listing)
  const [key, ...others] = listing.after ?? []
  const isOne = listing.sort.length === 1
  // Of the tasks with the first key of the cursor some may follow it, whatever their id.
  const [id = null] = isOne ? others : [listing.sort[0]?.descending ? AFTER_ALL_IDS : '']
  const begin: readonly Key[] | null = key === undefined ? first : [key, id]
  const findPlace = (from: readonly Key[] | null, rows: number) => findPlaceAt(session, { ...listing, from }, rows)
  for await (const { from, until } of walkInSteps(begin, MAX_STEP_ROWS, findPlace)) {
    yield { from, until, last: until, ...(isOne && { after: null }) }
    if (until && last !== null && isBeyond(until, last, listing)) return
  }
}

/** Sorts after every id. */
const AFTER_ALL_IDS = '~'

/** Lists a page of the trash, whose index is in the order of no list. */
async function listTrash(session: Session, listing: TaskListing): Promise<ListedRow[]> {
  const trash: Walk = {
    from: () => `tasks ${byIndex('tasks_in_trash')} WHERE workspace = $1 AND deleted_at IS NOT NULL`,
    columns: ['deleted_at', 'id'],
  }
  const add = async (best: readonly number[], within: Walk['from']) => {
    const keys = [...best, ...keysOf(await listRange(session, { ...listing, within }))]
    return keys.length > ROWS_PER_SORT ? keysOf(await sortKeys(session, listing, keys)) : keys
  }
  return sortKeys(session, listing, await readInSteps<number>(session, trash, null, add, () => false))
}
