import { ApiError } from '../http/api-error'
import { readCursor, writeCursor } from '../http/cursor'
import { type FeedbackTerm, MAX_FEEDBACK_TERMS } from './feedback'

import type { Rank, Statistics } from './statistics'

/** How far a query was relaxed: all of its words, most of them, or any. */
export type Relaxed = 'none' | 'some' | 'any'

/** What became of the words of a query, for its later pages. By their places, which are shorter than the words. */
export interface WordOutcomes {
  /** For each word a sign: `-` if it occurred nowhere when the first page was made, `.` if it was too common, else `+`. */
  readonly signs: string
  /** What was looked for instead of some of these. */
  readonly fixes: readonly WordFix[]
}

export type WordFix = readonly [place: number, to: string]

/** What is left of a list of two, as it was when its first page was made. */
export interface Fused {
  /** Documents to be shown next, before the words' list goes on. */
  readonly rest: readonly number[]
  /** Documents of it that the words' list may have behind where it goes on. */
  readonly apart: readonly number[]
}

/** Where a page ends, with all that the order depends on; a cursor holds it. */
export interface Position {
  /** The last of the words' list that was read; null before the first. */
  readonly behind: Rank | null
  /** What is left of words and meaning together; null where words alone rank. */
  readonly fused: Fused | null
  /** The newest document of the first page: what is written later is on none. */
  readonly newest: number
  readonly relaxed: Relaxed
  /** Whether phrases were looked for as words. */
  readonly unquoted: boolean
  readonly fates: WordOutcomes
  readonly statistics: Statistics
  /** The terms that the best results of the first page added to a long question. */
  readonly added: readonly FeedbackTerm[]
}

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
      added.length <= MAX_FEEDBACK_TERMS &&
      added.every(([stem, weight]) => typeof stem === 'string' && Number.isFinite(weight))
    const position = { behind: behind ?? null, fused: fused ?? null, newest, relaxed, fates, statistics }
    return isSound ? { ...position, unquoted: unquoted === true, added } : null
  } catch {
    return null
  }
}
