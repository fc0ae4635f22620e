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

/** Lists the tasks of a page in order, without reading their texts. */
export function listTaskKeys(db: Queries, workspace: WorkspaceId, listing: TaskListing): Promise<ListedRow[]> {
  const bind = new Bindings(workspace)
  const order = listing.sort.startsWith('-') ? 'DESC' : 'ASC'
  const limit = bind.add(listing.limit)
  const selects = buildSelects(listing, bind).map(
    (branch) => `SELECT * FROM (${branch} ORDER BY sorted ${order}, id ${order} LIMIT ${limit})`,
  )
  const sql = `${selects.join(' UNION ALL ')} ORDER BY sorted ${order}, id ${order} LIMIT ${limit}`
  return db.all<ListedRow>(sql, bind.values)
}

/** Builds one SELECT, or one for open and one for closed tasks: each can read its index in order. */
function buildSelects({ filter, trashed, sort, after, candidates }: TaskListing, bind: Bindings): string[] {
  const name = sort.replace('-', '') as SortName
  const column = `tasks.${COLUMNS[name]}`
  const select = `SELECT tasks.key, tasks.id, ${column} AS sorted, tasks.size_bytes FROM tasks`
  const from = after
    ? `AND (${column}, tasks.id) ${sort.startsWith('-') ? '<' : '>'} (${after.map((key) => bind.add(key)).join(', ')})`
    : ''
  const where = (closed: TaskFilter['closed']) => `${buildTaskFilterConditions({ ...filter, closed }, bind)} ${from}`
  if (trashed)
    return [
      `${select} INDEXED BY tasks_in_trash WHERE tasks.workspace = $1 AND tasks.deleted_at IS NOT NULL ${where(filter.closed)}`,
    ]
  if (candidates)
    return [
      `${select} WHERE tasks.key IN (SELECT value FROM json_each(${bind.add(JSON.stringify(candidates))}))
         AND +tasks.workspace = $1 AND tasks.deleted_at IS NULL ${where(filter.closed)}`,
    ]
  return filter.closed.map(
    (closed) =>
      `${select} INDEXED BY tasks_by_${name === 'priority' ? 'urgency' : name} WHERE tasks.workspace = $1
         AND tasks.deleted_at IS NULL ${where([closed])}`,
  )
}
