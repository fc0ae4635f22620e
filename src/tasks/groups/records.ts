import type { RecordChange, ResourceType } from '../../db/change-feed'
import type { Context, Session } from '../../db/database'
import type { Tagged } from '../../http/conditional'
import { type Page, readCursor, toPage } from '../../http/cursor'
import { createResourceReader, createResourceWriter, taken } from '../../http/resource'
import { DEFAULT_LIMIT } from '../../http/values'
import { MAX_AFFECTED_TASKS, refuseTooMany } from '../change-tasks'
import {
  createPositionBetween,
  createPositions,
  findGap,
  isInGap,
  MAX_POSITION_CHARS,
  type SiblingMove,
} from '../names-and-positions'
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

interface OrderedRow extends GroupRow {
  readonly position: string
}

interface OrderDeps<Row extends OrderedRow> {
  readonly store: GroupStore<Row>
  readonly save: (session: Session, old: Row, members: Partial<Row>) => Promise<Row>
}

/** Creates the functions that set positions. A move writes one row, unless positions get too long. */
export function createOrder<Row extends OrderedRow>({ store, save }: OrderDeps<Row>) {
  type Draft = GroupDraft<Row> & Pick<OrderedRow, 'position'>

  /** Gives all siblings short positions, as if the row were at `position`. Returns the new position of the row. */
  async function renumberSiblings(session: Session, row: Draft, position: string): Promise<string> {
    const siblings = await store.listSiblings(session.db, session.workspace.id, row, MAX_AFFECTED_TASKS + 1)
    refuseTooMany(siblings.length)
    const others = siblings.filter(({ id }) => id !== row.id)
    const rank = others.filter((other) => other.position < position).length
    const positions = createPositions(others.length + 1)
    for (const [i, other] of others.entries()) {
      const moved = positions[i < rank ? i : i + 1]
      await save(session, other, { position: moved } as Partial<Row>)
    }
    return positions[rank] ?? position
  }

  /** Returns the position that a request sets, by default the last one. Throws invalid_request. */
  async function findPosition(session: Session, row: Draft, move: SiblingMove): Promise<string> {
    const gap = await findGap(store, session, row, move, async (id) => {
      const sibling = await store.get(session.db, session.workspace.id, id)
      return sibling?.deleted_at === null && store.hasSameScope(sibling, row) ? sibling.position : null
    })
    if (row.position !== '' && isInGap(gap, row.position)) return row.position
    const found = createPositionBetween(...gap)
    return found.length > MAX_POSITION_CHARS ? renumberSiblings(session, row, found) : found
  }

  return {
    findPosition,

    /** Returns the position of a row after a request that may move it. Throws invalid_request. */
    findPositionAfterUpdate: async (session: Session, row: Row, move: SiblingMove): Promise<string> =>
      move.after === undefined && move.before === undefined ? row.position : findPosition(session, row, move),
  }
}
