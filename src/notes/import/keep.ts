import { ApiError } from '../../http/api-error'
import { parseJson } from '../../http/request'
import { UnreadableItem } from '../../lib/file-fault'
import type { ZipEntry } from '../../lib/zip/read'
import {
  type AttachedEntry,
  decodeUtf8,
  EMPTY_DRAFT,
  type ParsedItem,
  toLinkableName,
  toSkippedItem,
  toTags,
  toTitle,
  toWritableInstant,
  type Warning,
} from './parsed'

/** Reads Google Keep's notes from Takeout: one JSON file for each note, recognized by its members. */

/** Limit of one file. A Keep note has at most 20,000 characters, and the file contains them up to three times. */
export const MAX_KEEP_FILE_BYTES = 2 * 1024 * 1024

interface KeepNote {
  readonly title: string
  readonly userEditedTimestampUsec: number
  readonly createdTimestampUsec?: unknown
  readonly isTrashed: boolean
  readonly isPinned?: unknown
  readonly isArchived?: unknown
  readonly textContent?: unknown
  readonly listContent?: unknown
  readonly labels?: unknown
  readonly attachments?: unknown
  readonly annotations?: unknown
  readonly color?: unknown
}

/** Reads the note of a JSON file; null if the file is not a Keep note. Throws UnreadableItem if it is not JSON. */
export function readKeep(bytes: Uint8Array): KeepNote | null {
  const value = parseKeepJson(decodeUtf8(bytes))
  const note = Object(value) as KeepNote
  const isNote =
    typeof note.title === 'string' &&
    typeof note.userEditedTimestampUsec === 'number' &&
    typeof note.isTrashed === 'boolean'
  return isNote &&
    (typeof note.textContent === 'string' || Array.isArray(note.listContent) || Array.isArray(note.attachments))
    ? note
    : null
}

/**
 * Converts a Keep note to a note. Keep's notes have no ids, so the time of creation serves as the source id.
 * @param ordinal the number of earlier notes with the same time
 * @param files finds the files that the note shows
 */
export function parseKeep(path: string, keep: KeepNote, ordinal: number, files: Pick<KeepFiles, 'find'>): ParsedItem {
  const source = { system: 'keep', id: getKeepCreationTime(keep) + (ordinal === 0 ? '' : `-${ordinal + 1}`) }
  if (keep.isTrashed) return toSkippedItem(path, 'trashed', 'The note is in the trash of Keep.', source)
  const warnings: Warning[] = []
  const links = toFileLinks(path, keep, files, warnings)
  const updated = toMilliseconds(keep.userEditedTimestampUsec)
  return {
    path,
    id: null,
    source,
    draft: {
      ...EMPTY_DRAFT,
      title: toTitle(keep.title, warnings),
      body: [toBody(keep), ...links].filter((part) => part !== '').join('\n\n'),
      tags: toTags(
        toArray(keep.labels).flatMap((label) => readTextMember(label, 'name')),
        warnings,
      ),
      pinned: keep.isPinned === true,
      archived: keep.isArchived === true ? (updated ?? 'now') : 'not',
      properties: toProperties(keep),
      created_at: toMilliseconds(keep.createdTimestampUsec) ?? updated,
      updated_at: updated,
    },
    warnings,
  }
}

/** Returns the time that serves as the source id of a note. */
export function getKeepCreationTime({ createdTimestampUsec, userEditedTimestampUsec }: KeepNote): string {
  return String(typeof createdTimestampUsec === 'number' ? createdTimestampUsec : userEditedTimestampUsec)
}

function toBody({ textContent, listContent }: KeepNote): string {
  const lines = toArray(listContent).flatMap((item) =>
    readTextMember(item, 'text').map(
      (line) => `- [${Object(item).isChecked === true ? 'x' : ' '}] ${line.replace(/\s*\n\s*/g, ' ')}`,
    ),
  )
  return [typeof textContent === 'string' ? textContent : '', lines.join('\n')]
    .filter((part) => part !== '')
    .join('\n\n')
}

/** Links to the files of a note, which come after its text: Keep has no places for them in it. */
function toFileLinks(
  path: string,
  { attachments }: KeepNote,
  files: Pick<KeepFiles, 'find'>,
  warnings: Warning[],
): string[] {
  const all = toArray(attachments)
  const links = all.flatMap((attachment) => {
    const name = readTextMember(attachment, 'filePath').flatMap((filePath) => files.find(path, filePath) ?? [])[0]
    const [type = ''] = readTextMember(attachment, 'mimetype')
    return name === undefined ? [] : [/^(image|audio|video)\//i.test(type) ? `![[${name}]]` : `[[${name}]]`]
  })
  if (links.length < all.length)
    warnings.push({
      code: 'attachment_missing',
      detail: `${all.length - links.length} attachments of the note are not in the archive.`,
    })
  return links
}

/** Converts the other members of a Keep note to properties: its colour, and the pages that it links to. */
function toProperties({ color, annotations }: KeepNote): Record<string, unknown> {
  const links = toArray(annotations).flatMap((annotation) => readTextMember(annotation, 'url'))
  return {
    ...(typeof color === 'string' && color !== 'DEFAULT' ? { color } : {}),
    ...(links.length > 0 ? { links } : {}),
  }
}

function toMilliseconds(microseconds: unknown): number | null {
  return toWritableInstant(typeof microseconds === 'number' ? Math.floor(microseconds / 1000) : null)
}

function toArray(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function readTextMember(value: unknown, member: string): string[] {
  const found: unknown = Object(value)[member]
  return typeof found === 'string' ? [found] : []
}

function parseKeepJson(content: string): unknown {
  try {
    return parseJson(content)
  } catch (error) {
    if (error instanceof ApiError) throw new UnreadableItem('invalid_json', error.detail)
    throw error
  }
}

/** The pictures and recordings of Google Keep's notes, which lie beside them in the archive. */
export class KeepFiles {
  private readonly byPath = new Map<string, ZipEntry>()
  private readonly found = new Map<ZipEntry, AttachedEntry>()

  constructor(entries: readonly ZipEntry[]) {
    for (const entry of entries) {
      const ending = entry.name.replace(STEM, '')
      // A note says `jpeg` where its picture ends with `jpg`, so a file is found by the rest of its name, too.
      if (PICTURE_ENDING.test(ending)) this.byPath.set(`${entry.name.slice(0, -ending.length)}.`, entry)
    }
    for (const entry of entries) this.byPath.set(entry.name, entry)
  }

  /**
   * Finds a file that a note shows, which becomes an attachment. Returns the name by which the note can link to it; null
   * if the archive does not have it.
   * @param notePath the path of the note
   */
  find(notePath: string, filePath: string): string | null {
    const path = notePath.replace(/[^/]*$/, '') + filePath
    const stem = PICTURE_ENDING.test(path) ? path.replace(PICTURE_ENDING, '.') : null
    const entry = this.byPath.get(path) ?? (stem === null ? undefined : this.byPath.get(stem))
    if (!entry) return null
    const { name } = toLinkableName(entry.name)
    // Notes of Keep have no folders, so their files have none.
    this.found.set(entry, { entry, path: name })
    return name
  }

  isShown(entry: ZipEntry): boolean {
    return this.found.has(entry)
  }

  /** Those that were found until it is read. */
  get shown(): Iterable<AttachedEntry> {
    return this.found.values()
  }
}

const STEM = /^.*(?=\.[^./]*$)/s
const PICTURE_ENDING = /\.(?:jpe?g|png|gif|webp)$/i
