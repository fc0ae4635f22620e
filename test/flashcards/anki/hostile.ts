import { zstdCompressSync } from 'node:zlib'
import { type Entry, zipOf } from '../../support/zip'
import { collectionOf, dummy, entriesOf, message, packageOf } from './build'
import { SMALL as source } from './support'

/** Packages that must be refused: why, and with which code. */

/** A package whose collection was changed by SQL, or as bytes. */
function changed(more: string, change: (file: Buffer) => unknown = () => null): Uint8Array {
  const file = Buffer.from(collectionOf(source, 11, more))
  change(file)
  return zipOf([{ name: 'collection.anki2', data: file, method: 0 }])
}

/** A package with a table whose statement (58 letters or more) SQLite's own list holds as bytes: type 12 + 2n where 13 + 2n is text. */
function hidden(sql: string): Uint8Array {
  return changed(sql, (file) => {
    const at = file.indexOf(sql)
    // The header of the record ends with this type, in front of `table`, both names and the number of the page.
    const typeAt = file.lastIndexOf(varint(13 + 2 * sql.length), at)
    file.set(varint(12 + 2 * sql.length), typeAt)
  })
}

function varint(value: number): Uint8Array {
  return new Uint8Array([0x80 | (value >> 7), value & 0x7f])
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
export const legacy = entriesOf('legacy1', source)
const [collection] = legacy
const models = (json: string) => changed(`UPDATE col SET models = '${json}'`)
const REBUILD = 'DROP TABLE notes; CREATE TABLE notes'
const NOTES = 'id integer primary key, guid text, mid integer, mod integer, tags text'

const TOO_LARGE: [why: string, bytes: Uint8Array][] = [
  ['is a zip bomb by ratio', zipOf([...legacy, { name: '1', data: Buffer.alloc(9_000_000) }])],
  ['holds a zstd bomb as its collection', replaced({ name: 'collection.anki21b', data: bomb, method: 0 })],
  ['holds a zstd bomb as its list of media', replaced({ name: 'media', data: bomb, method: 0 })],
  [
    'has settings without end',
    changed(`UPDATE col SET models = '{"a":[' || replace(hex(zeroblob(6000000)), '00', '{},') || '{}]}'`),
  ],
  ['has notetypes of 100 MiB', changed(`UPDATE col SET models = '{"a":"' || hex(zeroblob(${50 * 2 ** 20})) || '"}'`)],
  [
    'has more notetypes than are kept in memory',
    changed18(
      `WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
       INSERT INTO notetypes SELECT 1000 + i, 'n' || i, 0, 0, x'' FROM n`,
    ),
  ],
  [
    'has two rows of settings',
    changed('INSERT INTO col SELECT 2, crt, mod, scm, ver, dty, usn, ls, conf, models, decks, dconf, tags FROM col'),
  ],
]

const UNSUPPORTED: [why: string, bytes: Uint8Array][] = [
  ['is of version 4', replaced({ name: 'meta', data: message(1, 4) })],
  ['is of no version', replaced({ name: 'meta', data: '' })],
  ['is of a schema that was never exported', changed('UPDATE col SET ver = 12')],
]

const INVALID: [why: string, bytes: Uint8Array][] = [
  [
    'lies about the size of its collection',
    zipOf([{ name: 'collection.anki2', data: Buffer.alloc(50_000_000), size: 1000 }]),
  ],
  [
    'holds truncated zstd',
    replaced({ name: 'collection.anki21b', data: whole.subarray(0, whole.length - 9), method: 0 }),
  ],
  ['holds something else than zstd', replaced({ name: 'collection.anki21b', data: 'zstd' })],
  [
    'has but the collection that asks for an update',
    zipOf([
      { name: 'meta', data: message(1, 3) },
      { name: 'collection.anki2', data: dummy() },
    ]),
  ],
  ['has a meta that runs past its end', replaced({ name: 'meta', data: new Uint8Array([8, 0x83]) })],
  ['has no collection', zipOf([{ name: 'media', data: '{}' }])],
  ['lacks a table', changed('DROP TABLE revlog')],
  ['lacks a column', changed(`${REBUILD} (${NOTES})`)],
  ['lacks a table of schema 18', changed18('DROP TABLE templates')],
  ['has tables without end', changed(Array.from({ length: 1001 }, (_, i) => `CREATE TABLE t${i} (a)`).join(';'))],
  ['has no row of settings', changed('DELETE FROM col')],
  ['has a view named notes', changed('DROP TABLE notes; CREATE VIEW notes AS SELECT * FROM cards')],
  ['has a trigger', changed('CREATE TRIGGER t AFTER INSERT ON notes BEGIN DELETE FROM cards; END')],
  [
    'has a recursive view',
    changed('CREATE VIEW r AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n'),
  ],
  ['has a virtual table', changed('CREATE VIRTUAL TABLE v USING fts5(a)')],
  ['has a generated column', changed(`${REBUILD} (${NOTES}, flds text AS (hex(zeroblob(900000000))))`)],
  [
    'has a check that fills the memory',
    changed(`${REBUILD} (${NOTES}, flds text); CREATE TABLE c (a CHECK (length(zeroblob(900000000)) > 0))`),
  ],
  ['has a generated column in other words', changed('CREATE TABLE c (a, b "x" AS/**/(hex(zeroblob(a))))')],
  [
    'has a check behind a comment',
    changed("CREATE TABLE c (a DEFAULT '/*' CHECK/**/(length(hex(zeroblob(a))) > 0) DEFAULT '*/')"),
  ],
  ['hides a check in bytes', hidden('CREATE TABLE in_bytes (a CHECK (length(hex(zeroblob(a))) > 0))')],
  ['has page size 0', changed('', (file) => file.writeUInt16BE(0, 16))],
  ['has a page size that is no power of two', changed('', (file) => file.writeUInt16BE(1000, 16))],
  ['claims more pages than it has', changed('', (file) => file.writeUInt32BE(9999, 28))],
  ['is damaged inside', changed('', (file) => file.fill(0xff, 4096, 12_000))],
  ['is a text file', Buffer.from('front\tback\n')],
  ['has a text file for its collection', zipOf([{ name: 'collection.anki2', data: 'text' }])],
  ['is cut off', packageOf('legacy1', source).subarray(0, 900)],
  ['has broken JSON for its notetypes', models('{"1": {')],
  ['has notetypes of another shape', models('{"1": {"id": 1, "name": "x", "flds": 7, "tmpls": []}}')],
  ['has a list of notetypes', models('[]')],
  ['has a list of media that is none', zipOf([...legacy.slice(0, 1), { name: 'media', data: '["a"]' }])],
  [
    'has a list of media that runs past its end',
    replaced({ name: 'media', data: zstdCompressSync(new Uint8Array([0x0a, 0x7f, 1])) }),
  ],
  ['has a varint without end', replaced({ name: 'media', data: zstdCompressSync(new Uint8Array(64).fill(0xff)) })],
  ['is encrypted', zipOf(legacy.map((entry) => ({ ...entry, flags: 0x0801 })))],
  ['has two collections of one name', zipOf([...legacy, ...(collection ? [collection] : [])])],
  ['was made at no time', changed('UPDATE col SET crt = 9000000000000000')],
  ['has text where a number must be', changed("UPDATE cards SET due = 'soon'")],
]

export const hostilePackages = [
  ...TOO_LARGE.map(([why, bytes]) => [why, 'too_large', bytes] as const),
  ...UNSUPPORTED.map(([why, bytes]) => [why, 'unsupported_package', bytes] as const),
  ...INVALID.map(([why, bytes]) => [why, 'invalid_package', bytes] as const),
]
