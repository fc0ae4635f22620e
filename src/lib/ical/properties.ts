import ICAL from 'ical.js'
import { MAX_REST_BYTES, type Property, type Warn } from './item'
import { stripControls } from './text'

// Parses single content lines and durations by ical.js, which is imported nowhere else.

// Some programs leave out VALUE=DATE: then a date is read where a time is expected, and a time where a date is
// expected.
ICAL.design.strict = false

/** UTF-16 units of name and parameters of a line. */
const MAX_HEAD_UNITS = 4096
/** UTF-16 units of a value that are read: more than Satchel's limits allow, even if each character is escaped. */
const MAX_VALUE_UNITS = 2 * 64 * 1024 + 64
/**
 * Properties whose values ical.js would split, though they are kept whole, or would split differently from RFC 5545.
 */
const KEPT_WHOLE = new Set(['RRULE', 'CATEGORIES', 'X-SATCHEL-RRULE'])

/** Reads the name of a content line, in capitals; null if it is not a content line. */
export function readPropertyName(line: string): string | null {
  return /^[A-Z0-9-]{1,64}(?=[;:])/i.exec(line.slice(0, 65))?.[0].toUpperCase() ?? null
}

/** Parses a content line by ical.js; null if it cannot. Of a value only MAX_VALUE_UNITS are read. */
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

/** Removes the escapes of a TEXT value. */
export function unescapeText(escaped: string): string {
  return escaped.includes('\\') ? String(parse(`SUMMARY:${escaped}`)?.[3] ?? '') : escaped
}

/** Parses a duration such as `-PT15M` or `P1W` to days and seconds, both negative or neither; null if it is invalid. */
export function readDuration(text: string): { days: number; seconds: number } | null {
  if (text.length > 40 || !ICAL.Duration.isValueString(text)) return null
  try {
    const { weeks, days, hours, minutes, seconds, isNegative } = ICAL.Duration.fromString(text)
    const sign = isNegative ? -1 : 1
    const read = { days: sign * (weeks * 7 + days), seconds: sign * ((hours * 60 + minutes) * 60 + seconds) }
    return Number.isSafeInteger(read.days) && Number.isSafeInteger(read.seconds) ? read : null
  } catch {
    // ical.js throws for invalid durations; the caller warns of it.
    return null
  }
}

function parse(line: string): unknown[] | null {
  try {
    const read: unknown = ICAL.parse.property(line, ICAL.design.icalendar)
    return Array.isArray(read) ? read : null
  } catch {
    // ical.js throws for invalid lines; the caller warns of it.
    return null
  }
}

/** Finds the first colon outside of quotes, within MAX_HEAD_UNITS; -1 if there is none. */
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

/** BEGIN or END of a component that an item may contain. */
const BOUND = /^(?:BEGIN:(?!V(?:TODO|EVENT|CALENDAR)$)([A-Z0-9-]+)|END:([A-Z0-9-]+))$/i

/**
 * Joins the lines that Satchel does not model, in order, to be kept and written back by an export; a component is one
 * entry of several lines. Entries beyond MAX_REST_BYTES are dropped, with one warning that names them.
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

/** Lists the distinct names, no more than fit into a sentence. */
function listNames(names: readonly string[]): string {
  const different = [...new Set(names)]
  return different.slice(0, 10).join(', ') + (different.length > 10 ? ` and ${different.length - 10} more` : '')
}

/**
 * Returns the lines to write back. None if they would break the item: each must be a content line, and each BEGIN needs
 * its END. `replaced` names the properties that are written from the task itself.
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
