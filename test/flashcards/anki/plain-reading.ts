import { Database } from 'bun:sqlite'
import { inflateRawSync, zstdDecompressSync } from 'node:zlib'

/**
 * A reading of a package that shares no code with src: the tables as SQLite has them, by the published schema. Tests
 * hold the import against it.
 */

export interface PlainPackage {
  /** When the collection was last changed, in milliseconds since 1970. */
  readonly modified: number
  /** Descriptions by path, of decks that have notes, and of those above them. */
  readonly decks: Readonly<Record<string, string>>
  /** By guid, then by the order of the collection. */
  readonly notes: readonly PlainNote[]
  /** The note types that notes have, by id. */
  readonly noteTypes: readonly PlainNoteType[]
  /** Sizes in bytes by name. */
  readonly media: Readonly<Record<string, number>>
}

export interface PlainNote {
  readonly guid: string
  readonly fields: Readonly<Record<string, string>>
  readonly tags: readonly string[]
  /** The deck of its first card: that it belongs to, also while it is in a filtered deck. */
  readonly deck: string
  readonly cards: readonly PlainCard[]
}

export interface PlainCard {
  readonly ordinal: number
  readonly state: string
  /** A civil date for review, seconds since 1970 for learning and relearning, null for new. */
  readonly due: string | number | null
  readonly days: number
  readonly reps: number
  readonly lapses: number
  readonly flag: number
  readonly suspended: boolean
  readonly buried: boolean
  readonly leech: boolean
  /** Time in milliseconds, rating or null, duration in milliseconds. */
  readonly log: readonly (readonly [at: number, rating: number | null, ms: number])[]
}

export interface PlainNoteType {
  readonly anki_id: number
  readonly name: string
  readonly fields: readonly string[]
  readonly templates: readonly (readonly [name: string, question: string, answer: string])[]
  readonly css: string
}

/** Reads a package that an honest program made. */
export function readPlainly(bytes: Uint8Array): PlainPackage {
  const files = unzip(Buffer.from(bytes))
  const [name, raw] = ['collection.anki21b', 'collection.anki21', 'collection.anki2']
    .flatMap((one) => [[one, files.get(one)] as const])
    .find(([, data]) => data) as [string, Buffer]
  const isLatest = name.endsWith('b')
  const file = isLatest ? zstdDecompressSync(raw) : Buffer.from(raw)
  // No write-ahead log, and a collation that SQLite has.
  file.set([1, 1], 18)
  for (let at = file.indexOf('unicase'); at >= 0; at = file.indexOf('unicase', at)) file.write('NOCASE ', at)
  const db = Database.deserialize(file)
  try {
    return { ...readCollection(db), media: listMedia(files, isLatest) }
  } finally {
    db.close()
  }
}

// biome-ignore lint/suspicious/noExplicitAny: JSON and rows of any shape
type Any = any

function readCollection(db: Database): Omit<PlainPackage, 'media'> {
  const col = db.query<Any, []>('SELECT * FROM col').get()
  const described = col.ver === 11 ? describe11(col) : describe18(db)
  const version = described.config('schedVer') === 2 ? 2 : 1
  const offset = described.config('creationOffset')
  const zone = typeof offset === 'number' ? -60 * offset : null
  db.run('CREATE TEMP TABLE said (crt, zone, version)')
  db.query('INSERT INTO said VALUES (?, ?, ?)').run(col.crt, zone, version)
  db.run('CREATE TEMP TABLE log AS SELECT * FROM revlog')
  db.run('CREATE INDEX temp.log_cid ON log (cid)')
  db.run('CREATE TEMP TABLE all_cards AS SELECT * FROM cards')
  db.run('CREATE INDEX temp.all_cards_nid ON all_cards (nid)')
  const used = new Set<number>()
  const notes = db
    .query<Any, []>('SELECT id, guid, mid, tags, CAST(flds AS TEXT) AS flds FROM notes NOT INDEXED ORDER BY guid, id')
    .all()
    .map((note): PlainNote => {
      used.add(note.mid)
      const values = note.flds.split('\x1f')
      const names: string[] = described.noteTypes.get(note.mid)?.fields ?? values.map((_: string, i: number) => i)
      const tags: string[] = note.tags.split(' ').filter(Boolean)
      const cards = db.query<Any, [number]>(CARDS).all(note.id)
      return {
        guid: note.guid,
        fields: Object.fromEntries(names.map((field, i) => [field, values[i] ?? ''])),
        tags: tags.filter((tag) => tag.toLowerCase() !== 'leech').sort(),
        deck: cards.length > 0 ? (described.decks.get(cards[0].home) ?? '') : '',
        cards: cards.map(({ id, home: _, suspended, buried, lapses, ...card }) => ({
          ...card,
          lapses,
          suspended: suspended === 1,
          buried: buried === 1,
          leech: lapses > 0 && tags.some((tag) => tag.toLowerCase() === 'leech'),
          log: db.query<Any, [number]>(LOG).values(id) as Any,
        })),
      }
    })
  const noteTypes = [...described.noteTypes.values()].filter(({ anki_id }) => used.has(anki_id))
  const shown = new Set(
    notes.flatMap(({ deck }) => deck.split('::').map((_, i, path) => path.slice(0, i + 1).join('::'))),
  )
  shown.delete('')
  const decks = [...shown].map((name) => [name, described.descriptions.get(name) ?? ''])
  return {
    modified: col.mod,
    decks: Object.fromEntries(decks),
    notes,
    noteTypes: noteTypes.sort((a, b) => a.anki_id - b.anki_id),
  }
}

/**
 * The columns of cards as the manual describes them. A card in a filtered deck keeps its date in odue, unless it was
 * answered there and learns again.
 */
const CARDS = `
  WITH told AS (
    SELECT *, iif(odid = 0, did, odid) AS home,
      CASE WHEN type = 1 THEN 'learning' WHEN type = 3 OR (type = 2 AND queue IN (1, 3)) THEN 'relearning'
        WHEN type = 2 THEN 'review' ELSE 'new' END AS state
    FROM all_cards WHERE nid = ?
  ), dated AS (
    SELECT *, CASE WHEN odid = 0 OR odue = 0 THEN due
      WHEN state IN ('learning', 'relearning') AND queue <> 4 AND due > 0 THEN due ELSE odue END AS real_due
    FROM told
  )
  SELECT id, home, ord AS ordinal, state,
    CASE state WHEN 'review' THEN
        iif(zone IS NULL, date(crt + 35999, 'unixepoch', '+' || real_due || ' days'),
          date(crt + zone, 'unixepoch', '+' || real_due || ' days'))
      WHEN 'new' THEN NULL ELSE iif(real_due < 1000000000, crt + 86400 * real_due, real_due) END AS due,
    iif(state = 'review', ivl, 0) AS days, iif(state = 'new', 0, max(reps, 1)) AS reps, iif(state = 'new', 0, lapses) AS lapses, flags & 7 AS flag, queue = -1 AS suspended,
    queue IN (-2, -3) AS buried
  FROM dated, said ORDER BY ord, id`

/** An answer while learning had three buttons in the first scheduler. Cramming has a factor of 0. */
const LOG = `
  SELECT id, CASE WHEN ease = 0 OR type > 3 OR (type = 3 AND factor = 0) THEN NULL
      WHEN version = 1 AND type IN (0, 2) AND ease IN (2, 3) THEN ease + 1 ELSE ease END, min(time, 3600000)
  FROM log, said WHERE cid = ? ORDER BY id`

interface Described {
  readonly noteTypes: ReadonlyMap<number, PlainNoteType>
  readonly decks: ReadonlyMap<number, string>
  readonly descriptions: ReadonlyMap<string, string>
  config(key: string): unknown
}

function describe11(col: Any): Described {
  const [models, decks, conf] = [col.models, col.decks, col.conf].map((text) => JSON.parse(text))
  const byOrd = (list: Any[]) => [...list].sort((a, b) => a.ord - b.ord)
  const noteTypes: PlainNoteType[] = Object.values<Any>(models).map((model) => ({
    anki_id: Number(model.id),
    name: model.name,
    fields: byOrd(model.flds).map(({ name }) => name),
    templates: byOrd(model.tmpls).map(({ name, qfmt, afmt }) => [name, qfmt, afmt] as const),
    css: model.css ?? '',
  }))
  return {
    noteTypes: new Map(noteTypes.map((one) => [one.anki_id, one])),
    decks: new Map(Object.values<Any>(decks).map(({ id, name }) => [Number(id), name])),
    descriptions: new Map(Object.values<Any>(decks).map(({ name, desc }) => [name, desc ?? ''])),
    config: (key) => conf[key],
  }
}

function describe18(db: Database): Described {
  const rows = (sql: string) => db.query<Any, []>(sql).all()
  const fields = rows('SELECT ntid, name FROM fields NOT INDEXED ORDER BY ntid, ord')
  const templates = rows('SELECT ntid, name, config FROM templates NOT INDEXED ORDER BY ntid, ord')
  const noteTypes = rows('SELECT id, name, config FROM notetypes NOT INDEXED').map(({ id, name, config }) => ({
    anki_id: id,
    name,
    fields: fields.filter(({ ntid }) => ntid === id).map((field) => field.name),
    templates: templates
      .filter(({ ntid }) => ntid === id)
      .map((one) => [one.name, textOf(one.config, 1), textOf(one.config, 2)] as const),
    css: textOf(config, 3),
  }))
  const decks = rows('SELECT id, name, kind FROM decks NOT INDEXED')
  const config = new Map(rows('SELECT key, val FROM config NOT INDEXED').map(({ KEY, key = KEY, val }) => [key, val]))
  return {
    noteTypes: new Map(noteTypes.map((one) => [one.anki_id, one])),
    decks: new Map(decks.map(({ id, name }) => [id, name.replaceAll('\x1f', '::')])),
    descriptions: new Map(
      decks.map(({ name, kind }) => {
        const normal = messageOf(kind).find(({ number }) => number === 1)
        return [name.replaceAll('\x1f', '::'), normal ? textOf(normal.value, 4) : '']
      }),
    ),
    config: (key) => (config.has(key) ? JSON.parse(Buffer.from(config.get(key)).toString()) : undefined),
  }
}

/** The texts and messages of a protobuf message, by number. */
function messageOf(bytes: Uint8Array): { number: number; value: Buffer }[] {
  const found: { number: number; value: Buffer }[] = []
  let at = 0
  const varint = () => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++] ?? 0
      value |= BigInt(byte & 127) << shift
      if (byte < 128) return Number(value)
    }
  }
  while (at < bytes.length) {
    const key = varint()
    if (key % 8 === 0) varint()
    else if (key % 8 === 5) at += 4
    else if (key % 8 === 1) at += 8
    else {
      const length = varint()
      found.push({ number: Math.floor(key / 8), value: Buffer.from(bytes.subarray(at, at + length)) })
      at += length
    }
  }
  return found
}

function textOf(bytes: Uint8Array, number: number): string {
  return (
    messageOf(bytes)
      .find((field) => field.number === number)
      ?.value.toString() ?? ''
  )
}

function listMedia(files: ReadonlyMap<string, Buffer>, isLatest: boolean): Record<string, number> {
  const map = files.get('media')
  if (!map) return {}
  const names: [string, string][] = isLatest
    ? messageOf(zstdDecompressSync(map)).map(({ value }, i) => [String(i), textOf(value, 1)])
    : Object.entries(JSON.parse(map.toString()))
  return Object.fromEntries(
    names.flatMap(([entry, name]) => {
      const data = files.get(entry)
      return data ? [[name.normalize('NFC'), (isLatest ? zstdDecompressSync(data) : data).length]] : []
    }),
  )
}

/** The files of an archive by name. */
function unzip(bytes: Buffer): Map<string, Buffer> {
  const end = bytes.lastIndexOf('PK\x05\x06')
  const files = new Map<string, Buffer>()
  let at = bytes.readUInt32LE(end + 16)
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    const [packed, nameLength, extra, comment] = [20, 28, 30, 32].map((offset) =>
      offset === 20 ? bytes.readUInt32LE(at + offset) : bytes.readUInt16LE(at + offset),
    ) as [number, number, number, number]
    const name = bytes.toString('utf8', at + 46, at + 46 + nameLength)
    const local = bytes.readUInt32LE(at + 42)
    const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28)
    const data = bytes.subarray(start, start + packed)
    files.set(name, bytes.readUInt16LE(at + 10) === 8 ? inflateRawSync(data) : data)
    at += 46 + nameLength + extra + comment
  }
  return files
}
