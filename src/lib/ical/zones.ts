import { dayOf, fromDay } from '../civil/day'
import { isZone, offsetAt } from '../civil/zone'
import { icsDate } from './text'
import { windowsZone } from './windows-zones'

/** Gives the IANA zone that a TZID means, or null. */
export type Zones = (tzid: string) => string | null

/** TZIDs of one file that are looked up; each costs a question to the platform. */
const MAX_TZIDS = 1000

/**
 * The zones of one file. A TZID is an IANA name, or its VTIMEZONE has one in X-LIC-LOCATION, or it is a Windows name,
 * or its end is an IANA name, as in `/mozilla.org/20050126_1/Europe/Berlin`.
 * @param locations TZID to X-LIC-LOCATION
 */
export function createZones(locations: ReadonlyMap<string, string>): Zones {
  const known = new Map<string, string | null>()
  return (tzid) => {
    const name = tzid.slice(0, 300).trim()
    const found = known.get(name)
    if (found !== undefined) return found
    const zone = known.size < MAX_TZIDS ? zoneOf(name, locations.get(name)) : null
    known.set(name, zone)
    return zone
  }
}

function zoneOf(tzid: string, location: string | undefined): string | null {
  const name = tzid.replace(/^"|"$/g, '')
  return iana(name) ?? (location === undefined ? null : iana(location)) ?? windowsZone(name) ?? pathEnd(name)
}

function iana(name: string): string | null {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(name) || !isZone(name)) return null
  return /^(etc\/)?(utc|zulu|uct)$/i.test(name) ? 'UTC' : name
}

function pathEnd(name: string): string | null {
  const parts = name.split('/')
  for (let count = Math.min(3, parts.length - 1); count > 0; count--) {
    const zone = iana(parts.slice(-count).join('/'))
    if (zone) return zone
  }
  return null
}

/** A zone as VTIMEZONE (RFC 5545, section 3.6.5), with each change of its clocks in the given years by its date. */

const SECOND = 1000
const DAY = 86_400_000
/** The shortest time between two changes of a zone since 1970 is 6.95 days (Brazil's north, October 2000). */
const STEP = 6 * DAY
/** Years outside of these are not described: zone data says little of the time before, and guesses the time after. */
const YEARS = { first: 1970, last: 2100 }

interface Change {
  /** Milliseconds since 1970. */
  readonly at: number
  /** Milliseconds ahead of UTC, before and after. */
  readonly from: number
  readonly to: number
}

/**
 * The content lines of a VTIMEZONE for a zone of the IANA database.
 * @param first the first year in which it must be right, and `last` the last; both are held to 1970 to 2100. The
 * offsets of the first and the last moment go on before and after them
 */
export function vtimezone(zone: string, first: number, last: number): string[] {
  const [from, to] = [yearStart(clamp(first)) - DAY, yearStart(clamp(last) + 1) + DAY]
  const initial = offsetAt(from, zone)
  const groups = new Map<string, Change[]>()
  for (const change of changes(zone, from, to)) {
    const key = `${change.from} ${change.to}`
    groups.set(key, [...(groups.get(key) ?? []), change])
  }
  return [
    'BEGIN:VTIMEZONE',
    `TZID:${zone}`,
    ...observance([{ at: from, from: initial, to: initial }]),
    ...[...groups.values()].flatMap(observance),
    'END:VTIMEZONE',
  ]
}

function clamp(year: number): number {
  return Math.min(Math.max(year, YEARS.first), YEARS.last)
}

function yearStart(year: number): number {
  return dayOf(year, 1, 1) * DAY
}

function* changes(zone: string, from: number, to: number): Generator<Change> {
  let before = offsetAt(from, zone)
  for (let at = from + STEP; at < to + STEP; at += STEP) {
    const after = offsetAt(at, zone)
    if (after !== before) yield { at: bisect(zone, at - STEP, at, before), from: before, to: after }
    before = after
  }
}

/** The first second at which the offset is no longer `before`. */
function bisect(zone: string, low: number, high: number, before: number): number {
  let [known, changed] = [low / SECOND, high / SECOND]
  while (changed - known > 1) {
    const middle = Math.floor((known + changed) / 2)
    if (offsetAt(middle * SECOND, zone) === before) known = middle
    else changed = middle
  }
  return changed * SECOND
}

/** All changes between the same two offsets, written as the local time before the change. */
function observance(changes: readonly Change[]): string[] {
  const [first] = changes
  if (!first) return []
  const kind = first.to > first.from ? 'DAYLIGHT' : 'STANDARD'
  const times = changes.map(({ at, from }) => local(at + from))
  return [
    `BEGIN:${kind}`,
    `DTSTART:${times[0]}`,
    // The first is said again: ical.js, and so Thunderbird, passes over DTSTART where there is an RDATE.
    ...(times.length > 1 ? times.map((time) => `RDATE:${time}`) : []),
    `TZOFFSETFROM:${offset(first.from)}`,
    `TZOFFSETTO:${offset(first.to)}`,
    `END:${kind}`,
  ]
}

function local(at: number): string {
  const seconds = Math.floor((at - Math.floor(at / DAY) * DAY) / SECOND)
  return `${icsDate(fromDay(Math.floor(at / DAY)))}T${clock(seconds)}`
}

function offset(milliseconds: number): string {
  const digits = clock(Math.abs(milliseconds) / SECOND)
  return `${milliseconds < 0 ? '-' : '+'}${digits.endsWith('00') ? digits.slice(0, 4) : digits}`
}

/** Seconds as `HHMMSS`. */
function clock(seconds: number): string {
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  return parts.map((part) => String(part).padStart(2, '0')).join('')
}
