import { UnreadableItem } from '../../lib/unreadable-item'
import { readDirectory, readEntryBytes, type ZipEntry, type ZipLimits, type ZipSource } from '../../lib/zip/read'
import { KEEP_BYTES, keepCreationTime, parseKeep, readKeep } from './keep'
import { failedItem, guarded, type NoteFileFormat, type ParsedItem, requireSize, skippedItem } from './parsed'

/** The notes of an archive: a vault of Markdown files, or what Google Keep exports. */

/** Bytes are counted as entries are read. Attachments are not read, so the sizes that they claim do not count. */
export const ZIP_LIMITS: ZipLimits = { entries: 200_000, bytes: Number.MAX_SAFE_INTEGER, ratio: () => 200 }

/**
 * Finds out what is in an archive; its items are read as they are taken.
 * @param format what the caller says that it is; `enex` is none that an archive can be
 * @throws ArchiveFault
 */
export async function openZip(
  zip: ZipSource,
  format: NoteFileFormat | 'auto',
): Promise<{ format: NoteFileFormat; items: Iterable<ParsedItem> }> {
  const entries = readDirectory(zip, ZIP_LIMITS)
  const found = format === 'auto' || format === 'enex' ? detect(zip, entries) : format
  if (found === 'keep') return { format: found, items: keepItems(zip, entries) }
  return { format: found, items: markdownItems(zip, entries, found, await import('./markdown-file')) }
}

/** A vault of Obsidian has its settings with it; Keep is known by the shape of its files, since names are translated. */
function detect(zip: ZipSource, entries: readonly ZipEntry[]): 'markdown' | 'obsidian' | 'keep' {
  if (entries.some(({ name }) => /(^|\/)\.obsidian\//.test(name))) return 'obsidian'
  if (entries.some(({ name }) => isMarkdown(name))) return 'markdown'
  return entries.some((entry) => isJson(entry) && keepIn(zip, entry)) ? 'keep' : 'markdown'
}

function keepIn(zip: ZipSource, entry: ZipEntry): boolean {
  try {
    return readKeep(readEntryBytes(zip, entry)) !== null
  } catch (error) {
    if (error instanceof UnreadableItem) return false
    throw error
  }
}

function* markdownItems(
  zip: ZipSource,
  entries: readonly ZipEntry[],
  system: 'markdown' | 'obsidian',
  { MARKDOWN_BYTES, parseMarkdown }: typeof import('./markdown-file'),
): Generator<ParsedItem> {
  for (const entry of entries) {
    const { name } = entry
    if (isMarkdown(name) && !isHidden(name))
      yield guarded(name, () => parseMarkdown(name, unpacked(zip, entry, MARKDOWN_BYTES), system))
    else yield passedOver(entry)
  }
}

function* keepItems(zip: ZipSource, entries: readonly ZipEntry[]): Generator<ParsedItem> {
  const ordinals = new Map<string, number>()
  for (const entry of entries) {
    if (!/\.json$/i.test(entry.name)) yield passedOver(entry)
    else
      yield guarded(entry.name, () => {
        const keep = readKeep(unpacked(zip, entry, KEEP_BYTES))
        if (!keep) return notANote(entry.name)
        const ordinal = ordinals.get(keepCreationTime(keep)) ?? 0
        ordinals.set(keepCreationTime(keep), ordinal + 1)
        return parseKeep(entry.name, keep, ordinal)
      })
  }
}

function unpacked(zip: ZipSource, entry: ZipEntry, limit: number): Uint8Array {
  if (!entry.fault) requireSize(entry.size, limit)
  return readEntryBytes(zip, entry)
}

/** An entry that is not a note is not read. A name that leads out of the archive is reported all the same. */
function passedOver({ name, fault }: ZipEntry): ParsedItem {
  if (fault) return failedItem(name, fault)
  if (isHidden(name) || /\.(html?|json|txt|css)$/i.test(name)) return notANote(name)
  return skippedItem(name, 'attachment_skipped', 'Attachments are not stored.')
}

function notANote(name: string): ParsedItem {
  return skippedItem(name, 'not_a_note', 'The file is not a note.')
}

/** Settings and leavings of programs: `.obsidian/`, `.trash/`, `__MACOSX/`. */
function isHidden(name: string): boolean {
  return name.split('/').some((part) => part.startsWith('.') || part === '__MACOSX')
}

function isMarkdown(name: string): boolean {
  return /\.(md|markdown)$/i.test(name)
}

function isJson({ name, size }: ZipEntry): boolean {
  return /\.json$/i.test(name) && size <= KEEP_BYTES
}
