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

/** Of the text of a filter, in code points. */
export const FILTER_LENGTH = 1000

const NOUN = 'filter'

interface Deps extends Pick<Context, 'now' | 'ids'> {
  readonly record: RecordChange
  /** Throws invalid_filter unless the text is a filter. */
  readonly checkFilter: (session: Session, text: string) => Promise<void>
}

export type SavedFilters = ReturnType<typeof createSavedFilters>

/** What saved filters share with other things that have names. */
export function filterRecords({ now, record }: Pick<Deps, 'now' | 'record'>) {
  return createGroupRecords({
    now,
    record,
    store: savedFilterStore,
    type: 'task_filter',
    noun: NOUN,
    show: toSavedFilter,
  })
}

/** Filters that are kept under a name. A text is checked when it is written; what it names may go later. */
export function createSavedFilters({ now, ids, record, checkFilter }: Deps) {
  const named = filterRecords({ now, record })
  const order = createOrder({ store: savedFilterStore, save: named.save })

  async function checkedText(session: Session, text: string): Promise<string> {
    requireLength(text, FILTER_LENGTH, '/filter')
    await checkFilter(session, text)
    return text
  }

  return {
    get: named.get,

    /** Throws conflict if the id or the name is taken. */
    create(session: Session, { id = ids(), name, filter, sort = null, ...asked }: CreateSavedFilter) {
      const checked = { ...newStamps(id, now()), ...checkGroupName(name), sort, position: '' }
      return session.db.transaction(async (db) => {
        const within = { ...session, db }
        const draft = {
          ...checked,
          filter: await checkedText(within, filter),
          size_bytes: textBytes(checked.name, filter),
        }
        const position = await order.position(within, draft, asked)
        return toSavedFilter(await named.insert(within, { ...draft, position }))
      })
    },

    list: (session: Session, query: ListSavedFilters): Promise<Page<SavedFilter>> => named.page(session, query),

    /** Applies a merge patch. Throws conflict while it is in the trash, or if the name is taken. */
    async update(session: Session, id: string, patch: UpdateSavedFilter, precondition: Precondition = null) {
      const next = async (within: Session, old: SavedFilterRow) => {
        refuseTrashed(old, NOUN)
        const { name, name_key } = patch.name === undefined ? old : checkGroupName(patch.name)
        const filter = patch.filter === undefined ? old.filter : await checkedText(within, patch.filter)
        const sort = patch.sort === undefined ? old.sort : patch.sort
        const position = await order.changed(within, old, patch)
        return named.save(within, old, { name, name_key, filter, sort, position, size_bytes: textBytes(name, filter) })
      }
      return toSavedFilter(await named.withRow(session, id, precondition, next))
    },

    /** Moves it to the trash; what is there already stays as it is. */
    async trash(session: Session, id: string, precondition: Precondition = null): Promise<void> {
      await named.withRow(session, id, precondition, named.trash)
    },

    /** Brings it back from the trash. Throws conflict if its name is taken by now. */
    async restore(session: Session, id: string, precondition: Precondition = null) {
      return toSavedFilter(await named.withRow(session, id, precondition, named.restore))
    },

    /** Erases it for good, from the trash or not. */
    erase: (session: Session, id: string, precondition: Precondition = null): Promise<void> =>
      named.withRow(session, id, precondition, named.erase),
  }
}

function toSavedFilter(row: SavedFilterRow): Tagged<SavedFilter> {
  const { filter, sort, position } = row
  return { resource: { ...writeStamps(row), name: row.name, filter, sort, position }, etag: writeEtag(row.revision) }
}
