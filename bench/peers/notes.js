/**
 * What all peers share: notes of several users in one plain table, as an engineer writes it in an hour. Nothing of
 * Satchel is in it but the names of the members.
 *
 * @typedef {object} Sqlite what bun:sqlite, better-sqlite3 and node:sqlite have in common
 * @property {(sql: string) => { all(...values): object[], get(...values): object | undefined, run(...values): unknown }} prepare
 * @property {(sql: string) => unknown} exec
 */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'

/** A limit that is never reached, in an hour, for each key: the limiter counts and does not refuse. */
export const LIMIT = 1_000_000_000
export const HOUR_MS = 3_600_000

/** For the frameworks that leave the validator to you. */
export const ListQuery = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  tag: z.string().max(100).optional(),
  cursor: z.string().max(200).optional(),
})
export const NewNote = z.object({
  title: z.string().max(500).default(''),
  body: z.string().max(1_048_576).default(''),
  tags: z.array(z.string().max(100)).max(64).default([]),
})

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS users (id INTEGER PRIMARY KEY, api_key TEXT NOT NULL UNIQUE);
  CREATE TABLE IF NOT EXISTS notes (
    id TEXT PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES users (id), revision INTEGER NOT NULL,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL, deleted_at TEXT, archived_at TEXT, daily_date TEXT,
    title TEXT NOT NULL, file_name TEXT, folder TEXT, tags TEXT NOT NULL, inline_tags TEXT NOT NULL,
    pinned INTEGER NOT NULL, source TEXT, excerpt TEXT NOT NULL, word_count INTEGER NOT NULL,
    checklist_total INTEGER NOT NULL, checklist_done INTEGER NOT NULL, links_out INTEGER NOT NULL,
    body TEXT NOT NULL, properties TEXT NOT NULL
  );
  CREATE INDEX IF NOT EXISTS notes_by_update ON notes (user_id, updated_at, id);
  CREATE TABLE IF NOT EXISTS note_tags (
    user_id INTEGER NOT NULL, tag TEXT NOT NULL, note_id TEXT NOT NULL REFERENCES notes (id),
    PRIMARY KEY (user_id, tag, note_id)
  ) WITHOUT ROWID;`

const SUMMARY =
  `id revision created_at updated_at deleted_at archived_at daily_date title file_name folder tags inline_tags
  pinned source excerpt word_count checklist_total checklist_done links_out`.split(/\s+/)
const ALL = [...SUMMARY, 'body', 'properties']
const selected = (names) => names.map((name) => `n.${name}`).join(', ')

/** The database in DATA_DIR, with what reads SQLite named by the first argument. */
export async function openNotes() {
  const driver = await import(process.argv[2])
  const Sqlite = driver.Database ?? driver.DatabaseSync ?? driver.default
  return createNotes(new Sqlite(join(process.env.DATA_DIR ?? '.', 'notes.db')))
}

/** @param {Sqlite} db */
export function createNotes(db) {
  db.exec('PRAGMA journal_mode = WAL')
  db.exec('PRAGMA synchronous = FULL')
  db.exec(SCHEMA)
  const user = db.prepare('SELECT id FROM users WHERE api_key = ?')
  const list = (from, where) =>
    db.prepare(
      `SELECT ${selected(SUMMARY)} FROM ${from} WHERE ${where} AND (n.updated_at, n.id) < (?, ?)
        ORDER BY n.updated_at DESC, n.id DESC LIMIT ?`,
    )
  const newest = list('notes n', 'n.user_id = ?')
  const tagged = list('note_tags t JOIN notes n ON n.id = t.note_id', 't.user_id = ? AND t.tag = ?')
  const one = db.prepare(`SELECT ${selected(ALL)} FROM notes n WHERE n.user_id = ? AND n.id = ?`)
  const marks = ALL.map(() => '?').join(', ')
  const insert = db.prepare(`INSERT INTO notes (user_id, ${ALL.join(', ')}) VALUES (?, ${marks})`)
  const insertTag = db.prepare('INSERT OR IGNORE INTO note_tags (user_id, tag, note_id) VALUES (?, ?, ?)')

  function transaction(work) {
    db.exec('BEGIN IMMEDIATE')
    try {
      work()
      db.exec('COMMIT')
    } catch (error) {
      db.exec('ROLLBACK')
      throw error
    }
  }

  /** Stores a note with all its members. */
  function add(userId, note) {
    const row = toRow(note)
    insert.run(userId, ...ALL.map((name) => row[name]))
    for (const tag of note.tags) insertTag.run(userId, tag, note.id)
  }

  return {
    findUser: (key) => user.get(key)?.id,
    list(userId, { limit = 50, tag, cursor }) {
      const after = cursor ? JSON.parse(Buffer.from(cursor, 'base64url')) : ['~', '']
      const rows = tag ? tagged.all(userId, tag, ...after, limit + 1) : newest.all(userId, ...after, limit + 1)
      const items = rows.slice(0, limit).map(toSummary)
      const { updated_at, id } = items.at(-1) ?? {}
      const isMore = rows.length > limit
      return { items, next_cursor: isMore ? Buffer.from(JSON.stringify([updated_at, id])).toString('base64url') : null }
    },
    get(userId, id) {
      const row = one.get(userId, id)
      return row && toNote(row)
    },
    create(userId, input) {
      const note = createNote(input)
      transaction(() => add(userId, note))
      return note
    },
    /** Stores the user of a key, and their notes. */
    fill(key, notes) {
      transaction(() => {
        db.prepare('INSERT INTO users (id, api_key) VALUES (1, ?)').run(key)
        for (const note of notes) add(1, note)
      })
      db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    },
  }
}

function createNote({ title = '', body = '', tags = [] }) {
  const now = new Date().toISOString()
  const boxes = body.match(/^\s*[-*+] \[[ xX]\] /gm) ?? []
  const text = body.replace(/^\s*(#+|[-*+]( \[[ xX]\])?) |[*_`>]/gm, '').replace(/\s+/g, ' ')
  return {
    id: randomUUID(),
    revision: 1,
    created_at: now,
    updated_at: now,
    deleted_at: null,
    title,
    file_name: null,
    folder: null,
    tags,
    inline_tags: [...new Set(Array.from(body.matchAll(/(?<!\S)#(\w+)/g), ([, tag]) => tag))],
    pinned: false,
    archived_at: null,
    source: null,
    daily_date: null,
    excerpt: text.trim().slice(0, 200),
    word_count: text.match(/\S+/g)?.length ?? 0,
    checklist: { total: boxes.length, done: boxes.filter((box) => /x/i.test(box)).length },
    links: { out: body.match(/\[\[[^\]]+\]\]/g)?.length ?? 0, unresolved: 0, in: 0 },
    body,
    properties: {},
  }
}

const toRow = ({ tags, inline_tags, pinned, checklist, links, properties, ...note }) => ({
  ...note,
  tags: JSON.stringify(tags),
  inline_tags: JSON.stringify(inline_tags),
  pinned: pinned ? 1 : 0,
  checklist_total: checklist.total,
  checklist_done: checklist.done,
  links_out: links.out,
  properties: JSON.stringify(properties),
})

const toSummary = (row) => ({
  id: row.id,
  revision: row.revision,
  created_at: row.created_at,
  updated_at: row.updated_at,
  deleted_at: row.deleted_at,
  title: row.title,
  file_name: row.file_name,
  folder: row.folder,
  tags: JSON.parse(row.tags),
  inline_tags: JSON.parse(row.inline_tags),
  pinned: row.pinned === 1,
  archived_at: row.archived_at,
  source: row.source,
  daily_date: row.daily_date,
  excerpt: row.excerpt,
  word_count: row.word_count,
  checklist: { total: row.checklist_total, done: row.checklist_done },
  links: { out: row.links_out, unresolved: 0, in: 0 },
})

const toNote = (row) => ({ ...toSummary(row), body: row.body, properties: JSON.parse(row.properties) })

/** Tells the bench where the peer listens. */
export function ready(port) {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}/` })}\n`)
}
