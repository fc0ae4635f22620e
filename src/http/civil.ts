import { invalid } from './problem'

/** Civil dates (`YYYY-MM-DD`, no time and no zone) and the zones in which an instant falls on one. */

const DATE = /^\d{4}-\d\d-\d\d$/

/** Reads a civil date. Throws invalid_request unless it is a real day of the Gregorian calendar, years 0000 to 9999. */
export function readCivilDate(text: string, pointer: string): string {
  // Date.parse rolls 30 February over into March: a real date comes back as it went in.
  const at = DATE.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  if (Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== text)
    throw invalid(pointer, 'invalid_date', `${pointer.slice(1)} must be a real date such as 2026-03-01`)
  return text
}

/** Reads the name of a time zone. Throws invalid_request unless it is one of the IANA database, e.g. Europe/Lisbon. */
export function readZone(name: string, pointer: string): string {
  if (!isZone(name))
    throw invalid(pointer, 'invalid_zone', `${pointer.slice(1)} must be an IANA time zone such as Europe/Lisbon`)
  return name
}

function isZone(name: string): boolean {
  // Offsets such as +01:00 are taken by Intl, but name no zone.
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/**
 * The civil date of an instant in a zone.
 * @param now milliseconds since 1970
 * @param zone an IANA name, checked by readZone
 */
export function today(now: number, zone: string): string {
  const format = new Intl.DateTimeFormat('en-u-ca-iso8601-nu-latn', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  })
  const parts = new Map(format.formatToParts(now).map(({ type, value }) => [type, value]))
  return `${parts.get('year')?.padStart(4, '0')}-${parts.get('month')}-${parts.get('day')}`
}
