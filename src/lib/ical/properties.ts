import { MAX_REST_BYTES, type Property, type Warn } from './item'
import { stripControls } from './text'

// Reads single content lines and their values (RFC 5545, sections 3.1 and 3.3), as other programs bend them.

/** UTF-16 units of name and parameters of a line. */
const MAX_HEAD_UNITS = 4096
/** UTF-16 units of a value that are read: more than Satchel's limits allow, even if each character is escaped. */
const MAX_VALUE_UNITS = 2 * 64 * 1024 + 64
/** A parameter, whose value may be in quotes; what some programs write after the quotes is passed over. */
const PARAMETER = /;+([^=;:"]+)=(?:"([^"]*)"[^;:]*|([^;:]*))/y
/** The escapes in values of parameters (RFC 6868). */
const CARET_ESCAPES: Readonly<Record<string, string>> = { "^'": '"', '^n': '\n', '^^': '^' }
/** Weeks, days, hours, minutes and seconds. Some programs leave out the T before a time, or write it before none. */
const DURATION = /^([+-]?)P(?=T?\d)(?:(\d+)W)?(?:(\d+)D)?(?:T?(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)$/

/** Reads the name of a content line, in capitals; null if it is not a content line. */
export function readPropertyName(line: string): string | null {
  return /^[A-Z0-9-]{1,64}(?=[;:])/i.exec(line.slice(0, 65))?.[0].toUpperCase() ?? null
}

/** Reads a content line; null if it is none. */
export function readProperty(line: string): Property | null {
  const name = readPropertyName(line)
  const colon = findColon(line)
  if (name === null || colon === -1) return null
  const params = readParameters(line.slice(name.length, colon))
  return params && { name, params, raw: line.slice(colon + 1), line }
}

/** Reads parameters by lower-case name, of one that is there twice the last; null if there is something else. */
function readParameters(text: string): Record<string, string> | null {
  const params: Record<string, string> = Object.create(null)
  let end = 0
  PARAMETER.lastIndex = 0
  for (let read = PARAMETER.exec(text); read !== null; read = PARAMETER.exec(text)) {
    const [, name = '', quoted, bare = ''] = read
    params[name.toLowerCase()] = unescapeText((quoted ?? bare).replace(/\^['n^]/g, (x) => CARET_ESCAPES[x] ?? x))
    end = PARAMETER.lastIndex
  }
  return /^;*$/.test(text.slice(end)) ? params : null
}

/** Reads a value of type TEXT; '' for none. */
export function readTextValue(property: Property | null): string {
  return unescapeText((property?.raw ?? '').slice(0, MAX_VALUE_UNITS))
}

export function readListValue({ raw }: Property): string[] {
  return raw.slice(0, MAX_VALUE_UNITS).split(',')
}

export function unescapeText(escaped: string): string {
  return escaped.replace(/\\([\\;,Nn])/g, (_, character: string) => (/n/i.test(character) ? '\n' : character))
}

/** Reads a duration such as `-PT15M` or `P1W` as days and seconds, both negative or neither; null if it is invalid. */
export function readDuration(text: string): { days: number; seconds: number } | null {
  const [read, minus, ...numbers] = DURATION.exec(text.slice(0, 40)) ?? []
  if (read !== text) return null
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = numbers.map((number) => Number(number ?? 0))
  const sign = minus === '-' ? -1 : 1
  const all = { days: sign * (weeks * 7 + days), seconds: sign * ((hours * 60 + minutes) * 60 + seconds) }
  return Number.isSafeInteger(all.days) && Number.isSafeInteger(all.seconds) ? all : null
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

/** None if they would break the item: each must be a content line, each BEGIN needs its END, and none is `replaced`. */
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
