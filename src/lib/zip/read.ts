import { type Duplex, Readable } from 'node:stream'
import { crc32, createInflateRaw, inflateRawSync } from 'node:zlib'
import { FileFault, UnreadableItem } from '../file-fault'
import { readEntryTime } from './time'

/**
 * Reads untrusted zip archives (APPNOTE.TXT 6.3.10). The directory is read first, every offset is checked against the
 * bounds, and archives that claim too much are refused before anything is inflated. Of zip64, only the end record is
 * read, for archives of more than 65,535 entries. Entries of 4 GiB exceed all limits here: their size field of
 * 0xFFFFFFFF is out of bounds.
 */

/** The end record of a zip archive, which says where the directory is. */
const END = { signature: 0x06054b50, bytes: 22, commentBytes: 0xffff }
/** The zip64 end record, without extensions, and its locator, which is right before the old end record. */
const END64 = { signature: 0x06064b50, bytes: 56, locator: 0x07064b50, locatorBytes: 20 }

/** A source of a zip archive, read in pieces. A SourceFile is one. */
export interface ZipSource {
  /** Bytes. */
  readonly size: number
  /** Fewer bytes than requested only at the end. */
  read(offset: number, length: number): Uint8Array
}

/** Thrown for an archive that is refused as a whole. */
export class ZipFault extends FileFault {
  constructor(
    readonly why: 'broken' | 'too_large',
    detail: string,
  ) {
    super('archive_refused', detail)
  }
}

/** Throws ZipFault. */
function findDirectory(source: ZipSource): { count: number; start: number; end: number } {
  const from = Math.max(0, source.size - END.bytes - END.commentBytes)
  const view = viewOf(source.read(from, source.size - from))
  for (let at = view.byteLength - END.bytes; at >= 0; at--) {
    if (
      view.getUint32(at, true) !== END.signature ||
      at + END.bytes + view.getUint16(at + 20, true) !== view.byteLength
    )
      continue
    const claimed = {
      count: view.getUint16(at + 10, true),
      size: view.getUint32(at + 12, true),
      start: view.getUint32(at + 16, true),
    }
    if (view.getUint16(at + 4, true) !== 0 || view.getUint16(at + 8, true) !== claimed.count) throw splitArchive()
    const { count, size, start, end } = readDirectory64(source, from + at, claimed) ?? { ...claimed, end: from + at }
    if (start + size > end) throw brokenDirectory()
    return { count, start, end: start + size }
  }
  throw new ZipFault('broken', 'This is not a whole zip archive.')
}

interface EndRecord {
  readonly count: number
  readonly size: number
  readonly start: number
}

/**
 * Reads the zip64 end record, if the old one at `endAt` has fields at their maximum; null if there is none. `end` is
 * where the record begins: the directory must end before it. The other fields of the old record must be the same.
 */
function readDirectory64(
  source: ZipSource,
  endAt: number,
  claimed: EndRecord,
): (EndRecord & { readonly end: number }) | null {
  const hasNoRoom = claimed.count === 0xffff || claimed.size === 0xffffffff || claimed.start === 0xffffffff
  const locatorAt = endAt - END64.locatorBytes
  if (!hasNoRoom || locatorAt < END64.bytes) return null
  const locator = viewOf(source.read(locatorAt, END64.locatorBytes))
  if (locator.getUint32(0, true) !== END64.locator) return null
  const end = Number(locator.getBigUint64(8, true))
  if (end > locatorAt - END64.bytes) throw brokenDirectory()
  const record = viewOf(source.read(end, END64.bytes))
  const number = (at: number) => Number(record.getBigUint64(at, true))
  if (record.getUint32(0, true) !== END64.signature || end + 12 + number(4) !== locatorAt) throw brokenDirectory()
  const disks = [locator.getUint32(4, true), record.getUint32(16, true), record.getUint32(20, true)]
  const [count, size, start] = [number(32), number(40), number(48)]
  if (disks.some((disk) => disk !== 0) || number(24) !== count) throw splitArchive()
  const isSame =
    claimed.count === Math.min(count, 0xffff) &&
    claimed.size === Math.min(size, 0xffffffff) &&
    claimed.start === Math.min(start, 0xffffffff)
  if (!isSame) throw brokenDirectory()
  return { count, size, start, end }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function splitArchive(): ZipFault {
  return new ZipFault('broken', 'The archive is one part of several.')
}

function brokenDirectory(): ZipFault {
  return new ZipFault('broken', 'The directory of the archive is broken.')
}

/** The upper half of code page 437, the encoding of names in old archives. */
const CP437 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0'
/** Bytes of a name, far more than any file system allows for a path. */
const MAX_NAME_BYTES = 4096

/** Also the fault of an unsafe name, which would lead out. `isUtf8` is the entry's flag; many omit it. */
export function readName(bytes: Uint8Array, isUtf8: boolean): { name: string; fault: UnreadableItem | null } {
  const utf8 = decodeUtf8(bytes.subarray(0, MAX_NAME_BYTES))
  const name =
    utf8 ??
    [...bytes.subarray(0, MAX_NAME_BYTES)]
      .map((byte) => (byte < 128 ? String.fromCharCode(byte) : CP437.charAt(byte - 128)))
      .join('')
  const unsafe = findNameFault(name, bytes.length) ?? (utf8 === null && isUtf8 ? 'The name is not UTF-8.' : null)
  return {
    // Names go into reports, which are stored: without NUL.
    name: name.replaceAll('\0', '\ufffd'),
    fault: unsafe === null ? null : new UnreadableItem('unsafe_name', unsafe),
  }
}

function findNameFault(name: string, bytes: number): string | null {
  if (bytes > MAX_NAME_BYTES) return 'The name is too long.'
  if (name === '') return 'The entry has no name.'
  if (name.includes('\0')) return 'The name holds NUL.'
  if (name.includes('\\')) return 'The name holds a backslash.'
  if (name.startsWith('/')) return 'The name is absolute.'
  if (/^[A-Za-z]:/.test(name)) return 'The name begins with a drive.'
  return name.split('/').includes('..') ? 'The name leads out of the archive.' : null
}

function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

export interface ZipLimits {
  readonly entries: number
  /** Bytes of all entries together, unpacked. */
  readonly bytes: number
  /** Returns the highest ratio of unpacked to compressed size for an entry over 1 MiB. Deflate reaches 1032. */
  ratio(name: string): number
}

/** Bytes of a directory, more than 200,000 entries with names of 100 bytes need. */
const MAX_DIRECTORY_BYTES = 32 * 1024 * 1024

/** Unpacked bytes from which the ratio is limited. */
const RATIO_FROM_BYTES = 1024 * 1024

const CENTRAL = { signature: 0x02014b50, bytes: 46 }
const LOCAL = { signature: 0x04034b50, bytes: 30 }
const ENCRYPTED = 0x2041
const UTF8 = 0x0800
const UNIX = 3
const LINK = 0xa000

export function toZipSource(bytes: Uint8Array): ZipSource {
  return { size: bytes.length, read: (offset, length) => bytes.subarray(offset, offset + length) }
}

export interface ZipEntry {
  readonly name: string
  readonly fault: UnreadableItem | null
  /** Bytes, as the directory claims. */
  readonly size: number
  readonly compressedSize: number
  readonly method: number
  readonly crc: number
  /** When the file was last changed, in milliseconds since 1970; see readEntryTime. */
  readonly changedAt: number | null
  /** The offset of the entry's local header. */
  readonly start: number
  readonly dataStart: number
  readonly end: number
}

/** Reads the entries of an archive, in the order of its directory, without folders. Throws ZipFault. */
export function readDirectory(source: ZipSource, limits: ZipLimits): ZipEntry[] {
  const { count, start, end } = findDirectory(source)
  if (count > limits.entries)
    throw new ZipFault('too_large', `The archive claims ${count} entries; at most ${limits.entries} are taken.`)
  if (end - start > MAX_DIRECTORY_BYTES) throw new ZipFault('too_large', 'The directory of the archive is too large.')
  const view = viewOf(source.read(start, end - start))
  const entries: ZipEntry[] = []
  let at = 0
  for (let i = 0; i < count; i++) {
    if (at + CENTRAL.bytes > view.byteLength || view.getUint32(at, true) !== CENTRAL.signature) throw brokenDirectory()
    const next =
      at + CENTRAL.bytes + view.getUint16(at + 28, true) + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
    if (next > view.byteLength) throw brokenDirectory()
    entries.push(readEntry(view, at, { source, end: start }))
    at = next
  }
  // An archive with more entries that lacks its zip64 record claims exactly this number.
  if (count === 0xffff && at !== view.byteLength) throw brokenDirectory()
  refuseBombs(entries, limits)
  return refuseDuplicates(entries).filter(({ name, size }) => !(name.endsWith('/') && size === 0))
}

/** Reads the bytes of an entry, and checks size and checksum. Throws UnreadableItem. */
export function readEntryBytes(source: ZipSource, entry: ZipEntry): Uint8Array {
  if (entry.fault) throw entry.fault
  const data = source.read(entry.dataStart, entry.compressedSize)
  const content = entry.method === 0 ? data : inflate(data, entry.size)
  requireClaimed(entry, content.length, () => crc32(content))
  return content
}

/** For an entry larger than memory. A wrong size or checksum is found at its end. Throws UnreadableItem. */
export async function* readEntryParts(source: ZipSource, entry: ZipEntry): AsyncGenerator<Uint8Array> {
  if (entry.fault) throw entry.fault
  let size = 0
  let crc = 0
  try {
    for await (const part of readParts(
      source,
      entry.dataStart,
      entry.end,
      entry.method === 0 ? null : createInflateRaw(),
    )) {
      size += part.length
      if (size > entry.size) throw new UnreadableItem('corrupt_entry', 'The entry holds more than it claims.')
      crc = crc32(part, crc)
      yield part
    }
  } catch (error) {
    throwInflateError(error)
  }
  requireClaimed(entry, size, () => crc)
}

/** Throws UnreadableItem unless the entry has the size and the checksum that it claims. */
function requireClaimed(entry: ZipEntry, size: number, crc: () => number): void {
  if (size !== entry.size) throw new UnreadableItem('corrupt_entry', 'The entry has another size than it claims.')
  if (crc() !== entry.crc) throw new UnreadableItem('corrupt_entry', 'The checksum of the entry is wrong.')
}

/** Packed bytes that are read at once. */
const CHUNK_BYTES = 256 * 1024

function* readChunks(source: ZipSource, start: number, end: number): Generator<Uint8Array> {
  for (let at = start; at < end; at += CHUNK_BYTES) yield source.read(at, Math.min(CHUNK_BYTES, end - at))
}

/** Reads a part of a source in chunks, and unpacks them. */
export async function* readParts(
  source: ZipSource,
  start: number,
  end: number,
  unpacker: Duplex | null,
): AsyncGenerator<Uint8Array> {
  const packed = Readable.from(readChunks(source, start, end))
  const parts = unpacker ? packed.pipe(unpacker) : packed
  // Pass read errors on: pipe() does not.
  packed.on('error', (error) => parts.destroy(error))
  try {
    yield* parts as AsyncIterable<Uint8Array>
  } finally {
    packed.destroy()
    parts.destroy()
  }
}

/** Inflates data. zlib stops at `size`, so an entry with a wrong size costs no more than it claims. */
function inflate(data: Uint8Array, size: number): Uint8Array {
  try {
    return inflateRawSync(data, { maxOutputLength: Math.max(size, 1) })
  } catch (error) {
    return throwInflateError(error)
  }
}

function throwInflateError(error: unknown): never {
  // Bad input throws only errors with these codes; others are bugs.
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'ERR_BUFFER_TOO_LARGE') throw new UnreadableItem('corrupt_entry', 'The entry holds more than it claims.')
  if (code.startsWith('Z_')) throw new UnreadableItem('corrupt_entry', 'The entry cannot be inflated.')
  throw error
}

/** Reads an entry of the directory. `end` is where the directory begins: local headers and data must be before it. */
function readEntry(view: DataView, at: number, { source, end }: { source: ZipSource; end: number }): ZipEntry {
  const nameAt = at + CENTRAL.bytes
  const rawName = slice(view, nameAt, view.getUint16(at + 28, true))
  const extra = viewOf(slice(view, nameAt + rawName.length, view.getUint16(at + 30, true)))
  const flags = view.getUint16(at + 8, true)
  const start = view.getUint32(at + 42, true)
  const compressedSize = view.getUint32(at + 20, true)
  const size = view.getUint32(at + 24, true)
  if (start + LOCAL.bytes > end) throw brokenDirectory()
  const local = viewOf(source.read(start, LOCAL.bytes + rawName.length + 1))
  if (local.getUint32(0, true) !== LOCAL.signature) throw brokenDirectory()
  const nameBytes = local.getUint16(26, true)
  const dataStart = start + LOCAL.bytes + nameBytes + local.getUint16(28, true)
  if (dataStart + compressedSize > end) throw brokenDirectory()
  const { name, fault } = readName(rawName, (flags & UTF8) !== 0)
  const method = view.getUint16(at + 10, true)
  const isLink = view.getUint8(at + 5) === UNIX && ((view.getUint32(at + 38, true) >>> 16) & 0xf000) === LINK
  return {
    name,
    fault:
      fault ??
      findEntryFault({ method, size, compressedSize }, flags, isLink) ??
      (rawName.equals(slice(local, LOCAL.bytes, Math.min(nameBytes, rawName.length + 1)))
        ? null
        : new UnreadableItem('unsafe_name', 'The entry has two names.')),
    size,
    compressedSize,
    method,
    crc: view.getUint32(at + 16, true),
    changedAt: readEntryTime(view.getUint32(at + 12, true), extra),
    start,
    dataStart,
    end: dataStart + compressedSize,
  }
}

function findEntryFault(
  { method, size, compressedSize }: Pick<ZipEntry, 'method' | 'size' | 'compressedSize'>,
  flags: number,
  isLink: boolean,
): UnreadableItem | null {
  if (flags & ENCRYPTED) return new UnreadableItem('encrypted', 'The entry is encrypted.')
  if (isLink) return new UnreadableItem('unsafe_name', 'The entry is a link.')
  if (method !== 0 && method !== 8)
    return new UnreadableItem('unsupported_compression', 'The entry is neither stored nor deflated.')
  if (method === 0 && size !== compressedSize)
    return new UnreadableItem('corrupt_entry', 'The entry has another size than it claims.')
  return null
}

/** Refuses archives that claim too much in all, too high a ratio, or overlapping entries. Throws ZipFault. */
function refuseBombs(entries: readonly ZipEntry[], limits: ZipLimits): void {
  const declared = entries.reduce((sum, { size }) => sum + size, 0)
  if (declared > limits.bytes)
    throw new ZipFault('too_large', `The archive claims ${declared} bytes unpacked; at most ${limits.bytes} are taken.`)
  for (const { name, size, compressedSize } of entries)
    if (size > RATIO_FROM_BYTES && size > limits.ratio(name) * compressedSize)
      throw new ZipFault('too_large', `An entry claims more than ${limits.ratio(name)} times its compressed size.`)
  const byPlace = entries.toSorted((a, b) => a.start - b.start)
  if (byPlace.some(({ start }, i) => start < (byPlace[i - 1]?.end ?? 0)))
    throw new ZipFault('broken', 'Entries of the archive overlap.')
}

/** Marks the second entry of a name as unreadable, since it is unclear which of the two is meant. */
function refuseDuplicates(entries: readonly ZipEntry[]): ZipEntry[] {
  const seen = new Set<string>()
  return entries.map((entry) => {
    const name = entry.name.normalize('NFC')
    const known = seen.has(name)
    seen.add(name)
    return known && !entry.fault
      ? { ...entry, fault: new UnreadableItem('duplicate_name', 'An entry of this name came before.') }
      : entry
  })
}

function slice(view: DataView, at: number, length: number): Buffer {
  return Buffer.from(view.buffer, view.byteOffset + at, length)
}
