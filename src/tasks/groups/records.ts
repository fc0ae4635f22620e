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
  /** What a sentence calls one of them, e.g. `project`. */
  readonly noun: string
  readonly show: (row: Row) => Tagged<Resource>
}

interface Query {
  readonly cursor?: string | undefined
  readonly limit?: string | undefined
  readonly trashed?: 'true' | 'false' | undefined
}

/** What projects, sections, labels and saved filters share: a name that is unique without case outside the trash, and lists. */
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

    /** One page of a list; the trash is listed alone. `where` is what the filters of the query come to in SQL. */
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

/** Tasks, or sections, that one request may change. */
export const MAX_AFFECTED_TASKS = 10_000

/** Throws too_many_affected. */
export function refuseTooMany(count: number): void {
  if (count > MAX_AFFECTED_TASKS)
    throw new ApiError('too_many_affected', `More than ${MAX_AFFECTED_TASKS} tasks would change. Nothing was changed.`)
}

/** Of a name of a project, section, label or saved filter, in code points. */
export const MAX_GROUP_NAME_CHARS = 100

// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what it looks for
const CONTROL = /[\x00-\x1f\x7f-\x9f\u2028\u2029]/

/** The name in NFC, and as names are compared. Throws invalid_request. */
export function checkGroupName(sent: string, pointer = '/name'): { name: string; name_key: string } {
  const name = sent.normalize('NFC')
  requireLength(name, MAX_GROUP_NAME_CHARS, pointer)
  if (name === '' || name !== name.trim() || CONTROL.test(name))
    throw invalid(pointer, 'invalid_name', 'a name must be one line, not blank, without white space at its ends')
  return { name, name_key: titleKey(name) }
}

/** Names of labels by how they are compared: each once, as it is spelled first. Throws invalid_request at `/labels/<n>`. */
export function toDistinctNames(names: readonly string[]): Map<string, ReturnType<typeof checkGroupName>> {
  const distinct = new Map<string, ReturnType<typeof checkGroupName>>()
  for (const [i, sent] of names.entries()) {
    const name = checkGroupName(sent, `/labels/${i}`)
    if (!distinct.has(name.name_key)) distinct.set(name.name_key, name)
  }
  return distinct
}
