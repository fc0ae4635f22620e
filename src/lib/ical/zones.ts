import { dayOf, fromDay } from '../civil/day'
import { isZone, offsetAt } from '../civil/zone'
import { writeIcsDate } from './text'
import { findWindowsZone } from './windows-zones'

/** Finds the IANA zone of a TZID; null if it is unknown. */
export type Zones = (tzid: string) => string | null

/** TZIDs of one file that are looked up, since each costs a query of the platform. */
const MAX_TZIDS = 1000

/**
 * Creates the lookup of zones for one file. A TZID is an IANA name, or its VTIMEZONE has one in X-LIC-LOCATION, or it
 * is a Windows name, or an IANA name with a hyphen, as in `US-Eastern`, or it ends with an IANA name, as in
 * `/mozilla.org/20050126_1/Europe/Berlin`.
 * @param locations TZID to X-LIC-LOCATION
 */
export function createZones(locations: ReadonlyMap<string, string>): Zones {
  const known = new Map<string, string | null>()
  return (tzid) => {
    const name = tzid.slice(0, 300).trim()
    const found = known.get(name)
    if (found !== undefined) return found
    const zone = known.size < MAX_TZIDS ? findZone(name, locations.get(name)) : null
    known.set(name, zone)
    return zone
  }
}

function findZone(tzid: string, location: string | undefined): string | null {
  const name = tzid.replace(/^"|"$/g, '')
  return (
    findIanaZone(name) ??
    (location === undefined ? null : findIanaZone(location)) ??
    findWindowsZone(name) ??
    findIanaZone(name.replace('-', '/')) ??
    findZoneAtEnd(name)
  )
}

function findIanaZone(name: string): string | null {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(name) || !isZone(name)) return null
  return /^(etc\/)?(utc|zulu|uct)$/i.test(name) ? 'UTC' : name
}

function findZoneAtEnd(name: string): string | null {
  const parts = name.split('/')
  for (let count = Math.min(3, parts.length - 1); count > 0; count--) {
    const zone = findIanaZone(parts.slice(-count).join('/'))
    if (zone) return zone
  }
  return null
}

const SECOND_MS = 1000
const DAY_MS = 86_400_000
/**
 * The step of the search for changes. The shortest time between two since 1970 is 6.95 days (Brazil's north, October
 * 2000).
 */
const STEP_MS = 6 * DAY_MS
/** The years that are described. Zone data has little on earlier ones, and only guesses for later ones. */
const YEARS = { first: 1970, last: 2100 }

interface Change {
  /** Milliseconds since 1970. */
  readonly at: number
  /** Milliseconds ahead of UTC, before and after. */
  readonly from: number
  readonly to: number
}

/**
 * Writes the content lines of a VTIMEZONE (RFC 5545, section 3.6.5) for an IANA zone, with each change of its clocks by
 * date.
 * @param first the first year in which it must be right, and `last` the last; both are limited to 1970 to 2100. The
 * offsets of the first and the last moment apply before and after them
 */
export function writeVtimezone(zone: string, first: number, last: number): string[] {
  const [from, to] = [startOfYear(clampYear(first)) - DAY_MS, startOfYear(clampYear(last) + 1) + DAY_MS]
  const initial = offsetAt(from, zone)
  const groups = new Map<string, Change[]>()
  for (const change of listChanges(zone, from, to)) {
    const key = `${change.from} ${change.to}`
    groups.set(key, [...(groups.get(key) ?? []), change])
  }
  return [
    'BEGIN:VTIMEZONE',
    `TZID:${zone}`,
    ...writeObservance([{ at: from, from: initial, to: initial }]),
    ...[...groups.values()].flatMap(writeObservance),
    'END:VTIMEZONE',
  ]
}

function clampYear(year: number): number {
  return Math.min(Math.max(year, YEARS.first), YEARS.last)
}

function startOfYear(year: number): number {
  return dayOf(year, 1, 1) * DAY_MS
}

function* listChanges(zone: string, from: number, to: number): Generator<Change> {
  let before = offsetAt(from, zone)
  for (let at = from + STEP_MS; at < to + STEP_MS; at += STEP_MS) {
    const after = offsetAt(at, zone)
    if (after !== before) yield { at: findChange(zone, at - STEP_MS, at, before), from: before, to: after }
    before = after
  }
}

/** Finds the first second at which the offset is no longer `before`. */
function findChange(zone: string, low: number, high: number, before: number): number {
  let [known, changed] = [low / SECOND_MS, high / SECOND_MS]
  while (changed - known > 1) {
    const middle = Math.floor((known + changed) / 2)
    if (offsetAt(middle * SECOND_MS, zone) === before) known = middle
    else changed = middle
  }
  return changed * SECOND_MS
}

/** Writes all changes between the same two offsets, as local times before the change. */
function writeObservance(changes: readonly Change[]): string[] {
  const [first] = changes
  if (!first) return []
  const kind = first.to > first.from ? 'DAYLIGHT' : 'STANDARD'
  const times = changes.map(({ at, from }) => writeLocal(at + from))
  return [
    `BEGIN:${kind}`,
    `DTSTART:${times[0]}`,
    // The first one is repeated: ical.js, and so Thunderbird, ignores DTSTART if there is an RDATE.
    ...(times.length > 1 ? times.map((time) => `RDATE:${time}`) : []),
    `TZOFFSETFROM:${writeOffset(first.from)}`,
    `TZOFFSETTO:${writeOffset(first.to)}`,
    `END:${kind}`,
  ]
}

function writeLocal(at: number): string {
  const seconds = Math.floor((at - Math.floor(at / DAY_MS) * DAY_MS) / SECOND_MS)
  return `${writeIcsDate(fromDay(Math.floor(at / DAY_MS)))}T${writeClock(seconds)}`
}

function writeOffset(milliseconds: number): string {
  const digits = writeClock(Math.abs(milliseconds) / SECOND_MS)
  return `${milliseconds < 0 ? '-' : '+'}${digits.endsWith('00') ? digits.slice(0, 4) : digits}`
}

/** Writes seconds as `HHMMSS`. */
function writeClock(seconds: number): string {
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  return parts.map((part) => String(part).padStart(2, '0')).join('')
}
