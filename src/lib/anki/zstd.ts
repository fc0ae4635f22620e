import { createZstdDecompress, zstdDecompressSync } from 'node:zlib'
import { UnreadableItem } from '../file-fault'
import { readParts, toZipSource, type ZipSource } from '../zip/read'

const MAGIC = 0xfd2fb528
const BLOCK = { raw: 0, repeated: 1, reserved: 3 }

/**
 * Unpacks zstd (RFC 8878). Bun's decoder accepts truncated data, so completeness is checked first.
 * @param limit unpacked bytes, at most
 * @throws UnreadableItem too_large, corrupt_entry
 */
export function unzstd(bytes: Uint8Array, limit: number): Uint8Array {
  requireWhole(toZipSource(bytes))
  try {
    return zstdDecompressSync(bytes, { maxOutputLength: Math.max(limit, 1) })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limit)
    return throwUnpackError(error)
  }
}

/** Unpacks zstd in parts, for data that may be larger than memory. @throws UnreadableItem too_large, corrupt_entry */
export async function* unzstdParts(source: ZipSource, limit: number): AsyncGenerator<Uint8Array> {
  requireWhole(source)
  let size = 0
  try {
    for await (const part of readParts(source, 0, source.size, createZstdDecompress())) {
      size += part.length
      if (size > limit) throw tooLarge(limit)
      yield part
    }
  } catch (error) {
    throwUnpackError(error)
  }
}

function throwUnpackError(error: unknown): never {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code.startsWith('ZSTD_')) throw corrupt()
  throw error
}

function requireWhole(source: ZipSource): void {
  let at = 0
  while (at < source.size) at = findFrameEnd(source, at)
}

/** Finds the end of the frame at `start`: header, blocks and checksum. */
function findFrameEnd(source: ZipSource, start: number): number {
  const head = source.read(start, 5)
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
  if (head.length < 5 || view.getUint32(0, true) !== MAGIC) throw corrupt()
  const descriptor = view.getUint8(4)
  const single = (descriptor >> 5) & 1
  const dictionary = [0, 1, 2, 4][descriptor & 3] ?? 0
  const contentSize = [single, 2, 4, 8][descriptor >> 6] ?? 0
  let at = start + 5 + (1 - single) + dictionary + contentSize
  for (let last = 0; last === 0; ) {
    const [low, middle, high] = source.read(at, 3)
    if (low === undefined || middle === undefined || high === undefined) throw corrupt()
    const header = low + middle * 0x100 + high * 0x10000
    const kind = (header >> 1) & 3
    if (kind === BLOCK.reserved) throw corrupt()
    last = header & 1
    at += 3 + (kind === BLOCK.repeated ? 1 : header >> 3)
  }
  at += (descriptor >> 2) & 1 ? 4 : 0
  if (at > source.size) throw corrupt()
  return at
}

function corrupt(): UnreadableItem {
  return new UnreadableItem('corrupt_entry', 'A part of the package is not complete zstd data.')
}

function tooLarge(limit: number): UnreadableItem {
  return new UnreadableItem('too_large', `A part of the package holds more than ${limit} bytes.`)
}
