import { Elysia, type Static, t } from 'elysia'
import type { RecordChange } from '../../db/change-feed'
import type { Context, Session } from '../../db/database'
import { refuses } from '../../http/api-error'
import { ifMatch, type Precondition, type Tagged, writeEtag } from '../../http/conditional'
import type { Page } from '../../http/cursor'
import type { RequestPlugin } from '../../http/request'
import { newStamps, refuseTrashed, textBytes, writeStamps } from '../../http/resource'
import { changed, created } from '../../http/responses'
import { closed, Id, NoContent, nameSchemas, nullable, Problem, pageOf } from '../../http/schema'
import { requireLength } from '../../http/values'
import { SortBy } from '../list-schema'
import { checkGroupName } from '../names-and-positions'
import { createGroupRecords, createOrder } from './records'
import {
  DeleteGroup,
  GroupName,
  GroupPosition,
  groupMembers,
  groupMove,
  groupPaging,
  MERGE_PATCH,
  OneGroup,
} from './schema'
import { createGroupStore, type GroupRow } from './store'

const example = {
  id: '01980000-0000-7000-8000-0000000000e0',
  revision: 1,
  created_at: '2026-03-01T08:15:00.000Z',
  updated_at: '2026-03-01T08:15:00.000Z',
  deleted_at: null,
  name: 'Now',
  filter: 'today or overdue',
  sort: '-priority,due',
  position: 'a0',
}

const Filter = t.String({ description: 'Which tasks, like `filter` of the list; at most 1,000 characters.' })
const Sort = nullable(SortBy)

export const SavedFilter = t.Object(
  { ...groupMembers, filter: t.String(), sort: Sort, position: GroupPosition },
  { examples: [example] },
)
const SavedFilterPage = pageOf(SavedFilter)

const CreateSavedFilter = t.Object(
  { id: t.Optional(Id), name: GroupName, filter: Filter, sort: t.Optional(Sort), ...groupMove },
  { ...closed, examples: [{ name: 'Now', filter: 'today or overdue', sort: '-priority,due' }] },
)

const UpdateSavedFilter = t.Object(
  { name: t.Optional(GroupName), filter: t.Optional(Filter), sort: t.Optional(Sort), ...groupMove },
  { ...closed, description: MERGE_PATCH, examples: [{ filter: 'today', after: null }] },
)

const ListSavedFilters = t.Object(groupPaging, closed)

export type SavedFilter = Static<typeof SavedFilter>
type CreateSavedFilter = Static<typeof CreateSavedFilter>
type UpdateSavedFilter = Static<typeof UpdateSavedFilter>
type ListSavedFilters = Static<typeof ListSavedFilters>

/** A row of `task_filters`: instants are milliseconds. */
interface SavedFilterRow extends GroupRow {
  readonly filter: string
  /** Sort keys separated by commas. */
  readonly sort: string | null
  readonly position: string
}

export const savedFilterStore = createGroupStore<SavedFilterRow>({
  table: 'task_filters',
  columns: ['filter', 'sort', 'position'],
  computed: [],
  order: ['position', 'id'],
  scope: null,
})

export const MAX_SAVED_FILTER_CHARS = 1000

const NOUN = 'filter'

interface Deps extends Pick<Context, 'now' | 'ids'> {
  readonly record: RecordChange
  /** Throws invalid_filter unless the text is a filter. */
  readonly checkFilter: (session: Session, text: string, now: number) => Promise<void>
}

type SavedFilters = ReturnType<typeof createSavedFilters>

export function createFilterRecords({ now, record }: Pick<Deps, 'now' | 'record'>) {
  return createGroupRecords({
    now,
    record,
    store: savedFilterStore,
    type: 'task_filter',
    noun: NOUN,
    show: toSavedFilter,
  })
}

/** A filter is checked when it is saved; names in it may be deleted later. */
export function createSavedFilters({ now, ids, record, checkFilter }: Deps) {
  const records = createFilterRecords({ now, record })
  const order = createOrder({ store: savedFilterStore, save: records.save })

  async function readFilter(session: Session, text: string): Promise<string> {
    requireLength(text, MAX_SAVED_FILTER_CHARS, '/filter')
    await checkFilter(session, text, now())
    return text
  }

  return {
    get: records.get,

    /** Saves a filter. Throws conflict if the id or the name is taken, invalid_filter, invalid_request. */
    create(session: Session, { id = ids(), name, filter, sort = null, ...move }: CreateSavedFilter) {
      const checked = { ...newStamps(id, now()), ...checkGroupName(name), sort, position: '' }
      return session.db.transaction(async (db) => {
        const inside = { ...session, db }
        const draft = {
          ...checked,
          filter: await readFilter(inside, filter),
          size_bytes: textBytes(checked.name, filter),
        }
        const position = await order.findPosition(inside, draft, move)
        return toSavedFilter(await records.insert(inside, { ...draft, position }))
      })
    },

    list: (session: Session, query: ListSavedFilters): Promise<Page<SavedFilter>> => records.getPage(session, query),

    /** Applies a merge patch. Throws conflict while it is in the trash, or if the name is taken. */
    async update(session: Session, id: string, patch: UpdateSavedFilter, precondition: Precondition = null) {
      const next = async (inside: Session, old: SavedFilterRow) => {
        refuseTrashed(old, NOUN)
        const { name, name_key } = patch.name === undefined ? old : checkGroupName(patch.name)
        const filter = patch.filter === undefined ? old.filter : await readFilter(inside, patch.filter)
        const sort = patch.sort === undefined ? old.sort : patch.sort
        const position = await order.findPositionAfterUpdate(inside, old, patch)
        return records.save(inside, old, {
          name,
          name_key,
          filter,
          sort,
          position,
          size_bytes: textBytes(name, filter),
        })
      }
      return toSavedFilter(await records.withRow(session, id, precondition, next))
    },

    /** Moves it to the trash; one in the trash stays as it is. */
    async trash(session: Session, id: string, precondition: Precondition = null): Promise<void> {
      await records.withRow(session, id, precondition, records.trash)
    },

    /** Restores it from the trash. Throws conflict if its name has been taken since. */
    async restore(session: Session, id: string, precondition: Precondition = null) {
      return toSavedFilter(await records.withRow(session, id, precondition, records.restore))
    },

    /** Erases it for good, whether in the trash or not. */
    erase: (session: Session, id: string, precondition: Precondition = null): Promise<void> =>
      records.withRow(session, id, precondition, records.erase),
  }
}

function toSavedFilter(row: SavedFilterRow): Tagged<SavedFilter> {
  const { filter, sort, position } = row
  return { resource: { ...writeStamps(row), name: row.name, filter, sort, position }, etag: writeEtag(row.revision) }
}

const COLLECTION = '/api/tasks/filters'

nameSchemas({ SavedFilter, SavedFilterPage, CreateSavedFilter, UpdateSavedFilter })

export function savedFiltersRoutes({ savedFilters, api }: { savedFilters: SavedFilters; api: RequestPlugin }) {
  return new Elysia({ prefix: COLLECTION, tags: ['Labels and filters'] })
    .use(api)
    .get('', ({ session, query }) => savedFilters.list(session, query), {
      query: ListSavedFilters,
      response: { 200: SavedFilterPage },
      detail: {
        operationId: 'listSavedFilters',
        ...refuses('invalid_cursor'),
        summary: 'List saved filters',
        description: 'By position. `trashed=true` lists only the trash.',
      },
    })
    .post(
      '',
      ({ body, once }) => once(async (session) => created(COLLECTION, await savedFilters.create(session, body))),
      {
        idempotent: true,
        body: CreateSavedFilter,
        response: { 201: SavedFilter, 409: Problem },
        detail: {
          operationId: 'createSavedFilter',
          ...refuses('invalid_filter', 'too_many_affected'),
          summary: 'Save a filter',
          description: 'It becomes the last one, unless `after` or `before` is given.',
        },
      },
    )
    .get('/:id', async ({ session, params, reply }) => reply.read(await savedFilters.get(session, params.id)), {
      params: OneGroup,
      response: { 200: SavedFilter, 304: NoContent },
      detail: {
        operationId: 'getSavedFilter',
        summary: 'Get a saved filter',
        description: 'Also finds filters in the trash: those have `deleted_at`.',
      },
    })
    .patch(
      '/:id',
      async ({ request, session, params, body, reply }) =>
        reply.changed(await savedFilters.update(session, params.id, body, ifMatch(request))),
      {
        params: OneGroup,
        body: UpdateSavedFilter,
        response: { 200: SavedFilter, 409: Problem, 412: Problem },
        detail: {
          operationId: 'updateSavedFilter',
          ...refuses('conflict', 'invalid_filter', 'too_many_affected'),
          summary: 'Change a saved filter',
          description: '`after` or `before` moves it.',
        },
      },
    )
    .delete(
      '/:id',
      async ({ request, session, params, query, reply }) => {
        await savedFilters[query.permanent === 'true' ? 'erase' : 'trash'](session, params.id, ifMatch(request))
        reply.deleted()
      },
      {
        params: OneGroup,
        query: DeleteGroup,
        response: { 204: NoContent, 412: Problem },
        detail: {
          operationId: 'deleteSavedFilter',
          summary: 'Delete a saved filter',
          description:
            'Moves the filter to the trash for 30 days; `permanent=true` erases it immediately. No task changes.',
        },
      },
    )
    .post(
      '/:id/restore',
      ({ request, params, once }) =>
        once(async (session) => changed(await savedFilters.restore(session, params.id, ifMatch(request)))),
      {
        idempotent: true,
        params: OneGroup,
        response: { 200: SavedFilter, 409: Problem, 412: Problem },
        detail: {
          operationId: 'restoreSavedFilter',
          summary: 'Restore a saved filter',
          description: 'Brings the filter back from the trash.',
        },
      },
    )
}
