import { describe, expect, test } from 'bun:test'
import { zstdCompressSync } from 'node:zlib'
import fc from 'fast-check'
import { SCRATCH, WITH_KEY } from '../../../src/flashcards/anki/limits'
import type { Layout } from '../../../src/flashcards/anki/package'
import { spent } from '../../support/cost'
import { type Entry, zipOf } from '../../support/zip'
import { collectionOf, dummy, entriesOf, message, packageOf, type Source } from './build'
import { codesIn, factsIn, itemsOf, outcome, SMALL as source } from './support'

/** A package whose collection was changed by SQL, or as bytes. */
function changed(more: string, change: (file: Buffer) => unknown = () => null): Uint8Array {
  const file = Buffer.from(collectionOf(source, 11, more))
  change(file)
  return zipOf([{ name: 'collection.anki2', data: file, method: 0 }])
}

function changed18(more: string): Uint8Array {
  return zipOf([
    { name: 'meta', data: message(1, 3) },
    { name: 'collection.anki21b', data: zstdCompressSync(collectionOf(source, 18, more)) },
  ])
}

/** The latest layout with some entries replaced. */
function replaced(...entries: Entry[]): Uint8Array {
  const names = entries.map(({ name }) => name)
  return zipOf([...entriesOf('latest', source).filter(({ name }) => !names.includes(name)), ...entries])
}

const bomb = zstdCompressSync(Buffer.alloc(50_000_000))
const whole = zstdCompressSync(collectionOf(source, 18))
const legacy = entriesOf('legacy1', source)
const [collection] = legacy
const models = (json: string) => changed(`UPDATE col SET models = '${json}'`)
const REBUILD = 'DROP TABLE notes; CREATE TABLE notes'
const NOTES = 'id integer primary key, guid text, mid integer, mod integer, tags text'

describe('a package is refused, soon and for little memory, that', () => {
  const refused: [why: string, code: string, bytes: Uint8Array][] = [
    ['is a zip bomb by ratio', 'too_large', zipOf([...legacy, { name: '1', data: Buffer.alloc(9_000_000) }])],
    [
      'is a zip bomb by count',
      'too_large',
      zipOf(Array.from({ length: 10_001 }, (_, i) => ({ name: `${i}`, data: '', method: 0 }))),
    ],
    [
      'lies about the size of its collection',
      'invalid_package',
      zipOf([{ name: 'collection.anki2', data: Buffer.alloc(50_000_000), size: 1000 }]),
    ],
    [
      'holds a zstd bomb as its collection',
      'too_large',
      replaced({ name: 'collection.anki21b', data: bomb, method: 0 }),
    ],
    ['holds a zstd bomb as its list of media', 'too_large', replaced({ name: 'media', data: bomb, method: 0 })],
    [
      'holds truncated zstd',
      'invalid_package',
      replaced({ name: 'collection.anki21b', data: whole.subarray(0, whole.length - 9), method: 0 }),
    ],
    ['holds something else than zstd', 'invalid_package', replaced({ name: 'collection.anki21b', data: 'zstd' })],
    [
      'has but the collection that asks for an update',
      'invalid_package',
      zipOf([
        { name: 'meta', data: message(1, 3) },
        { name: 'collection.anki2', data: dummy() },
      ]),
    ],
    ['is of version 4', 'unsupported_package', replaced({ name: 'meta', data: message(1, 4) })],
    ['is of no version', 'unsupported_package', replaced({ name: 'meta', data: '' })],
    [
      'has a meta that runs past its end',
      'invalid_package',
      replaced({ name: 'meta', data: new Uint8Array([8, 0x83]) }),
    ],
    ['has no collection', 'invalid_package', zipOf([{ name: 'media', data: '{}' }])],
    ['is of a schema that was never exported', 'unsupported_package', changed('UPDATE col SET ver = 12')],
    ['lacks a table', 'invalid_package', changed('DROP TABLE revlog')],
    ['lacks a column', 'invalid_package', changed(`${REBUILD} (${NOTES})`)],
    ['lacks a table of schema 18', 'invalid_package', changed18('DROP TABLE templates')],
    [
      'has settings without end',
      'too_large',
      changed(`UPDATE col SET models = '{"a":[' || replace(hex(zeroblob(6000000)), '00', '{},') || '{}]}'`),
    ],
    [
      'has two rows of settings',
      'too_large',
      changed('INSERT INTO col SELECT 2, crt, mod, scm, ver, dty, usn, ls, conf, models, decks, dconf, tags FROM col'),
    ],
    [
      'has tables without end',
      'invalid_package',
      changed(Array.from({ length: 1001 }, (_, i) => `CREATE TABLE t${i} (a)`).join(';')),
    ],
    ['has no row of settings', 'invalid_package', changed('DELETE FROM col')],
    [
      'has a view named notes',
      'invalid_package',
      changed('DROP TABLE notes; CREATE VIEW notes AS SELECT * FROM cards'),
    ],
    [
      'has a trigger',
      'invalid_package',
      changed('CREATE TRIGGER t AFTER INSERT ON notes BEGIN DELETE FROM cards; END'),
    ],
    [
      'has a recursive view',
      'invalid_package',
      changed('CREATE VIEW r AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n'),
    ],
    ['has a virtual table', 'invalid_package', changed('CREATE VIRTUAL TABLE v USING fts5(a)')],
    [
      'has a generated column',
      'invalid_package',
      changed(`${REBUILD} (${NOTES}, flds text AS (hex(zeroblob(900000000))))`),
    ],
    [
      'has a check that fills the memory',
      'invalid_package',
      changed(`${REBUILD} (${NOTES}, flds text); CREATE TABLE c (a CHECK (length(zeroblob(900000000)) > 0))`),
    ],
    ['has page size 0', 'invalid_package', changed('', (file) => file.writeUInt16BE(0, 16))],
    ['has a page size that is no power of two', 'invalid_package', changed('', (file) => file.writeUInt16BE(1000, 16))],
    ['claims more pages than it has', 'invalid_package', changed('', (file) => file.writeUInt32BE(9999, 28))],
    ['is damaged inside', 'invalid_package', changed('', (file) => file.fill(0xff, 4096, 12_000))],
    ['is a text file', 'invalid_package', Buffer.from('front\tback\n')],
    ['has a text file for its collection', 'invalid_package', zipOf([{ name: 'collection.anki2', data: 'text' }])],
    ['is cut off', 'invalid_package', packageOf('legacy1', source).subarray(0, 900)],
    ['has broken JSON for its notetypes', 'invalid_package', models('{"1": {')],
    [
      'has notetypes of another shape',
      'invalid_package',
      models('{"1": {"id": 1, "name": "x", "flds": 7, "tmpls": []}}'),
    ],
    ['has a list of notetypes', 'invalid_package', models('[]')],
    [
      'has a list of media that is none',
      'invalid_package',
      zipOf([...legacy.slice(0, 1), { name: 'media', data: '["a"]' }]),
    ],
    [
      'has a list of media that runs past its end',
      'invalid_package',
      replaced({ name: 'media', data: zstdCompressSync(new Uint8Array([0x0a, 0x7f, 1])) }),
    ],
    [
      'has a varint without end',
      'invalid_package',
      replaced({ name: 'media', data: zstdCompressSync(new Uint8Array(64).fill(0xff)) }),
    ],
    ['is encrypted', 'invalid_package', zipOf(legacy.map((entry) => ({ ...entry, flags: 0x0801 })))],
    ['has two collections of one name', 'invalid_package', zipOf([...legacy, ...(collection ? [collection] : [])])],
    ['was made at no time', 'invalid_package', changed('UPDATE col SET crt = 9000000000000000')],
    ['has text where a number must be', 'invalid_package', changed("UPDATE cards SET due = 'soon'")],
  ]

  test.each(refused)('%s (%s)', async (_, code, bytes) => {
    const before = process.memoryUsage().rss
    const { ms } = await spent(() => expect(outcome(bytes)).toBe(code))
    expect(ms).toBeLessThan(2000)
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 2 ** 20)
  })

  test('has more notes, cards, reviews or facts than allowed', () => {
    const many: Source = {
      ...source,
      cards: [1, 2, 3].map((id) => ({ id, nid: 1, did: 100 })),
      reviews: [1, 2, 3].map((id) => ({ id, cid: 1, ease: 3 })),
    }
    const bytes = packageOf('latest', many)
    expect(outcome(bytes, { ...WITH_KEY, cards: 3, reviews: 3 })).toBe('ok')
    expect(outcome(bytes, { ...WITH_KEY, cards: 2 })).toBe('too_large')
    expect(outcome(bytes, { ...WITH_KEY, reviews: 2 })).toBe('too_large')
    expect(outcome(bytes, { ...WITH_KEY, facts: 0 })).toBe('too_large')
  })

  test.each<Layout>(['legacy1', 'legacy2', 'latest'])('has a larger collection than allowed (%s)', (layout) => {
    expect(outcome(packageOf(layout, source), { ...WITH_KEY, collection: 16_000 })).toBe('too_large')
  })

  test('comes to more bytes in all than allowed, though each file is small', () => {
    const files = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`${i}.bin`, 'x'.repeat(200_000)]))
    const bytes = packageOf('latest', { ...source, media: files })
    expect(outcome(bytes)).toBe('ok')
    expect(outcome(bytes, { ...SCRATCH, unpacked: 4 * 2 ** 20 })).toBe('too_large')
  })
})

describe('a media file is dropped with a line, and the rest is read, that', () => {
  const lines = (media: Record<string, string>, change: (entries: Entry[]) => Entry[] = (entries) => entries) => {
    const items = itemsOf(zipOf(change(entriesOf('legacy1', { ...source, media }))))
    expect(factsIn(items)).toHaveLength(1)
    return [codesIn(items), items.flatMap((item) => (item.kind === 'media' ? [item.name] : []))]
  }

  test.each(['../x', 'a/b', 'a\\b', '.hidden', '', 'a\nb', 'x'.repeat(256)])('is named %j', (name) => {
    expect(lines({ [name]: 'x', 'good.png': 'y' })).toEqual([['media_name'], ['good.png']])
  })

  test('is too large, damaged or not there', () => {
    const broken = (entries: Entry[]): Entry[] =>
      entries.flatMap((entry) => (entry.name === '1' ? [{ ...entry, crc: 1 }] : entry.name === '2' ? [] : [entry]))
    const media = { 'large.bin': 'x', 'broken.bin': 'x', 'lost.bin': 'x', 'good.png': 'y' }
    const large = (entries: Entry[]): Entry[] =>
      broken(entries).map((entry) => (entry.name === '0' ? { ...entry, data: noise(9 * 2 ** 20), method: 0 } : entry))
    expect(lines(media, large)).toEqual([['too_large', 'corrupt_entry', 'missing_entry'], ['good.png']])
  })

  test('has the name of another one, composed', () => {
    expect(lines({ 'e\u0301.png': 'x', 'é.png': 'y' })).toEqual([['duplicate_name'], ['é.png']])
  })
})

test('other entries of the archive are never opened', () => {
  const evil = { name: '../../etc/passwd', data: 'x', crc: 1 }
  expect(factsIn(itemsOf(zipOf([evil, ...legacy, { ...evil, name: 'collection.anki3', method: 14 }])))).toHaveLength(1)
})

test('a package with any bytes changed is read, or refused with a fault of its own', () => {
  const packages = [
    packageOf('legacy1', source),
    packageOf('latest', source),
    zipOf(legacy.map((e) => ({ ...e, method: 0 }))),
  ]
  fc.assert(
    fc.property(
      fc.nat(2),
      fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 3 }),
      (which, changes) => {
        const bytes = (packages[which] ?? new Uint8Array()).slice()
        for (const [at, byte] of changes) bytes[at % bytes.length] = byte
        expect(['ok', 'invalid_package', 'unsupported_package', 'too_large']).toContain(outcome(bytes))
      },
    ),
    { numRuns: 300 },
  )
})

test('a collection with any bytes changed is read, or refused with a fault of its own', () => {
  const file = collectionOf(source, 11)
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 8 }), (changes) => {
      const bytes = Buffer.from(file)
      for (const [at, byte] of changes) bytes[at % bytes.length] = byte
      const zip = zipOf([{ name: 'collection.anki2', data: bytes, method: 0 }])
      expect(['ok', 'invalid_package', 'unsupported_package', 'too_large']).toContain(outcome(zip))
    }),
    { numRuns: 300 },
  )
})

/** Bytes that no compression makes smaller. */
function noise(length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  for (let i = 0, state = 1; i < length; i++) {
    state = (state * 48_271) % 2_147_483_647
    bytes[i] = state
  }
  return bytes
}
