import { crc32, deflateRawSync } from 'node:zlib'

/** An entry of an archive, true or lying. What is left out is what an honest archive would say. */
export interface Entry {
  readonly name: string | Uint8Array
  readonly data?: string | Uint8Array
  /** 8 deflates, 0 stores; any other is only claimed. */
  readonly method?: number
  readonly size?: number
  readonly compressedSize?: number
  readonly crc?: number
  readonly flags?: number
  /** Unix mode, e.g. 0xa1ff for a link. */
  readonly mode?: number
  /** The DOS date and time, the date in the upper 16 bits. */
  readonly dosTime?: number
  /** The extra field in the directory. */
  readonly extra?: Uint8Array
  /** Another name in the entry's own header. */
  readonly localName?: string
  /** The index of an earlier entry whose bytes this one claims as its own. */
  readonly sameAs?: number
}

/** A zip archive, byte by byte: the tests must be able to say what no honest program writes. */
export function zipOf(
  entries: readonly Entry[],
  claims: { count?: number; start?: number } = {},
): Uint8Array<ArrayBuffer> {
  const parts: Buffer[] = []
  const central: Buffer[] = []
  const starts: number[] = []
  let at = 0
  for (const entry of entries) {
    const content = Buffer.from(entry.data ?? '')
    const method = entry.method ?? 8
    const data = method === 8 ? deflateRawSync(content) : content
    const name = Buffer.from(entry.name)
    const own = entry.localName === undefined ? name : Buffer.from(entry.localName)
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt16LE(entry.flags ?? 0x0800, 2)
    fields.writeUInt16LE(method, 4)
    fields.writeUInt32LE(entry.dosTime ?? 0, 6)
    fields.writeUInt32LE(entry.crc ?? crc32(content), 10)
    fields.writeUInt32LE(entry.compressedSize ?? data.length, 14)
    fields.writeUInt32LE(entry.size ?? content.length, 18)
    fields.writeUInt16LE(own.length, 22)
    const start = entry.sameAs === undefined ? at : (starts[entry.sameAs] ?? 0)
    starts.push(start)
    if (entry.sameAs === undefined) {
      const local = Buffer.concat([Buffer.from('PK\x03\x04'), fields, own, data])
      parts.push(local)
      at += local.length
    }
    const named = Buffer.from(fields)
    named.writeUInt16LE(name.length, 22)
    const extra = Buffer.from(entry.extra ?? [])
    named.writeUInt16LE(extra.length, 24)
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(((entry.mode ?? 0) << 16) >>> 0, 6)
    rest.writeUInt32LE(start, 10)
    central.push(Buffer.concat([Buffer.from('PK\x01\x02'), Buffer.from([20, 3]), named, rest, name, extra]))
  }
  const directory = Buffer.concat(central)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(claims.count ?? entries.length, 4)
  end.writeUInt16LE(claims.count ?? entries.length, 6)
  end.writeUInt32LE(directory.length, 8)
  end.writeUInt32LE(claims.start ?? at, 12)
  return new Uint8Array(Buffer.concat([...parts, directory, Buffer.from('PK\x05\x06'), end]))
}

/** An archive of files with these texts. */
export function zipOfTexts(files: Readonly<Record<string, string>>): Uint8Array<ArrayBuffer> {
  return zipOf(Object.entries(files).map(([name, data]) => ({ name, data })))
}
