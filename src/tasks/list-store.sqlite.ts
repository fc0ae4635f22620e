import type { Queries, WorkspaceId } from '../db/database'
import { Bindings } from '../db/database'
import type { Key } from '../http/cursor'
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

/** A listing from one place of the order to another. */
interface RangeListing extends TaskListing {
  /** The sort key and the id of the last task of the range; null or absent if it has no end. */
  readonly until?: readonly Key[] | null
}

/** Lists the tasks of a range in order, without reading their texts. */
export function listRange(db: Queries, workspace: WorkspaceId, listing: RangeListing): Promise<ListedRow[]> {
  const bind = new Bindings(workspace)
  const limit = `LIMIT ${bind.add(listing.limit)}`
  return db.all<ListedRow>(mergeSelects(buildSelects(listing, bind), listing, limit), bind.values)
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
  const every = { ...listing, filter: { ...listing.filter, filter: null } }
  const limit = `LIMIT 1 OFFSET ${bind.add(count - 1)}`
  const sql = mergeSelects(buildSelects(every, bind, 'tasks.id'), listing, limit)
  const place = await db.get<Pick<ListedRow, 'sorted' | 'id'>>(sql, bind.values)
  return place && [place.sorted, place.id]
}

/** Joins SELECTs, each of which can read its index in order. */
function mergeSelects(selects: readonly string[], { sort }: TaskListing, limit: string): string {
  const order = sort.startsWith('-') ? 'DESC' : 'ASC'
  const limited = selects.map((select) => `SELECT * FROM (${select} ORDER BY sorted ${order}, id ${order} ${limit})`)
  return `${limited.join(' UNION ALL ')} ORDER BY sorted ${order}, id ${order} ${limit.replace(/ OFFSET.*/, '')}`
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
