import { promisify } from 'node:util'
import { constants, crc32, createDeflateRaw, deflateRaw, deflateRawSync, type ZlibOptions } from 'node:zlib'
import { writeEntryTime } from './time'

/** Writes zip archives (APPNOTE.TXT 6.3.10) as a stream. The same files always make the same bytes. */

const deflateInThread = promisify<Uint8Array, ZlibOptions, Buffer>(deflateRaw)
const encoder = new TextEncoder()
/** Bytes from which compressing takes longer than passing the data to another thread. */
const LARGE_BYTES = 16 * 1024

export interface ZipFile {
  readonly name: string
  readonly content: Uint8Array
}

/** A file that may come in parts: then it is written in blocks, and never held as a whole. */
export interface ZipParts {
  readonly name: string
  readonly content: Uint8Array | AsyncIterable<Uint8Array | string>
  /** When the file was last changed, in milliseconds since 1970; without it, the entry has no time. */
  readonly changed_at?: number | null
}

const BLOCK_BYTES = 256 * 1024
/** Bytes of a stored (uncompressed) part of a deflate stream. */
const MAX_STORED = 0xffff

/** The compression ratio above which our strictest reader refuses an entry over RATIO_FROM_BYTES as a zip bomb. */
const MAX_RATIO = 100
const RATIO_FROM_BYTES = 1024 * 1024
const SIGNATURE = { local: 0x04034b50, descriptor: 0x08074b50, central: 0x02014b50, end: 0x06054b50 }
const SIGNATURE_64 = { end: 0x06064b50, locator: 0x07064b50 }
const UTF8 = 0x0800
/** The flag that checksum and sizes follow the data. */
const DESCRIPTOR = 0x0008
const STORED = 0
const DEFLATE = 8
/** Version needed to extract: 2.0 for deflate. */
const VERSION = 20
/** Version needed to extract: 4.5 for zip64. */
const VERSION_ZIP64 = 45
/** The highest count that the old end record can hold; larger ones are in the zip64 record. */
const MAX_COUNT = 0xffff
/** The highest offset of an entry: zip64 offsets are not written. */
const MAX_OFFSET = 0xffffffff

/** Writes an archive of `files` in chunks. Throws RangeError beyond 4 GiB, far above any workspace. */
export async function* writeZip(files: AsyncIterable<ZipParts>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const directory: Uint8Array[] = []
  let offset = 0
  for await (const { name: path, content, changed_at = null } of files) {
    const names = { name: Buffer.from(path), time: writeEntryTime(changed_at) }
    const entry = content instanceof Uint8Array ? writeWholeEntry(names, content) : writeBlockEntry(names, content)
    const { header, bytes } = yield* entry
    directory.push(writeCentralHeader(header, offset))
    offset += bytes
    if (offset > MAX_OFFSET) throw new RangeError('a zip archive without zip64 offsets ends at 4 GiB')
  }
  const central = Buffer.concat(directory)
  yield Buffer.concat([central, writeEndRecord(directory.length, central.length, offset)])
}

/** Yields the chunks of an entry; returns its header for the directory, and its number of bytes. */
type Entry = AsyncGenerator<Uint8Array<ArrayBuffer>, { header: Header; bytes: number }>

async function* writeWholeEntry(names: Names, content: Uint8Array): Entry {
  const { method, data } = await pack(content)
  const sizes = { crc: crc32(content), compressed: data.length, size: content.length }
  const shared = createHeader(names, { method, flags: UTF8, ...sizes })
  const chunk = Buffer.concat([writeNumbers([4, SIGNATURE.local]), shared.fields, shared.tail, data])
  yield chunk
  return { header: shared, bytes: chunk.length }
}

async function* writeBlockEntry(names: Names, parts: AsyncIterable<Uint8Array | string>): Entry {
  const shape = { method: DEFLATE, flags: UTF8 | DESCRIPTOR }
  const sizes = { crc: 0, compressed: 0, size: 0 }
  const ahead = createHeader(names, { ...shape, ...sizes })
  const head = Buffer.concat([writeNumbers([4, SIGNATURE.local]), ahead.fields, ahead.tail])
  // An error in the first block is thrown before anything is sent.
  let isSent = false
  const deflater = new Deflater()
  try {
    for await (const block of splitBlocks(parts)) {
      sizes.crc = crc32(block, sizes.crc)
      sizes.size += block.length
      const data = await deflater.add(block)
      sizes.compressed += data.length
      if (!isSent) yield head
      isSent = true
      yield data
    }
  } finally {
    deflater.close()
  }
  const last = deflateRawSync(new Uint8Array())
  sizes.compressed += last.length
  const shared = createHeader(names, { ...shape, ...sizes })
  const descriptor = Buffer.concat([writeNumbers([4, SIGNATURE.descriptor]), shared.fields.subarray(10, 22)])
  yield Buffer.concat([...(isSent ? [] : [head]), last, descriptor])
  return { header: shared, bytes: head.length + sizes.compressed + descriptor.length }
}

/** Joins parts to blocks. A block is overwritten when the next one is requested, which saves garbage collection. */
async function* splitBlocks(parts: AsyncIterable<Uint8Array | string>): AsyncGenerator<Uint8Array> {
  const block = new Uint8Array(BLOCK_BYTES)
  let filled = 0
  for await (const part of parts)
    for (let at = 0; at < part.length; ) {
      const { read, written } = copyPart(part, at, block.subarray(filled))
      at += read
      filled += written
      if (at === part.length) break
      yield block.subarray(0, filled)
      filled = 0
    }
  if (filled > 0) yield block.subarray(0, filled)
}

/** Copies as much of a part, from `at` on, as there is room for; of a text only whole characters. */
function copyPart(part: Uint8Array | string, at: number, room: Uint8Array): { read: number; written: number } {
  if (typeof part === 'string') return encoder.encodeInto(part.slice(at), room)
  const fits = part.subarray(at, at + room.length)
  room.set(fits)
  return { read: fits.length, written: fits.length }
}

/**
 * Compresses blocks to parts of one deflate stream, in another thread. Each part is flushed, so that any can follow.
 */
class Deflater {
  readonly #zlib = createDeflateRaw({ flush: constants.Z_SYNC_FLUSH })
  #parts: Uint8Array[] = []

  constructor() {
    this.#zlib.on('data', (part) => this.#parts.push(part))
    // The caller of `add` gets the error; without a listener, it would end the process.
    this.#zlib.on('error', () => {})
  }

  /**
   * Compresses a block; one with too high a ratio is stored instead. Later parts can refer to its content either way.
   */
  async add(block: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
    this.#parts = []
    await new Promise<void>((resolve, reject) =>
      this.#zlib.write(block, (error) => (error ? reject(error) : resolve())),
    )
    const bytes = this.#parts.reduce((sum, { length }) => sum + length, 0)
    return block.length > MAX_RATIO * bytes ? writeStoredBlock(block) : Buffer.concat(this.#parts)
  }

  close(): void {
    this.#zlib.destroy()
  }
}

/**
 * Writes a stored part of a deflate stream: 0, its length and the complement, its bytes, repeated (RFC 1951, 3.2.4).
 */
function writeStoredBlock(block: Uint8Array): Uint8Array<ArrayBuffer> {
  const data = new Uint8Array(block.length + 5 * Math.ceil(block.length / MAX_STORED))
  let to = 0
  for (let at = 0; at < block.length; at += MAX_STORED) {
    const part = block.subarray(at, at + MAX_STORED)
    const view = new DataView(data.buffer, to)
    view.setUint16(1, part.length, true)
    view.setUint16(3, part.length ^ MAX_STORED, true)
    data.set(part, to + 5)
    to += 5 + part.length
  }
  return data
}

/** A text that repeats itself so much that an import would take it for a bomb is stored as it is. */
async function pack(content: Uint8Array): Promise<{ method: number; data: Uint8Array }> {
  const data = content.length < LARGE_BYTES ? deflateRawSync(content) : await deflateInThread(content, {})
  const suspect = content.length > RATIO_FROM_BYTES && content.length > MAX_RATIO * data.length
  return suspect ? { method: STORED, data: content } : { method: DEFLATE, data }
}

interface Header {
  readonly fields: Buffer
  readonly tail: Buffer
}

interface Names {
  readonly name: Buffer
  readonly time: ReturnType<typeof writeEntryTime>
}

interface Fields {
  readonly method: number
  readonly flags: number
  readonly crc: number
  readonly compressed: number
  readonly size: number
}

/** The fields that the local and the central header share: version to name length, extra length. */
function createHeader({ name, time }: Names, { method, flags, crc, compressed, size }: Fields): Header {
  const fields = writeNumbers(
    [2, VERSION, flags, method],
    [4, time.dos, crc, compressed, size],
    [2, name.length, time.extra.length],
  )
  return { fields, tail: Buffer.concat([name, time.extra]) }
}

function writeCentralHeader({ fields, tail }: Header, offset: number): Buffer {
  // Comment length, disk, internal and external attributes stay 0.
  const rest = writeNumbers([2, 0, 0, 0], [4, 0, offset])
  return Buffer.concat([writeNumbers([4, SIGNATURE.central], [2, VERSION]), fields, rest, tail])
}

function writeEndRecord(count: number, size: number, offset: number): Buffer {
  const shown = Math.min(count, MAX_COUNT)
  const record = writeNumbers([4, SIGNATURE.end], [2, 0, 0, shown, shown], [4, size, offset], [2, 0])
  return count >= MAX_COUNT ? Buffer.concat([writeZip64End(count, size, offset), record]) : record
}

/** The zip64 record, which has 44 bytes after its length, and the locator that says where it is. */
function writeZip64End(count: number, size: number, offset: number): Buffer {
  const versions = [2, VERSION_ZIP64, VERSION_ZIP64] as const
  const record = writeNumbers([4, SIGNATURE_64.end], [8, 44], versions, [4, 0, 0], [8, count, count, size, offset])
  return Buffer.concat([record, writeNumbers([4, SIGNATURE_64.locator, 0], [8, offset + size], [4, 1])])
}

/** Writes whole numbers, the lowest byte first. @param groups the bytes of each number, and the numbers */
function writeNumbers(...groups: readonly (readonly [bytes: 2 | 4 | 8, ...numbers: number[]])[]): Buffer {
  const all = groups.flatMap(([bytes, ...numbers]) => numbers.map((number) => ({ bytes, number })))
  const written = Buffer.alloc(all.reduce((sum, { bytes }) => sum + bytes, 0))
  let at = 0
  for (const { bytes, number } of all) {
    written.writeUIntLE(number, at, Math.min(bytes, 6))
    at += bytes
  }
  return written
}
