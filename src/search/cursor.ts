import { ApiError } from '../http/api-error'
import { readCursor, writeCursor } from '../http/cursor'

/** The number of its words that the best results of a query have: all of them (`none` relaxed), most of them, or any. */
export type Relaxed = 'none' | 'some' | 'any'

/** The outcome of each word of a query, for its later pages. Words are named by their index, which is shorter. */
export interface WordOutcomes {
  /**
   * One sign for each word: `-` if it occurred nowhere at the time of the first page, `.` if it was too common, else
   * `+`.
   */
  readonly signs: string
  /** The corrections of slips. */
  readonly fixes: readonly WordFix[]
}

/** The index of a word in the query, and the word that was searched instead. */
export type WordFix = readonly [place: number, to: string]

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
  readonly fates: WordOutcomes
  /** Whether the order is by meaning as well. */
  readonly meaning: boolean
}

/** Writes a cursor for the end of a page. `binding` is any text that identifies the query and the filters. */
export function writePosition(binding: string, position: Position): string {
  return writeCursor(binding, [JSON.stringify({ ...position, best: packNumbers(position.best) })])
}

/** Reads such a cursor. Throws invalid_cursor if it is forged or belongs to another query. */
export function readPosition(cursor: string, binding: string): Position {
  const [text] = readCursor(cursor, binding, ['string'])
  const position = parse(String(text))
  if (!position) throw new ApiError('invalid_cursor', 'This cursor does not belong to this list, sort and filters.')
  return position
}

/** Documents of a page and of the best results, at most. */
const MAX_BEST = 1000

/**
 * Parses a position; null if it is malformed. A forged one only moves the caller's own list, so its shape is all we
 * check.
 */
function parse(text: string): Position | null {
  try {
    const { best: packed, at, rest, newest, relaxed, unquoted, fates, meaning } = JSON.parse(text)
    const best = unpackNumbers(String(packed))
    const isSound =
      [...best, at, newest, ...(rest ?? [0, 0])].every(Number.isSafeInteger) &&
      best.length <= MAX_BEST &&
      (rest === null || rest.length === 2) &&
      ['none', 'some', 'any'].includes(relaxed) &&
      /^[-+.]*$/.test(fates.signs) &&
      fates.fixes.every(([place, to]: WordFix) => Number.isInteger(place) && typeof to === 'string')
    const flags = { unquoted: unquoted === true, meaning: meaning === true }
    return isSound ? { best, at, rest, newest, relaxed, fates, ...flags } : null
  } catch {
    return null
  }
}

/** Writes numbers by their differences, which take less room. */
function packNumbers(numbers: readonly number[]): string {
  return numbers
    .map((number, i) => (number - (numbers[i - 1] ?? 0)).toString(36))
    .join(' ')
    .replaceAll(' -', '-')
}

function unpackNumbers(text: string): number[] {
  let last = 0
  return (text.match(/-?[0-9a-z]+/g) ?? []).map((piece) => {
    last += Number.parseInt(piece, 36)
    return last
  })
}
