import { invalid } from '../../http/api-error'
import type { FileFacts, ImportWarning } from '../../imports/kind'
import type { FactNoteMembers } from '../facts/fact'
import type { FactContent, FactType } from '../facts/fact-schema'
import type { NoteTypeContent } from '../facts/note-type'

/**
 * The items that every reader of a file passes to the import, as a stream in any order. A reader checks only what it
 * needs to read the file. The import checks the limits of facts and decks.
 */
export type ParsedFlashcards = ParsedIgnored | ParsedDeck | ParsedNoteType | ParsedFact | ParsedMedia | ParsedFault

/** What the file holds besides, and how many of each. At most one, before any other item. */
export interface ParsedIgnored {
  readonly kind: 'ignored'
  readonly components: NonNullable<FileFacts['ignored']>
}

/** A deck that the file describes. A deck that only facts name needs no item. */
export interface ParsedDeck {
  readonly kind: 'deck'
  /** From the top, e.g. `['Languages', 'Portuguese']`. */
  readonly path: readonly string[]
  readonly description: string
}

/** A note type of Anki that facts of the file name by its hash. */
export interface ParsedNoteType {
  readonly kind: 'note_type'
  readonly hash: string
  readonly noteType: NoteTypeContent
}

export interface ParsedFact {
  readonly kind: 'fact'
  /** The place in the file, for the report: `line 12`, `note 1483121`. */
  readonly where: string
  /** The fact as in a request, without its deck and external_modified_at. */
  readonly fact: Omit<FactContent, 'type'> & { readonly type: FactType }
  /** What it has of its note in Anki; the note type by its hash. */
  readonly note?: Omit<FactNoteMembers, 'note_type'> & { readonly note_type: string }
  /** When it was created, in milliseconds since 1970, if the file tells. */
  readonly created_at?: number
  /** The path of its deck; empty: the deck that the request names. */
  readonly deck: readonly string[]
  /** Milliseconds since 1970. */
  readonly external_modified_at: number | null
  readonly cards: readonly ParsedCard[]
  /** The reviews of its cards, ascending by time. */
  readonly log: readonly ParsedReview[]
  readonly warnings?: readonly ImportWarning[]
}

/** The import computes memory from `log`, else from stability and difficulty, else from ease and interval. */
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
  /** Of an older scheduler; 2.5 by default. */
  readonly ease: number | null
  readonly scheduled_days: number
  readonly step: number
  /** How many steps of learning are left, the present one included; it decides over `step`. */
  readonly steps_left?: number
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
  /** The state of the card before; `manual` has no rating: somebody changed the due date. */
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

export interface ParsedFault extends ImportWarning {
  readonly kind: 'fault'
  readonly type: 'deck' | 'media' | 'fact'
  readonly where: string
}

/** Decodes a file in UTF-8, without its byte order mark. Throws invalid_request. */
export function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw invalid('', 'invalid_utf8', 'The file is not text in UTF-8.')
  }
}

/** Names a part of a file in a line of the report, which is stored. */
export function writePlace(type: string, name: string): string {
  const text = name.toWellFormed().replace(/\p{Cc}/gu, '\ufffd')
  return `${type} ${text.slice(0, 100).toWellFormed()}`
}
