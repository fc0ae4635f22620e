import { Database as Sqlite } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MIGRATIONS, migrate, readFileVersion, readSchemaVersion } from '../../src/db/open'
import { makeFolder } from '../support/folder'

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
    const before = db.query('SELECT * FROM schema_versions').all()
    migrate(db, 2)
    expect(db.query('SELECT * FROM schema_versions').all()).toEqual(before)
    expect(readSchemaVersion(db)).toBe(MIGRATIONS.length)
  })

  test('a failing one leaves the database as it was, without what those before it changed', () => {
    const db = memory()
    const broken = [
      { version: 1, sql: 'CREATE TABLE a (x)' },
      { version: 2, sql: 'CREATE TABLE b (x); CREATE TABLE a (x)' },
    ]
    expect(() => migrate(db, 1, broken)).toThrow()
    expect(tables(db)).toEqual([])
    expect(readSchemaVersion(db)).toBe(0)
  })

  test('a later one runs on what there is, and keeps it', () => {
    const db = memory()
    migrate(db, 1)
    db.run("INSERT INTO facts (name, value) VALUES ('a', 'kept')")
    const later = { version: MIGRATIONS.length + 1, sql: 'ALTER TABLE facts ADD COLUMN since INTEGER' }
    migrate(db, 2, [...MIGRATIONS, later])
    expect(db.query('SELECT * FROM facts').all()).toEqual([{ name: 'a', value: 'kept', since: null }])
    const versions = db.query('SELECT * FROM schema_versions ORDER BY version').all()
    expect(versions).toEqual([
      ...MIGRATIONS.map(({ version }) => ({ version, applied_at: 1 })),
      { version: later.version, applied_at: 2 },
    ])
  })

  test('a database from a newer Satchel is refused in a sentence', () => {
    const db = memory()
    migrate(db, 1, [...MIGRATIONS, { version: MIGRATIONS.length + 1, sql: 'CREATE TABLE newer (x)' }])
    expect(() => migrate(db, 1)).toThrow(/Start the newer Satchel/)
  })
})

describe('a file', () => {
  const makeFile = (...statements: readonly string[]) => {
    const path = join(makeFolder(), 'satchel.db')
    using db = new Sqlite(path)
    for (const statement of statements) db.run(statement)
    return path
  }
  const VERSIONS = 'CREATE TABLE migrations (version INTEGER PRIMARY KEY, applied_at INTEGER NOT NULL)'

  test.each([
    ['the last version before the first release', [VERSIONS, 'INSERT INTO migrations VALUES (1, 0), (43, 0)']],
    ['the first version', [VERSIONS, 'INSERT INTO migrations VALUES (1, 0)', 'CREATE TABLE workspaces (id TEXT)']],
    ['another program', ['CREATE TABLE moz_places (id INTEGER)']],
  ])('of %s is refused in a sentence, and stays as it is', (_, statements) => {
    const path = makeFile(...statements)
    const before = readFileSync(path)
    expect(() => readFileVersion(path)).toThrow(
      `${path} was made before Satchel 0.1.0, the first release, and cannot be opened: begin with an empty folder.`,
    )
    using db = new Sqlite(path)
    expect(() => migrate(db, 1)).toThrow('was made before Satchel 0.1.0')
    expect(readFileSync(path).equals(before)).toBeTrue()
  })

  test('that is empty, current or a backup is not refused', () => {
    const empty = join(makeFolder(), 'satchel.db')
    writeFileSync(empty, '')
    const current = makeFile()
    const backup = makeFile('CREATE TABLE backup (secret TEXT)')
    for (const path of [current, backup]) {
      using db = new Sqlite(':memory:')
      migrate(db, 1)
      if (path === backup) db.run('CREATE TABLE backup (secret TEXT)')
      writeFileSync(path, db.serialize())
    }
    for (const path of [empty, current, backup]) expect(() => readFileVersion(path)).not.toThrow()
  })
})
