import { Database as Sqlite } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { MIGRATIONS, migrate, schemaVersion } from '../../src/db/open'

const memory = () => new Sqlite(':memory:', { strict: true })
const tables = (db: Sqlite) =>
  db
    .query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    .all()
    .map(({ name }) => name)

describe('migrations', () => {
  test('are numbered without a gap', () => {
    expect(MIGRATIONS.map(({ version }) => version)).toEqual(MIGRATIONS.map((_, i) => i + 1))
  })

  test('run once, and a second start changes nothing', () => {
    const db = memory()
    migrate(db, 1)
    const before = db.query('SELECT * FROM migrations').all()
    migrate(db, 2)
    expect(db.query('SELECT * FROM migrations').all()).toEqual(before)
    expect(schemaVersion(db)).toBe(MIGRATIONS.length)
  })

  test('a failing one leaves the database as it was, without what those before it changed', () => {
    const db = memory()
    const broken = [
      { version: 1, sql: 'CREATE TABLE a (x)' },
      { version: 2, sql: 'CREATE TABLE b (x); CREATE TABLE a (x)' },
    ]
    expect(() => migrate(db, 1, broken)).toThrow()
    expect(tables(db)).toEqual(['migrations'])
    expect(schemaVersion(db)).toBe(0)
  })

  test('a scratch space from before there were sites is that of its address, and its 24 hours begin anew', () => {
    const db = memory()
    migrate(db, 1, MIGRATIONS.slice(0, 16))
    const [key, scratch] = ['1', '2'].map((digit) => digit.repeat(32))
    const insert = 'INSERT INTO workspaces (id, kind, created_at, seq, resources, size_bytes) VALUES (?, ?, 0, 1, 1, 9)'
    db.run(insert, [key ?? '', 'key'])
    db.run(insert, [scratch ?? '', 'scratch'])
    const hour = () => Math.floor(Date.now() / 3_600_000)
    const before = hour()
    migrate(db, 1)
    const rows = db.query('SELECT id, address, asked_hour FROM workspaces ORDER BY id').all()
    expect(rows).toEqual([
      { id: key, address: null, asked_hour: null },
      { id: scratch, address: scratch, asked_hour: expect.any(Number) },
    ])
    const { asked_hour } = rows[1] as { asked_hour: number }
    expect(asked_hour).toBeWithin(before, hour() + 1)
  })

  test('what is in the trash stays there, and its indexes and triggers, where the column gets another name', () => {
    const db = memory()
    migrate(db, 1, MIGRATIONS.slice(0, 25))
    const insert = (table: string, given: Record<string, string | number>) => {
      const row = { workspace: 'w', revision: 1, created_at: 0, updated_at: 0, ...given }
      const names = Object.keys(row)
      db.query(`INSERT INTO ${table} (${names}) VALUES (${names.map((name) => `$${name}`)})`).run(row)
    }
    const deck = { name_key: 'a', description: '', settings: '{}', size_bytes: 1, name: 'a' }
    insert('study_decks', { id: 'living', ...deck })
    insert('study_decks', { id: 'gone', ...deck, trashed_at: 7 })
    const fact = { deck: 1, type: 'basic', accepted: '[]', tags: '[]', duplicate_key: 'd', size_bytes: 1 }
    insert('study_facts', { id: 'fact', ...fact, trashed_at: 8 })
    migrate(db, 1)
    expect(db.query('SELECT id, deleted_at FROM study_decks ORDER BY key').all()).toEqual([
      { id: 'living', deleted_at: null },
      { id: 'gone', deleted_at: 7 },
    ])
    expect(() => insert('study_decks', { id: 'same name', ...deck })).toThrow('UNIQUE')
    const found = () => db.query("SELECT key FROM search_docs WHERE type = 'fact'").all()
    expect(found()).toEqual([])
    db.run('UPDATE study_facts SET deleted_at = NULL')
    expect(found()).toEqual([{ key: 1 }])
    expect(db.query("SELECT name FROM sqlite_master WHERE sql LIKE '%trashed_at%'").all()).toEqual([])
  })

  test('a database from a newer Satchel is refused in a sentence', () => {
    const db = memory()
    migrate(db, 1, [...MIGRATIONS, { version: MIGRATIONS.length + 1, sql: 'CREATE TABLE newer (x)' }])
    expect(() => migrate(db, 1)).toThrow(/Start the newer Satchel/)
  })
})
