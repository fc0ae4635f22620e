import type { Session } from '../db/database'
import { getTimeSettings } from '../db/settings-store'
import { fromDay, isDate } from '../lib/civil/day'
import { civilOf, isZone } from '../lib/civil/zone'
import { titleKey } from '../lib/text'
import { invalid } from './api-error'
import { isStorable } from './request'

/** Items of a page without `limit`. */
export const DEFAULT_LIMIT = 50
/** Items that a page may have. */
export const MAX_LIMIT = 200
/** Notes that one resource may belong to. */
export const MAX_NOTE_IDS = 20
/** The longest parts of a source, in code points. */
export const MAX_SOURCE_CHARS = { system: 50, id: 500, url: 2000 }

/** The most code points of a date in words. Quick add takes longer texts. */
export const MAX_DATE_WORDS_CHARS = 100

export const ID_PATTERN = '^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$'

const ID = new RegExp(ID_PATTERN)

/** The most resources that the `ids` of a list name. */
export const MAX_LISTED_IDS = 200

/** Reads the `ids` of a list. Throws invalid_request. */
export function readIds(text: string): string[] {
  const ids = text.split(',')
  if (ids.length > MAX_LISTED_IDS) throw invalid('/ids', 'too_many', `ids must be at most ${MAX_LISTED_IDS}`)
  if (ids.every((id) => ID.test(id))) return ids
  throw invalid('/ids', 'invalid_value', 'ids must be UUIDv7s in lower case, separated by commas')
}

/** Reads some of `known`, each once, separated by commas. Throws invalid_request. */
export function readChoices<Name extends string>(text: string, known: readonly Name[], pointer: string): Name[] {
  const names = text.split(',')
  const chosen = known.filter((name) => names.includes(name))
  if (chosen.length === names.length) return chosen
  const rule = `must be some of ${known.join(', ')}, each once, with commas between`
  throw invalid(pointer, 'invalid_value', `${pointer.slice(1)} ${rule}`)
}

/** RFC 3339, UTC, with or without milliseconds. Returns milliseconds since 1970. @throws ApiError invalid_request */
export function readInstant(text: string, pointer: string): number {
  const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/.test(text) ? Date.parse(text) : Number.NaN
  // Date.parse turns 30 February into 2 March: only a valid instant is the same when it is written again.
  if (Number.isNaN(at) || !new Date(at).toISOString().startsWith(text.slice(0, 19)))
    throw invalid(pointer, 'invalid_instant', `${pointer.slice(1)} must be an instant such as 2026-03-01T08:15:00.000Z`)
  return at
}

let lastInstant = { at: 0, text: new Date(0).toISOString() }

/** Writes an instant with milliseconds. @param at milliseconds since 1970 */
export function writeInstant(at: number): string {
  // Most rows of a list were last changed when they were created, and dates are a sixth of the time that a list takes.
  if (at !== lastInstant.at) lastInstant = { at, text: new Date(at).toISOString() }
  return lastInstant.text
}

/** `maxLength` of a schema counts UTF-16 units; this counts code points. @throws ApiError invalid_request */
export function requireLength(text: string, max: number, pointer: string): void {
  // A text never has more code points than UTF-16 units, so most texts need no counting.
  if (text.length <= max) return
  let length = 0
  for (const _ of text) length++
  if (length > max) throw invalid(pointer, 'too_long', `${pointer.slice(1)} must be at most ${max} characters`)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what it looks for
export const CONTROL_CHARS = /[\x00-\x1f\x7f-\x9f\u2028\u2029]/

/** Checks a name. Returns it in NFC, and its key for comparisons. Throws invalid_request. @param max in code points */
export function readKeyedName(sent: string, max: number, pointer: string): { name: string; name_key: string } {
  const name = sent.normalize('NFC')
  requireLength(name, max, pointer)
  if (name === '' || name !== name.trim() || CONTROL_CHARS.test(name))
    throw invalid(pointer, 'invalid_name', 'a name must be one line, not blank, without white space at either end')
  return { name, name_key: titleKey(name) }
}

export function readOptional(text: string | null, pointer: string): number | null {
  return text === null ? null : readInstant(text, pointer)
}

export function writeOptional(at: number | null): string | null {
  return at === null ? null : writeInstant(at)
}

interface Stamps {
  readonly id: string
  readonly revision: number
  readonly created_at: string
  readonly updated_at: string
  readonly deleted_at: string | null
}

/** The members that every resource begins with, as they are stored. Throws invalid_request. */
export function readStamps({ id, revision, created_at, updated_at, deleted_at }: Stamps) {
  return {
    id,
    revision,
    created_at: readInstant(created_at, '/created_at'),
    updated_at: readInstant(updated_at, '/updated_at'),
    deleted_at: readOptional(deleted_at, '/deleted_at'),
  }
}

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/

/** @throws ApiError invalid_request unless it is a day of the Gregorian calendar, years 0000 to 9999 */
export function readCivilDate(text: string, pointer: string): string {
  if (!isCivilDate(text))
    throw invalid(pointer, 'invalid_date', `${pointer.slice(1)} must be a real date such as 2026-03-01`)
  return text
}

export function isCivilDate(text: string): boolean {
  const [, year, month, day] = DATE.exec(text) ?? []
  return isDate({ year: Number(year), month: Number(month), day: Number(day) })
}

/** @throws ApiError invalid_request unless the IANA database has the zone, e.g. Europe/Lisbon */
export function readZone(name: string, pointer: string): string {
  if (!isZone(name))
    throw invalid(pointer, 'invalid_zone', `${pointer.slice(1)} must be an IANA time zone such as Europe/Lisbon`)
  return name
}

/** @param now milliseconds since 1970 @param zone an IANA name, checked by readZone */
export function today(now: number, zone: string): string {
  return fromDay(civilOf(now, zone).day)
}

/** The zone of the request, else of the workspace, else UTC. @throws ApiError invalid_request unless IANA has it */
export async function readZoneOrDefault(session: Session, name: string | undefined): Promise<string> {
  if (name !== undefined) return readZone(name, '/time_zone')
  return (await getTimeSettings(session)).time_zone ?? 'UTC'
}

/** Where a resource came from. Not a type of the schemas, which Workers would load for nothing. */
export interface ReadSource {
  system: string | null
  id: string | null
  url: string | null
}

/** What a request says of one. */
export type SentSource = Partial<ReadSource>

/** The columns of a source. System and id are set together. */
export interface SourceColumns {
  readonly source_system: string | null
  readonly source_id: string | null
  readonly source_url: string | null
}

/** Checks a source; one that says nothing is null. Throws invalid_request at the member that is wrong. */
export function readSource(input: SentSource | null | undefined): ReadSource | null {
  const { system = null, id = null, url = null } = input ?? {}
  if (system === null && id !== null) throw together('/source/system')
  if (system !== null && id === null) throw together('/source/id')
  const source = {
    system: checkedName(system, '/source/system', MAX_SOURCE_CHARS.system),
    id: checkedName(id, '/source/id', MAX_SOURCE_CHARS.id),
    url: checkedUrl(url),
  }
  return source.system === null && source.url === null ? null : source
}

/** Applies a merge patch: absent members stay, null clears. The result is to be checked by readSource. */
export function patchSource(old: ReadSource | null, patch: SentSource | null | undefined): SentSource | null {
  return patch === null ? null : { ...old, ...patch }
}

export function columnsOfSource(source: ReadSource | null): SourceColumns {
  return { source_system: source?.system ?? null, source_id: source?.id ?? null, source_url: source?.url ?? null }
}

export function sourceOfRow({ source_system, source_id, source_url }: SourceColumns): ReadSource | null {
  if (source_system === null && source_url === null) return null
  return { system: source_system, id: source_id, url: source_url }
}

function together(pointer: string) {
  return invalid(pointer, 'required', 'system and id of a source must be given together')
}

function checkedName(name: string | null, pointer: string, max: number): string | null {
  if (name === null) return null
  if (name === '') throw invalid(pointer, 'too_short', `${pointer.slice(1)} must not be empty`)
  if (!isStorable(name))
    throw invalid(pointer, 'unstorable_text', `${pointer.slice(1)} must not hold NUL or half a surrogate pair`)
  requireLength(name, max, pointer)
  return name
}

function checkedUrl(url: string | null): string | null {
  if (url === null) return null
  requireLength(url, MAX_SOURCE_CHARS.url, '/source/url')
  if (!/^https?:\/\//i.test(url) || /[\s\p{Cc}]/u.test(url) || !isStorable(url) || !URL.canParse(url))
    throw invalid('/source/url', 'invalid_url', 'source/url must be an http or https address')
  return url
}
