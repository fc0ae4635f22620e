import { fromDay, isDate } from '../lib/civil/day'
import { civilOf, isZone } from '../lib/civil/zone'
import { invalid } from './api-error'

/** Values that every feature reads and writes in the same form. */

/** Items of a page, unless asked otherwise, and at most. */
export const DEFAULT_LIMIT = 50
export const MAX_LIMIT = 200

/** Reads an instant. Throws invalid_request unless it is a real one in RFC 3339, UTC, with milliseconds or without. */
export function readInstant(text: string, pointer: string): number {
  const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/.test(text) ? Date.parse(text) : Number.NaN
  // Date.parse rolls 30 February over into March: a real instant comes back as it went in.
  if (Number.isNaN(at) || !new Date(at).toISOString().startsWith(text.slice(0, 19)))
    throw invalid(pointer, 'invalid_instant', `${pointer.slice(1)} must be an instant such as 2026-03-01T08:15:00.000Z`)
  return at
}

export function writeInstant(at: number): string {
  return new Date(at).toISOString()
}

/** Refuses text longer than `max` code points. (`maxLength` of a schema counts UTF-16 units.) */
export function requireLength(text: string, max: number, pointer: string): void {
  // A text of n units has at least n / 2 code points, and most texts are shorter than that.
  if (text.length <= max) return
  let length = 0
  for (const _ of text) length++
  if (length > max) throw invalid(pointer, 'too_long', `${pointer.slice(1)} must be at most ${max} characters`)
}

/** An instant that may be unset. Throws invalid_request. */
export function readOptional(text: string | null, pointer: string): number | null {
  return text === null ? null : readInstant(text, pointer)
}

export function writeOptional(at: number | null): string | null {
  return at === null ? null : writeInstant(at)
}

interface Stamps {
  readonly id: string
  readonly revision: number
  readonly created_at: string
  readonly updated_at: string
  readonly deleted_at: string | null
}

/** The members that every resource begins with, as they are stored. Throws invalid_request. */
export function readStamps({ id, revision, created_at, updated_at, deleted_at }: Stamps) {
  return {
    id,
    revision,
    created_at: readInstant(created_at, '/created_at'),
    updated_at: readInstant(updated_at, '/updated_at'),
    deleted_at: readOptional(deleted_at, '/deleted_at'),
  }
}

/** Reads civil dates (`YYYY-MM-DD`, no time and no zone) and zones of a request; src/civil/ reckons with them. */

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/

/** Reads a civil date. Throws invalid_request unless it is a real day of the Gregorian calendar, years 0000 to 9999. */
export function readCivilDate(text: string, pointer: string): string {
  const [, year, month, day] = DATE.exec(text) ?? []
  if (!isDate({ year: Number(year), month: Number(month), day: Number(day) }))
    throw invalid(pointer, 'invalid_date', `${pointer.slice(1)} must be a real date such as 2026-03-01`)
  return text
}

/** Reads the name of a time zone. Throws invalid_request unless it is one of the IANA database, e.g. Europe/Lisbon. */
export function readZone(name: string, pointer: string): string {
  if (!isZone(name))
    throw invalid(pointer, 'invalid_zone', `${pointer.slice(1)} must be an IANA time zone such as Europe/Lisbon`)
  return name
}

/**
 * The civil date of an instant in a zone.
 * @param now milliseconds since 1970
 * @param zone an IANA name, checked by readZone
 */
export function today(now: number, zone: string): string {
  return fromDay(civilOf(now, zone).day)
}
