import { ApiError } from '../http/api-error'
import { readCursor, writeCursor } from '../http/cursor'
import { type FeedbackTerm, MAX_FEEDBACK_TERMS } from './feedback'
import type { Rank, Statistics } from './statistics'

/** The number of its words that a query requires: all of them (`none` relaxed), most of them, or any. */
export type Relaxed = 'none' | 'some' | 'any'

/** The outcome of each word of a query, for its later pages. Words are named by their index, which is shorter. */
export interface WordOutcomes {
  /**
   * One sign for each word: `-` if it occurred nowhere at the time of the first page, `.` if it was too common, else
   * `+`.
   */
  readonly signs: string
  /** The corrections of typos. */
  readonly fixes: readonly WordFix[]
}

/** The index of a word in the query, and the word that was searched instead. */
export type WordFix = readonly [place: number, to: string]

/** The rest of the fused list of words and meaning (see fusion.ts), as it was at the time of the first page. */
export interface Fused {
  /** The documents to show next, before the list by words continues. */
  readonly rest: readonly number[]
  /** Documents of the fused list that may come again later in the list by words. */
  readonly apart: readonly number[]
}

/**
 * The end of a page, with everything that the order depends on. A cursor holds it as JSON: its members keep their
 * names.
 */
export interface Position {
  /** The last document that was read from the list by words; null before the first. */
  readonly behind: Rank | null
  /** The rest of the fused list; null if words alone rank. */
  readonly fused: Fused | null
  /** The newest document at the time of the first page: later ones appear on no page. */
  readonly newest: number
  readonly relaxed: Relaxed
  /** Whether phrases were searched as words. */
  readonly unquoted: boolean
  readonly fates: WordOutcomes
  readonly statistics: Statistics
  /** The terms that feedback added to a long question on the first page. */
  readonly added: readonly FeedbackTerm[]
}

/** Writes a cursor for the end of a page. `binding` is any text that identifies the query and the filters. */
export function writePosition(binding: string, position: Position): string {
  return writeCursor(binding, [JSON.stringify(position)])
}

/** Reads such a cursor. Throws invalid_cursor if it is forged or belongs to another query. */
export function readPosition(cursor: string, binding: string): Position {
  const [text] = readCursor(cursor, binding, ['string'])
  const position = parse(String(text))
  if (!position) throw new ApiError('invalid_cursor', 'This cursor does not belong to this list, sort and filters.')
  return position
}

/**
 * Parses a position; null if it is malformed. A forged one only moves the caller's own list, so its shape is all we
 * check.
 */
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
      added.length <= MAX_FEEDBACK_TERMS &&
      added.every(([stem, weight]) => typeof stem === 'string' && Number.isFinite(weight))
    const position = { behind: behind ?? null, fused: fused ?? null, newest, relaxed, fates, statistics }
    return isSound ? { ...position, unquoted: unquoted === true, added } : null
  } catch {
    return null
  }
}
