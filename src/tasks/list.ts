import type { Context } from '../db/context'
import type { Session } from '../db/database'
import { ApiError } from '../http/api-error'
import { type Key, type Page, readCursor, writeCursor } from '../http/cursor'
import { DEFAULT_LIMIT } from '../http/values'
import { type FindByText, findCandidates } from './filter/candidates.sqlite'
import { readAsOf, readFilterText, resolveTaskFilter } from './filter/service'
import { listTaskKeys } from './list-steps.sqlite'
import { getSortKeyKind, type ListedRow } from './list-store.sqlite'
import { getTasksByKeys } from './relation-store'
import { type ListTasks, TASK_SORTS, type Task, type TaskSort } from './schema'
import { toTask } from './task'

/** The most bytes that the tasks of one page have, unless one task alone has more. */
const MAX_PAGE_BYTES = 8 * 1024 * 1024

/** The end of the year 9999. */
const LAST_INSTANT_MS = 253_402_300_799_999

/** The dependencies of `createTaskQueries`. */
export interface TaskQueriesDeps extends Pick<Context, 'now'> {
  readonly findByText: FindByText
}

export type TaskQueries = ReturnType<typeof createTaskQueries>

/** Creates the service that lists tasks. */
export function createTaskQueries({ now, findByText }: TaskQueriesDeps) {
  return {
    /**
     * Lists a page of the tasks that match a filter: by default the open ones, or all in the trash. A page ends early
     * at 8 MiB. Later pages use the `now` of the first page.
     * @throws ApiError invalid_filter, invalid_cursor, invalid_request
     */
    async list(session: Session, query: ListTasks): Promise<Page<Task>> {
      const request = await readListing(session, query, now())
      const limit = Number(query.limit ?? DEFAULT_LIMIT)
      const { db, workspace } = session
      const candidates = request.trashed ? null : await findCandidates(session, request.filter, findByText)
      const isEmpty = request.filter.closed.length === 0 || candidates?.length === 0
      const listing = { ...request, candidates, limit: limit + 1 }
      const rows = isEmpty ? [] : await listTaskKeys(db, workspace.id, listing)
      const pageRows = takeFitting(rows.slice(0, limit))
      const tasks = await getTasksByKeys(
        db,
        workspace.id,
        pageRows.map(({ key }) => key),
      )
      const last = pageRows.at(-1)
      const hasMore = last !== undefined && rows.length > pageRows.length
      return {
        items: tasks.map((task) => toTask(task).resource),
        next_cursor: hasMore ? writeCursor(request.binding, [request.filter.now, last.sorted, last.id]) : null,
      }
    },
  }
}

/** Reads the query of a list. A cursor brings the `now` of the first page. */
async function readListing(session: Session, query: ListTasks, clock: number) {
  const { filter, filter_id, now, cursor } = query
  const trashed = query.trashed === 'true'
  const asOf = readAsOf(query, clock)
  const source = await readFilterText(session, { filter, filter_id })
  const sort = query.sort ?? readSavedSort(source.sort)
  const { time_zone, language, dateOrder } = asOf
  const binding = JSON.stringify([
    'tasks',
    sort,
    trashed,
    filter_id ?? null,
    source.text,
    ...[time_zone, language, dateOrder],
    now ?? null,
  ])
  const keys = cursor === undefined ? null : readCursor(cursor, binding, ['number', getSortKeyKind(sort), 'string'])
  const [first = asOf.now, ...after] = keys ?? []
  const present = { ...asOf, now: readCursorInstant(first) }
  return {
    filter: await resolveTaskFilter(session, source, present, { all: trashed }),
    sort,
    trashed,
    binding,
    after: keys && after,
  }
}

/** Returns the instant in a cursor. Throws invalid_cursor. */
function readCursorInstant(key: Key): number {
  if (typeof key === 'number' && Number.isInteger(key) && Math.abs(key) <= LAST_INSTANT_MS) return key
  throw new ApiError('invalid_cursor', 'This cursor is not one of this list.')
}

function readSavedSort(saved: string | null): TaskSort {
  return TASK_SORTS.find((sort) => sort === saved) ?? 'due'
}

/** Returns the first rows that fit into a page; always at least one. */
function takeFitting(rows: readonly ListedRow[]): readonly ListedRow[] {
  let bytes = 0
  const beyond = rows.findIndex(({ size_bytes }, i) => {
    bytes += size_bytes
    return bytes > MAX_PAGE_BYTES && i > 0
  })
  return beyond < 0 ? rows : rows.slice(0, beyond)
}
