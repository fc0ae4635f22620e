import { dayOf, fromDay } from '../civil/day'
import { type ClockChange, isZone, listClockChanges, offsetAt } from '../civil/zone'
import { writeIcsDate } from './text'

/**
 * Windows time zone names and their default IANA zones (Unicode CLDR 48.2, windowsZones, territory 001). Outlook and
 * Exchange write these names as TZID. By area: a name without ` Standard Time`, and the zone in the area.
 */
const STANDARD_TIMES = {
  Africa: `
    e. africa: Nairobi, egypt: Cairo, libya: Tripoli, morocco: Casablanca, namibia: Windhoek, sao tome: Sao_Tome,
    south africa: Johannesburg, south sudan: Juba, sudan: Khartoum, w. central africa: Lagos`,
  America: `
    alaskan: Anchorage, aleutian: Adak, argentina: Buenos_Aires, atlantic: Halifax, bahia: Bahia,
    canada central: Regina, central america: Guatemala, central brazilian: Cuiaba, central: Chicago, cuba: Havana,
    e. south america: Sao_Paulo, eastern: New_York, greenland: Godthab, haiti: Port-au-Prince,
    magallanes: Punta_Arenas, montevideo: Montevideo, mountain: Denver, newfoundland: St_Johns, pacific sa: Santiago,
    pacific: Los_Angeles, paraguay: Asuncion, sa eastern: Cayenne, sa pacific: Bogota, sa western: La_Paz,
    saint pierre: Miquelon, tocantins: Araguaina, turks and caicos: Grand_Turk, us eastern: Indianapolis,
    us mountain: Phoenix, venezuela: Caracas, yukon: Whitehorse`,
  Asia: `
    afghanistan: Kabul, altai: Barnaul, arab: Riyadh, arabian: Dubai, arabic: Baghdad, azerbaijan: Baku,
    bangladesh: Dhaka, caucasus: Yerevan, central asia: Bishkek, china: Shanghai, ekaterinburg: Yekaterinburg,
    georgian: Tbilisi, india: Calcutta, iran: Tehran, israel: Jerusalem, jordan: Amman, korea: Seoul,
    magadan: Magadan, middle east: Beirut, myanmar: Rangoon, n. central asia: Novosibirsk, nepal: Katmandu,
    north asia east: Irkutsk, north asia: Krasnoyarsk, north korea: Pyongyang, omsk: Omsk, pakistan: Karachi,
    qyzylorda: Qyzylorda, se asia: Bangkok, sakhalin: Sakhalin, singapore: Singapore, sri lanka: Colombo,
    syria: Damascus, taipei: Taipei, tokyo: Tokyo, tomsk: Tomsk, transbaikal: Chita, ulaanbaatar: Ulaanbaatar,
    vladivostok: Vladivostok, w. mongolia: Hovd, west asia: Tashkent, west bank: Hebron, yakutsk: Yakutsk`,
  Atlantic: 'azores: Azores, cape verde: Cape_Verde, greenwich: Reykjavik',
  Australia: `
    aus central: Darwin, aus eastern: Sydney, aus central w.: Eucla, cen. australia: Adelaide,
    e. australia: Brisbane, lord howe: Lord_Howe, tasmania: Hobart, w. australia: Perth`,
  Europe: `
    astrakhan: Astrakhan, belarus: Minsk, central europe: Budapest, central european: Warsaw, e. europe: Chisinau,
    fle: Kiev, gmt: London, gtb: Bucharest, kaliningrad: Kaliningrad, romance: Paris, russian: Moscow,
    saratov: Saratov, turkey: Istanbul, volgograd: Volgograd, w. europe: Berlin`,
  Indian: 'mauritius: Mauritius',
  Pacific: `
    bougainville: Bougainville, central pacific: Guadalcanal, chatham islands: Chatham, easter island: Easter,
    fiji: Fiji, hawaiian: Honolulu, line islands: Kiritimati, marquesas: Marquesas, new zealand: Auckland,
    norfolk: Norfolk, samoa: Apia, tonga: Tongatapu, west pacific: Port_Moresby`,
}
/** Those that are called otherwise. */
const OTHER_TIMES = {
  'central standard time (mexico)': 'America/Mexico_City',
  'dateline standard time': 'Etc/GMT+12',
  'eastern standard time (mexico)': 'America/Cancun',
  'mountain standard time (mexico)': 'America/Mazatlan',
  'pacific standard time (mexico)': 'America/Tijuana',
  'russia time zone 10': 'Asia/Srednekolymsk',
  'russia time zone 11': 'Asia/Kamchatka',
  'russia time zone 3': 'Europe/Samara',
  utc: 'Etc/UTC',
  'utc+12': 'Etc/GMT-12',
  'utc+13': 'Etc/GMT-13',
  'utc-02': 'Etc/GMT+2',
  'utc-08': 'Etc/GMT+8',
  'utc-09': 'Etc/GMT+9',
  'utc-11': 'Etc/GMT+11',
}

const BY_NAME = new Map<string, string>(Object.entries(OTHER_TIMES))
for (const [area, zones] of Object.entries(STANDARD_TIMES))
  for (const [, name, place] of zones.matchAll(/([^,:]+): ([\w-]+)/g))
    BY_NAME.set(`${name?.trim()} standard time`, `${area}/${place}`)

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
 * is a Windows name, or what Windows shows for one, as in `(UTC+01:00) Amsterdam, Berlin`, or an IANA name with a hyphen, as
 * in `US-Eastern`, or it ends with an IANA name, as in `/mozilla.org/20050126_1/Europe/Berlin`.
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
    findShownZone(name) ??
    findIanaZone(name.replace('-', '/')) ??
    findZoneAtEnd(name)
  )
}

/** Finds the zone by what is shown: the offset of its winter, and its cities or the name of its time. */
function findShownZone(shown: string): string | null {
  const [, sign, hours, minutes, names = ''] = /^\((?:UTC|GMT)([+-])(\d\d):(\d\d)\) (.+)$/.exec(shown) ?? []
  if (sign === undefined) return null
  const offset = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
  const time = findWindowsZone(`${/^(.+?) Time\b/.exec(names)?.[1]} Standard Time`)
  const cities = names.split(',').map((city) => city.trim().replaceAll(' ', '_').toLowerCase())
  const named = Intl.supportedValuesOf('timeZone').filter((zone) => cities.includes(cityOf(zone)))
  const inOrder = named.sort((a, b) => cities.indexOf(cityOf(a)) - cities.indexOf(cityOf(b)))
  return [...(time ? [time] : []), ...inOrder].find((zone) => winterOffset(zone) === offset) ?? null
}

const cityOf = (zone: string) => zone.slice(zone.lastIndexOf('/') + 1).toLowerCase()
const [JANUARY, JULY] = [Date.UTC(2026, 0), Date.UTC(2026, 6)]
const winterOffset = (zone: string) => Math.min(offsetAt(JANUARY, zone), offsetAt(JULY, zone))

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
/** The years that are described. Zone data has little on earlier ones, and only guesses for later ones. */
const YEARS = { first: 1970, last: 2100 }

/**
 * Writes the content lines of a VTIMEZONE (RFC 5545, section 3.6.5) for an IANA zone, with each change of its clocks by
 * date.
 * @param first the first year in which it must be right, and `last` the last; both are limited to 1970 to 2100. The
 * offsets of the first and the last moment apply before and after them
 */
export function writeVtimezone(zone: string, first: number, last: number): string[] {
  const [from, to] = [startOfYear(clampYear(first)) - DAY_MS, startOfYear(clampYear(last) + 1) + DAY_MS]
  const initial = offsetAt(from, zone)
  const groups = new Map<string, ClockChange[]>()
  for (const change of listClockChanges(from, to, zone)) {
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

/** Writes all changes between the same two offsets, as local times before the change. */
function writeObservance(changes: readonly ClockChange[]): string[] {
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

function writeClock(seconds: number): string {
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  return parts.map((part) => String(part).padStart(2, '0')).join('')
}
