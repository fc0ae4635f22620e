import { invalid } from '../../http/api-error'
import type { ImportWarning } from '../../imports/kind'
import type { FactContent } from '../fact-schema'

/**
 * What every reader of a file gives to the import: a stream of these, in any order. A reader checks only what it needs
 * to read the file; limits of facts and decks are the import's.
 */
export type ParsedFlashcards = ParsedDeck | ParsedFact | ParsedMedia | ParsedFault

/** A deck that the file describes; one that only facts name needs no item of its own. */
export interface ParsedDeck {
  readonly kind: 'deck'
  /** From the top, e.g. `['Languages', 'Portuguese']`. */
  readonly path: readonly string[]
  readonly description: string
}

export interface ParsedFact {
  readonly kind: 'fact'
  /** Where in the file, for the report: `line 12`, `note 1483121`. */
  readonly where: string
  /** A fact as a request would bring it, but for its deck and when it was changed there. */
  readonly fact: FactContent
  /** Empty: the deck that the import was asked to use. */
  readonly deck: readonly string[]
  /** Milliseconds since 1970. */
  readonly external_modified_at: number | null
  /** Cards whose state the file knows; others are new. */
  readonly cards: readonly ParsedCard[]
  /** Answers, ascending by time. */
  readonly log: readonly ParsedReview[]
  /** What there is to tell of it. */
  readonly warnings?: readonly ImportWarning[]
}

/** The state of a card. The import makes memory from `log`, else stability and difficulty, else ease and interval. */
export interface ParsedCard {
  readonly ordinal: number
  readonly state: 'new' | 'learning' | 'review' | 'relearning'
  /** A civil date, for `review`. */
  readonly due_day: string | null
  /** Milliseconds since 1970, for `learning` and `relearning`. */
  readonly due_at: number | null
  /** In days. */
  readonly stability: number | null
  readonly difficulty: number | null
  /** Of an older scheduler: 2.5 is the usual one. */
  readonly ease: number | null
  readonly scheduled_days: number
  readonly step: number
  readonly reps: number
  readonly lapses: number
  /** Milliseconds since 1970. */
  readonly last_reviewed_at: number | null
  readonly suspended: boolean
  /** A civil date. */
  readonly buried_until: string | null
  readonly flag: number
  readonly leech: boolean
  readonly position: number | null
}

export interface ParsedReview {
  readonly ordinal: number
  /** Milliseconds since 1970. */
  readonly reviewed_at: number
  /** The card's state before; `manual` has no rating and is a change of date by hand. */
  readonly kind: 'learning' | 'review' | 'relearning' | 'manual'
  readonly rating: 1 | 2 | 3 | 4 | null
  readonly duration_ms: number
}

/** A file that facts refer to as `media:name`. */
export interface ParsedMedia {
  readonly kind: 'media'
  readonly name: string
  readonly bytes: Uint8Array
}

/** A part of the file that cannot be read. */
export interface ParsedFault extends ImportWarning {
  readonly kind: 'fault'
  /** What it would have been. */
  readonly type: 'deck' | 'media' | 'fact'
  readonly where: string
}

/** The text of a file in UTF-8, without its byte order mark. Throws invalid_request. */
export function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw invalid('', 'invalid_utf8', 'The file is not text in UTF-8.')
  }
}
