import { FileFault } from '../file-fault'

/** What a collection of Anki holds, of whichever schema. Ids are Anki's own, mostly milliseconds since 1970. */

export interface Template {
  readonly ordinal: number
  /** HTML with `{{Field}}`. */
  readonly question: string
  readonly answer: string
}

export interface Notetype {
  readonly id: number
  readonly name: string
  readonly isCloze: boolean
  readonly isImageOcclusion: boolean
  /** In order. */
  readonly fields: readonly string[]
  readonly templates: readonly Template[]
}

export interface AnkiDeck {
  readonly id: number
  /** From the top. */
  readonly path: readonly string[]
  readonly description: string
}

export interface AnkiCalendar {
  /** The day that Anki counts as 0, as seconds since 1970 of its first instant. */
  readonly created: number
  /** Seconds since 1970. */
  readonly modified: number
  /** Minutes that local time is behind UTC; null: unknown. */
  readonly creationOffset: unknown
  /** The hour at which a day begins; null: unknown. */
  readonly rollover: unknown
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
  readonly odue: number
  readonly odid: number
  readonly flags: number
  readonly data: string
}

export interface AnkiReview {
  /** When, in milliseconds since 1970. */
  readonly id: number
  readonly cid: number
  /** 1 again … 4 easy; 0 by hand. */
  readonly ease: number
  readonly time: number
  readonly type: number
}

/** What SQLite gives for a column. */
export type SqliteValue = string | number | bigint | Uint8Array | boolean | null

/**
 * What a package may hold, so that none is a bomb; sizes in bytes. How many facts and media go in, the limits of
 * imports and the workspace's quota say.
 */
export interface PackageLimits {
  /** All that is unpacked, together; or twice what the file has, if that is more. */
  readonly unpacked: number
  readonly collection: number
  readonly entries: number
  /** One media file. */
  readonly mediaFile: number
  readonly cards: number
  /** Rows of the log. */
  readonly reviews: number
}

/** The end of the year 9999. */
export const LAST_SECOND = 253_402_300_799

/** Why an Anki package is not read (further), or not written: 400 for `invalid_package`, 413 for `too_large`. */

export function invalidPackage(detail: string): FileFault {
  return new FileFault('invalid_package', detail)
}

export function unsupportedPackage(detail: string): FileFault {
  return new FileFault('unsupported_package', detail)
}

export function packageTooLarge(detail: string): FileFault {
  return new FileFault('too_large', detail)
}
