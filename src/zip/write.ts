import { promisify } from 'node:util'
import { crc32, deflateRaw, deflateRawSync } from 'node:zlib'

/** Writes zip archives (APPNOTE.TXT 6.3.10) in a stream: the same files make the same bytes, whenever they are asked for. */

const deflateElsewhere = promisify<Uint8Array, Buffer>(deflateRaw)
/** Bytes from which compressing takes longer than handing it to another thread. */
const LARGE = 16 * 1024

export interface ZipFile {
  readonly name: string
  readonly content: Uint8Array
}

/** What repeats itself more often than this, and is larger than that, the strictest of our own readers takes for a bomb. */
const MAX_RATIO = 100
const RATIO_FROM_BYTES = 1024 * 1024
const UTF8 = 0x0800
const STORED = 0
const DEFLATE = 8
/** 2.0 for deflate, 4.5 for zip64. */
const VERSION = 20
const VERSION_ZIP64 = 45
/** 1 January 1980, the first day that zip knows: a file's own times stand in its front matter, with their zone. */
const DOS_DATE = 0x0021
/** Counts and offsets from here on stand in the zip64 records, since the old fields hold no more. */
const MAX_COUNT = 0xffff
const MAX_OFFSET = 0xffffffff

/** The bytes of an archive of `files`, a chunk for each file. Throws RangeError past 4 GiB, far above any workspace. */
export async function* writeZip(files: AsyncIterable<ZipFile>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const directory: Uint8Array[] = []
  let offset = 0
  for await (const { name, content } of files) {
    const { method, data } = await packed(content)
    const shared = header(Buffer.from(name), {
      method,
      crc: crc32(content),
      compressed: data.length,
      size: content.length,
    })
    directory.push(centralHeader(shared, offset))
    const chunk = Buffer.concat([signed(0x04034b50), shared.fields, shared.name, data])
    offset += chunk.length
    if (offset > MAX_OFFSET) throw new RangeError('a zip archive without zip64 offsets ends at 4 GiB')
    yield chunk
  }
  const central = Buffer.concat(directory)
  yield Buffer.concat([central, end(directory.length, central.length, offset)])
}

/** A text that repeats itself so much that an import would take it for a bomb is stored as it is. */
async function packed(content: Uint8Array): Promise<{ method: number; data: Uint8Array }> {
  const data = content.length < LARGE ? deflateRawSync(content) : await deflateElsewhere(content)
  const suspect = content.length > RATIO_FROM_BYTES && content.length > MAX_RATIO * data.length
  return suspect ? { method: STORED, data: content } : { method: DEFLATE, data }
}

interface Header {
  readonly fields: Buffer
  readonly name: Buffer
}

/** What the local and the central header share: version to name length, extra length. */
function header(
  name: Buffer,
  { method, crc, compressed, size }: { method: number; crc: number; compressed: number; size: number },
): Header {
  const fields = Buffer.alloc(26)
  fields.writeUInt16LE(VERSION, 0)
  fields.writeUInt16LE(UTF8, 2)
  fields.writeUInt16LE(method, 4)
  fields.writeUInt16LE(DOS_DATE, 8)
  fields.writeUInt32LE(crc, 10)
  fields.writeUInt32LE(compressed, 14)
  fields.writeUInt32LE(size, 18)
  fields.writeUInt16LE(name.length, 22)
  return { fields, name }
}

function centralHeader({ fields, name }: Header, offset: number): Buffer {
  const madeBy = Buffer.alloc(2)
  madeBy.writeUInt16LE(VERSION)
  // Comment length, disk, internal and external attributes stay 0.
  const rest = Buffer.alloc(14)
  rest.writeUInt32LE(offset, 10)
  return Buffer.concat([signed(0x02014b50), madeBy, fields, rest, name])
}

function end(count: number, size: number, offset: number): Buffer {
  const record = Buffer.alloc(18)
  record.writeUInt16LE(Math.min(count, MAX_COUNT), 4)
  record.writeUInt16LE(Math.min(count, MAX_COUNT), 6)
  record.writeUInt32LE(size, 8)
  record.writeUInt32LE(offset, 12)
  return Buffer.concat([...(count >= MAX_COUNT ? [zip64End(count, size, offset)] : []), signed(0x06054b50), record])
}

/** The zip64 end record and its locator. */
function zip64End(count: number, size: number, offset: number): Buffer {
  const record = Buffer.alloc(52)
  record.writeBigUInt64LE(44n, 0)
  record.writeUInt16LE(VERSION_ZIP64, 8)
  record.writeUInt16LE(VERSION_ZIP64, 10)
  record.writeBigUInt64LE(BigInt(count), 20)
  record.writeBigUInt64LE(BigInt(count), 28)
  record.writeBigUInt64LE(BigInt(size), 36)
  record.writeBigUInt64LE(BigInt(offset), 44)
  const locator = Buffer.alloc(16)
  locator.writeBigUInt64LE(BigInt(offset + size), 4)
  locator.writeUInt32LE(1, 12)
  return Buffer.concat([signed(0x06064b50), record, signed(0x07064b50), locator])
}

function signed(signature: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(signature)
  return bytes
}
