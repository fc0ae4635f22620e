import { generateKeyBetween, generateNKeysBetween } from 'fractional-indexing'
import type { Session } from '../db/database'
import { invalid } from '../http/api-error'
import { readKeyedName } from '../http/values'

export const MAX_GROUP_NAME_CHARS = 100

/** Checks a name. Returns it in NFC, and its key for comparisons. Throws invalid_request. */
export const checkGroupName = (sent: string, pointer = '/name') => readKeyedName(sent, MAX_GROUP_NAME_CHARS, pointer)

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

/** Positions are fractional, so a move writes one row. They are compared as text, byte by byte. */

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

/** The members of a request that set a position: after or before a sibling, or (null) first or last. */
export interface SiblingMove {
  readonly after?: string | null | undefined
  readonly before?: string | null | undefined
}

interface OrderedRow {
  readonly id: string
  readonly position: string
}

interface PositionStore<Row> {
  readonly findNextPosition: (
    session: Session,
    row: Row,
    side: 'before' | 'after',
    from: string | null,
  ) => Promise<string | null>
  readonly findIdAtPosition: (session: Session, row: Row) => Promise<string | null>
}

type Gap = readonly [above: string | null, below: string | null]

/**
 * Returns the positions between which a request puts a row, by default after all others; null is the beginning or the end.
 * @param positionOf returns the position of a sibling of the row; null for any other id
 * @throws ApiError invalid_request
 */
export async function findGap<Row extends { readonly id: string }>(
  store: Pick<PositionStore<Row>, 'findNextPosition'>,
  session: Session,
  row: Row,
  { after, before }: SiblingMove,
  positionOf: (id: string) => Promise<string | null>,
): Promise<Gap> {
  if (after !== undefined && before !== undefined)
    throw invalid('/before', 'invalid_value', 'give after or before, not both')
  const [side, id] = after === undefined ? (['before', before] as const) : (['after', after] as const)
  const at = id && id !== row.id ? await positionOf(id) : null
  if (id && at === null)
    throw invalid(`/${side}`, 'not_a_sibling', `${side} must be the id of another one in the same place`)
  const beyond = await store.findNextPosition(session, row, side, at)
  return side === 'after' ? [at, beyond] : [beyond, at]
}

export function isInGap([above, below]: Gap, position: string): boolean {
  return (above === null || above < position) && (below === null || position < below)
}

/** Its own, or right after the row that has this position here. @param row with its position in the other workspace */
export async function findFreePosition<Row extends OrderedRow>(
  store: PositionStore<Row>,
  session: Session,
  row: Row,
): Promise<string> {
  const { position } = row
  if ((await store.findIdAtPosition(session, row)) === null) return position
  const next = createPositionBetween(position, await store.findNextPosition(session, row, 'after', position))
  if (next.length <= MAX_POSITION_CHARS) return next
  return createPositionBetween(await store.findNextPosition(session, row, 'before', null), null)
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
