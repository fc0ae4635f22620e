/** When a zip entry was last changed (APPNOTE.TXT 4.4.6 and 4.5; extra fields as Info-ZIP's proginfo/extrafld.txt). */

/** Extra field with seconds since 1970, in UTC: written by Info-ZIP, macOS and most phones. */
const EXTENDED_TIMESTAMP = 0x5455
/** Extra field with units of 100 ns since 1601, in UTC: written by Windows programs such as 7-Zip. */
const NTFS = 0x000a
const NTFS_TIMES = { tag: 1, bytes: 24 }
const NTFS_UNITS_PER_MS = 10_000n
/** 1 January 1970 in milliseconds since 1601. */
const UNIX_EPOCH_MS = 11_644_473_600_000n
/** 1 January 1980, 00:00: programs that know no time write the first one of the format. */
const FIRST_DOS_TIME = 0x0021_0000

/**
 * Returns when an entry was changed, in milliseconds since 1970; null if the archive does not say. The DOS time of an
 * entry has no zone and two seconds' precision: it is read as UTC, and only where no extra field has a better one.
 * @param dos the DOS time in the lower and the DOS date in the upper 16 bits
 * @param extra the extra field of the entry in the directory
 */
export function readEntryTime(dos: number, extra: DataView): number | null {
  let best: number | null = null
  for (let at = 0; at + 4 <= extra.byteLength; ) {
    const [id, size] = [extra.getUint16(at, true), extra.getUint16(at + 2, true)]
    if (at + 4 + size > extra.byteLength) break
    const field = new DataView(extra.buffer, extra.byteOffset + at + 4, size)
    if (id === EXTENDED_TIMESTAMP) best = readExtendedTimestamp(field) ?? best
    else if (id === NTFS) best ??= readNtfsTime(field)
    at += 4 + size
  }
  return best ?? readDosTime(dos)
}

interface EntryTime {
  /** The DOS time in the lower and the DOS date in the upper 16 bits, in UTC. */
  readonly dos: number
  readonly extra: Buffer
}

/**
 * Writes when an entry was changed, in milliseconds since 1970, to the second; null: no time. What an extended timestamp
 * cannot hold (before 1901, after 2038) has the DOS time alone; what that cannot hold either has none.
 */
export function writeEntryTime(at: number | null): EntryTime {
  const seconds = at === null ? Number.NaN : Math.floor(at / 1000)
  if ((seconds | 0) !== seconds) return { dos: writeDosTime(seconds), extra: Buffer.alloc(0) }
  const extra = Buffer.alloc(9)
  extra.writeUInt16LE(EXTENDED_TIMESTAMP, 0)
  extra.writeUInt16LE(5, 2)
  extra.writeUInt8(1, 4)
  extra.writeInt32LE(seconds, 5)
  return { dos: writeDosTime(seconds), extra }
}

function writeDosTime(seconds: number): number {
  const date = new Date(seconds * 1000)
  const year = date.getUTCFullYear() - 1980
  if (!(year >= 0 && year < 128)) return FIRST_DOS_TIME
  const day = (year << 25) | ((date.getUTCMonth() + 1) << 21) | (date.getUTCDate() << 16)
  const time = (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1)
  return (day | time) >>> 0
}

/** The first byte says which times follow; the first of them is that of the last change. */
function readExtendedTimestamp(field: DataView): number | null {
  const hasChanged = field.byteLength >= 5 && (field.getUint8(0) & 1) === 1
  return hasChanged ? field.getInt32(1, true) * 1000 : null
}

/** After four reserved bytes come attributes, each with a tag and a size. */
function readNtfsTime(field: DataView): number | null {
  const has = field.byteLength >= 8 + NTFS_TIMES.bytes && field.getUint16(4, true) === NTFS_TIMES.tag
  const units = has ? field.getBigUint64(8, true) : 0n
  return units === 0n ? null : Number(units / NTFS_UNITS_PER_MS - UNIX_EPOCH_MS)
}

function readDosTime(dos: number): number | null {
  const [year, month, day] = [(dos >>> 25) + 1980, (dos >>> 21) & 15, (dos >>> 16) & 31]
  const [hour, minute, second] = [(dos >>> 11) & 31, (dos >>> 5) & 63, (dos & 31) * 2]
  const at = Date.UTC(year, month - 1, day, hour, minute, second)
  const isReal =
    new Date(at).getUTCDate() === day && month >= 1 && month <= 12 && hour < 24 && minute < 60 && second < 60
  return isReal && dos !== FIRST_DOS_TIME ? at : null
}
