import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { UnreadableItem } from '../../../src/lib/file-fault'
import {
  readEntryBytes as bytesIn,
  readEntryParts,
  readDirectory as readWithin,
  toZipSource,
  type ZipEntry,
  ZipFault,
} from '../../../src/lib/zip/read'
import { writeZip } from '../../../src/lib/zip/write'
import { spent } from '../../support/cost'
import { runs, slow } from '../../support/full'
import { type Entry, zipOf } from '../../support/zip'

const LIMITS = { entries: 20_000, bytes: 256 * 1024 * 1024, ratio: () => 200 }
const readDirectory = (zip: Uint8Array): ZipEntry[] => readWithin(toZipSource(zip), LIMITS)
const readEntryBytes = (zip: Uint8Array, entry: ZipEntry) => bytesIn(toZipSource(zip), entry)
const partsOf = async (zip: Uint8Array, entry: ZipEntry) =>
  Buffer.concat(await Array.fromAsync(readEntryParts(toZipSource(zip), entry)))

/** What each entry comes to: its text, or the code of its fault. */
function outcomes(zip: Uint8Array): string[] {
  return readDirectory(zip).map((entry) => {
    try {
      return Buffer.from(readEntryBytes(zip, entry)).toString()
    } catch (error) {
      if (error instanceof UnreadableItem) return error.code
      throw error
    }
  })
}

async function written(files: readonly { name: string; content: Uint8Array }[]): Promise<Uint8Array> {
  async function* each() {
    yield* files
  }
  return Buffer.concat(await Array.fromAsync(writeZip(each())))
}

const hello: Entry = { name: 'hello.md', data: 'hello' }
const files = fc.uniqueArray(
  fc.record({
    name: fc
      .string({ unit: fc.constantFrom('a', 'b', ' ', 'é', '議', '😀', '.'), minLength: 1, maxLength: 30 })
      .filter((name) => name !== '..'),
    content: fc.uint8Array({ maxLength: 2000 }),
  }),
  { selector: ({ name }) => name.normalize('NFC'), maxLength: 20 },
)

describe('an archive', () => {
  test('that was written is read back, entry by entry, in order', async () => {
    await fc.assert(
      fc.asyncProperty(files, async (given) => {
        const zip = await written(given)
        const entries = readDirectory(zip)
        expect(entries.map(({ name }) => name)).toEqual(given.map(({ name }) => name))
        expect(
          entries.map((entry) =>
            Buffer.compare(readEntryBytes(zip, entry), given[entries.indexOf(entry)]?.content ?? zip),
          ),
        ).toEqual(given.map(() => 0))
      }),
      { numRuns: runs(50) },
    )
  })

  test('whose entries came in parts is read back the same, here and elsewhere', async () => {
    async function* parts(content: Uint8Array) {
      for (let at = 0; at < content.length; at += 100_000) yield content.subarray(at, at + 100_000)
    }
    async function* entries() {
      for (const [name, content] of given) yield { name, content: parts(content) }
    }
    const lines = Array.from({ length: 60_000 }, (_, i) => `${i} ${Bun.hash(String(i))}\n`).join('')
    const given = [
      ['lines', Buffer.from(lines)],
      ['nothing', Buffer.from('')],
      ['the same again and again', Buffer.from('a'.repeat(3_000_000))],
      // What follows a block that is not compressed refers to what that holds.
      ['now and again', Buffer.from([lines, 'a'.repeat(700_000), lines, 'a'.repeat(700_000)].join(''))],
    ] as const
    const zip = Buffer.concat(await Array.fromAsync(writeZip(entries())))
    // The strictest ratio of our readers.
    const read = readWithin(toZipSource(zip), { ...LIMITS, ratio: () => 100 })
    expect(read.map(({ name }) => name)).toEqual(given.map(([name]) => name))
    for (const [i, entry] of read.entries()) {
      expect(Buffer.compare(readEntryBytes(zip, entry), given[i]?.[1] ?? zip)).toBe(0)
      expect(Buffer.compare(await partsOf(zip, entry), given[i]?.[1] ?? zip)).toBe(0)
    }
    expect(zip.length).toBeLessThan(2 * lines.length + 4_500_000)
  })

  test('of texts holds them in UTF-8, wherever a block ends', async () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'é', '議', '😀'), minLength: 1, maxLength: 9 })
    const given = fc.array(
      text.map((unit) => unit.repeat(30_000)),
      { maxLength: 4 },
    )
    async function* entry(texts: readonly string[]) {
      async function* content() {
        yield* texts
      }
      yield { name: 'a', content: content() }
    }
    await fc.assert(
      fc.asyncProperty(given, async (texts) => {
        const zip = Buffer.concat(await Array.fromAsync(writeZip(entry(texts))))
        expect(outcomes(zip)).toEqual([texts.join('')])
      }),
      { numRuns: runs(20) },
    )
  })

  test('is the same bytes for the same files', async () => {
    const given = [
      { name: 'a.md', content: Buffer.from('a'.repeat(9999)) },
      { name: 'b.md', content: Buffer.from('b') },
    ]
    expect(Buffer.compare(await written(given), await written(given))).toBe(0)
  })

  slow('of more entries than the old fields can count says so in zip64', async () => {
    const empty = new Uint8Array()
    const zip = await written(Array.from({ length: 65_536 }, (_, i) => ({ name: `${i}`, content: empty })))
    const record = Buffer.from(zip.subarray(-98))
    expect(record.toString('latin1', 0, 4)).toBe('PK\x06\x06')
    expect(record.readBigUInt64LE(32)).toBe(65_536n)
    expect(record.toString('latin1', 56, 60)).toBe('PK\x06\x07')
    expect(record.readBigUInt64LE(64)).toBe(BigInt(zip.length - 98))
    const entries = readWithin(toZipSource(zip), { ...LIMITS, entries: 65_536 })
    expect([entries.length, entries.at(-1)?.name]).toEqual([65_536, '65535'])
    expect(() => readWithin(toZipSource(zip), { ...LIMITS, entries: 65_535 })).toThrow(ZipFault)
    const changed = (work: (record: Buffer) => void) => {
      const lying = Buffer.from(zip)
      work(lying.subarray(-98))
      return () => readWithin(toZipSource(lying), { ...LIMITS, entries: 1_000_000 })
    }
    const long = 2n ** 63n
    const lies: Record<string, (record: Buffer) => void> = {
      'more entries': (record) => [24, 32].map((at) => record.writeBigUInt64LE(65_537n, at)),
      'fewer entries than the old record can count': (record) => [24, 32].map((at) => record.writeBigUInt64LE(1n, at)),
      'more entries than any number': (record) => [24, 32].map((at) => record.writeBigUInt64LE(long, at)),
      'other entries on this disk': (record) => record.writeBigUInt64LE(1n, 24),
      'a directory beyond the file': (record) => record.writeBigUInt64LE(long, 48),
      'another directory than the old record': (record) => record.writeBigUInt64LE(0n, 48),
      'a longer directory': (record) => record.writeBigUInt64LE(record.readBigUInt64LE(40) + 1n, 40),
      'a directory that reaches into this record': (record) => {
        record.writeBigUInt64LE(record.readBigUInt64LE(40) + 56n, 40)
        record.writeUInt32LE(record.readUInt32LE(88) + 56, 88)
      },
      'another length of itself': (record) => record.writeBigUInt64LE(45n, 4),
      'to be elsewhere': (record) => record.writeBigUInt64LE(0n, 64),
      'to be beyond the file': (record) => record.writeBigUInt64LE(long, 64),
      'to be on another disk': (record) => record.writeUInt32LE(1, 60),
      'another signature': (record) => record.writeUInt32LE(0, 0),
      'no locator': (record) => record.writeUInt32LE(0, 56),
    }
    for (const [lie, work] of Object.entries(lies)) expect(changed(work), lie).toThrow(ZipFault)
    expect(changed(() => {})).not.toThrow()
  })

  test('cut off anywhere is refused', () => {
    const zip = zipOf([hello, { name: 'b.md', data: 'b'.repeat(100) }])
    for (let length = 0; length < zip.length; length++)
      expect(() => readDirectory(zip.subarray(0, length))).toThrow(ZipFault)
  })

  test('with any bytes changed is refused, or its entries fail or are whole', () => {
    const zip = zipOf([hello, { name: 'b.md', data: 'abc'.repeat(100) }, { name: 'c', data: 'x', method: 0 }])
    const changes = fc.array(fc.tuple(fc.nat(zip.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(changes, (all) => {
        const broken = zip.slice()
        for (const [at, byte] of all) broken[at] = byte
        try {
          for (const text of outcomes(broken))
            expect([
              'hello',
              'abc'.repeat(100),
              'x',
              '',
              'corrupt_entry',
              'unsafe_name',
              'encrypted',
              'unsupported_compression',
              'duplicate_name',
            ]).toContain(text)
        } catch (error) {
          if (!(error instanceof ZipFault)) throw error
        }
      }),
      { numRuns: runs(3000) },
    )
  })
})

describe('before anything is inflated, an archive is refused that', () => {
  const refused: [string, Uint8Array][] = [
    [
      'has more entries than allowed',
      zipOf(Array.from({ length: LIMITS.entries + 1 }, (_, i) => ({ name: `${i}`, data: 'x', method: 0 }))),
    ],
    ['claims 65,535 entries', zipOf([hello], { count: 0xffff })],
    [
      'claims more bytes in all',
      zipOf(Array.from({ length: 3 }, (_, i) => ({ name: `${i}`, data: 'x', size: LIMITS.bytes / 2 }))),
    ],
    ['claims 4 GiB in one entry, as zip64 does', zipOf([{ name: 'a', data: 'x', size: 0xffffffff }])],
    ['claims 4 GiB compressed', zipOf([{ name: 'a', data: 'x', compressedSize: 0xffffffff }])],
    ['holds a flat bomb', zipOf([{ name: 'a', data: Buffer.alloc(8 * 1024 * 1024) }])],
    [
      'overlaps: many entries claim the same bytes',
      zipOf([
        hello,
        ...Array.from({ length: 9 }, (_, i) => ({ name: `${i}`, data: 'hello', sameAs: 0, localName: 'hello.md' })),
      ]),
    ],
    ['has its directory out of bounds', zipOf([hello], { start: 0xfffffff0 })],
    ['is no archive', Buffer.from('hello')],
    [
      'is empty of everything but an end that lies',
      Buffer.concat([Buffer.from('PK\x05\x06'), Buffer.alloc(4), Buffer.from([9, 0, 9, 0]), Buffer.alloc(10)]),
    ],
  ]

  test.each(refused)('%s', async (_, zip) => {
    const { ms } = await spent(() => expect(() => readDirectory(zip)).toThrow(ZipFault))
    expect(ms).toBeLessThan(500)
  })
})

describe('an entry stays shut, and the others do not, that', () => {
  const shut: [string, Entry, string][] = [
    ['leads out', { name: '../../etc/passwd.md', data: 'x' }, 'unsafe_name'],
    ['leads out in the middle', { name: 'a/../../b.md', data: 'x' }, 'unsafe_name'],
    ['is absolute', { name: '/etc/passwd', data: 'x' }, 'unsafe_name'],
    ['begins with a drive', { name: 'C:evil.md', data: 'x' }, 'unsafe_name'],
    ['holds a backslash', { name: '..\\evil.md', data: 'x' }, 'unsafe_name'],
    ['holds NUL', { name: 'a\0.md', data: 'x' }, 'unsafe_name'],
    ['has no name', { name: '', data: 'x' }, 'unsafe_name'],
    ['has a name without end', { name: 'x'.repeat(5000), data: 'x' }, 'unsafe_name'],
    ['says UTF-8 and is not', { name: new Uint8Array([0xff, 0xfe]), data: 'x' }, 'unsafe_name'],
    ['is a link', { name: 'link.md', data: '/etc/passwd', mode: 0xa1ff }, 'unsafe_name'],
    ['has two names', { name: 'a.md', localName: 'b.md', data: 'x' }, 'unsafe_name'],
    ['is encrypted', { name: 'a.md', data: 'x', flags: 0x0801 }, 'encrypted'],
    ['came before', { ...hello, data: 'again' }, 'duplicate_name'],
    ['is compressed in another way', { name: 'a.md', data: 'x', method: 14 }, 'unsupported_compression'],
    ['claims too little', { name: 'a.md', data: 'x'.repeat(1000), size: 999 }, 'corrupt_entry'],
    ['claims nothing', { name: 'a.md', data: 'x'.repeat(1000), size: 0 }, 'corrupt_entry'],
    ['claims too much', { name: 'a.md', data: 'x'.repeat(1000), size: 1001 }, 'corrupt_entry'],
    ['is stored and claims too much', { name: 'a.md', data: 'x', method: 0, size: 2 }, 'corrupt_entry'],
    ['has another checksum', { name: 'a.md', data: 'x', crc: 1 }, 'corrupt_entry'],
  ]

  test.each(shut)('%s', async (_, entry, code) => {
    const zip = zipOf([hello, entry, { name: 'last.md', data: 'last' }])
    expect(outcomes(zip)).toEqual(['hello', code, 'last'])
    const inParts = readDirectory(zip).map((one) =>
      partsOf(zip, one).then(String, (fault: unknown) =>
        fault instanceof UnreadableItem ? fault.code : Promise.reject(fault),
      ),
    )
    expect(await Promise.all(inParts)).toEqual(['hello', code, 'last'])
  })

  test('holds 128 MiB and claims 2 MiB: of what is read in parts, no more than that comes', async () => {
    const zip = zipOf([{ name: 'a.md', data: Buffer.alloc(128 * 1024 * 1024), size: 2 * 1024 * 1024 }])
    const [entry] = readWithin(toZipSource(zip), { ...LIMITS, ratio: () => 1032 })
    let bytes = 0
    const read = async () => {
      if (entry) for await (const part of readEntryParts(toZipSource(zip), entry)) bytes += part.length
    }
    await expect(read()).rejects.toThrow(UnreadableItem)
    expect(bytes).toBeLessThanOrEqual(2 * 1024 * 1024)
  })

  test('holds 128 MiB and claims 100 bytes: it costs no more than it claims', () => {
    const zip = zipOf([{ name: 'a.md', data: Buffer.alloc(128 * 1024 * 1024), size: 100 }])
    Bun.gc(true)
    const before = process.memoryUsage().rss
    expect(outcomes(zip)).toEqual(['corrupt_entry'])
    expect(process.memoryUsage().rss - before).toBeLessThan(32 * 1024 * 1024)
  })
})

test('names of old archives are read as code page 437, those of careless ones as the UTF-8 they are', () => {
  const zip = zipOf([
    { name: new Uint8Array([0x81, 0x2e, 0x6d, 0x64]), data: 'x', flags: 0 },
    { name: 'é.md', data: 'x', flags: 0 },
  ])
  expect(readDirectory(zip).map(({ name }) => name)).toEqual(['ü.md', 'é.md'])
})

test('folders are no entries', () => {
  expect(outcomes(zipOf([{ name: 'a/', data: '', method: 0 }, hello]))).toEqual(['hello'])
})
