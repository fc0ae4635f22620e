import { fromDay, isDate } from '../civil/day'
import { civilOf, isZone } from '../civil/zone'
import { invalid } from './problem'

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
