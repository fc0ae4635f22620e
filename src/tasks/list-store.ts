import type { Queries, WorkspaceId } from '../db/database'
import { Bindings } from '../db/database'
import { byIndex, integersIn } from '../db/dialect'
import type { Key } from '../http/cursor'
import { buildTaskFilterConditions, type TaskFilter } from './filter/store'
import type { SortName } from './list-schema'

export interface SortKey {
  readonly name: SortName
  readonly descending: boolean
}

/** Which tasks a page shows, and in which order. */
export interface TaskListing {
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

/** The columns that a page needs before it reads whole tasks. */
export interface ListedRow {
  readonly key: number
  readonly id: string
  readonly size_bytes: number
  /** The values of the sort keys. */
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

/** Returns the type of the values of a sort key. */
export function getSortKeyKind({ name }: SortKey): 'string' | 'number' {
  return name === 'priority' || name === 'created' || name === 'updated' ? 'number' : 'string'
}

/** A listing from one place of the order to another. */
interface RangeListing extends TaskListing {
  /** The sort key and the id of the last task of the range, if there is one sort key; null or absent if it has no end. */
  readonly until?: readonly Key[] | null
}

type SortedRow = Pick<ListedRow, 'key' | 'id' | 'size_bytes'> & Record<`sort${number}`, string | number>

/** Lists the tasks of a range in order, without reading their texts. */
export async function listRange(db: Queries, workspace: WorkspaceId, listing: RangeListing): Promise<ListedRow[]> {
  const bind = new Bindings(workspace)
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
export async function findPlaceAt(
  db: Queries,
  workspace: WorkspaceId,
  listing: TaskListing,
  count: number,
): Promise<readonly Key[] | null> {
  const bind = new Bindings(workspace)
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

/** Returns the direction of a sort key, or of the id after the last one. */
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

/**
 * Lists the keys of tasks outside the trash in the order of the first sort key and the id, whether the filter matches or
 * not, after a place of that order.
 */
export async function listInOrderOfFirst(
  db: Queries,
  workspace: WorkspaceId,
  { sort, filter }: TaskListing,
  place: readonly Key[] | null,
  limit: number,
): Promise<{ key: number; place: readonly Key[] }[]> {
  const first = sort.slice(0, 1)
  const bind = new Bindings(workspace)
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
