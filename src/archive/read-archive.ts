import { ApiError } from '../http/api-error'
import { parseJson } from '../http/request'
import type { FileFacts, ImportWarning, ReadItem, SourceFile } from '../imports/kind'
import { FileFault, UnreadableItem } from '../lib/file-fault'
import { readDirectory, readEntryBytes, readEntryParts, type ZipEntry, type ZipLimits } from '../lib/zip/read'
import {
  ARCHIVE_FORMAT,
  ARCHIVE_VERSION,
  type ArchiveParams,
  bytesFileName,
  dataFileName,
  MANIFEST_NAME,
  MAX_LINE_BYTES,
  MAX_MANIFEST_BYTES,
  toImportWarning,
} from './archive'

/** Bytes are counted while they are read, and files for people never are: what the directory states does not matter. */
const LIMITS: ZipLimits = { entries: 200_000, bytes: Number.MAX_SAFE_INTEGER, ratio: () => 200 }
/** Bytes that a file with binary data may have: more than any resource has. */
const MAX_BINARY_BYTES = 32 * 1024 * 1024
const NEWLINE = 0x0a

type Entries = ReadonlyMap<string, ZipEntry>

/**
 * Reads the archive of a workspace, which is untrusted. Yields its lines as items, in the order of the types.
 * @throws FileFault archive_refused if the zip, its manifest or one of its data files is broken
 */
export async function* readArchive(
  file: SourceFile,
  { types, withBytes }: ArchiveParams,
): AsyncGenerator<FileFacts | ReadItem> {
  const entries = new Map<string, ZipEntry>()
  // Of two entries with one name the first counts: readDirectory marks the second as unreadable.
  for (const entry of readDirectory(file, LIMITS)) if (!entries.has(entry.name)) entries.set(entry.name, entry)
  checkManifest(file, entries.get(MANIFEST_NAME))
  yield { format: ARCHIVE_FORMAT, warnings: warnAboutUnknownTypes(entries, types) }
  for (const type of types) {
    const entry = entries.get(dataFileName(type))
    if (!entry) continue
    for await (const item of readItems(file, entry, type))
      yield withBytes.includes(type) ? attachBytes(file, entries, item) : item
  }
}

function checkManifest(file: SourceFile, entry: ZipEntry | undefined): void {
  if (!entry) throw archiveFault(`This is not the archive of a workspace: it has no ${MANIFEST_NAME}.`)
  if (entry.size > MAX_MANIFEST_BYTES) throw archiveFault(`${MANIFEST_NAME} has more than ${MAX_MANIFEST_BYTES} bytes.`)
  const manifest = parseJsonObject(readWholeEntry(file, entry))
  if (manifest?.format !== ARCHIVE_FORMAT)
    throw archiveFault(
      `This is not the archive of a workspace: ${MANIFEST_NAME} must be a JSON object with format ${ARCHIVE_FORMAT}.`,
    )
  if (manifest.version !== ARCHIVE_VERSION)
    throw archiveFault(`This server reads archives of version ${ARCHIVE_VERSION}; this one has another version.`)
}

function readWholeEntry(file: SourceFile, entry: ZipEntry): Uint8Array {
  try {
    return readEntryBytes(file, entry)
  } catch (error) {
    throw toArchiveFault(entry, error)
  }
}

function parseJsonObject(content: Uint8Array): Readonly<Record<string, unknown>> | null {
  const { value } = parseLine(content)
  return typeof value === 'object' ? (value as Readonly<Record<string, unknown>> | null) : null
}

function warnAboutUnknownTypes(entries: Entries, types: readonly string[]): ImportWarning[] {
  const known = new Set(types.map(dataFileName))
  const unknown = [...entries.keys()].filter((name) => name.startsWith('data/') && !known.has(name))
  return unknown.map((name) => ({
    code: 'unknown_type',
    detail: `${name}: this type of resource is unknown to this server.`,
  }))
}

async function* readItems(file: SourceFile, entry: ZipEntry, type: string): AsyncGenerator<ReadItem> {
  try {
    let number = 0
    for await (const line of splitLines(readEntryParts(file, entry))) {
      number++
      // A text editor may have added an empty line at the end.
      if (line?.length === 0) continue
      yield { where: `${entry.name}:${number}`, type, ...(line ? parseLine(line) : { fault: TOO_LONG }) }
    }
  } catch (error) {
    throw toArchiveFault(entry, error)
  }
}

/** Splits bytes into lines without their ends. Yields null for a line that is too long, which is not held in memory. */
async function* splitLines(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array | null> {
  let pending: Uint8Array[] = []
  let size = 0
  const add = (bytes: Uint8Array) => {
    size += bytes.length
    if (size > MAX_LINE_BYTES) pending = []
    else pending.push(bytes)
  }
  const endLine = () => {
    const line = size > MAX_LINE_BYTES ? null : Buffer.concat(pending)
    pending = []
    size = 0
    return line
  }
  for await (const part of parts) {
    let at = 0
    for (let end = part.indexOf(NEWLINE); end !== -1; end = part.indexOf(NEWLINE, at)) {
      add(part.subarray(at, end))
      yield endLine()
      at = end + 1
    }
    if (at < part.length) add(part.subarray(at))
  }
  if (size > 0) yield endLine()
}

const TOO_LONG = { code: 'too_long', detail: `A line may have at most ${MAX_LINE_BYTES} bytes.` }

function parseLine(bytes: Uint8Array): { value?: unknown; fault?: ImportWarning } {
  try {
    return { value: parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) }
  } catch (error) {
    if (error instanceof ApiError) {
      const { code, detail } = toImportWarning(error)
      return { fault: { code, detail: detail.replace('The body', 'The line') } }
    }
    // Only TextDecoder throws a TypeError here.
    if (error instanceof TypeError) return { fault: { code: 'invalid_json', detail: 'The line is not valid UTF-8.' } }
    throw error
  }
}

/** Adds to an item the binary data that the archive has under its name, unless that file is broken. */
function attachBytes(file: SourceFile, entries: Entries, item: ReadItem): ReadItem {
  const { name, file: stated = name } = (item.value ?? {}) as { readonly name?: unknown; readonly file?: unknown }
  const entry = typeof stated === 'string' ? entries.get(bytesFileName(item.type, stated)) : undefined
  if (!entry) return item
  if (entry.size > MAX_BINARY_BYTES)
    return { ...item, fault: { code: 'too_large', detail: `${entry.name} has more than ${MAX_BINARY_BYTES} bytes.` } }
  try {
    return { ...item, bytes: readEntryBytes(file, entry) }
  } catch (error) {
    if (error instanceof UnreadableItem) return item
    throw error
  }
}

function toArchiveFault(entry: ZipEntry, error: unknown): unknown {
  return error instanceof UnreadableItem ? archiveFault(`${entry.name}: ${error.detail}`) : error
}

function archiveFault(detail: string): FileFault {
  return new FileFault('archive_refused', detail)
}
