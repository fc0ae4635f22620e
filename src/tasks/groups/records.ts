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

export interface GroupQuery {
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

    /** Returns one page of a list, of the trash or outside it. `where` is the SQL for the filters of the query. */
    async getPage(session: Session, query: GroupQuery, where?: GroupListing['where']): Promise<Page<Resource>> {
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

interface OrderDeps<Row extends GroupRow> {
  readonly store: GroupStore<Row>
  readonly save: (session: Session, old: Row, members: Partial<Row>) => Promise<Row>
}

/**
 * Creates the function that returns the position of a row after a request, by default the last one for a new row. A move
 * writes one row, unless positions get too long. It throws invalid_request, too_many_affected.
 */
export function createFindPosition<Row extends GroupRow>({ store, save }: OrderDeps<Row>) {
  type Draft = GroupDraft<Row>

  /** Gives all siblings short positions, as if the row were at `position`. Returns the new position of the row. */
  async function renumberSiblings(session: Session, row: Draft, position: string): Promise<string> {
    const siblings = await store.listSiblings(session.db, session.workspace.id, row, MAX_AFFECTED_TASKS + 1)
    refuseTooMany(siblings.length)
    const others = siblings.filter(({ id }) => id !== row.id)
    const rank = others.filter((other) => (other.position ?? '') < position).length
    const positions = createPositions(others.length + 1)
    for (const [i, other] of others.entries()) {
      const moved = positions[i < rank ? i : i + 1]
      await save(session, other, { position: moved } as Partial<Row>)
    }
    return positions[rank] ?? position
  }

  return async (session: Session, row: Draft, move: SiblingMove): Promise<string> => {
    if (row.position !== undefined && move.after === undefined && move.before === undefined) return row.position
    const gap = await findGap(store, session, row, move, async (id) => {
      const sibling = await store.get(session.db, session.workspace.id, id)
      return sibling?.deleted_at === null && store.hasSameScope(sibling, row) ? (sibling.position ?? null) : null
    })
    if (row.position !== undefined && isInGap(gap, row.position)) return row.position
    const found = createPositionBetween(...gap)
    return found.length > MAX_POSITION_CHARS ? renumberSiblings(session, row, found) : found
  }
}
