import { type Static, Type } from '@sinclair/typebox'
import { ApiError } from '../http/api-error'
import { readCursor, writeCursor } from '../http/cursor'
import { createCheck } from '../http/validation'
import { SearchPage } from './schema'

/**
 * What became of a word of a query: it counts (1), it is too common to count (0), another word is searched instead, or it
 * occurs nowhere (null).
 */
const Fate = Type.Union([Type.Literal(1), Type.Literal(0), Type.String(), Type.Null()])
export type Fate = Static<typeof Fate>

/** Documents of a page and of the best results, at most. */
const MAX_BEST = 1000

/**
 * The end of a page. The best results are listed in it in their order, so that no write between two pages reorders them;
 * after these come the others, newest first. A cursor holds it as JSON: its members keep their names.
 */
const Position = Type.Object({
  /** The documents of the best results. */
  best: Type.Array(Type.Integer(), { maxItems: MAX_BEST }),
  /** The index of the next of them. */
  at: Type.Integer(),
  /** The tier and the document after which the others go on; null if there are none. */
  rest: Type.Union([Type.Tuple([Type.Integer(), Type.Integer()]), Type.Null()]),
  /** The newest document at the time of the first page: later ones appear on no page. */
  newest: Type.Integer(),
  relaxed: SearchPage.properties.relaxed,
  /** Whether phrases were searched as words. */
  unquoted: Type.Boolean(),
  /** Of each word, as it was on the first page. */
  fates: Type.Array(Fate),
  /** Whether the order is by meaning as well. */
  meaning: Type.Boolean(),
})
export type Position = Static<typeof Position>

const check = createCheck(Position)

/** Writes a cursor for the end of a page. `binding` is any text that identifies the query and the filters. */
export function writePosition(binding: string, position: Position): string {
  // The differences between the documents take less room.
  const best = position.best.map((doc, i) => doc - (position.best[i - 1] ?? 0))
  return writeCursor(binding, [JSON.stringify({ ...position, best })])
}

/**
 * Reads such a cursor. A forged one only moves the caller's own list, so its shape is all we check.
 * @throws ApiError invalid_cursor
 */
export function readPosition(cursor: string, binding: string): Position {
  const [text] = readCursor(cursor, binding, ['string'])
  const position = parse(String(text))
  if (!check().Check(position))
    throw new ApiError('invalid_cursor', 'This cursor does not belong to this list, sort and filters.')
  let doc = 0
  return { ...position, best: position.best.map((step) => (doc += step)) }
}

/** Returns null for what is no JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
