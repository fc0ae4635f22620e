import type { ItemMoment } from './item'

// The text of calendar files (RFC 5545, sections 3.1 and 3.3.11): bytes to lines, and lines to bytes.

/** Bytes of UTF-8 of a line, without its end. */
const FOLD_BYTES = 75
const NEWLINE_LIKE = /\r\n|[\r\n\u0085\u2028\u2029]/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what it looks for
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f]/g

/**
 * Decodes a file: UTF-8 without its byte-order mark, lines ended by LF (also for CR CR LF). Old programs fold lines
 * inside a character, so if the bytes are not valid UTF-8, they are unfolded first. `damaged`: some bytes were still
 * invalid. They became U+FFFD, or if no character beyond ASCII is UTF-8, the file was read as Windows-1252.
 */
export function decodeCalendar(bytes: Uint8Array): { text: string; damaged: boolean } {
  const whole = decodeUtf8(bytes) ?? decodeUtf8(unfoldBytes(bytes))
  const text = whole ?? decodeDamaged(bytes)
  return { text: text.replace(/\r+\n?/g, '\n'), damaged: whole === null }
}

function decodeDamaged(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes)
  return /[^\0-\x7f\ufffd]/.test(text) ? text : new TextDecoder('windows-1252').decode(bytes)
}

function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    if (error instanceof TypeError) return null
    throw error
  }
}

/** Removes each line end that is followed by a space or a tab, together with that character. */
function unfoldBytes(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(bytes.length)
  let length = 0
  for (let i = 0; i < bytes.length; i++) {
    const end = bytes[i] === 13 && bytes[i + 1] === 10 ? i + 1 : i
    const next = bytes[end + 1]
    if ((bytes[i] === 13 || bytes[i] === 10) && (next === 32 || next === 9)) i = end + 1
    else out[length++] = bytes[i] ?? 0
  }
  return out.subarray(0, length)
}

/** Escapes a value of type TEXT. Line ends of any kind become `\n`, so that no text can begin a content line. */
export function escapeText(text: string): string {
  return stripControls(text.replace(/[\\;,]/g, '\\$&').replace(NEWLINE_LIKE, '\\n'))
}

/** Removes the control characters that a content line must not have; lone surrogates become U+FFFD. */
export function stripControls(text: string): string {
  return text.replace(CONTROL, '').toWellFormed()
}

/** Folds a content line at 75 bytes, never inside a character, and ends it with CR LF. */
function foldLine(line: string): string {
  if (Buffer.byteLength(line) <= FOLD_BYTES) return `${line}\r\n`
  const parts: string[] = []
  let [start, at, bytes] = [0, 0, 0]
  for (const character of line) {
    const size = Buffer.byteLength(character)
    if (bytes + size > FOLD_BYTES) {
      parts.push(line.slice(start, at))
      // The space that begins a folded line counts.
      ;[start, bytes] = [at, 1]
    }
    at += character.length
    bytes += size
  }
  parts.push(line.slice(start))
  return `${parts.join('\r\n ')}\r\n`
}

export function foldAll(lines: readonly string[]): string {
  return lines.map(foldLine).join('')
}

/** Writes a text member as a content line; none if it is null or empty. */
export function writeTextLine(name: string, text: string | null): string[] {
  return text === null || text === '' ? [] : [`${name}:${escapeText(text)}`]
}

/** Splits a list into its values, still escaped: at each comma after an even number of backslashes. */
export function* splitList(raw: string): Generator<string> {
  let start = 0
  for (let i = 0; i < raw.length; i++) {
    const unit = raw[i]
    if (unit === '\\') i++
    else if (unit === ',') {
      yield raw.slice(start, i)
      start = i + 1
    }
  }
  yield raw.slice(start)
}

/** Writes `2026-03-01` as `20260301`. */
export function writeIcsDate(date: string): string {
  return date.replaceAll('-', '')
}

/** Writes an RFC 3339 instant as `20260301T081500Z`, without milliseconds. */
export function writeIcsInstant(instant: string): string {
  return `${instant.slice(0, 19).replace(/[-:]/g, '')}Z`
}

/** Writes the parameters and the value of a moment, such as `;TZID=Europe/Berlin:20260301T090000`. */
export function writeIcsMoment({ date, time, tz }: ItemMoment): string {
  if (time === null) return `;VALUE=DATE:${writeIcsDate(date)}`
  const local = `${writeIcsDate(date)}T${time.replace(':', '')}00`
  if (tz === 'UTC') return `:${local}Z`
  return tz === null ? `:${local}` : `;TZID=${tz}:${local}`
}

/** Writes minutes as a duration: `-PT15M`, `PT1H30M`, `P1D`. */
export function writeIcsDuration(minutes: number): string {
  const sign = minutes < 0 ? '-' : ''
  const [days, hours, rest] = [
    Math.floor(Math.abs(minutes) / 1440),
    Math.floor((Math.abs(minutes) % 1440) / 60),
    Math.abs(minutes) % 60,
  ]
  const time = `${hours > 0 ? `${hours}H` : ''}${rest > 0 ? `${rest}M` : ''}`
  if (days === 0 && time === '') return 'PT0S'
  return `${sign}P${days > 0 ? `${days}D` : ''}${time === '' ? '' : `T${time}`}`
}
