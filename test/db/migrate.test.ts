import { Database as Sqlite } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { MIGRATIONS, migrate, readSchemaVersion } from '../../src/db/open'

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
    expect(readSchemaVersion(db)).toBe(MIGRATIONS.length)
  })

  test('a failing one leaves the database as it was, without what those before it changed', () => {
    const db = memory()
    const broken = [
      { version: 1, sql: 'CREATE TABLE a (x)' },
      { version: 2, sql: 'CREATE TABLE b (x); CREATE TABLE a (x)' },
    ]
    expect(() => migrate(db, 1, broken)).toThrow()
    expect(tables(db)).toEqual(['migrations'])
    expect(readSchemaVersion(db)).toBe(0)
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

  test('a database from a newer Satchel is refused in a sentence', () => {
    const db = memory()
    migrate(db, 1, [...MIGRATIONS, { version: MIGRATIONS.length + 1, sql: 'CREATE TABLE newer (x)' }])
    expect(() => migrate(db, 1)).toThrow(/Start the newer Satchel/)
  })
})
