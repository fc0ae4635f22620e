import { Database, type Statement } from 'bun:sqlite'
import type { AnkiCard, AnkiReview } from './collection'

/** Writes a collection of schema 11 in memory. The same rows make the same bytes. */

const SCHEMA = `
CREATE TABLE col (id integer PRIMARY KEY, crt integer NOT NULL, mod integer NOT NULL, scm integer NOT NULL,
  ver integer NOT NULL, dty integer NOT NULL, usn integer NOT NULL, ls integer NOT NULL, conf text NOT NULL,
  models text NOT NULL, decks text NOT NULL, dconf text NOT NULL, tags text NOT NULL);
CREATE TABLE notes (id integer PRIMARY KEY, guid text NOT NULL, mid integer NOT NULL, mod integer NOT NULL,
  usn integer NOT NULL, tags text NOT NULL, flds text NOT NULL, sfld integer NOT NULL, csum integer NOT NULL,
  flags integer NOT NULL, data text NOT NULL);
CREATE TABLE cards (id integer PRIMARY KEY, nid integer NOT NULL, did integer NOT NULL, ord integer NOT NULL,
  mod integer NOT NULL, usn integer NOT NULL, type integer NOT NULL, queue integer NOT NULL, due integer NOT NULL,
  ivl integer NOT NULL, factor integer NOT NULL, reps integer NOT NULL, lapses integer NOT NULL, left integer NOT NULL,
  odue integer NOT NULL, odid integer NOT NULL, flags integer NOT NULL, data text NOT NULL);
CREATE TABLE revlog (id integer PRIMARY KEY, cid integer NOT NULL, usn integer NOT NULL, ease integer NOT NULL,
  ivl integer NOT NULL, lastIvl integer NOT NULL, factor integer NOT NULL, time integer NOT NULL, type integer NOT NULL);
CREATE TABLE graves (usn integer NOT NULL, oid integer NOT NULL, type integer NOT NULL);
CREATE INDEX ix_notes_usn ON notes (usn);
CREATE INDEX ix_cards_usn ON cards (usn);
CREATE INDEX ix_revlog_usn ON revlog (usn);
CREATE INDEX ix_cards_nid ON cards (nid);
CREATE INDEX ix_cards_sched ON cards (did, queue, due);
CREATE INDEX ix_revlog_cid ON revlog (cid);
CREATE INDEX ix_notes_csum ON notes (csum);
`

/** The columns of each table that the caller writes; CONSTANT_COLUMNS has the others. */
interface CollectionRows {
  col: {
    crt: number
    mod: number
    scm: number
    conf: string
    models: string
    decks: string
    dconf: string
    tags: string
  }
  notes: { id: number; guid: string; mid: number; mod: number; tags: string; flds: string; sfld: string; csum: number }
  cards: Omit<AnkiCard, 'odue' | 'odid'> & { mod: number }
  revlog: AnkiReview & { ivl: number; lastIvl: number }
}

/** The columns with the same value in every row. `usn` -1: not synced to any server yet. */
const CONSTANT_COLUMNS: Readonly<Record<keyof CollectionRows, Readonly<Record<string, string | number>>>> = {
  col: { id: 1, ver: 11, dty: 0, usn: 0, ls: 0 },
  notes: { usn: -1, flags: 0, data: '' },
  cards: { usn: -1, odue: 0, odid: 0 },
  revlog: { usn: -1 },
}

/** SQLite's default page size. */
const PAGE_BYTES = 4096

export interface CollectionWriter {
  add<Table extends keyof CollectionRows>(table: Table, row: CollectionRows[Table]): void
  /** Returns its size so far, without rows that are not yet on a page. */
  countBytes(): number
  /** Returns the database; after that nothing can be added. */
  finish(): Uint8Array
  close(): void
}

export function createCollection(): CollectionWriter {
  const db = new Database(':memory:', { strict: true })
  db.run(SCHEMA)
  db.run('BEGIN')
  const inserts = new Map<keyof CollectionRows, Statement>()
  const insert = (table: keyof CollectionRows, names: readonly string[]): Statement => {
    const known = inserts.get(table)
    if (known) return known
    const [columns, marks] = [names.map((name) => `"${name}"`), names.map((name) => `$${name}`)]
    const made = db.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${marks.join(', ')})`)
    inserts.set(table, made)
    return made
  }
  const pages = db.prepare<{ page_count: number }, []>('PRAGMA page_count')
  return {
    countBytes: () => (pages.get()?.page_count ?? 0) * PAGE_BYTES,
    add(table, row) {
      const values = { ...CONSTANT_COLUMNS[table], ...row }
      insert(table, Object.keys(values)).run(values)
    },
    finish() {
      db.run('COMMIT')
      return db.serialize()
    },
    close: () => db.close(),
  }
}
