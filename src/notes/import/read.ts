import { isStorable } from '../../http/body'
import type { Read, ReadItem } from '../../imports/kind'
import { UnreadableItem } from '../../lib/unreadable-item'
import { readDirectory, readEntryBytes, type ZipEntry, type ZipLimits, type ZipSource } from '../../lib/zip/read'
import { parseEnex } from './enex'
import { getKeepCreationTime, MAX_KEEP_FILE_BYTES, parseKeep, readKeep } from './keep'
import { MAX_MARKDOWN_FILE_BYTES, parseMarkdown } from './markdown-file'
import { type NotesImportParams, type ParsedItem, type ParsedValue, toFailedItem, toSkippedItem } from './parsed'

/**
 * The limits of a zip archive. The sum of the sizes is not limited, since it includes attachments, which are not
 * unpacked; each entry that is read has a limit.
 */
export const ZIP_LIMITS: ZipLimits = { entries: 200_000, bytes: Number.MAX_SAFE_INTEGER, ratio: () => 200 }

/**
 * Reads a file of notes: yields an item for each entry of an archive, for each note of Evernote, or for the single
 * file.
 */
export const readNotes: Read<NotesImportParams, ParsedValue> = function* (file, { kind, format, folder }) {
  if (kind === 'enex') {
    yield { format: 'enex' }
    yield* toItems(parseEnex(file), folder)
  } else if (kind === 'markdown') {
    const system = format === 'obsidian' ? 'obsidian' : 'markdown'
    yield { format: system }
    const parse = () => {
      requireSize(file.size, MAX_MARKDOWN_FILE_BYTES)
      return parseMarkdown(null, file.whole(), system)
    }
    yield* toItems([parseOrFail('', parse)], folder)
  } else {
    const entries = readDirectory(file, ZIP_LIMITS)
    const detected = format === 'auto' || format === 'enex' ? detectFormat(file, entries) : format
    yield { format: detected }
    const items = detected === 'keep' ? readKeepItems(file, entries) : readMarkdownItems(file, entries, detected)
    yield* toItems(items, folder)
  }
}

/**
 * Detects the format of an archive. An Obsidian vault contains its settings. Keep is recognized by the members of its
 * files, because Takeout translates the names.
 */
function detectFormat(zip: ZipSource, entries: readonly ZipEntry[]): 'markdown' | 'obsidian' | 'keep' {
  if (entries.some(({ name }) => /(^|\/)\.obsidian\//.test(name))) return 'obsidian'
  if (entries.some(({ name }) => isMarkdown(name))) return 'markdown'
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
  system: 'markdown' | 'obsidian',
): Generator<ParsedItem> {
  for (const entry of entries) {
    const { name } = entry
    if (isMarkdown(name) && !isHidden(name))
      yield parseOrFail(name, () => parseMarkdown(name, unpackEntry(zip, entry, MAX_MARKDOWN_FILE_BYTES), system))
    else yield toSkippedEntry(entry)
  }
}

function* readKeepItems(zip: ZipSource, entries: readonly ZipEntry[]): Generator<ParsedItem> {
  const ordinals = new Map<string, number>()
  for (const entry of entries) {
    if (!/\.json$/i.test(entry.name)) yield toSkippedEntry(entry)
    else
      yield parseOrFail(entry.name, () => {
        const keep = readKeep(unpackEntry(zip, entry, MAX_KEEP_FILE_BYTES))
        if (!keep) return toNotANote(entry.name)
        const ordinal = ordinals.get(getKeepCreationTime(keep)) ?? 0
        ordinals.set(getKeepCreationTime(keep), ordinal + 1)
        return parseKeep(entry.name, keep, ordinal)
      })
  }
}

function unpackEntry(zip: ZipSource, entry: ZipEntry, limit: number): Uint8Array {
  if (!entry.fault) requireSize(entry.size, limit)
  return readEntryBytes(zip, entry)
}

function requireSize(size: number, limit: number): void {
  if (size > limit) throw new UnreadableItem('too_long', 'The file is larger than a note can be.')
}

/**
 * Makes the item of an entry that is not read because it is not a note; failed if its name leads out of the archive.
 */
function toSkippedEntry({ name, fault }: ZipEntry): ParsedItem {
  if (fault) return toFailedItem(name, fault)
  if (isHidden(name) || /\.(html?|json|txt|css)$/i.test(name)) return toNotANote(name)
  return toSkippedItem(name, 'attachment_skipped', 'Attachments are not stored.')
}

function toNotANote(name: string): ParsedItem {
  return toSkippedItem(name, 'not_a_note', 'The file is not a note.')
}

/** Whether a path belongs to settings or metadata of programs: `.obsidian/`, `.trash/`, `__MACOSX/`. */
function isHidden(name: string): boolean {
  return name.split('/').some((part) => part.startsWith('.') || part === '__MACOSX')
}

function isMarkdown(name: string): boolean {
  return /\.(md|markdown)$/i.test(name)
}

function isKeepCandidate({ name, size }: ZipEntry): boolean {
  return /\.json$/i.test(name) && size <= MAX_KEEP_FILE_BYTES
}

function parseOrFail(path: string, parse: () => ParsedItem): ParsedItem {
  try {
    return parse()
  } catch (error) {
    if (error instanceof UnreadableItem) return toFailedItem(path, error)
    throw error
  }
}

/** Converts parsed items to those that imports store. The key of a note must be unique in the file. */
function* toItems(items: Iterable<ParsedItem>, folder: string | null): Generator<ReadItem<ParsedValue>> {
  for (const item of items) {
    const { path: where, ...value } = checkStorable(item)
    if (!('draft' in value)) {
      yield { where, type: 'note', value }
      continue
    }
    const { id, source, draft } = value
    const key = id ?? (source && JSON.stringify([source.system, source.id]))
    const inner = draft.folder
    const moved = { ...draft, folder: folder !== null && inner !== null ? `${folder}/${inner}` : (folder ?? inner) }
    yield { where, type: 'note', ...(key === null ? {} : { key }), value: { ...value, draft: moved } }
  }
}

/** Returns the item, or a failed item if the database cannot store its text. */
function checkStorable(item: ParsedItem): ParsedItem {
  if (!('draft' in item)) return item
  const { title, body, folder, tags } = item.draft
  if ([title ?? '', body, folder ?? '', ...tags].every(isStorable)) return item
  const fault = { code: 'unstorable_text', detail: 'The note contains NUL or half a surrogate pair.' }
  return toFailedItem(item.path, fault, item.source)
}
