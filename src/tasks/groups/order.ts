import { generateKeyBetween, generateNKeysBetween } from 'fractional-indexing'
import type { Session } from '../../db/database'
import { invalid } from '../../http/api-error'
import { MAX_AFFECTED_TASKS, refuseTooMany } from './records'
import type { GroupDraft, GroupRow, GroupStore } from './store'

/**
 * Fractional positions: there is a position between any two others, so a move writes one row. They are compared as
 * text, byte by byte.
 */

/** The most characters of a position. If a new one is longer, the siblings are renumbered. */
export const MAX_POSITION_CHARS = 200

/** Creates a position between two others; null is the beginning or the end. */
export function createPositionBetween(before: string | null, after: string | null): string {
  return generateKeyBetween(before, after)
}

/** Creates `count` ascending positions, as short as possible. */
export function createPositions(count: number): string[] {
  return generateNKeysBetween(null, null, count)
}

/** Reads a position from another workspace. Throws invalid_request unless there is room on both sides of it. */
export function readTaskPosition(text: string): string {
  if (text.length > MAX_POSITION_CHARS || !/^[A-Za-z][0-9A-Za-z]+$/.test(text) || !hasRoom(text))
    throw invalid('/position', 'invalid_position', 'position must be one that a move has set')
  return text
}

function hasRoom(position: string): boolean {
  try {
    return createPositionBetween(null, position) < position && position < createPositionBetween(position, null)
  } catch {
    // The library throws plain errors for keys that are not its own.
    return false
  }
}

interface OrderedRow extends GroupRow {
  readonly position: string
}

/** The members of a request that set a position: after or before a sibling, or (null) first or last. */
interface GroupMove {
  readonly after?: string | null | undefined
  readonly before?: string | null | undefined
}

/** A sibling's position and a side of it; null is the beginning or the end. */
interface Spot {
  readonly side: 'before' | 'after'
  readonly position: string | null
}

interface Deps<Row extends OrderedRow> {
  readonly store: GroupStore<Row>
  readonly save: (session: Session, old: Row, members: Partial<Row>) => Promise<Row>
}

/**
 * Finds the position of a row from another workspace: its own, or right after the row that has this position here.
 * @param row the row with its position in the other workspace
 */
export async function findFreePosition<Row extends OrderedRow>(
  store: GroupStore<Row>,
  { db, workspace }: Session,
  row: GroupDraft<Row> & Pick<OrderedRow, 'position'>,
): Promise<string> {
  const { position } = row
  if ((await store.findIdAtPosition(db, workspace.id, row, position)) === null) return position
  const next = createPositionBetween(position, await store.findNextPosition(db, workspace.id, row, 'after', position))
  if (next.length <= MAX_POSITION_CHARS) return next
  return createPositionBetween(await store.findNextPosition(db, workspace.id, row, 'before', null), null)
}

/** Creates the functions that set positions. A move writes one row, unless positions get too long. */
export function createOrder<Row extends OrderedRow>({ store, save }: Deps<Row>) {
  type Draft = GroupDraft<Row> & Pick<OrderedRow, 'position'>

  /** Reads where a request puts the row. Throws invalid_request. */
  async function readSpot(session: Session, row: Draft, { after, before }: GroupMove): Promise<Spot> {
    if (after !== undefined && before !== undefined)
      throw invalid('/before', 'invalid_value', 'give after or before, not both')
    const [side, id] = after !== undefined ? (['after', after] as const) : (['before', before ?? null] as const)
    return {
      side,
      position: id && (await getSiblingPosition(session, row, id, side)),
    }
  }

  async function getSiblingPosition({ db, workspace }: Session, row: Draft, id: string, name: string): Promise<string> {
    const sibling = await store.get(db, workspace.id, id)
    if (!sibling || sibling.deleted_at !== null || id === row.id || !store.hasSameScope(sibling, row))
      throw invalid(`/${name}`, 'not_a_sibling', `${name} must be the id of another in the same list`)
    return sibling.position
  }

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
  async function findPosition(session: Session, row: Draft, move: GroupMove): Promise<string> {
    const { side, position: at } = await readSpot(session, row, move)
    const beyond = await store.findNextPosition(session.db, session.workspace.id, row, side, at)
    if (beyond !== null && beyond === row.position) return beyond
    const found = side === 'after' ? createPositionBetween(at, beyond) : createPositionBetween(beyond, at)
    return found.length > MAX_POSITION_CHARS ? renumberSiblings(session, row, found) : found
  }

  return {
    findPosition,

    /** Returns the position of a row after a request that may move it. Throws invalid_request. */
    findPositionAfterUpdate: async (session: Session, row: Row, move: GroupMove): Promise<string> =>
      move.after === undefined && move.before === undefined ? row.position : findPosition(session, row, move),
  }
}
