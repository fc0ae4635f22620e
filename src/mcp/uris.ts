import { readCivilDate } from '../http/values'
import { encodeUnreserved } from '../lib/text'

/** The agenda of today in the zone of the workspace. */
export const AGENDA_URI = 'satchel://agenda/today'
/** `{id}` is an id or an exact title. */
export const NOTE_TEMPLATE = 'satchel://note/{id}'
export const DAILY_TEMPLATE = 'satchel://daily/{date}'

const NOTE_PREFIX = 'satchel://note/'
const DAILY_PREFIX = 'satchel://daily/'
/** UTF-16 units of a URI: more than the longest title, each code point of which takes up to 12. */
const MAX_URI_UNITS = 8192

export type ResourceName =
  | { readonly kind: 'agenda' }
  /** `name` is an id or a title. */
  | { readonly kind: 'note'; readonly name: string }
  | { readonly kind: 'daily'; readonly date: string }

export const noteUri = (id: string): string => NOTE_PREFIX + encodeUnreserved(id)

export const dailyUri = (date: string): string => DAILY_PREFIX + date

export function readResourceUri(uri: string): ResourceName | null {
  if (uri.length > MAX_URI_UNITS) return null
  if (uri === AGENDA_URI) return { kind: 'agenda' }
  if (uri.startsWith(NOTE_PREFIX)) {
    const name = decode(uri.slice(NOTE_PREFIX.length))
    return name === null || name.trim() === '' || name.includes('\0') ? null : { kind: 'note', name }
  }
  if (!uri.startsWith(DAILY_PREFIX)) return null
  const date = decode(uri.slice(DAILY_PREFIX.length))
  return date !== null && isDay(date) ? { kind: 'daily', date } : null
}

/** Decodes percent signs; null if they are wrong. */
function decode(text: string): string | null {
  try {
    return decodeURIComponent(text).toWellFormed()
  } catch {
    return null
  }
}

function isDay(date: string): boolean {
  try {
    return readCivilDate(date, '/date') === date
  } catch {
    return false
  }
}
