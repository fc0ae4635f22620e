import { isZone, offsetAt } from '../zone'
import type { WordCursor } from './cursor'

/** Zones with their unambiguous abbreviations, and the minutes ahead of UTC that each of these means if it is one offset. */
const BY_ZONE = `UTC UTC=0 GMT=0 Z=0; America/New_York ET EST=-300 EDT=-240; America/Denver MDT=-360;
  America/Los_Angeles PT PST=-480 PDT=-420; America/Anchorage AKST=-540 AKDT=-480; Pacific/Honolulu HST=-600;
  Europe/Berlin CET=60 CEST=120 MEZ=60 MESZ=120; Europe/Athens EET=120 EEST=180; Europe/Lisbon WET=0 WEST=60;
  Europe/Moscow MSK=180; Asia/Tokyo JST=540; Asia/Seoul KST=540; Asia/Hong_Kong HKT=480; Asia/Singapore SGT=480;
  Australia/Brisbane AEST=600; Australia/Sydney AEDT=660; Pacific/Auckland NZST=720 NZDT=780`

/** By abbreviation its zone and its minutes ahead of UTC; null if both of its offsets are meant. */
export const ABBREVIATIONS: Readonly<Record<string, readonly [zone: string, offset: number | null]>> =
  Object.fromEntries(
    BY_ZONE.split(/;\s+/).flatMap((of) => {
      const [zone = '', ...names] = of.split(' ')
      return names.map((one) => one.split('=')).map(([name, offset]) => [name, [zone, offset ? Number(offset) : null]])
    }),
  )
/** Abbreviations of several zones: CST is used in China and in Chicago. */
const SEVERAL = ['CST', 'CDT', 'IST', 'BST', 'MST', 'AST', 'ADT', 'SST', 'CT', 'MT', 'ACT', 'GST', 'PKT']

/** A zone after a time; `name` is null if the zone is unknown or ambiguous. */
export interface ZoneRead {
  readonly name: string | null
  /** The minutes ahead of UTC that the abbreviation means; null for any. */
  readonly offset: number | null
}

/** Reads `UTC`, `EST`, `Europe/Berlin`, `London time`. Abbreviations must be in capitals, since `est` is a word too. */
export function readZoneWords(c: WordCursor): ZoneRead | null {
  const { line, at } = c
  // `est` is a word in small letters, these are not.
  const raw = line.raw(at).replace(/^(?:gmt|utc|[pec]dt|pst|ce?st)$/, (word) => word.toUpperCase())
  if (line.tokens[at]?.kind !== 'word') return null
  if (Object.hasOwn(ABBREVIATIONS, raw) || SEVERAL.includes(raw)) {
    c.at += 1
    const signed = c.attempt(() => (c.sign('+-', { glued: true }) ? c.digits(4, { glued: true }) : null))
    const [name, offset] = ABBREVIATIONS[raw] ?? [null, null]
    return signed === null ? { name, offset } : { name: null, offset: null }
  }
  return c.attempt(() => readZoneName(c)) ?? c.attempt(() => readCityZone(c))
}

const MAX_CITY_WORDS = 3

/** Reads `London time`, `heure de Paris`. A capitalised word is a place, even if its zone is unknown. */
function readCityZone(c: WordCursor): ZoneRead | null {
  const lead = c.has('zone_lead')
  const [from, text] = [c.at, c.line.text]
  const first = c.token
  for (let words = 1; words <= MAX_CITY_WORDS && c.token?.kind === 'word'; words++) {
    const city = text.slice(first?.start, c.token.end)
    c.at += 1
    if (!lead && !c.sees('zone_tail')) continue
    const name = zoneOfCity(city)
    const capital = /^\p{Lu}/u.test(c.line.raw(from))
    if (name === null && (!capital || (lead && c.token?.kind === 'word' && words < MAX_CITY_WORDS))) continue
    c.has('zone_tail')
    return { name, offset: null }
  }
  return null
}

const COAST: Readonly<Record<string, string>> = { eastern: 'America/New_York', pacific: 'America/Los_Angeles' }

function zoneOfCity(city: string): string | null {
  const key = city.toLowerCase().replace(/\s+/g, '_')
  const found = Intl.supportedValuesOf('timeZone').find((zone) => zone.toLowerCase().endsWith(`/${key}`))
  return COAST[key] ?? found ?? null
}

/** Reads `America/Argentina/Buenos_Aires`. */
function readZoneName(c: WordCursor): ZoneRead | null {
  const first = c.token
  let last = first
  for (c.at += 1; c.token && !c.token.gap && /^[\w/+-]+$/.test(c.line.raw(c.at)); c.at += 1) last = c.token
  const name = c.line.text.slice(first?.start, last?.end)
  return /^[A-Z][A-Za-z]+\/[A-Za-z_/+-]+$/.test(name) && isZone(name) ? { name, offset: null } : null
}

/** Returns whether an abbreviation is right at an instant: `EST` is not New York's time in July. */
export function agrees({ name, offset }: ZoneRead, at: number): boolean {
  return name !== null && (offset === null || offsetAt(at, name) === offset * 60_000)
}
