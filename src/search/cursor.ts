import { ApiError } from '../http/api-error'
import { readCursor, writeCursor } from '../http/cursor'
import { MOST_FEEDBACK_TERMS } from './feedback'
import type { Position } from './find'

/** Writes where a page ends. `binding` is any text that names the query and the filters. */
export function writePosition(binding: string, position: Position): string {
  return writeCursor(binding, [JSON.stringify(position)])
}

/** Reads it back. Throws invalid_cursor if it is not ours, or belongs to another query. */
export function readPosition(cursor: string, binding: string): Position {
  const [text] = readCursor(cursor, binding, ['string'])
  const position = parse(String(text))
  if (!position) throw new ApiError('invalid_cursor', 'This cursor does not belong to this list, sort and filters.')
  return position
}

/** Nobody is harmed by a cursor that was made up: it moves the caller's own list. It only must not break anything. */
function parse(text: string): Position | null {
  try {
    const { behind, fused, newest, relaxed, fates, unquoted, statistics, added } = JSON.parse(text) as Position
    const places = [...(behind ? [behind.score, behind.doc] : []), ...(fused ? [...fused.rest, ...fused.apart] : [])]
    const numbers = [...places, newest, statistics.documents, ...statistics.averages, ...statistics.frequencies]
    const isSound =
      numbers.every((number) => Number.isFinite(number)) &&
      ['none', 'some', 'any'].includes(relaxed) &&
      /^[-+.]*$/.test(fates.signs) &&
      fates.fixes.every(([place, to]) => Number.isInteger(place) && typeof to === 'string') &&
      added.length <= MOST_FEEDBACK_TERMS &&
      added.every(([stem, weight]) => typeof stem === 'string' && Number.isFinite(weight))
    const position = { behind: behind ?? null, fused: fused ?? null, newest, relaxed, fates, statistics }
    return isSound ? { ...position, unquoted: unquoted === true, added } : null
  } catch {
    return null
  }
}
