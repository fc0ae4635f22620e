import { isZone, offsetAt } from '../zone'
import type { WordCursor } from './cursor'

/** Unambiguous abbreviations with their zone and its minutes ahead of UTC; null if both of its offsets are meant. */
export const ABBREVIATIONS: Readonly<Record<string, readonly [zone: string, offset: number | null]>> = {
  UTC: ['UTC', 0],
  GMT: ['UTC', 0],
  Z: ['UTC', 0],
  ET: ['America/New_York', null],
  EST: ['America/New_York', -300],
  EDT: ['America/New_York', -240],
  MDT: ['America/Denver', -360],
  PT: ['America/Los_Angeles', null],
  PST: ['America/Los_Angeles', -480],
  PDT: ['America/Los_Angeles', -420],
  AKST: ['America/Anchorage', -540],
  AKDT: ['America/Anchorage', -480],
  HST: ['Pacific/Honolulu', -600],
  CET: ['Europe/Berlin', 60],
  CEST: ['Europe/Berlin', 120],
  MEZ: ['Europe/Berlin', 60],
  MESZ: ['Europe/Berlin', 120],
  EET: ['Europe/Athens', 120],
  EEST: ['Europe/Athens', 180],
  WET: ['Europe/Lisbon', 0],
  WEST: ['Europe/Lisbon', 60],
  MSK: ['Europe/Moscow', 180],
  JST: ['Asia/Tokyo', 540],
  KST: ['Asia/Seoul', 540],
  HKT: ['Asia/Hong_Kong', 480],
  SGT: ['Asia/Singapore', 480],
  AEST: ['Australia/Brisbane', 600],
  AEDT: ['Australia/Sydney', 660],
  NZST: ['Pacific/Auckland', 720],
  NZDT: ['Pacific/Auckland', 780],
}
/** Abbreviations of several zones: CST is used in China and in Chicago. */
const SEVERAL = ['CST', 'CDT', 'IST', 'BST', 'MST', 'AST', 'ADT', 'SST', 'CT', 'MT', 'ACT', 'GST', 'PKT']

/** Those that are no words in small letters, as `est` is. */
const CLEAR = 'gmt utc pst pdt edt cst cdt cet cest mez mesz aest aedt jst'.split(' ')

/** A zone after a time; `name` is null if the zone is unknown or ambiguous. */
export interface ZoneRead {
  readonly name: string | null
  /** The minutes ahead of UTC that the abbreviation means; null for any. */
  readonly offset: number | null
}

/** Reads `UTC`, `EST`, `Europe/Berlin`, `London time`. Abbreviations must be in capitals, since `est` is a word too. */
export function readZoneWords(c: WordCursor): ZoneRead | null {
  const { line, at } = c
  const written = line.raw(at)
  const raw = CLEAR.includes(written) ? written.toUpperCase() : written
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

const COAST: Readonly<Record<string, string>> = {
  eastern: 'America/New_York',
  pacific: 'America/Los_Angeles',
}

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
