import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { crc32, inflateRaw, inflateRawSync, type ZlibOptions } from 'node:zlib'
import { FileFault } from '../http/in-worker'
import { ItemFault } from '../http/item-fault'
import { readName } from './name'

/**
 * Reads zip archives (APPNOTE.TXT 6.3.10) that nobody vouches for. The directory is read first, every offset checked
 * against the bounds, and what claims too much is refused before anything is inflated. Zip64 is not read: an archive
 * that needs it is larger than anything taken here, and its claims of 0xFFFFFFFF bytes fall to the limits.
 */

/** What an archive may claim. */
export interface ZipLimits {
  readonly entries: number
  /** Bytes of all entries together, unpacked. */
  readonly bytes: number
  /** How many times its compressed size an entry of this name may claim, if it is over 1 MiB. Deflate reaches 1032. */
  ratio(name: string): number
}

/** An archive that is not read at all. */
export class ArchiveFault extends FileFault {
  constructor(
    readonly code: 'broken' | 'too_large',
    message: string,
  ) {
    super(message)
  }
}

/** Smaller entries may be packed as tightly as they like. */
const RATIO_FROM_BYTES = 1024 * 1024

const END = { signature: 0x06054b50, bytes: 22, commentBytes: 0xffff }
const CENTRAL = { signature: 0x02014b50, bytes: 46 }
const LOCAL = { signature: 0x04034b50, bytes: 30 }
const ENCRYPTED = 0x2041
const UTF8 = 0x0800
const UNIX = 3
const LINK = 0xa000

export interface ZipEntry {
  readonly name: string
  /** Why this entry stays shut, or null. */
  readonly fault: ItemFault | null
  /** Bytes, as the directory claims. */
  readonly size: number
  readonly compressedSize: number
  readonly method: number
  readonly crc: number
  /** Where the entry's own header begins and its data ends. */
  readonly start: number
  readonly dataStart: number
  readonly end: number
}

/** The entries of an archive, in the order of its directory, folders left out. Throws ArchiveFault. */
export function readDirectory(bytes: Uint8Array, limits: ZipLimits): ZipEntry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const { count, start, end } = findDirectory(view)
  if (count > limits.entries)
    throw new ArchiveFault('too_large', `The archive claims ${count} entries; at most ${limits.entries} are taken.`)
  const entries: ZipEntry[] = []
  let at = start
  for (let i = 0; i < count; i++) {
    if (at + CENTRAL.bytes > end || view.getUint32(at, true) !== CENTRAL.signature) throw broken()
    const next =
      at + CENTRAL.bytes + view.getUint16(at + 28, true) + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
    if (next > end) throw broken()
    entries.push(readEntry(view, at, start))
    at = next
  }
  refuseBombs(entries, limits)
  return withoutDoubles(entries).filter(({ name, size }) => !(name.endsWith('/') && size === 0))
}

/** The bytes of an entry, held to the size and the checksum it claims. Throws ItemFault. */
export function readEntryBytes(bytes: Uint8Array, entry: ZipEntry): Uint8Array {
  if (entry.fault) throw entry.fault
  const data = bytes.subarray(entry.dataStart, entry.end)
  const content = entry.method === 0 ? data : inflate(data, entry.size)
  if (content.length !== entry.size) throw new ItemFault('corrupt_entry', 'The entry has another size than it claims.')
  if (crc32(content) !== entry.crc) throw new ItemFault('corrupt_entry', 'The checksum of the entry is wrong.')
  return content
}

/** The same for a large entry, in another thread and in turns, so that others need not wait. Throws ItemFault. */
export async function readEntryElsewhere(bytes: Uint8Array, entry: ZipEntry): Promise<Uint8Array> {
  if (entry.fault) throw entry.fault
  const data = bytes.subarray(entry.dataStart, entry.end)
  const limits = { maxOutputLength: Math.max(entry.size, 1) }
  const content = entry.method === 0 ? data : await inflateElsewhere(data, limits).catch(refuseInflated)
  if (content.length !== entry.size) throw new ItemFault('corrupt_entry', 'The entry has another size than it claims.')
  let crc = 0
  for (let at = 0; at < content.length; at += CHECKED_AT_ONCE) {
    crc = crc32(content.subarray(at, at + CHECKED_AT_ONCE), crc)
    await setImmediate()
  }
  if (crc !== entry.crc) throw new ItemFault('corrupt_entry', 'The checksum of the entry is wrong.')
  return content
}

const inflateElsewhere = promisify<Uint8Array, ZlibOptions, Buffer>(inflateRaw)
/** Bytes; a few milliseconds. */
const CHECKED_AT_ONCE = 4 * 1024 * 1024

/** zlib stops at `size`, so an entry that lies costs no more than it claims. */
function inflate(data: Uint8Array, size: number): Uint8Array {
  try {
    return inflateRawSync(data, { maxOutputLength: Math.max(size, 1) })
  } catch (error) {
    return refuseInflated(error)
  }
}

function refuseInflated(error: unknown): never {
  // Codes of zlib are strings of their own; nothing else is thrown for what a caller sends.
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'ERR_BUFFER_TOO_LARGE') throw new ItemFault('corrupt_entry', 'The entry holds more than it claims.')
  if (code.startsWith('Z_')) throw new ItemFault('corrupt_entry', 'The entry cannot be inflated.')
  throw error
}

function findDirectory(view: DataView): { count: number; start: number; end: number } {
  const last = view.byteLength - END.bytes
  for (let at = last; at >= Math.max(0, last - END.commentBytes); at--) {
    if (
      view.getUint32(at, true) !== END.signature ||
      at + END.bytes + view.getUint16(at + 20, true) !== view.byteLength
    )
      continue
    const [count, size, start] = [
      view.getUint16(at + 10, true),
      view.getUint32(at + 12, true),
      view.getUint32(at + 16, true),
    ]
    if (view.getUint16(at + 4, true) !== 0 || view.getUint16(at + 8, true) !== count)
      throw new ArchiveFault('broken', 'The archive is one part of several.')
    if (start + size > at) throw broken()
    return { count, start, end: start + size }
  }
  throw new ArchiveFault('broken', 'This is not a whole zip archive.')
}

function readEntry(view: DataView, at: number, directoryStart: number): ZipEntry {
  const nameAt = at + CENTRAL.bytes
  const rawName = slice(view, nameAt, view.getUint16(at + 28, true))
  const flags = view.getUint16(at + 8, true)
  const start = view.getUint32(at + 42, true)
  const compressedSize = view.getUint32(at + 20, true)
  const size = view.getUint32(at + 24, true)
  if (start + LOCAL.bytes > directoryStart || view.getUint32(start, true) !== LOCAL.signature) throw broken()
  const nameBytes = view.getUint16(start + 26, true)
  const dataStart = start + LOCAL.bytes + nameBytes + view.getUint16(start + 28, true)
  if (dataStart + compressedSize > directoryStart) throw broken()
  const { name, fault } = readName(rawName, (flags & UTF8) !== 0)
  const method = view.getUint16(at + 10, true)
  const isLink = view.getUint8(at + 5) === UNIX && ((view.getUint32(at + 38, true) >>> 16) & 0xf000) === LINK
  return {
    name,
    fault:
      fault ??
      entryFault({ flags, method, isLink, size, compressedSize }) ??
      (sameBytes(rawName, slice(view, start + LOCAL.bytes, Math.min(nameBytes, rawName.length + 1)))
        ? null
        : new ItemFault('unsafe_name', 'The entry has two names.')),
    size,
    compressedSize,
    method,
    crc: view.getUint32(at + 16, true),
    start,
    dataStart,
    end: dataStart + compressedSize,
  }
}

interface EntryMarks {
  readonly flags: number
  readonly method: number
  readonly isLink: boolean
  readonly size: number
  readonly compressedSize: number
}

function entryFault({ flags, method, isLink, size, compressedSize }: EntryMarks): ItemFault | null {
  if (flags & ENCRYPTED) return new ItemFault('encrypted', 'The entry is encrypted.')
  if (isLink) return new ItemFault('unsafe_name', 'The entry is a link.')
  if (method !== 0 && method !== 8)
    return new ItemFault('unsupported_compression', 'The entry is neither stored nor deflated.')
  if (method === 0 && size !== compressedSize)
    return new ItemFault('corrupt_entry', 'The entry has another size than it claims.')
  return null
}

/** Too much in all, too much from too little, or the same bytes claimed by several. */
function refuseBombs(entries: readonly ZipEntry[], limits: ZipLimits): void {
  const declared = entries.reduce((sum, { size }) => sum + size, 0)
  if (declared > limits.bytes)
    throw new ArchiveFault(
      'too_large',
      `The archive claims ${declared} bytes unpacked; at most ${limits.bytes} are taken.`,
    )
  for (const { name, size, compressedSize } of entries)
    if (size > RATIO_FROM_BYTES && size > limits.ratio(name) * compressedSize)
      throw new ArchiveFault('too_large', `An entry claims more than ${limits.ratio(name)} times its compressed size.`)
  const byPlace = entries.toSorted((a, b) => a.start - b.start)
  if (byPlace.some(({ start }, i) => start < (byPlace[i - 1]?.end ?? 0)))
    throw new ArchiveFault('broken', 'Entries of the archive overlap.')
}

/** The second entry of a name stays shut: which of the two was meant, nobody can say. */
function withoutDoubles(entries: readonly ZipEntry[]): ZipEntry[] {
  const seen = new Set<string>()
  return entries.map((entry) => {
    const name = entry.name.normalize('NFC')
    const known = seen.has(name)
    seen.add(name)
    return known && !entry.fault
      ? { ...entry, fault: new ItemFault('duplicate_name', 'An entry of this name came before.') }
      : entry
  })
}

function slice(view: DataView, at: number, length: number): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset + at, length)
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0
}

function broken(): ArchiveFault {
  return new ArchiveFault('broken', 'The directory of the archive is broken.')
}
