import { ApiError } from '../../http/api-error'
import { parseJson } from '../../http/body'
import { UnreadableItem } from '../../lib/unreadable-item'
import { decodeUtf8 } from './markdown-file'
import { EMPTY_DRAFT, isWritableInstant, type ParsedItem, toSkippedItem, toTags, toTitle, type Warning } from './parsed'

/** Google Keep as Takeout gives it: one JSON file for each note, known by its members. */

/** A Keep note has at most 20,000 characters, which it holds up to three times. */
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

/** The note that a JSON file holds, or null if the file is something else. Throws UnreadableItem if it is not JSON at all. */
export function readKeep(bytes: Uint8Array): KeepNote | null {
  const value = parseKeepJson(decodeUtf8(bytes))
  const note = Object(value) as KeepNote
  const fits =
    typeof note.title === 'string' &&
    typeof note.userEditedTimestampUsec === 'number' &&
    typeof note.isTrashed === 'boolean'
  return fits &&
    (typeof note.textContent === 'string' || Array.isArray(note.listContent) || Array.isArray(note.attachments))
    ? note
    : null
}

/**
 * A Keep note as a note. Keep gives its notes no ids: the time of creation is used as one.
 * @param ordinal how many notes of the same time came before
 */
export function parseKeep(path: string, keep: KeepNote, ordinal: number): ParsedItem {
  const source = { system: 'keep', id: getKeepCreationTime(keep) + (ordinal === 0 ? '' : `-${ordinal + 1}`) }
  if (keep.isTrashed) return toSkippedItem(path, 'trashed', 'The note is in the trash of Keep.', source)
  const warnings: Warning[] = []
  if (toArray(keep.attachments).length > 0)
    warnings.push({
      code: 'attachment_skipped',
      detail: `${toArray(keep.attachments).length} attachments are not stored.`,
    })
  const updated = toMilliseconds(keep.userEditedTimestampUsec)
  return {
    path,
    id: null,
    source,
    draft: {
      ...EMPTY_DRAFT,
      title: toTitle(keep.title, warnings),
      body: toBody(keep),
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

/** The time that is used as the id of a note. */
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

/** What else Keep knows of a note: its colour, and the pages it links to. */
function toProperties({ color, annotations }: KeepNote): Record<string, unknown> {
  const links = toArray(annotations).flatMap((annotation) => readTextMember(annotation, 'url'))
  return {
    ...(typeof color === 'string' && color !== 'DEFAULT' ? { color } : {}),
    ...(links.length > 0 ? { links } : {}),
  }
}

function toMilliseconds(microseconds: unknown): number | null {
  const at = typeof microseconds === 'number' ? Math.floor(microseconds / 1000) : Number.NaN
  return isWritableInstant(at) ? at : null
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
