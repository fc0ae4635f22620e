import { dayOf, fromDay } from '../civil/day'
import { isZone, offsetAt } from '../civil/zone'
import { writeIcsDate } from './text'

/**
 * Windows time zone names and their default IANA zones (Unicode CLDR 48.2, windowsZones, territory 001). Outlook and
 * Exchange write these names as TZID.
 */
const WINDOWS_ZONES: Readonly<Record<string, string>> = {
  'aus central standard time': 'Australia/Darwin',
  'aus eastern standard time': 'Australia/Sydney',
  'afghanistan standard time': 'Asia/Kabul',
  'alaskan standard time': 'America/Anchorage',
  'aleutian standard time': 'America/Adak',
  'altai standard time': 'Asia/Barnaul',
  'arab standard time': 'Asia/Riyadh',
  'arabian standard time': 'Asia/Dubai',
  'arabic standard time': 'Asia/Baghdad',
  'argentina standard time': 'America/Buenos_Aires',
  'astrakhan standard time': 'Europe/Astrakhan',
  'atlantic standard time': 'America/Halifax',
  'aus central w. standard time': 'Australia/Eucla',
  'azerbaijan standard time': 'Asia/Baku',
  'azores standard time': 'Atlantic/Azores',
  'bahia standard time': 'America/Bahia',
  'bangladesh standard time': 'Asia/Dhaka',
  'belarus standard time': 'Europe/Minsk',
  'bougainville standard time': 'Pacific/Bougainville',
  'canada central standard time': 'America/Regina',
  'cape verde standard time': 'Atlantic/Cape_Verde',
  'caucasus standard time': 'Asia/Yerevan',
  'cen. australia standard time': 'Australia/Adelaide',
  'central america standard time': 'America/Guatemala',
  'central asia standard time': 'Asia/Bishkek',
  'central brazilian standard time': 'America/Cuiaba',
  'central europe standard time': 'Europe/Budapest',
  'central european standard time': 'Europe/Warsaw',
  'central pacific standard time': 'Pacific/Guadalcanal',
  'central standard time': 'America/Chicago',
  'central standard time (mexico)': 'America/Mexico_City',
  'chatham islands standard time': 'Pacific/Chatham',
  'china standard time': 'Asia/Shanghai',
  'cuba standard time': 'America/Havana',
  'dateline standard time': 'Etc/GMT+12',
  'e. africa standard time': 'Africa/Nairobi',
  'e. australia standard time': 'Australia/Brisbane',
  'e. europe standard time': 'Europe/Chisinau',
  'e. south america standard time': 'America/Sao_Paulo',
  'easter island standard time': 'Pacific/Easter',
  'eastern standard time': 'America/New_York',
  'eastern standard time (mexico)': 'America/Cancun',
  'egypt standard time': 'Africa/Cairo',
  'ekaterinburg standard time': 'Asia/Yekaterinburg',
  'fle standard time': 'Europe/Kiev',
  'fiji standard time': 'Pacific/Fiji',
  'gmt standard time': 'Europe/London',
  'gtb standard time': 'Europe/Bucharest',
  'georgian standard time': 'Asia/Tbilisi',
  'greenland standard time': 'America/Godthab',
  'greenwich standard time': 'Atlantic/Reykjavik',
  'haiti standard time': 'America/Port-au-Prince',
  'hawaiian standard time': 'Pacific/Honolulu',
  'india standard time': 'Asia/Calcutta',
  'iran standard time': 'Asia/Tehran',
  'israel standard time': 'Asia/Jerusalem',
  'jordan standard time': 'Asia/Amman',
  'kaliningrad standard time': 'Europe/Kaliningrad',
  'korea standard time': 'Asia/Seoul',
  'libya standard time': 'Africa/Tripoli',
  'line islands standard time': 'Pacific/Kiritimati',
  'lord howe standard time': 'Australia/Lord_Howe',
  'magadan standard time': 'Asia/Magadan',
  'magallanes standard time': 'America/Punta_Arenas',
  'marquesas standard time': 'Pacific/Marquesas',
  'mauritius standard time': 'Indian/Mauritius',
  'middle east standard time': 'Asia/Beirut',
  'montevideo standard time': 'America/Montevideo',
  'morocco standard time': 'Africa/Casablanca',
  'mountain standard time': 'America/Denver',
  'mountain standard time (mexico)': 'America/Mazatlan',
  'myanmar standard time': 'Asia/Rangoon',
  'n. central asia standard time': 'Asia/Novosibirsk',
  'namibia standard time': 'Africa/Windhoek',
  'nepal standard time': 'Asia/Katmandu',
  'new zealand standard time': 'Pacific/Auckland',
  'newfoundland standard time': 'America/St_Johns',
  'norfolk standard time': 'Pacific/Norfolk',
  'north asia east standard time': 'Asia/Irkutsk',
  'north asia standard time': 'Asia/Krasnoyarsk',
  'north korea standard time': 'Asia/Pyongyang',
  'omsk standard time': 'Asia/Omsk',
  'pacific sa standard time': 'America/Santiago',
  'pacific standard time': 'America/Los_Angeles',
  'pacific standard time (mexico)': 'America/Tijuana',
  'pakistan standard time': 'Asia/Karachi',
  'paraguay standard time': 'America/Asuncion',
  'qyzylorda standard time': 'Asia/Qyzylorda',
  'romance standard time': 'Europe/Paris',
  'russia time zone 10': 'Asia/Srednekolymsk',
  'russia time zone 11': 'Asia/Kamchatka',
  'russia time zone 3': 'Europe/Samara',
  'russian standard time': 'Europe/Moscow',
  'sa eastern standard time': 'America/Cayenne',
  'sa pacific standard time': 'America/Bogota',
  'sa western standard time': 'America/La_Paz',
  'se asia standard time': 'Asia/Bangkok',
  'saint pierre standard time': 'America/Miquelon',
  'sakhalin standard time': 'Asia/Sakhalin',
  'samoa standard time': 'Pacific/Apia',
  'sao tome standard time': 'Africa/Sao_Tome',
  'saratov standard time': 'Europe/Saratov',
  'singapore standard time': 'Asia/Singapore',
  'south africa standard time': 'Africa/Johannesburg',
  'south sudan standard time': 'Africa/Juba',
  'sri lanka standard time': 'Asia/Colombo',
  'sudan standard time': 'Africa/Khartoum',
  'syria standard time': 'Asia/Damascus',
  'taipei standard time': 'Asia/Taipei',
  'tasmania standard time': 'Australia/Hobart',
  'tocantins standard time': 'America/Araguaina',
  'tokyo standard time': 'Asia/Tokyo',
  'tomsk standard time': 'Asia/Tomsk',
  'tonga standard time': 'Pacific/Tongatapu',
  'transbaikal standard time': 'Asia/Chita',
  'turkey standard time': 'Europe/Istanbul',
  'turks and caicos standard time': 'America/Grand_Turk',
  'us eastern standard time': 'America/Indianapolis',
  'us mountain standard time': 'America/Phoenix',
  utc: 'Etc/UTC',
  'utc+12': 'Etc/GMT-12',
  'utc+13': 'Etc/GMT-13',
  'utc-02': 'Etc/GMT+2',
  'utc-08': 'Etc/GMT+8',
  'utc-09': 'Etc/GMT+9',
  'utc-11': 'Etc/GMT+11',
  'ulaanbaatar standard time': 'Asia/Ulaanbaatar',
  'venezuela standard time': 'America/Caracas',
  'vladivostok standard time': 'Asia/Vladivostok',
  'volgograd standard time': 'Europe/Volgograd',
  'w. australia standard time': 'Australia/Perth',
  'w. central africa standard time': 'Africa/Lagos',
  'w. europe standard time': 'Europe/Berlin',
  'w. mongolia standard time': 'Asia/Hovd',
  'west asia standard time': 'Asia/Tashkent',
  'west bank standard time': 'Asia/Hebron',
  'west pacific standard time': 'Pacific/Port_Moresby',
  'yakutsk standard time': 'Asia/Yakutsk',
  'yukon standard time': 'America/Whitehorse',
}

const BY_NAME = new Map(Object.entries(WINDOWS_ZONES))

/**
 * Returns the IANA zone of a Windows name such as `W. Europe Standard Time`, in any letter case; null if it is unknown.
 */
function findWindowsZone(name: string): string | null {
  return BY_NAME.get(name.toLowerCase()) ?? null
}

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
