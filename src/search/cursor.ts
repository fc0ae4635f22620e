import { ApiError } from '../http/api-error'
import { readCursor, writeCursor } from '../http/cursor'

/** The number of its words that the best results of a query have: all of them (`none` relaxed), most of them, or any. */
export type Relaxed = 'none' | 'some' | 'any'

/**
 * What became of a word of a query: it counts (true), it is too common to count (false), another word is searched
 * instead, or it occurs nowhere (null).
 */
export type Fate = boolean | string | null

/**
 * The end of a page. The best results are listed in it in their order, so that no write between two pages reorders them;
 * after these come the others, newest first. A cursor holds it as JSON: its members keep their names.
 */
export interface Position {
  /** The documents of the best results. */
  readonly best: readonly number[]
  /** The index of the next of them. */
  readonly at: number
  /** The tier and the document after which the others go on; null if there are none. */
  readonly rest: readonly [tier: number, doc: number] | null
  /** The newest document at the time of the first page: later ones appear on no page. */
  readonly newest: number
  readonly relaxed: Relaxed
  /** Whether phrases were searched as words. */
  readonly unquoted: boolean
  /** Of each word, as it was on the first page. */
  readonly fates: readonly Fate[]
  /** Whether the order is by meaning as well. */
  readonly meaning: boolean
}

/** Writes a cursor for the end of a page. `binding` is any text that identifies the query and the filters. */
export function writePosition(binding: string, position: Position): string {
  // Documents by their differences, and words by one digit, take less room.
  const best = position.best.map((doc, i) => doc - (position.best[i - 1] ?? 0))
  const fates = position.fates.map((fate) => (typeof fate === 'boolean' ? Number(fate) : fate))
  return writeCursor(binding, [JSON.stringify({ ...position, best, fates })])
}

/** Documents of a page and of the best results, at most. */
const MAX_BEST = 1000

/**
 * Reads such a cursor. A forged one only moves the caller's own list, so its shape is all we check.
 * @throws ApiError invalid_cursor
 */
export function readPosition(cursor: string, binding: string): Position {
  const [text] = readCursor(cursor, binding, ['string'])
  try {
    const { best, at, rest, newest, relaxed, unquoted, fates, meaning } = JSON.parse(String(text))
    const isSound =
      [...best, at, newest, ...(rest ?? [0, 0])].every(Number.isSafeInteger) &&
      best.length <= MAX_BEST &&
      (rest === null || rest.length === 2) &&
      ['none', 'some', 'any'].includes(relaxed) &&
      fates.every((fate: unknown) => [0, 1, null].includes(fate as null) || typeof fate === 'string')
    let doc = 0
    if (isSound)
      return {
        ...{ at, rest, newest, relaxed, unquoted: unquoted === true, meaning: meaning === true },
        best: best.map((step: number) => (doc += step)),
        fates: fates.map((fate: number | string | null) => (typeof fate === 'number' ? fate === 1 : fate)),
      }
  } catch {
    // It is refused below, as one of another shape is.
  }
  throw new ApiError('invalid_cursor', 'This cursor does not belong to this list, sort and filters.')
}
