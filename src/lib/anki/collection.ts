import { FileFault } from '../file-fault'

/** The contents of an Anki collection of either schema. Ids are Anki's own, mostly milliseconds since 1970. */

export interface Template {
  readonly name: string
  /** HTML with `{{Field}}`. */
  readonly question: string
  readonly answer: string
}

/** JSON of what else Anki has of a note type, by the names of schema 11. */
export interface NotetypeSettings {
  readonly notetype: JsonMembers
  readonly fields: JsonMembers[]
  readonly templates: JsonMembers[]
}

export type JsonMembers = Readonly<Record<string, unknown>>

/** Which fields a note has, and the templates that make cards of them. */
export interface Notetype {
  readonly anki_id: number
  readonly name: string
  /** `cloze` and `image_occlusion` have one template, and a card for each number in its cloze fields. */
  readonly kind: 'standard' | 'cloze' | 'image_occlusion'
  readonly fields: string[]
  /** In the order of their ordinals. */
  readonly templates: Template[]
  readonly css: string
  readonly settings: NotetypeSettings
}

export interface AnkiDeck {
  readonly id: number
  /** The names of the decks from the top to this one. */
  readonly path: readonly string[]
  readonly description: string
}

export interface AnkiCalendar {
  /** The beginning of the day that Anki counts as 0, in seconds since 1970. */
  readonly created: number
  /** Seconds since 1970. */
  readonly modified: number
  /** Minutes by which local time is behind UTC; null: unknown. */
  readonly creationOffset: unknown
  /** The hour at which a day begins; null: unknown. */
  readonly rollover: unknown
  /** Whether Anki's first scheduler wrote the cards and the log, as in collections that name none. */
  readonly isFirstScheduler: boolean
}

export interface AnkiNote {
  readonly id: number
  readonly guid: string
  readonly notetype: number
  /** Seconds since 1970. */
  readonly modified: number
  readonly tags: readonly string[]
  /** HTML. */
  readonly fields: readonly string[]
}

/** The members are Anki's columns. */
export interface AnkiCard {
  readonly id: number
  readonly nid: number
  readonly did: number
  readonly ord: number
  readonly type: number
  readonly queue: number
  readonly due: number
  readonly ivl: number
  readonly factor: number
  readonly reps: number
  readonly lapses: number
  /** Steps of learning: thousands of those that are left today, and those that are left in all. */
  readonly left: number
  readonly odue: number
  readonly odid: number
  readonly flags: number
  readonly data: string
}

/** Returns the id of the card's deck; for a card in a filtered deck, of the deck that it was taken from. */
export function homeDeckId({ did, odid }: AnkiCard): number {
  return odid === 0 ? did : odid
}

export interface AnkiReview {
  /** The time of the review, in milliseconds since 1970. */
  readonly id: number
  readonly cid: number
  /** 1 (again) to 4 (easy); 0 if it was rescheduled by hand. */
  readonly ease: number
  /** The ease of the card in thousandths, or its difficulty; 0 if the answer did not count for its schedule. */
  readonly factor: number
  readonly time: number
  readonly type: number
}

export type SqliteValue = string | number | bigint | Uint8Array | boolean | null

/** So that no package is a zip bomb, in bytes. Imports and the quota limit the numbers of facts and media. */
export interface PackageLimits {
  /** All unpacked data together; or twice the size of the file, if that is more. */
  readonly unpacked: number
  readonly collection: number
  readonly entries: number
  readonly mediaFile: number
  readonly cards: number
  readonly reviews: number
}

/** The end of the year 9999. */
export const LAST_SECOND = 253_402_300_799

export function invalidPackage(detail: string): FileFault {
  return new FileFault('invalid_package', detail)
}

export function unsupportedPackage(detail: string): FileFault {
  return new FileFault('unsupported_package', detail)
}

export function packageTooLarge(detail: string): FileFault {
  return new FileFault('too_large', detail)
}
