import type { Session } from '../../db/database'
import { ApiError, invalid } from '../../http/api-error'
import { readZoneOrDefault } from '../../http/default-zone'
import { readInstant } from '../../http/values'
import { findGroups, getFilterText } from './names-store'
import { parseFilter } from './parse'
import { collectNames, getClosedValues, hasStatusTerm, type ResolvedFilter, resolveFilter } from './resolve'
import type { AsOf, TaskFilter } from './store'
import { FilterError } from './syntax'

/** The query parameters that choose tasks. */
export interface FilterQuery {
  readonly filter?: string | undefined
  readonly filter_id?: string | undefined
}

/** Reads `time_zone` and `now`, by default the zone of the workspace and `clock`. Throws invalid_request. */
export async function readAsOf(
  session: Session,
  query: { readonly time_zone?: string | undefined; readonly now?: string | undefined },
  clock: number,
): Promise<AsOf> {
  const now = query.now === undefined ? clock : readInstant(query.now, '/now')
  return { now, time_zone: await readZoneOrDefault(session, query.time_zone) }
}

interface FilterOptions extends Partial<Pick<TaskFilter, 'archived'>> {
  /** Whether a filter without a status matches closed tasks, too. */
  readonly all?: boolean
  /** Terms that hold in addition to the filter. */
  readonly terms?: readonly ResolvedFilter[]
}

/**
 * Reads the filter of a request, or the saved filter that it names, with its saved sort. Unless the options say
 * otherwise, a filter without a status matches only open tasks, and none matches tasks of archived projects.
 * @throws ApiError invalid_filter, or invalid_request for an unknown saved filter
 */
export async function readTaskFilter(
  session: Session,
  query: FilterQuery,
  asOf: AsOf,
  { all = false, archived = 'false', terms = [] }: FilterOptions = {},
): Promise<TaskFilter & { readonly sort: string | null }> {
  const { text, sort, pointer } = await readFilterText(session, query)
  const parts = text === null ? terms : [await parseAndResolve(session, text, pointer), ...terms]
  const filter = parts.length > 1 ? ({ kind: 'and', parts } as const) : (parts[0] ?? null)
  const any = all || (filter !== null && hasStatusTerm(filter))
  const closed = getClosedValues(filter).filter((value) => any || value === 0)
  return { ...asOf, text, sort, filter, closed, archived }
}

/** Throws invalid_filter unless the filter is valid and every name in it exists. */
export async function checkFilter(session: Session, text: string): Promise<void> {
  await parseAndResolve(session, text, '/filter')
}

/** Throws invalid_filter unless the syntax of the filter is valid; does not look up names. */
export function checkFilterSyntax(text: string): void {
  toApiErrors('/filter', () => parseFilter(text))
}

async function readFilterText({ db, workspace }: Session, { filter, filter_id }: FilterQuery) {
  if (filter_id === undefined) return { text: filter ?? null, sort: null, pointer: '/filter' }
  if (filter !== undefined) throw invalid('/filter_id', 'invalid_value', 'send filter or filter_id, not both')
  const saved = await getFilterText(db, workspace.id, filter_id)
  if (!saved) throw invalid('/filter_id', 'unknown_filter', 'There is no saved filter with this id.')
  return { text: saved.filter, sort: saved.sort, pointer: '/filter_id' }
}

async function parseAndResolve({ db, workspace }: Session, text: string, pointer: string): Promise<ResolvedFilter> {
  const filter = toApiErrors(pointer, () => parseFilter(text))
  const named = await findGroups(db, workspace.id, collectNames(filter))
  return toApiErrors(pointer, () => resolveFilter(filter, named))
}

/** Returns what `read` returns; turns its FilterError into invalid_filter. */
function toApiErrors<Value>(pointer: string, read: () => Value): Value {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof FilterError)) throw error
    const { code, column, length, detail, expected } = error
    const fault = { pointer, code, column, length, detail, ...(expected.length > 0 ? { expected } : {}) }
    throw new ApiError('invalid_filter', detail, { errors: [fault] })
  }
}
