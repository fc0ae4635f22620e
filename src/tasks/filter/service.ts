import type { Session } from '../../db/database'
import { getTimeSettings } from '../../db/settings-store'
import { ApiError, invalid } from '../../http/api-error'
import { readInstant, readZoneOrDefault } from '../../http/values'
import { TIME_LANGUAGES, type TimeLanguage } from '../../lib/civil/day'
import type { Query } from '../../search/query'
import { readWords } from '../../search/service'
import { findGroups, getFilterText } from './names-store'
import { collectNames, getClosedValues, hasStatusTerm, listTexts, type ResolvedFilter, resolveFilter } from './resolve'
import type { AsOf, TaskFilter } from './store'
import { FilterError } from './syntax'

/** Finds the keys of all tasks outside the trash that hold the words of a query. Throws invalid_request at `pointer`. */
export type FindByText = (session: Session, query: Query, pointer: string) => Promise<readonly number[]>

interface FilterQuery {
  readonly filter?: string | undefined
  readonly filter_id?: string | undefined
}

interface AsOfQuery {
  readonly time_zone?: string | undefined
  readonly now?: string | undefined
  readonly language?: TimeLanguage | undefined
  readonly date_order?: 'dmy' | 'mdy' | undefined
}

/** By default the zone is that of the workspace, and now is `clock`. @throws ApiError invalid_request */
export async function readAsOf(
  session: Session,
  { time_zone, now, language, date_order }: AsOfQuery,
  clock: number,
): Promise<Required<AsOf>> {
  return {
    now: now === undefined ? clock : readInstant(now, '/now'),
    time_zone: await readZoneOrDefault(session, time_zone),
    language: language ?? null,
    dateOrder: date_order ?? null,
  }
}

interface FilterOptions extends Partial<Pick<TaskFilter, 'archived'>> {
  /** Whether a filter without a status matches closed tasks, too. */
  readonly all?: boolean
  readonly terms?: readonly ResolvedFilter[]
  /** Whether the tasks are those in the trash, in which no text is searched. */
  readonly trashed?: boolean
}

interface FilterText {
  readonly text: string | null
  readonly sort: string | null
  readonly pointer: string
}

/** Reads which filter a request wants. Throws invalid_request for an unknown saved filter. */
export async function readFilterText(session: Session, { filter, filter_id }: FilterQuery): Promise<FilterText> {
  if (filter_id === undefined) return { text: filter ?? null, sort: null, pointer: '/filter' }
  if (filter !== undefined) throw invalid('/filter_id', 'invalid_value', 'send filter or filter_id, not both')
  const saved = await getFilterText(session, filter_id)
  if (!saved) throw invalid('/filter_id', 'unknown_filter', 'There is no saved filter with this id.')
  return { text: saved.filter, sort: saved.sort, pointer: '/filter_id' }
}

/**
 * Reads a filter. Unless the options say otherwise, one without a status matches only open tasks, and none matches tasks
 * of archived projects.
 * @throws ApiError invalid_filter
 */
export async function resolveTaskFilter(
  session: Session,
  { text, pointer }: Omit<FilterText, 'sort'>,
  asOf: AsOf,
  findByText: FindByText,
  { all = false, archived = 'false', terms = [], trashed = false }: FilterOptions = {},
): Promise<TaskFilter> {
  const find: FindByText = trashed ? refuseInTrash : findByText
  const parts = text === null ? terms : [await parseAndResolve(session, text, asOf, pointer, find), ...terms]
  const filter = parts.length > 1 ? ({ kind: 'and', parts } as const) : (parts[0] ?? null)
  const any = all || (filter !== null && hasStatusTerm(filter))
  const closed = getClosedValues(filter).filter((value) => any || value === 0)
  return { ...asOf, text, filter, closed, archived }
}

/** @throws ApiError invalid_filter, or invalid_request for an unknown saved filter */
export async function readTaskFilter(
  session: Session,
  query: FilterQuery,
  asOf: AsOf,
  findByText: FindByText,
  options: FilterOptions = {},
): Promise<TaskFilter> {
  return resolveTaskFilter(session, await readFilterText(session, query), asOf, findByText, options)
}

/** @throws ApiError invalid_request: what is in the trash is not indexed */
export async function refuseInTrash(_: Session, __: Query, pointer: string): Promise<never> {
  throw invalid(pointer, 'invalid_value', 'text is not searched in the trash')
}

/** Throws invalid_filter unless the filter is valid now and every name in it exists. */
export async function checkFilter(session: Session, text: string, now: number): Promise<void> {
  await parseAndResolve(session, text, await readAsOf(session, {}, now), '/filter', async () => [])
}

/** Throws invalid_filter unless the syntax of the filter is valid in some language; does not look up names. */
export async function checkFilterSyntax(text: string, now: number): Promise<void> {
  const { parseFilter } = await import('./parse')
  const context = { now, time_zone: 'UTC', languages: TIME_LANGUAGES, dateOrder: 'dmy' } as const
  toApiErrors('/filter', () => parseFilter(text, context))
}

async function parseAndResolve(
  session: Session,
  text: string,
  { now, time_zone, language = null, dateOrder = null }: AsOf,
  pointer: string,
  findByText: FindByText,
): Promise<ResolvedFilter> {
  const { parseFilter } = await import('./parse')
  // The other words of a filter are English, so English dates are read in every workspace.
  const own = language ?? (await getTimeSettings(session)).language ?? 'en'
  const context = { now, time_zone, languages: [...new Set([own, 'en'] as const)], dateOrder }
  const filter = toApiErrors(pointer, () => parseFilter(text, context))
  const named = await findGroups(session, collectNames(filter))
  const held = new Map<string, readonly number[]>()
  for (const words of listTexts(filter)) held.set(words, await findByText(session, readWords(words), pointer))
  return toApiErrors(pointer, () => resolveFilter(filter, named, held))
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
