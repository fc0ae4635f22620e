import { ApiError } from '../http/api-error'
import { parseJson } from '../http/body'
import type { FileFacts, ImportWarning, ReadItem, SourceFile } from '../imports/kind'
import { FileFault } from '../lib/file-fault'
import { UnreadableItem } from '../lib/unreadable-item'
import { readDirectory, readEntryBytes, readEntryParts, type ZipEntry, type ZipLimits } from '../lib/zip/read'
import {
  ARCHIVE_FORMAT,
  type ArchiveParams,
  bytesFile,
  dataFile,
  faultOf,
  LINE_BYTES,
  MANIFEST,
  MANIFEST_BYTES,
  READ_VERSIONS,
} from './archive'

/** What is read is counted as it is read, and the files for people are not: what they claim to be costs nothing. */
const LIMITS: ZipLimits = { entries: 200_000, bytes: Number.MAX_SAFE_INTEGER, ratio: () => 200 }
/** Bytes of a file beside the lines: more than any resource may have. */
const FILE_BYTES = 16 * 1024 * 1024
const NEWLINE = 0x0a

type Entries = ReadonlyMap<string, ZipEntry>

/**
 * Reads the archive of a workspace, which anyone may have made: its lines as items, in the order of the types. What is
 * wrong with the zip, its manifest or one of its data files refuses all of it.
 * @throws FileFault archive_refused
 */
export async function* readArchive(
  file: SourceFile,
  { types, withBytes }: ArchiveParams,
): AsyncGenerator<FileFacts | ReadItem> {
  const entries = new Map<string, ZipEntry>()
  // The second of two that have one name is shut, so the first one counts.
  for (const entry of readDirectory(file, LIMITS)) if (!entries.has(entry.name)) entries.set(entry.name, entry)
  checkManifest(file, entries.get(MANIFEST))
  yield { format: ARCHIVE_FORMAT, warnings: unknownIn(entries, types) }
  for (const type of types) {
    const entry = entries.get(dataFile(type))
    if (!entry) continue
    for await (const item of itemsOf(file, entry, type))
      yield withBytes.includes(type) ? besides(file, entries, item) : item
  }
}

function checkManifest(file: SourceFile, entry: ZipEntry | undefined): void {
  if (!entry) throw refused(`This is no archive of a workspace: it has no ${MANIFEST}.`)
  if (entry.size > MANIFEST_BYTES) throw refused(`${MANIFEST} has more than ${MANIFEST_BYTES} bytes.`)
  const manifest = objectIn(readEntryOf(file, entry))
  if (manifest?.format !== ARCHIVE_FORMAT)
    throw refused(`This is no archive of a workspace: ${MANIFEST} must be a JSON object with format ${ARCHIVE_FORMAT}.`)
  if (!READ_VERSIONS.includes(manifest.version))
    throw refused(`The archive is of a version that is not known here, not ${READ_VERSIONS.join(' or ')}.`)
}

function readEntryOf(file: SourceFile, entry: ZipEntry): Uint8Array {
  try {
    return readEntryBytes(file, entry)
  } catch (error) {
    throw refusedIn(entry, error)
  }
}

function objectIn(content: Uint8Array): Readonly<Record<string, unknown>> | null {
  const { value } = read(content)
  return typeof value === 'object' ? (value as Readonly<Record<string, unknown>> | null) : null
}

function unknownIn(entries: Entries, types: readonly string[]): ImportWarning[] {
  const known = new Set(types.map(dataFile))
  const unknown = [...entries.keys()].filter((name) => name.startsWith('data/') && !known.has(name))
  return unknown.map((name) => ({ code: 'unknown_type', detail: `${name}: nothing of this type is known here.` }))
}

async function* itemsOf(file: SourceFile, entry: ZipEntry, type: string): AsyncGenerator<ReadItem> {
  try {
    let number = 0
    for await (const line of linesOf(readEntryParts(file, entry))) {
      number++
      // An editor may have left an empty line at the end of a file.
      if (line?.length === 0) continue
      yield { where: `${entry.name}:${number}`, type, ...(line ? read(line) : { fault: TOO_LONG }) }
    }
  } catch (error) {
    throw refusedIn(entry, error)
  }
}

/** Lines without their ends; null for one that is too long, of which no more than that is held. */
async function* linesOf(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array | null> {
  let waiting: Uint8Array[] = []
  let size = 0
  const add = (bytes: Uint8Array) => {
    size += bytes.length
    if (size > LINE_BYTES) waiting = []
    else waiting.push(bytes)
  }
  const line = () => {
    const whole = size > LINE_BYTES ? null : Buffer.concat(waiting)
    waiting = []
    size = 0
    return whole
  }
  for await (const part of parts) {
    let at = 0
    for (let end = part.indexOf(NEWLINE); end !== -1; end = part.indexOf(NEWLINE, at)) {
      add(part.subarray(at, end))
      yield line()
      at = end + 1
    }
    if (at < part.length) add(part.subarray(at))
  }
  if (size > 0) yield line()
}

const TOO_LONG = { code: 'too_long', detail: `A line may have at most ${LINE_BYTES} bytes.` }

function read(bytes: Uint8Array): { value?: unknown; fault?: ImportWarning } {
  try {
    return { value: parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) }
  } catch (error) {
    if (error instanceof ApiError) {
      const { code, detail } = faultOf(error)
      return { fault: { code, detail: detail.replace('The body', 'The line') } }
    }
    // The decoder's own: nothing else throws one here.
    if (error instanceof TypeError) return { fault: { code: 'invalid_json', detail: 'The line is not valid UTF-8.' } }
    throw error
  }
}

/** The item with the bytes that stand beside it under its name, unless they are broken. */
function besides(file: SourceFile, entries: Entries, item: ReadItem): ReadItem {
  const { name } = (item.value ?? {}) as { readonly name?: unknown }
  const entry = typeof name === 'string' ? entries.get(bytesFile(item.type, name)) : undefined
  if (!entry) return item
  if (entry.size > FILE_BYTES)
    return { ...item, fault: { code: 'too_large', detail: `${entry.name} has more than ${FILE_BYTES} bytes.` } }
  try {
    return { ...item, bytes: readEntryBytes(file, entry) }
  } catch (error) {
    if (error instanceof UnreadableItem) return item
    throw error
  }
}

function refusedIn(entry: ZipEntry, error: unknown): unknown {
  return error instanceof UnreadableItem ? refused(`${entry.name}: ${error.detail}`) : error
}

function refused(detail: string): FileFault {
  return new FileFault('archive_refused', detail)
}
