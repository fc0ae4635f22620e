import type { ImportWarning as Warning } from '../../imports/kind'
import type { OnConflict } from '../../imports/schema'
import { FileFault } from '../../lib/file-fault'
import { cutCodePoints } from '../../lib/text'
import { MAX_FOLDER_LEVELS, MAX_TAG_CHARS, MAX_TITLE_CHARS } from '../note'

/** What the parsers make of a file, before any query. Plain data: a run stores it as JSON. */

export type { Warning }

type NoteFileFormat = 'markdown' | 'obsidian' | 'enex' | 'keep'

/** The parameters of an import. */
export interface NotesImportParams {
  /** What its Content-Type says that the file is. */
  readonly kind: 'zip' | 'enex' | 'markdown'
  readonly format: NoteFileFormat | 'auto'
  /** Everything goes below this folder; null is the root. */
  readonly folder: string | null
  readonly on_conflict: OnConflict
}

/** Where a note came from; see the member `source` of a note. */
export interface ParsedSource {
  readonly system: string
  readonly id: string
}

/** A note as a file describes it. Instants are milliseconds; null is what the file does not say, unless noted otherwise. */
export interface ParsedDraft {
  /** Null: to be derived from the body. */
  readonly title: string | null
  readonly body: string
  /** Null is the root. */
  readonly folder: string | null
  readonly tags: readonly string[]
  readonly pinned: boolean | null
  /** `now`: archived, the file does not say when. `not`: it says that the note is not archived. */
  readonly archived: number | 'now' | 'not' | null
  readonly properties: Readonly<Record<string, unknown>>
  readonly created_at: number | null
  readonly updated_at: number | null
  readonly daily_date: string | null
}

/** A note that was read. */
export interface ParsedNote {
  /** Satchel's own id, from an export. */
  readonly id: string | null
  readonly source: ParsedSource | null
  readonly draft: ParsedDraft
  readonly warnings: readonly Warning[]
}

/** Something that could not be read (`failed`), or that is no note (`skipped`). */
interface ParsedOther {
  readonly source: ParsedSource | null
  readonly outcome: 'failed' | 'skipped'
  readonly warnings: readonly Warning[]
}

export type ParsedValue = ParsedNote | ParsedOther

/** The same with its place in the file, for the report. */
export type ParsedItem<Value extends ParsedValue = ParsedValue> = Value & { readonly path: string }

/** For a file that is not read at all. The detail is for the caller. */
export const createFileFault = (detail: string) => new FileFault('archive_refused', detail)

export function toFailedItem(
  path: string,
  fault: Warning,
  source: ParsedSource | null = null,
): ParsedItem<ParsedOther> {
  return { path, source, outcome: 'failed', warnings: [{ code: fault.code, detail: fault.detail }] }
}

export function toSkippedItem(
  path: string,
  code: string,
  detail: string,
  source: ParsedSource | null = null,
): ParsedItem<ParsedOther> {
  return { path, source, outcome: 'skipped', warnings: [{ code, detail }] }
}

/** A draft that says nothing but its text. */
export const EMPTY_DRAFT: ParsedDraft = {
  title: null,
  body: '',
  folder: null,
  tags: [],
  pinned: null,
  archived: null,
  properties: {},
  created_at: null,
  updated_at: null,
  daily_date: null,
}

/** Titles, tags and folders of other programs in the form that notes have here. Each change adds a warning. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what it looks for
const CONTROLS = /[\x00-\x1f\x7f-\x9f\u2028\u2029]+/g

/** A title as one line of at most 500 characters; null if nothing is left, so that the body gives it. */
export function toTitle(text: string, warnings: Warning[]): string | null {
  const title = cutCodePoints(text.replace(CONTROLS, ' '), MAX_TITLE_CHARS)
  if (title.trim() === '') return null
  if (title !== text)
    warnings.push({ code: 'title_changed', detail: 'The title was made one line of at most 500 characters.' })
  return title
}

/** Tags without `#`, commas and white space around; what cannot be a tag is left out. */
export function toTags(texts: readonly string[], warnings: Warning[]): string[] {
  return texts.flatMap((text) => {
    const plain = text.trim().replace(/^#/, '')
    const tag = cutCodePoints(plain.replace(/[#,]/g, '-').replace(CONTROLS, ' '), MAX_TAG_CHARS).trim()
    if (tag !== plain)
      warnings.push({
        code: 'tag_changed',
        detail: `The tag ${JSON.stringify(plain.slice(0, 200))} became ${JSON.stringify(tag)}.`,
      })
    return tag === '' ? [] : [tag]
  })
}

/** The folder that a path's directories name; null is the root. */
export function toFolder(names: readonly string[], warnings: Warning[]): string | null {
  const levels = names.map((name) => name.replace(CONTROLS, ' ').trim()).filter((name) => name !== '' && name !== '.')
  const kept = levels.slice(0, MAX_FOLDER_LEVELS)
  if (kept.join('/') !== names.join('/'))
    warnings.push({
      code: 'folder_changed',
      detail: `The folder was made one of at most ${MAX_FOLDER_LEVELS} levels without control characters.`,
    })
  return kept.length === 0 ? null : kept.join('/')
}

const INSTANT_PATTERN = /^(\d{4}-\d\d-\d\d)(?:[Tt ]+(\d\d:\d\d)(:\d\d(?:\.\d{1,9})?)?[ ]*(Z|z|[+-]\d\d:?\d\d)?)?$/

/** An instant as people and programs write it, UTC where no zone is given; null if it is none. Milliseconds. */
export function toInstant(text: string): number | null {
  const [, date, time = '00:00', seconds = ':00', zone = 'Z'] = INSTANT_PATTERN.exec(text.trim()) ?? []
  if (date === undefined || !isCivilDate(date)) return null
  const offset = zone.toUpperCase().replace(/^([+-]\d\d)(\d\d)$/, '$1:$2')
  const at = Date.parse(`${date}T${time}${seconds.slice(0, 7)}${offset}`)
  return Number.isNaN(at) || !isWritableInstant(at) ? null : at
}

/** Whether a civil date is a real one. */
export function isCivilDate(text: string): boolean {
  const at = Date.parse(`${text}T00:00:00Z`)
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(at) && new Date(at).toISOString().startsWith(text)
}

/** Only years of four digits can be written as instants. */
export function isWritableInstant(at: number): boolean {
  return at >= -62_167_219_200_000 && at < 253_402_300_800_000
}
