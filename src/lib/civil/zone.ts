import { Cache } from '../steps'
import { modulo } from './day'

/**
 * Conversion between civil times and instants in a time zone. A zone is a name that `isZone` accepts, such as
 * Europe/Lisbon, in any letter case, including old names (US/Pacific). An instant is milliseconds since 1970; a civil
 * time is a day (day.ts) and minutes after its midnight.
 */

/** A civil time: whole days since 1970-01-01, and whole minutes after that day's midnight, 0..1,439. */
interface CivilTime {
  readonly day: number
  readonly minutes: number
}

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

/**
 * The distance of the instants at which offsets are read from Intl: 2^28 ms, about three days. A change between two
 * points is found by bisection: no zone changes twice within three days. Offsets and changes are cached.
 */
const GRID_MS = 2 ** 28
const MAX_POINTS = 4096
const MAX_ZONES = 128

interface ZoneCache {
  readonly format: Intl.DateTimeFormat
  readonly points: Cache<number, number>
  /** The instant of the change after a point of the grid. */
  readonly changes: Cache<number, number>
}

const zones = new Map<string, ZoneCache>()

/** Whether a name is a zone of the IANA database. Intl also accepts offsets such as `+01:00`, which are not names. */
export function isZone(name: string): boolean {
  if (name === 'UTC' || zones.has(name)) return true
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** Returns the offset of a zone from UTC at an instant, in milliseconds; positive east of Greenwich. */
export function offsetAt(at: number, zone: string): number {
  if (zone === 'UTC') return 0
  const known = zones.get(zone) ?? createZoneCache(zone)
  const point = Math.floor(at / GRID_MS)
  const [before, after] = [readPointOffset(known, point), readPointOffset(known, point + 1)]
  if (before === after) return before
  return at < findChangeAfter(known, point, before) ? before : after
}

/** A time that the clocks skip moves forward by the length of the gap; of one that comes twice, the first counts. */
export function instantOf(day: number, minutes: number, zone: string): number {
  const local = day * DAY_MS + minutes * MINUTE_MS
  if (zone === 'UTC') return local
  const [early, late] = [offsetAt(local - DAY_MS, zone), offsetAt(local + DAY_MS, zone)]
  if (early === late) return local - early
  const exact = [local - early, local - late].filter((at) => at + offsetAt(at, zone) === local)
  return exact.length > 0 ? Math.min(...exact) : local - early
}

export function civilOf(at: number, zone: string): CivilTime {
  const local = at + offsetAt(at, zone)
  return { day: Math.floor(local / DAY_MS), minutes: Math.floor(modulo(local, DAY_MS) / MINUTE_MS) }
}

/**
 * Returns the instant at which a civil day begins in a zone. If the clocks skip midnight, it is the first instant after
 * the gap; if midnight comes twice, the first. A day that is skipped whole begins with the next one.
 */
export function startOfDay(day: number, zone: string): number {
  const at = instantOf(day, 0, zone)
  // In a gap, instantOf moves forward by its length; the day begins at the change itself.
  const beyond = at + offsetAt(at, zone) - day * DAY_MS
  return beyond === 0 ? at : findLastChange(zone, at)
}

/** A change of clocks: its instant, and the offsets before and after it, all in milliseconds. */
export interface ClockChange {
  readonly at: number
  readonly from: number
  readonly to: number
}

/** Lists the changes of clocks after an instant, up to another, in order. */
export function* listClockChanges(after: number, upTo: number, zone: string): Generator<ClockChange> {
  const known = zones.get(zone) ?? createZoneCache(zone)
  for (let point = Math.floor(after / GRID_MS); point * GRID_MS < upTo; point++) {
    const [from, to] = [readPointOffset(known, point), readPointOffset(known, point + 1)]
    const at = from === to ? after : findChangeAfter(known, point, from)
    if (at > after && at <= upTo) yield { at, from, to }
  }
}

/** Finds the change of clocks at or before `at`, which must be less than two days back. */
function findLastChange(zone: string, at: number): number {
  const known = zones.get(zone) ?? createZoneCache(zone)
  for (let point = Math.floor(at / GRID_MS); ; point--) {
    const [before, after] = [readPointOffset(known, point), readPointOffset(known, point + 1)]
    const change = before === after ? Number.POSITIVE_INFINITY : findChangeAfter(known, point, before)
    if (change <= at) return change
  }
}

function readPointOffset(known: ZoneCache, point: number): number {
  return known.points.get(point) ?? known.points.keep(point, readOffset(known.format, point * GRID_MS))
}

/** Finds the first instant after a point of the grid with another offset. Changes are at whole seconds. */
function findChangeAfter(known: ZoneCache, point: number, before: number): number {
  const found = known.changes.get(point)
  if (found !== undefined) return found
  let [from, to] = [Math.floor((point * GRID_MS) / 1000), Math.ceil(((point + 1) * GRID_MS) / 1000)]
  while (to - from > 1) {
    const middle = Math.floor((from + to) / 2)
    if (readOffset(known.format, middle * 1000) === before) from = middle
    else to = middle
  }
  return known.changes.keep(point, to * 1000)
}

function createZoneCache(zone: string): ZoneCache {
  const [oldest] = zones.keys()
  if (zones.size >= MAX_ZONES && oldest !== undefined) zones.delete(oldest)
  const format = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' })
  const known = {
    format,
    points: new Cache<number, number>(MAX_POINTS),
    changes: new Cache<number, number>(MAX_POINTS),
  }
  zones.set(zone, known)
  return known
}

/** Reads the offset at the end of a formatted date: GMT, GMT+05:45, or with seconds GMT-00:44:30. */
function readOffset(format: Intl.DateTimeFormat, at: number): number {
  const [, sign, hours = 0, minutes = 0, seconds = 0] =
    /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(format.format(at)) ?? []
  const offset = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000
  return sign === '-' ? -offset : offset
}

/** Writes minutes after midnight as `HH:MM`. */
export function clockTime(minutes: number): string {
  return [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':')
}

/** Returns the minutes after midnight of `HH:MM`. */
export function parseTimeOfDay(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3))
}
