import { UnreadableItem } from '../../lib/file-fault'
import { isNoteFile } from '../../lib/file-target'
import { readDirectory, readEntryBytes, type ZipEntry, type ZipLimits, type ZipSource } from '../../lib/zip/read'
import { getKeepCreationTime, KeepFiles, MAX_KEEP_FILE_BYTES, parseKeep, readKeep } from './keep'
import {
  type AttachedEntry,
  type NoteFileFormat,
  type ParsedItem,
  parseOrFail,
  requireSize,
  toFailedItem,
  toSkippedItem,
} from './parsed'

/** Reads the notes of a zip archive: a vault of Markdown files, or an export of Google Keep. */

/**
 * The limits of a zip archive. The sum of the sizes is not limited, since it includes attachments, which are not
 * unpacked; each entry that is read has a limit.
 */
export const ZIP_LIMITS: ZipLimits = { entries: 200_000, bytes: Number.MAX_SAFE_INTEGER, ratio: () => 200 }

interface ReadZip {
  readonly format: NoteFileFormat
  readonly items: Iterable<ParsedItem>
  /** Some of the notes, from all parts of the archive, if their paths are their sources. */
  readonly sample: Iterable<ParsedItem>
  /** The entries that become attachments, which are known once all items are read. */
  readonly attached: Iterable<AttachedEntry>
}

/**
 * Detects the format of an archive, and returns a lazy sequence of its items.
 * @param format the format by the request; `enex` is ignored, since an archive cannot have it
 * @param under the folder of the import
 * @throws ZipFault
 */
export async function openZip(zip: ZipSource, format: NoteFileFormat | 'auto', under: string | null): Promise<ReadZip> {
  const entries = readDirectory(zip, ZIP_LIMITS)
  const detected = format === 'auto' || format === 'enex' ? detectFormat(zip, entries) : format
  if (detected === 'keep') {
    const files = new KeepFiles(entries.filter(isAttached))
    return { format: detected, items: readKeepItems(zip, entries, files), sample: [], attached: files.shown }
  }
  const reader = await import('./markdown-file')
  const read = (some: readonly ZipEntry[]) => readMarkdownItems(zip, some, { system: detected, under }, reader)
  const notes = entries.filter(isNoteEntry)
  const every = Math.ceil(notes.length / SAMPLE_NOTES)
  return {
    format: detected,
    items: read(entries),
    sample: read(notes.filter((_, index) => index % every === 0)),
    attached: entries.filter(isAttached).map((entry) => ({ entry, path: entry.name })),
  }
}

/** Notes that show whether an archive was imported before. */
const SAMPLE_NOTES = 1000

/**
 * Detects the format of an archive. An Obsidian vault contains its settings. Keep is recognized by the members of its
 * files, because Takeout translates the names.
 */
function detectFormat(zip: ZipSource, entries: readonly ZipEntry[]): 'markdown' | 'obsidian' | 'keep' {
  if (entries.some(({ name }) => /(^|\/)\.obsidian\//.test(name))) return 'obsidian'
  if (entries.some(({ name }) => isNoteFile(name))) return 'markdown'
  return entries.some((entry) => isKeepCandidate(entry) && hasKeepNote(zip, entry)) ? 'keep' : 'markdown'
}

function hasKeepNote(zip: ZipSource, entry: ZipEntry): boolean {
  try {
    return readKeep(readEntryBytes(zip, entry)) !== null
  } catch (error) {
    if (error instanceof UnreadableItem) return false
    throw error
  }
}

function* readMarkdownItems(
  zip: ZipSource,
  entries: readonly ZipEntry[],
  { system, under }: { readonly system: 'markdown' | 'obsidian'; readonly under: string | null },
  { MAX_MARKDOWN_FILE_BYTES, parseMarkdown }: typeof import('./markdown-file'),
): Generator<ParsedItem> {
  for (const entry of entries) {
    const { name } = entry
    if (isNoteEntry(entry))
      yield parseOrFail(name, () =>
        parseMarkdown(name, unpackEntry(zip, entry, MAX_MARKDOWN_FILE_BYTES), system, entry.changedAt, under),
      )
    else if (!isAttached(entry)) yield toSkippedEntry(entry)
  }
}

function* readKeepItems(zip: ZipSource, entries: readonly ZipEntry[], files: KeepFiles): Generator<ParsedItem> {
  const ordinals = new Map<string, number>()
  for (const entry of entries)
    if (isJson(entry))
      yield parseOrFail(entry.name, () => {
        const keep = readKeep(unpackEntry(zip, entry, MAX_KEEP_FILE_BYTES))
        if (!keep) return toNotANote(entry.name)
        const ordinal = ordinals.get(getKeepCreationTime(keep)) ?? 0
        ordinals.set(getKeepCreationTime(keep), ordinal + 1)
        return parseKeep(entry.name, keep, ordinal, files)
      })
  for (const entry of entries) if (!isJson(entry) && !files.isShown(entry)) yield toSkippedEntry(entry)
}

function unpackEntry(zip: ZipSource, entry: ZipEntry, limit: number): Uint8Array {
  if (!entry.fault) requireSize(entry.size, limit)
  return readEntryBytes(zip, entry)
}

/**
 * Makes the item of an entry that is not read because it is not a note; failed if its name leads out of the archive.
 */
function toSkippedEntry({ name, fault }: ZipEntry): ParsedItem {
  if (fault) return toFailedItem(name, fault)
  if (isHidden(name) || /\.(html?|json|txt|css)$/i.test(name)) return toNotANote(name)
  return toSkippedItem(name, 'attachment_skipped', 'No note shows the file.')
}

function toNotANote(name: string): ParsedItem {
  return toSkippedItem(name, 'not_a_note', 'The file is not a note.')
}

const isNoteEntry = ({ name }: ZipEntry): boolean => isNoteFile(name) && !isHidden(name)

/** Whether an entry of a vault is a file that notes may show. */
function isAttached({ name, fault }: ZipEntry): boolean {
  return !fault && !isNoteFile(name) && !isHidden(name) && !name.endsWith('/')
}

/** Whether a path belongs to settings or metadata of programs: `.obsidian/`, `.trash/`, `__MACOSX/`. */
function isHidden(name: string): boolean {
  return name.split('/').some((part) => part.startsWith('.') || part === '__MACOSX')
}

function isKeepCandidate({ name, size }: ZipEntry): boolean {
  return isJson({ name }) && size <= MAX_KEEP_FILE_BYTES
}

function isJson({ name }: Pick<ZipEntry, 'name'>): boolean {
  return /\.json$/i.test(name)
}
