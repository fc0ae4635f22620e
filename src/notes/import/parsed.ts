import { isCivilDate } from '../../http/values'
import type { ReadItem, ImportWarning as Warning } from '../../imports/kind'
import type { OnConflict } from '../../imports/schema'
import { FileFault, UnreadableItem } from '../../lib/file-fault'
import { isNoteFile } from '../../lib/file-target'
import { cutCodePoints } from '../../lib/text'
import { readEntryBytes, type ZipEntry, type ZipSource } from '../../lib/zip/read'
import {
  type AttachedFile,
  MAX_ATTACHMENT_BYTES,
  makeSafeName,
  type NoteFile,
  type SafeName,
} from '../attachments/names'
import { MAX_FOLDER_CHARS, MAX_FOLDER_LEVELS, MAX_TAG_CHARS, MAX_TAGS, MAX_TITLE_CHARS } from '../limits'

/** The notes that the parsers read from a file, before any query. Plain data: a run stores it as JSON. */

export type { AttachedFile, Warning }

export type NoteFileFormat = 'markdown' | 'obsidian' | 'enex' | 'keep'

export interface NotesImportParams {
  /** The kind of file by its Content-Type. */
  readonly kind: 'zip' | 'enex' | 'markdown'
  readonly format: NoteFileFormat | 'auto'
  /** Everything goes below this folder; null is the root. */
  readonly folder: string | null
  readonly on_conflict: OnConflict
}

export interface ParsedSource {
  readonly system: string
  readonly id: string
}

/**
 * A note as a file describes it. Instants are milliseconds. Unless noted otherwise, null means that the file does not
 * say.
 */
export interface ParsedDraft {
  /** Null: derived from the body. */
  readonly title: string | null
  readonly body: string
  /** Null is the root. */
  readonly folder: string | null
  readonly tags: readonly string[]
  readonly pinned: boolean | null
  /** `now`: archived, but the file does not say when. `not`: the file says that the note is not archived. */
  readonly archived: number | 'now' | 'not' | null
  readonly properties: Readonly<Record<string, unknown>>
  readonly created_at: number | null
  readonly updated_at: number | null
  readonly daily_date: string | null
  /** The front matter as it is written, without what Satchel added; empty if there is none. */
  readonly front_matter: string
}

export interface ParsedNote {
  /** Satchel's own id, from an export. */
  readonly id: string | null
  readonly source: ParsedSource | null
  /** The page that it came from. */
  readonly source_url?: string | null
  /** The name of its file; null or absent: it has none of its own. */
  readonly file_name?: string | null
  /** The files that the body shows by their names, of a format whose files may have any name. */
  readonly files?: readonly NoteFile[]
  readonly draft: ParsedDraft
  readonly warnings: readonly Warning[]
  /** Set if its path is its source: two archives may have notes of one path. */
  readonly archive?: NoteArchive
}

/** What shows whether an archive is a later version of one that was imported before. */
export interface NoteArchive {
  /** The key of a note. */
  readonly first: string
  /** Notes from all parts of the archive, by their source ids; only the first one has them. */
  readonly sample: readonly { readonly id: string; readonly digest: string }[]
}

/** An item that could not be read (`failed`) or is not a note (`skipped`). */
interface ParsedOther {
  readonly source: ParsedSource | null
  readonly outcome: 'failed' | 'skipped'
  readonly warnings: readonly Warning[]
}

export type ParsedValue = ParsedNote | ParsedOther

export type ParsedItem<Value extends ParsedValue = ParsedValue> = Value & { readonly path: string }

/** Makes the error for a file that cannot be imported at all. The client sees the detail. */
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

/** Decodes UTF-8 and removes a byte-order mark. Throws UnreadableItem. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new UnreadableItem('not_utf8', 'The file is not text in UTF-8.')
  }
}

/** Returns the result of `parse`, or a failed item if it throws UnreadableItem. */
export function parseOrFail(path: string, parse: () => ParsedItem): ParsedItem {
  try {
    return parse()
  } catch (error) {
    if (error instanceof UnreadableItem) return toFailedItem(path, error)
    throw error
  }
}

/** Checks a size in bytes against a limit. @throws UnreadableItem too_long */
export function requireSize(size: number, limit: number): void {
  if (size > limit) throw new UnreadableItem('too_long', 'The file is larger than a note can be.')
}

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
  front_matter: '',
}

// The functions below convert titles, tags and folders of other programs to valid ones. Each change adds a warning.

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for control characters
const CONTROLS = /[\x00-\x1f\x7f-\x9f\u2028\u2029]+/g

/**
 * Converts a title to one line of at most 500 code points. Null if nothing is left; the title is then derived from the
 * body.
 */
export function toTitle(text: string, warnings: Warning[]): string | null {
  const title = cutCodePoints(text.replace(CONTROLS, ' '), MAX_TITLE_CHARS)
  if (title.trim() === '') return null
  if (title !== text)
    warnings.push({ code: 'title_changed', detail: 'The title was shortened to one line of at most 500 characters.' })
  return title
}

/**
 * Converts tags to valid ones, without `#`, commas and surrounding white space. Leaves out tags that become empty, and
 * those beyond what a note can have.
 */
export function toTags(texts: readonly string[], warnings: Warning[]): string[] {
  const tags = texts.flatMap((text) => {
    const plain = text.trim().replace(/^#/, '')
    const tag = cutCodePoints(plain.replace(/[#,]/g, '-').replace(CONTROLS, ' '), MAX_TAG_CHARS).trim()
    if (tag !== plain)
      warnings.push({
        code: 'tag_changed',
        detail: `The tag ${JSON.stringify(plain.slice(0, 200))} became ${JSON.stringify(tag)}.`,
      })
    return tag === '' ? [] : [tag]
  })
  if (tags.length > MAX_TAGS)
    warnings.push({ code: 'tag_changed', detail: `The tags after the first ${MAX_TAGS} were left out.` })
  return tags.slice(0, MAX_TAGS)
}

export function toFolder(names: readonly string[], warnings: Warning[]): string | null {
  const path = names.join('/')
  const levels = cutCodePoints(path.replace(CONTROLS, ' ').replaceAll('\\', '-'), MAX_FOLDER_CHARS).split('/')
  const kept = levels
    .map((level) => level.trim())
    .filter((level) => !['', '.', '..'].includes(level))
    .slice(0, MAX_FOLDER_LEVELS)
    .join('/')
  if (kept !== path)
    warnings.push({
      code: 'folder_changed',
      detail: `The folder was changed to one of at most ${MAX_FOLDER_LEVELS} levels and ${MAX_FOLDER_CHARS} characters, without control characters.`,
    })
  return kept === '' ? null : kept
}

/** Makes the name of a file safe, and one that `[[…]]` can spell and no note has. */
export function toLinkableName(sent: string): SafeName {
  const { name, warnings } = makeSafeName(sent)
  const spelled = name.replace(/[[\]|#^]/g, '-')
  const linkable = isNoteFile(spelled) ? `${spelled}.txt` : spelled
  const changed = {
    code: 'name_changed',
    detail: `The name became ${JSON.stringify(linkable)}, which links can spell.`,
  }
  return { name: linkable, warnings: linkable === name ? warnings : [...warnings, changed] }
}

const INSTANT_PATTERN = /^(\d{4}-\d\d-\d\d)(?:[Tt ]+(\d\d:\d\d)(:\d\d(?:\.\d{1,9})?)?[ ]*(Z|z|[+-]\d\d:?\d\d)?)?$/

/**
 * Reads an instant as people and programs write it, in UTC if it has no zone. Milliseconds; null if it is not an
 * instant.
 */
export function toInstant(text: string): number | null {
  const [, date, time = '00:00', seconds = ':00', zone = 'Z'] = INSTANT_PATTERN.exec(text.trim()) ?? []
  if (date === undefined || !isCivilDate(date)) return null
  const offset = zone.toUpperCase().replace(/^([+-]\d\d)(\d\d)$/, '$1:$2')
  const at = Date.parse(`${date}T${time}${seconds.slice(0, 7)}${offset}`)
  return toWritableInstant(at)
}

/** Reads an instant of Evernote, such as `20260102T030405Z`; null for any other text. */
export function readEnexInstant(text = ''): number | null {
  return toInstant(text.trim().replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
}

/** Returns null for an instant that RFC 3339 cannot write, which has only years of four digits, and for none. */
export function toWritableInstant(at: number | null): number | null {
  return at !== null && at >= -62_167_219_200_000 && at < 253_402_300_800_000 ? at : null
}

export interface AttachedEntry {
  readonly entry: ZipEntry
  /** Its folder, as that of the notes beside it, and its name. */
  readonly path: string
}

/** Reads an entry of a zip archive as an attachment, with its bytes in memory. @param under the folder of the import */
export function readAttachedFile(
  zip: ZipSource,
  { entry, path }: AttachedEntry,
  under: string | null,
): ReadItem<AttachedFile> {
  const at = { where: entry.name, type: 'attachment' }
  try {
    const file = { ...toAttachedFile(path, under), changed_at: toWritableInstant(entry.changedAt) }
    if (!entry.fault && entry.size > MAX_ATTACHMENT_BYTES)
      throw new UnreadableItem('too_large', `An attachment may have at most ${MAX_ATTACHMENT_BYTES} bytes.`)
    return { ...at, key: `attachment ${JSON.stringify(file.attached)}`, value: file, bytes: readEntryBytes(zip, entry) }
  } catch (error) {
    if (error instanceof UnreadableItem) return { ...at, fault: { code: error.code, detail: error.detail } }
    throw error
  }
}

/** Places a file by its path, in the folder in which the notes beside it are. */
function toAttachedFile(path: string, under: string | null): AttachedFile {
  const levels = path.split('/')
  const { name, warnings } = makeSafeName(levels.pop() ?? '')
  const inner = toFolder(levels, warnings)
  const folder = under !== null && inner !== null ? `${under}/${inner}` : (under ?? inner)
  return { attached: { name, folder }, warnings }
}
