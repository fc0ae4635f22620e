import ICAL from 'ical.js'
import { MAX_REST_BYTES, type Property, type Warn } from './item'
import { stripControls } from './text'

/** What ical.js reads for us: single content lines and durations. It is imported nowhere else. */

// Some leave out VALUE=DATE: a date where a time is due is then read as a date, and a time where a date is due as a
// time.
ICAL.design.strict = false

/** UTF-16 units that name and parameters of a line may have. */
const MAX_HEAD_UNITS = 4096
/** UTF-16 units of a value that are read: more than any limit of Satchel's takes, were each character escaped. */
const MAX_VALUE_UNITS = 2 * 64 * 1024 + 64
/** Values that ical.js would take apart though we keep them whole, or part otherwise than RFC 5545 says. */
const KEPT_WHOLE = new Set(['RRULE', 'CATEGORIES', 'X-SATCHEL-RRULE'])

/** The name of a content line in capitals, or null if it is none. */
export function readPropertyName(line: string): string | null {
  return /^[A-Z0-9-]{1,64}(?=[;:])/i.exec(line.slice(0, 65))?.[0].toUpperCase() ?? null
}

/** A content line as ical.js reads it, or null if it cannot. Of a longer value only MAX_VALUE units are read. */
export function readProperty(line: string): Property | null {
  const name = readPropertyName(line)
  const colon = findColon(line)
  if (name === null || colon === -1) return null
  const raw = line.slice(colon + 1)
  const read = parse(KEPT_WHOLE.has(name) ? `${line.slice(0, colon)}:` : line.slice(0, colon + 1 + MAX_VALUE_UNITS))
  if (!Array.isArray(read)) return null
  const [, params, , ...values] = read
  return { name, params: firstValues(params), values: values.filter((value) => typeof value === 'string'), raw, line }
}

/** The text of an escaped TEXT value. */
export function unescapeText(escaped: string): string {
  return escaped.includes('\\') ? String(parse(`SUMMARY:${escaped}`)?.[3] ?? '') : escaped
}

/** Days (a week has seven) and seconds of a duration such as `-PT15M` or `P1W`, both negative or neither; or null. */
export function readDuration(text: string): { days: number; seconds: number } | null {
  if (text.length > 40 || !ICAL.Duration.isValueString(text)) return null
  try {
    const { weeks, days, hours, minutes, seconds, isNegative } = ICAL.Duration.fromString(text)
    const sign = isNegative ? -1 : 1
    const read = { days: sign * (weeks * 7 + days), seconds: sign * ((hours * 60 + minutes) * 60 + seconds) }
    return Number.isSafeInteger(read.days) && Number.isSafeInteger(read.seconds) ? read : null
  } catch {
    // Whatever ical.js cannot read is no duration; the caller warns of it.
    return null
  }
}

function parse(line: string): unknown[] | null {
  try {
    const read: unknown = ICAL.parse.property(line, ICAL.design.icalendar)
    return Array.isArray(read) ? read : null
  } catch {
    // Whatever ical.js cannot read costs this line; the caller warns of it.
    return null
  }
}

/** The first colon outside of quotes, within MAX_HEAD. */
function findColon(line: string): number {
  let quoted = false
  for (let i = 0; i < Math.min(line.length, MAX_HEAD_UNITS); i++) {
    if (line[i] === '"') quoted = !quoted
    else if (line[i] === ':' && !quoted) return i
  }
  return -1
}

function firstValues(params: unknown): Record<string, string> {
  const read = Object.entries(typeof params === 'object' && params !== null ? params : {})
  return Object.fromEntries(read.map(([name, value]) => [name, String(Array.isArray(value) ? value[0] : value)]))
}

/** What Satchel does not model of an item: kept as lines, and written back. */

/** BEGIN or END of a component that an item may contain. */
const BOUND = /^(?:BEGIN:(?!V(?:TODO|EVENT|CALENDAR)$)([A-Z0-9-]+)|END:([A-Z0-9-]+))$/i

/**
 * Lines as they are kept, in their order; a component is one entry of several lines. What is over MAX_REST_BYTES in all
 * is left out, with one warning that names it.
 */
export function keepRest(entries: readonly string[], warn: Warn): string {
  const kept: string[] = []
  const dropped: string[] = []
  let bytes = 0
  for (const entry of entries) {
    const text = entry.length > MAX_REST_BYTES ? null : entry.split('\n').map(stripControls).join('\n')
    const size = text === null ? Number.POSITIVE_INFINITY : Buffer.byteLength(text) + 1
    if (text !== null && bytes + size <= MAX_REST_BYTES) {
      kept.push(text)
      bytes += size
    } else dropped.push(/^(?:BEGIN:)?([A-Z0-9-]+)/i.exec(entry.slice(0, 80))?.[1] ?? '')
  }
  if (dropped.length > 0)
    warn('rest_dropped', `Of what Satchel does not know, over 16 KiB, were left out: ${listNames(dropped)}.`)
  return kept.join('\n')
}

/** The names, each once, and no more than a sentence can hold. */
function listNames(names: readonly string[]): string {
  const different = [...new Set(names)]
  return different.slice(0, 10).join(', ') + (different.length > 10 ? ` and ${different.length - 10} more` : '')
}

/**
 * The lines to write back, or none if they would leave the item: each must be a content line, and what
 * begins must end. `replaced` names the properties that the task itself tells.
 */
export function readRestLines(rest: string, replaced: ReadonlySet<string>): string[] {
  if (rest === '') return []
  const lines = rest.split('\n').map(stripControls)
  const open: string[] = []
  const written: string[] = []
  for (const line of lines) {
    const [, begin, end] = BOUND.exec(line) ?? []
    const name = readPropertyName(line)
    if (name === null || (!begin && !end && /^(BEGIN|END)$/.test(name))) return []
    if (begin) open.push(begin.toUpperCase())
    const inside = open.length > 0
    if (end && open.pop() !== end.toUpperCase()) return []
    if (inside || !replaced.has(name)) written.push(line)
  }
  return open.length === 0 ? written : []
}
