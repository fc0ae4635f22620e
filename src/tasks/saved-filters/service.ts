import type { RecordChange } from '../../db/change-feed'
import type { Context } from '../../db/context'
import type { Session } from '../../db/database'
import { type Precondition, type Tagged, writeEtag } from '../../http/conditional'
import type { Page } from '../../http/cursor'
import { newStamps, refuseTrashed, textBytes, writeStamps } from '../../http/resource'
import { requireLength } from '../../http/values'
import { createOrder } from '../groups/order'
import { checkGroupName, createGroupRecords } from '../groups/records'
import type { CreateSavedFilter, ListSavedFilters, SavedFilter, UpdateSavedFilter } from './schema'
import { type SavedFilterRow, savedFilterStore } from './store'

/** The most code points of a filter. */
export const MAX_SAVED_FILTER_CHARS = 1000

const NOUN = 'filter'

interface Deps extends Pick<Context, 'now' | 'ids'> {
  readonly record: RecordChange
  /** Throws invalid_filter unless the text is a filter. */
  readonly checkFilter: (session: Session, text: string, now: number) => Promise<void>
}

export type SavedFilters = ReturnType<typeof createSavedFilters>

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
