import { FileFault } from '../file-fault'

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
export function findDirectory(source: ZipSource): { count: number; start: number; end: number } {
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

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function splitArchive(): ZipFault {
  return new ZipFault('broken', 'The archive is one part of several.')
}

export function brokenDirectory(): ZipFault {
  return new ZipFault('broken', 'The directory of the archive is broken.')
}
