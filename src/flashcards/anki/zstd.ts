import { zstdDecompressSync } from 'node:zlib'
import { ItemFault } from '../../http/item-fault'

const MAGIC = 0xfd2fb528
const BLOCK = { raw: 0, repeated: 1, reserved: 3 }

/**
 * Unpacks zstd (RFC 8878). Bun's decoder takes what was cut off for the whole, so that is looked at first.
 * @param limit bytes it may come to
 * @throws ItemFault too_large, corrupt_entry
 */
export function unzstd(bytes: Uint8Array, limit: number): Uint8Array {
  let at = 0
  while (at < bytes.length) at = frameEnd(bytes, at)
  try {
    return zstdDecompressSync(bytes, { maxOutputLength: Math.max(limit, 1) })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (code === 'ERR_BUFFER_TOO_LARGE')
      throw new ItemFault('too_large', `A part of the package holds more than ${limit} bytes.`)
    if (code.startsWith('ZSTD_')) throw corrupt()
    throw error
  }
}

/** Where the frame that begins at `start` ends: its header, its blocks, its checksum. */
function frameEnd(bytes: Uint8Array, start: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (start + 5 > bytes.length || view.getUint32(start, true) !== MAGIC) throw corrupt()
  const descriptor = view.getUint8(start + 4)
  const single = (descriptor >> 5) & 1
  const dictionary = [0, 1, 2, 4][descriptor & 3] ?? 0
  const contentSize = [single, 2, 4, 8][descriptor >> 6] ?? 0
  let at = start + 5 + (1 - single) + dictionary + contentSize
  for (let last = 0; last === 0; ) {
    if (at + 3 > bytes.length) throw corrupt()
    const header = view.getUint16(at, true) + view.getUint8(at + 2) * 0x10000
    const kind = (header >> 1) & 3
    if (kind === BLOCK.reserved) throw corrupt()
    last = header & 1
    at += 3 + (kind === BLOCK.repeated ? 1 : header >> 3)
  }
  at += (descriptor >> 2) & 1 ? 4 : 0
  if (at > bytes.length) throw corrupt()
  return at
}

function corrupt(): ItemFault {
  return new ItemFault('corrupt_entry', 'A part of the package is no whole zstd data.')
}
