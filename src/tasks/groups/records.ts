import type { RecordChange, ResourceType } from '../../db/change-feed'
import type { Context } from '../../db/context'
import type { Session } from '../../db/database'
import { ApiError, invalid } from '../../http/api-error'
import type { Tagged } from '../../http/conditional'
import { type Page, readCursor, toPage } from '../../http/cursor'
import { createResourceReader, createResourceWriter, taken } from '../../http/resource'
import { DEFAULT_LIMIT, requireLength } from '../../http/values'
import { titleKey } from '../../lib/text'
import type { GroupDraft, GroupListing, GroupRow, GroupStore } from './store'

interface Deps<Row extends GroupRow, Resource> extends Pick<Context, 'now'> {
  readonly record: RecordChange
  readonly store: GroupStore<Row>
  readonly type: ResourceType
  /** The word for one of them in messages, e.g. `project`. */
  readonly noun: string
  readonly show: (row: Row) => Tagged<Resource>
}

interface Query {
  readonly cursor?: string | undefined
  readonly limit?: string | undefined
  readonly trashed?: 'true' | 'false' | undefined
}

/** The name of a group is unique without case outside the trash. */
export function createGroupRecords<Row extends GroupRow, Resource extends { readonly revision: number }>({
  store,
  type,
  noun,
  show,
  ...deps
}: Deps<Row, Resource>) {
  async function refuseTaken({ db, workspace }: Session, row: GroupDraft<Row>, old: Row | null): Promise<void> {
    const appears =
      old === null || old.deleted_at !== null || row.name_key !== old.name_key || !store.hasSameScope(row, old)
    if (row.deleted_at !== null || !appears) return
    const holder = await store.findIdByName(db, workspace.id, row)
    if (holder !== null && holder !== row.id) throw taken(`A ${noun} with this name exists already.`, holder)
  }

  return {
    ...createResourceReader({ noun, show, get: store.get }),
    ...createResourceWriter<Row, GroupDraft<Row>>({ ...deps, store, type, noun, refuseTaken }),
    show,

    /** Returns one page of a list, of the trash or outside it. `where` is the SQL for the filters of the query. */
    async getPage(session: Session, query: Query, where?: GroupListing['where']): Promise<Page<Resource>> {
      const { cursor, limit: pageLimit, ...filters } = query
      const limit = Number(pageLimit ?? DEFAULT_LIMIT)
      const binding = JSON.stringify([type, Object.entries(filters).toSorted()])
      const after = cursor === undefined ? null : readCursor(cursor, binding, store.sortKinds)
      const listing = { trashed: filters.trashed === 'true', where, after, limit: limit + 1 }
      const rows = await store.list(session.db, session.workspace.id, listing)
      return toPage(rows, limit, binding, store.getSortKeys, (row) => show(row).resource)
    },
  }
}

/** The most tasks or sections that one request may change. */
export const MAX_AFFECTED_TASKS = 10_000

/** Throws too_many_affected if a request would change more than MAX_AFFECTED_TASKS. */
export function refuseTooMany(count: number): void {
  if (count > MAX_AFFECTED_TASKS)
    throw new ApiError('too_many_affected', `More than ${MAX_AFFECTED_TASKS} tasks would change. Nothing was changed.`)
}

/** The most code points of the name of a project, section, label or saved filter. */
export const MAX_GROUP_NAME_CHARS = 100

// biome-ignore lint/suspicious/noControlCharactersInRegex: it is meant to find them
const CONTROL = /[\x00-\x1f\x7f-\x9f\u2028\u2029]/

/** Checks a name. Returns it in NFC, and its key for comparisons. Throws invalid_request. */
export function checkGroupName(sent: string, pointer = '/name'): { name: string; name_key: string } {
  const name = sent.normalize('NFC')
  requireLength(name, MAX_GROUP_NAME_CHARS, pointer)
  if (name === '' || name !== name.trim() || CONTROL.test(name))
    throw invalid(pointer, 'invalid_name', 'a name must be one line, not blank, without white space at either end')
  return { name, name_key: titleKey(name) }
}

/** Returns distinct label names by their keys, as each is spelled first. Throws invalid_request at `/labels/<n>`. */
export function toDistinctNames(
  names: readonly string[],
  pointer = '/labels',
): Map<string, ReturnType<typeof checkGroupName>> {
  const distinct = new Map<string, ReturnType<typeof checkGroupName>>()
  for (const [i, sent] of names.entries()) {
    const name = checkGroupName(sent, `${pointer}/${i}`)
    if (!distinct.has(name.name_key)) distinct.set(name.name_key, name)
  }
  return distinct
}
