import type { Queries, WorkspaceId } from '../db/database'
import { Bindings } from '../db/database'
import type { Key } from '../http/cursor'
import { buildTaskFilterConditions, type TaskFilter } from './filter/store'
import type { SortName } from './list-schema'

/** One key of a sort. */
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

/** Lists the tasks of a page in order, without reading their texts. */
export async function listTaskKeys(db: Queries, workspace: WorkspaceId, listing: TaskListing): Promise<ListedRow[]> {
  const bind = new Bindings(workspace)
  const order = [...listing.sort.map((_, i) => `sort${i}`), 'id']
    .map((column, i) => `${column} ${getOrder(listing.sort, i)}`)
    .join(', ')
  const limit = bind.add(listing.limit)
  const selects = buildSelects(listing, bind).map(
    (branch) => `SELECT * FROM (${branch} ORDER BY ${order} LIMIT ${limit})`,
  )
  const sql = `${selects.join(' UNION ALL ')} ORDER BY ${order} LIMIT ${limit}`
  const rows = await db.all<Pick<ListedRow, 'key' | 'id' | 'size_bytes'> & Record<`sort${number}`, string | number>>(
    sql,
    bind.values,
  )
  return rows.map((row) => ({
    key: row.key,
    id: row.id,
    size_bytes: row.size_bytes,
    sorted: listing.sort.map((_, i) => row[`sort${i}`] ?? ''),
  }))
}

/** Returns the direction of a sort key, or of the id after the last one. */
function getOrder(sort: readonly SortKey[], index: number): 'ASC' | 'DESC' {
  return (sort[index] ?? sort.at(-1))?.descending ? 'DESC' : 'ASC'
}

/** Builds one SELECT, or one for open and one for closed tasks: each can read its index in order. */
function buildSelects(listing: TaskListing, bind: Bindings): string[] {
  const { filter, trashed, sort, candidates } = listing
  const columns = sort.map(({ name }, i) => `tasks.${COLUMNS[name]} AS sort${i}`)
  const select = `SELECT tasks.key, tasks.id, tasks.size_bytes, ${columns.join(', ')} FROM tasks`
  const from = buildAfter(listing, bind)
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
  const name = sort[0]?.name ?? 'due'
  return filter.closed.map(
    (closed) =>
      `${select} INDEXED BY tasks_by_${name === 'priority' ? 'urgency' : name} WHERE tasks.workspace = $1
         AND tasks.deleted_at IS NULL ${where([closed])}`,
  )
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
