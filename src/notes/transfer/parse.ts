import { isStorable } from '../../http/body'
import { readDirectory, readEntryBytes, sourceOf, type ZipEntry, type ZipLimits } from '../../zip/read'
import { parseEnex } from './enex'
import { createdOf, KEEP_BYTES, parseKeep, readKeep } from './keep'
import { MARKDOWN_BYTES, parseMarkdown } from './markdown-file'
import { type Format, failed, ItemFault, type ParsedItem, skipped } from './parsed'

export const ZIP_LIMITS: ZipLimits = { entries: 20_000, bytes: 256 * 1024 * 1024, ratio: () => 200 }

/** A file to import: its kind, and the format that the caller asked for. */
export interface Upload {
  readonly kind: 'zip' | 'enex' | 'markdown'
  readonly format: Format | 'auto'
  readonly bytes: Uint8Array
}

/** What an upload holds. `items` are read one by one, as they are asked for. */
export interface Parsed {
  readonly format: Format
  readonly items: Iterable<ParsedItem>
}

/** Begins to read an upload. Throws ArchiveFault, here or from `items`. */
export function parseUpload({ kind, format, bytes }: Upload): Parsed {
  if (kind === 'enex') return { format: 'enex', items: checkedItems(parseEnex(bytes)) }
  if (kind === 'markdown') {
    const system = format === 'obsidian' ? 'obsidian' : 'markdown'
    return { format: system, items: checkedItems([guarded('', () => parseMarkdown(null, bytes, system))]) }
  }
  const entries = readDirectory(sourceOf(bytes), ZIP_LIMITS)
  const found = format === 'auto' || format === 'enex' ? detect(bytes, entries) : format
  const items = found === 'keep' ? keepItems(bytes, entries) : markdownItems(bytes, entries, found)
  return { format: found, items: checkedItems(items) }
}

/** A vault of Obsidian has its settings with it; Keep is known by the shape of its files, since names are translated. */
function detect(bytes: Uint8Array, entries: readonly ZipEntry[]): 'markdown' | 'obsidian' | 'keep' {
  if (entries.some(({ name }) => /(^|\/)\.obsidian\//.test(name))) return 'obsidian'
  if (entries.some(({ name }) => isMarkdown(name))) return 'markdown'
  return entries.some((entry) => isJson(entry) && keepIn(bytes, entry)) ? 'keep' : 'markdown'
}

function keepIn(bytes: Uint8Array, entry: ZipEntry): boolean {
  try {
    return readKeep(readEntryBytes(sourceOf(bytes), entry)) !== null
  } catch (error) {
    if (error instanceof ItemFault) return false
    throw error
  }
}

function* markdownItems(
  bytes: Uint8Array,
  entries: readonly ZipEntry[],
  system: 'markdown' | 'obsidian',
): Generator<ParsedItem> {
  for (const entry of entries) {
    const { name } = entry
    if (isMarkdown(name) && !isHidden(name))
      yield guarded(name, () => parseMarkdown(name, unpacked(bytes, entry, MARKDOWN_BYTES), system))
    else yield passedOver(entry)
  }
}

function* keepItems(bytes: Uint8Array, entries: readonly ZipEntry[]): Generator<ParsedItem> {
  const ordinals = new Map<string, number>()
  for (const entry of entries) {
    if (!/\.json$/i.test(entry.name)) yield passedOver(entry)
    else
      yield guarded(entry.name, () => {
        const keep = readKeep(unpacked(bytes, entry, KEEP_BYTES))
        if (!keep) return notANote(entry.name)
        const ordinal = ordinals.get(createdOf(keep)) ?? 0
        ordinals.set(createdOf(keep), ordinal + 1)
        return parseKeep(entry.name, keep, ordinal)
      })
  }
}

function unpacked(bytes: Uint8Array, entry: ZipEntry, limit: number): Uint8Array {
  if (!entry.fault && entry.size > limit) throw new ItemFault('too_long', 'The file is larger than a note can be.')
  return readEntryBytes(sourceOf(bytes), entry)
}

/** What is no note stays shut. A name that leads out of the archive is told of all the same. */
function passedOver({ name, fault }: ZipEntry): ParsedItem {
  if (fault) return failed(name, fault)
  if (isHidden(name) || /\.(html?|json|txt|css)$/i.test(name)) return notANote(name)
  return skipped(name, 'attachment_skipped', 'Attachments are not stored.')
}

function notANote(name: string): ParsedItem {
  return skipped(name, 'not_a_note', 'The file is not a note.')
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

function guarded(path: string, parse: () => ParsedItem): ParsedItem {
  try {
    return parse()
  } catch (error) {
    if (error instanceof ItemFault) return failed(path, error)
    throw error
  }
}

/** Text that no database can store fails its item. */
function* checkedItems(items: Iterable<ParsedItem>): Generator<ParsedItem> {
  for (const item of items) {
    const texts =
      'draft' in item ? [item.draft.title ?? '', item.draft.body, item.draft.folder ?? '', ...item.draft.tags] : []
    yield texts.every(isStorable)
      ? item
      : failed(
          item.path,
          { code: 'unstorable_text', detail: 'The note holds NUL or half a surrogate pair.' },
          item.source,
        )
  }
}
