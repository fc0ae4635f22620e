import type { Context, Session } from '../db/database'
import { keysOf } from '../db/table'
import { invalid } from '../http/api-error'
import { type Page, readCursor, readCursorInstant, takeWithin, writeCursor } from '../http/cursor'
import { DEFAULT_LIMIT, readIds, requireLength } from '../http/values'
import { type Query, readQuery } from '../search/query'
import { findCandidates } from './filter/candidates-store'
import { findGroups } from './filter/names-store'
import type { ResolvedFilter } from './filter/resolve'
import { type FindByText, readAsOf, readFilterText, refuseInTrash, resolveTaskFilter } from './filter/service'
import type { AsOf } from './filter/store'
import type { ListTasks, SortName } from './list-schema'
import { getSortKeyKind, listTaskKeys, type SortKey } from './list-store'
import { checkGroupName } from './names-and-positions'
import { getTasksByKeys } from './relation-store'
import type { ReadTask, Status } from './schema'
import { MAX_PAGE_BYTES, showWithSubtasks, toTask } from './task'

/** The most code points of `q`. */
const MAX_TEXT_CHARS = 1000
const MAX_LISTED_LABELS = 50

export type TaskQueries = ReturnType<typeof createTaskQueries>

export function createTaskQueries({ now, findByText }: Pick<Context, 'now'> & { findByText: FindByText }) {
  return {
    /**
     * Lists a page of the tasks that match a filter: by default the open ones outside archived projects, or all in the
     * trash. A page ends early at 8 MiB. Later pages use the `now` of the first page.
     * @throws ApiError invalid_filter, invalid_cursor, invalid_request
     */
    async list(session: Session, query: ListTasks): Promise<Page<ReadTask>> {
      const request = await readListing(session, query, now(), findByText)
      const limit = Number(query.limit ?? DEFAULT_LIMIT)
      const candidates = request.trashed ? null : await findCandidates(session, request.filter)
      const isEmpty = request.filter.closed.length === 0 || candidates?.length === 0
      const listing = { ...request, candidates, limit: limit + 1 }
      const rows = isEmpty ? [] : await listTaskKeys(session, listing)
      const fitting = takeWithin(rows.slice(0, limit), MAX_PAGE_BYTES, ({ size_bytes }) => size_bytes)
      const tasks = await getTasksByKeys(session, keysOf(fitting))
      const shown = query.include === undefined ? tasks.map(toTask) : await showWithSubtasks(session, tasks)
      const isCut = shown.length < tasks.length
      const last = isCut ? fitting.find(({ id }) => id === shown.at(-1)?.resource.id) : fitting.at(-1)
      const hasMore = last !== undefined && (isCut || rows.length > fitting.length)
      return {
        items: shown.map(({ resource }) => resource),
        next_cursor: hasMore ? writeCursor(request.binding, [request.filter.now, ...last.sorted, last.id]) : null,
      }
    },
  }
}

/** Reads the query of a list. A cursor brings the `now` of the first page. */
async function readListing(session: Session, query: ListTasks, clock: number, findByText: FindByText) {
  const { limit: _, cursor, include: __, time_zone: ___, ...others } = query
  const trashed = query.trashed === 'true'
  const asOf = await readAsOf(session, query, clock)
  const isDirect = trashed || query.ids !== undefined
  const source = await readFilterText(session, query)
  const sorted = query.sort ?? source.sort ?? 'due'
  const sort = readSort(sorted)
  const binding = JSON.stringify(['tasks', sorted, source.text, asOf.time_zone, Object.entries(others).sort()])
  const kinds = ['number', ...sort.map(getSortKeyKind), 'string'] as const
  const keys = cursor === undefined ? null : readCursor(cursor, binding, kinds)
  const [first = asOf.now, ...after] = keys ?? []
  const filter = await resolveTaskFilter(session, source, { ...asOf, now: readCursorInstant(first) }, findByText, {
    trashed,
    all: isDirect || query.status === 'any',
    archived: query.archived ?? (isDirect ? 'any' : 'false'),
    terms: await readTerms(session, query, asOf, trashed ? refuseInTrash : findByText),
  })
  return {
    filter,
    sort,
    trashed,
    binding,
    after: keys && after,
  }
}

/** Reads the parameters that choose tasks beside the filter. What does not exist matches nothing. */
async function readTerms(
  session: Session,
  query: ListTasks,
  asOf: AsOf,
  findByText: FindByText,
): Promise<ResolvedFilter[]> {
  const { ids, parent_id, project_id, section_id, status, q } = query
  return [
    ...(ids === undefined ? [] : [{ kind: 'task', ids: readIds(ids) } as const]),
    ...(parent_id === undefined ? [] : [{ kind: 'parent', ids: [parent_id] } as const]),
    ...(project_id === undefined ? [] : [{ kind: 'project', ids: [project_id] } as const]),
    ...(section_id === undefined ? [] : [{ kind: 'section', ids: [section_id] } as const]),
    ...(query.label === undefined ? [] : await readLabels(session, [query.label].flat())),
    ...(status === undefined || status === 'any' ? [] : [readStatuses(status)]),
    ...(q === undefined ? [] : [{ kind: 'text', keys: await findByText(session, readText(q, asOf), '/q') } as const]),
  ]
}

/** Returns a term for each label, since a task must have all of them. */
async function readLabels(session: Session, names: readonly string[]): Promise<ResolvedFilter[]> {
  if (names.length > MAX_LISTED_LABELS)
    throw invalid('/label', 'too_many', `label may be repeated at most ${MAX_LISTED_LABELS} times`)
  const label = names.map((name) => checkGroupName(name, '/label').name_key)
  const found = await findGroups(session, { label })
  return label.map((wanted) => ({
    kind: 'label',
    keys: found.filter(({ name_key }) => name_key === wanted).map(({ key }) => key),
  }))
}

function readStatuses(text: string): ResolvedFilter {
  const parts = (text.split(',') as Status[]).map((state) => ({ kind: 'state', state }) as const)
  return { kind: 'or', parts }
}

function readText(q: string, { time_zone, now }: AsOf): Query {
  requireLength(q, MAX_TEXT_CHARS, '/q')
  if (q.trim() === '') throw invalid('/q', 'too_short', 'q must not be blank')
  return readQuery(q, time_zone, now)
}

function readSort(text: string): SortKey[] {
  return text.split(',').map((key) => ({
    name: key.replace('-', '') as SortName,
    descending: key.startsWith('-'),
  }))
}
