import { Database } from 'bun:sqlite'
import { zstdCompressSync } from 'node:zlib'
import type { Layout } from '../../../src/flashcards/anki/open-package'
import { type Entry, zipOf } from '../../support/zip'

/** Packages of each layout from one source, as Anki writes them. Whatever is left out is what Anki has most often. */

interface SourceNote {
  readonly id: number
  readonly mid: number
  readonly fields: readonly string[]
  readonly guid?: string
  readonly tags?: string
  /** Seconds since 1970. */
  readonly mod?: number
}

export interface Source {
  readonly decks: readonly { id: number; name: string; filtered?: boolean }[]
  readonly notetypes: readonly SourceNotetype[]
  readonly notes: readonly SourceNote[]
  readonly cards: readonly SourceCard[]
  readonly reviews?: readonly { id: number; cid: number; ease: number; type?: number; factor?: number; time?: number }[]
  readonly media?: Readonly<Record<string, string>>
  readonly crt?: number
  /** Milliseconds. */
  readonly mod?: number
  readonly conf?: Readonly<Record<string, unknown>>
}

export interface SourceNotetype {
  readonly id: number
  readonly fields: readonly string[]
  /** Question and answer. */
  readonly templates: readonly (readonly [string, string])[]
  readonly cloze?: boolean
  readonly occlusion?: boolean
  /** What else Anki has of it, by the names of schema 11. */
  readonly settings?: { readonly notetype?: object; readonly field?: object; readonly template?: object }
  readonly css?: string
}

export type SourceCard = { id: number; nid: number; did: number } & Partial<
  Record<'ord' | 'type' | 'queue' | 'due' | 'ivl' | 'factor' | 'reps' | 'lapses' | 'odue' | 'odid' | 'flags', number>
> & { data?: string }

/** 2026-01-01 at four o'clock in Lisbon. */
const CRT = 1_767_240_000
const MOD = 1_767_960_000_000
const CARD = { ord: 0, type: 0, queue: 0, due: 0, ivl: 0, factor: 0, reps: 0, lapses: 0, odue: 0, odid: 0, flags: 0 }

const SHARED = `
CREATE TABLE notes (id integer primary key, guid text not null, mid integer not null, mod integer not null,
  usn integer not null, tags text not null, flds text not null, sfld integer not null, csum integer not null,
  flags integer not null, data text not null);
CREATE TABLE cards (id integer primary key, nid integer not null, did integer not null, ord integer not null,
  mod integer not null, usn integer not null, type integer not null, queue integer not null, due integer not null,
  ivl integer not null, factor integer not null, reps integer not null, lapses integer not null,
  left integer not null, odue integer not null, odid integer not null, flags integer not null, data text not null);
CREATE TABLE revlog (id integer primary key, cid integer not null, usn integer not null, ease integer not null,
  ivl integer not null, lastIvl integer not null, factor integer not null, time integer not null, type integer not null);
CREATE TABLE col (id integer primary key, crt integer not null, mod integer not null, scm integer not null,
  ver integer not null, dty integer not null, usn integer not null, ls integer not null, conf text not null,
  models text not null, decks text not null, dconf text not null, tags text not null);
CREATE INDEX ix_cards_nid on cards (nid);
CREATE INDEX idx_cards_odid ON cards (odid) WHERE odid != 0;
`
/** Stands in the place of Anki's collation, which SQLite does not bring, while the tables are filled. */
const NOCASE = 'COLLATE NOCASE '
const SCHEMA_18 = `
CREATE TABLE notetypes (id integer NOT NULL PRIMARY KEY, name text NOT NULL ${NOCASE}, mtime_secs integer NOT NULL,
  usn integer NOT NULL, config blob NOT NULL);
CREATE UNIQUE INDEX idx_notetypes_name ON notetypes (name);
CREATE TABLE fields (ntid integer NOT NULL, ord integer NOT NULL, name text NOT NULL ${NOCASE}, config blob NOT NULL,
  PRIMARY KEY (ntid, ord)) without rowid;
CREATE UNIQUE INDEX idx_fields_name_ntid ON fields (name, ntid);
CREATE TABLE templates (ntid integer NOT NULL, ord integer NOT NULL, name text NOT NULL ${NOCASE},
  mtime_secs integer NOT NULL, usn integer NOT NULL, config blob NOT NULL, PRIMARY KEY (ntid, ord)) without rowid;
CREATE TABLE decks (id integer PRIMARY KEY NOT NULL, name text NOT NULL ${NOCASE}, mtime_secs integer NOT NULL,
  usn integer NOT NULL, common blob NOT NULL, kind blob NOT NULL);
CREATE UNIQUE INDEX idx_decks_name ON decks (name);
CREATE TABLE tags (tag text NOT NULL PRIMARY KEY ${NOCASE}, usn integer NOT NULL) without rowid;
CREATE TABLE config (KEY text NOT NULL PRIMARY KEY, usn integer NOT NULL, mtime_secs integer NOT NULL,
  val blob NOT NULL) without rowid;
`

/** The bytes of a collection. `more` is run last. */
export function collectionOf(source: Source, schema: 11 | 18, more = ''): Uint8Array {
  const db = new Database(':memory:', { strict: true })
  db.run(schema === 11 ? SHARED : SHARED + SCHEMA_18)
  const json = schema === 11 ? describe11(source) : { conf: '', models: '', decks: '' }
  insert(db, 'col', {
    ...{ id: 1, crt: source.crt ?? CRT, mod: source.mod ?? MOD, scm: 0, ver: schema, dty: 0, usn: 0, ls: 0 },
    ...{ ...json, dconf: '{}', tags: '{}' },
  })
  for (const { id, mid, fields, guid = `guid-${id}`, tags = '', mod = 1_767_900_000 } of source.notes)
    insert(db, 'notes', {
      ...{ id, guid, mid, mod, usn: 0, tags, flds: fields.join('\x1f'), sfld: fields[0] ?? '' },
      ...{ csum: 0, flags: 0, data: '' },
    })
  for (const { data = '{}', ...card } of source.cards)
    insert(db, 'cards', { ...CARD, mod: 0, usn: 0, left: 0, ...card, data })
  for (const { id, cid, ease, type = 1, factor = 2500, time = 5000 } of source.reviews ?? [])
    insert(db, 'revlog', { id, cid, usn: 0, ease, ivl: 1, lastIvl: 1, factor, time, type })
  if (schema === 18) describe18(db, source)
  if (more) db.run(more)
  const bytes = Buffer.from(db.serialize())
  db.close()
  for (let at = bytes.indexOf(NOCASE); at >= 0; at = bytes.indexOf(NOCASE, at + 1)) bytes.write('COLLATE unicase', at)
  // Anki keeps its collection with a write-ahead log.
  bytes[18] = 2
  bytes[19] = 2
  return bytes
}

function describe11({ decks, notetypes, conf = { creationOffset: 0, schedVer: 2 } }: Source) {
  return {
    conf: JSON.stringify(conf),
    decks: JSON.stringify(
      Object.fromEntries(decks.map(({ id, name, filtered }) => [id, { id, name, desc: '', dyn: filtered ? 1 : 0 }])),
    ),
    models: JSON.stringify(
      Object.fromEntries(
        notetypes.map(({ id, fields, templates, cloze, occlusion, settings, css = '.card {}' }) => [
          id,
          {
            ...settings?.notetype,
            id,
            name: `Notetype ${id}`,
            type: cloze ? 1 : 0,
            css,
            flds: fields.map((name, ord) => ({ ...settings?.field, name, ord })),
            tmpls: templates.map(([qfmt, afmt], ord) => ({
              ...settings?.template,
              name: `Card ${ord}`,
              ord,
              qfmt,
              afmt,
            })),
            ...(occlusion ? { originalStockKind: 6 } : {}),
          },
        ]),
      ),
    ),
  }
}

function describe18(db: Database, { decks, notetypes, conf = { creationOffset: 0, schedVer: 2 } }: Source): void {
  const times = { mtime_secs: 0, usn: 0 }
  for (const { id, fields, templates, cloze, occlusion, css = '.card {}' } of notetypes) {
    const config = Buffer.concat([message(1, cloze ? 1 : 0), message(3, css), message(9, occlusion ? 6 : 1)])
    insert(db, 'notetypes', { id, name: `Notetype ${id}`, ...times, config })
    for (const [ord, name] of fields.entries())
      insert(db, 'fields', { ntid: id, ord, name, config: message(3, 'Arial') })
    for (const [ord, [question, answer]] of templates.entries()) {
      const config = Buffer.concat([message(1, question), message(2, answer)])
      insert(db, 'templates', { ntid: id, ord, name: `Card ${ord}`, ...times, config })
    }
  }
  for (const { id, name, filtered } of decks)
    insert(db, 'decks', {
      ...{ id, name: name.replaceAll('::', '\x1f'), ...times, common: Buffer.alloc(0) },
      kind: message(filtered ? 2 : 1, message(1, 1)),
    })
  for (const [KEY, value] of Object.entries(conf))
    insert(db, 'config', { KEY, ...times, val: Buffer.from(JSON.stringify(value)) })
}

/** One field of a protobuf message. */
export function message(number: number, value: number | string | Uint8Array): Buffer {
  if (typeof value === 'number') return Buffer.concat([varint(number * 8), varint(value)])
  const bytes = Buffer.from(value)
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes])
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    bytes.push(rest > 127 ? (rest % 128) + 128 : rest)
    if (rest <= 127) return Buffer.from(bytes)
  }
}

function insert(db: Database, table: string, row: Record<string, string | number | Uint8Array>): void {
  const names = Object.keys(row)
  const sql = `INSERT INTO ${table} (${names.map((name) => `"${name}"`)}) VALUES (${names.map((name) => `$${name}`)})`
  db.query(sql).run(row)
}

const NOTHING: Source = { decks: [], notetypes: [], notes: [], cards: [] }
/** What older programs show of a newer package. */
const UPDATE: Source = {
  decks: [{ id: 1, name: 'Default' }],
  notetypes: [{ id: 1, fields: ['Front', 'Back'], templates: [['{{Front}}', '{{Back}}']] }],
  notes: [{ id: 1, mid: 1, fields: ['Please update', 'to the latest version'] }],
  cards: [{ id: 1, nid: 1, did: 1 }],
}
export const dummy = (): Uint8Array => collectionOf(UPDATE, 11)

/** The entries of a package, to be changed. */
export function entriesOf(layout: Layout, source: Source = NOTHING): Entry[] {
  const media = Object.entries(source.media ?? {})
  if (layout === 'latest') {
    const map = Buffer.concat(
      media.map(([name, text]) => message(1, Buffer.concat([message(1, name), message(2, text.length)]))),
    )
    return [
      { name: 'meta', data: message(1, 3) },
      { name: 'collection.anki21b', data: zstdCompressSync(collectionOf(source, 18)), method: 0 },
      { name: 'collection.anki2', data: dummy() },
      { name: 'media', data: zstdCompressSync(map), method: 0 },
      ...media.map(([, text], i) => ({ name: String(i), data: zstdCompressSync(Buffer.from(text)), method: 0 })),
    ]
  }
  return [
    ...(layout === 'legacy2'
      ? [
          { name: 'meta', data: message(1, 2) },
          { name: 'collection.anki21', data: collectionOf(source, 11) },
          { name: 'collection.anki2', data: dummy() },
        ]
      : [{ name: 'collection.anki2', data: collectionOf(source, 11) }]),
    { name: 'media', data: JSON.stringify(Object.fromEntries(media.map(([name], i) => [i, name]))) },
    ...media.map(([, data], i) => ({ name: String(i), data })),
  ]
}

export function packageOf(layout: Layout, source?: Source): Uint8Array<ArrayBuffer> {
  return zipOf(entriesOf(layout, source))
}
