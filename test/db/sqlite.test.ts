import { afterEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import { DatabaseFull, DatabaseUnavailable } from '../../src/db/database'
import { SqliteDatabase } from '../../src/db/sqlite'
import { openSqlite, translateErrors } from '../../src/db/sqlite-file'
import { makeFolder } from '../support/folder'
import { runs } from '../support/full'

function makeDatabase(): { db: SqliteDatabase; path: string } {
  const path = join(makeFolder(), 'satchel.db')
  const setup = openSqlite(path)
  setup.run('CREATE TABLE items (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT')
  setup.close()
  const db = new SqliteDatabase(path)
  opened.add(db)
  return { db, path }
}

const opened = new Set<SqliteDatabase>()
/** For tests of what is there when it is closed; all others are closed at their end. */
const close = (db: SqliteDatabase) => opened.delete(db) && db.close()
afterEach(() => Promise.all([...opened].map(close)))

const insert = 'INSERT INTO items (id, text) VALUES ($1, $2)'
const count = async (db: SqliteDatabase) => (await db.get<{ n: number }>('SELECT count(*) AS n FROM items'))?.n

describe('the SQLite adapter', () => {
  test('is durable: WAL, synchronous FULL, foreign keys on', () => {
    const db = openSqlite(join(makeFolder(), 'a.db'))
    const pragma = (name: string) => Object.values(db.query(`PRAGMA ${name}`).get() as object)[0]
    expect([pragma('journal_mode'), pragma('synchronous'), pragma('foreign_keys')]).toEqual(['wal', 2, 1])
    db.close()
  })

  test('leaves nothing of a deleted row in its file', async () => {
    const { db, path } = makeDatabase()
    const isThere = async () => (await Bun.file(path).text()).includes('a secret')
    await db.run(insert, [1, 'a secret'])
    await close(db)
    expect(await isThere()).toBe(true)
    const again = new SqliteDatabase(path)
    await again.run('DELETE FROM items')
    await again.close()
    expect(await isThere()).toBe(false)
  })

  test('calls what cannot be written, or is no database, unavailable, not wrong', async () => {
    const { db, path } = makeDatabase()
    const reader = openSqlite(path, 'readonly')
    expect(() => translateErrors(() => reader.run("INSERT INTO items VALUES (1, 'one')"))).toThrow(DatabaseUnavailable)
    expect(() => translateErrors(() => reader.run('nonsense'))).not.toThrow(DatabaseUnavailable)
    expect(() => openSqlite(`${path}.gone`, 'readwrite')).toThrow(DatabaseUnavailable)
    expect(() => openSqlite(`${path}.gone/a.db`)).toThrow(DatabaseUnavailable)
    reader.close()
    await close(db)
    await Bun.write(path, 'no database '.repeat(1000))
    expect(() => openSqlite(path)).toThrow(DatabaseUnavailable)
  })

  test('binds parameters by number, whatever order they appear in', async () => {
    const { db } = makeDatabase()
    await db.run('INSERT INTO items (text, id) VALUES ($2, $1)', [7, 'seven'])
    expect(await db.all<{ id: number; text: string }>('SELECT id, text FROM items')).toEqual([{ id: 7, text: 'seven' }])
  })

  test('a writer that comes just when the line has come to its end is not forgotten', async () => {
    for (let microtasks = 0; microtasks < 8; microtasks++) {
      const { db } = makeDatabase()
      await db.run(insert, [1, 'one'])
      for (let i = 0; i < microtasks; i++) await null
      await db.run(insert, [2, 'two'])
      expect(await count(db)).toBe(2)
    }
  })

  test('a nested transaction can fail alone', async () => {
    const { db } = makeDatabase()
    await db.transaction(async (tx) => {
      await tx.run(insert, [1, 'one'])
      await tx
        .transaction(async (inner) => {
          await inner.run(insert, [2, 'two'])
          throw new Error('no')
        })
        .catch(() => {})
      await tx.transaction((inner) => inner.run(insert, [3, 'three']))
    })
    expect(await db.all<{ id: number }>('SELECT id FROM items ORDER BY id')).toEqual([{ id: 1 }, { id: 3 }])
  })

  test('a read beside a transaction never sees half of it; a read within it sees it all', async () => {
    const { db } = makeDatabase()
    await db.transaction(async (tx) => {
      await tx.run(insert, [1, 'one'])
      expect(await count(db)).toBe(0)
      expect(await tx.get<{ n: number }>('SELECT count(*) AS n FROM items')).toEqual({ n: 1 })
      await tx.run(insert, [2, 'two'])
      expect(await count(db)).toBe(0)
    })
    expect(await count(db)).toBe(2)
  })

  test('nothing is written through the connection that reads', async () => {
    const { db } = makeDatabase()
    await expect(db.all(`${insert} RETURNING id`, [1, 'one'])).rejects.toThrow()
    expect(await count(db)).toBe(0)
  })

  test('a hundred writers at once are each there, in any order of success and failure', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 20 }), fc.boolean()), { maxLength: 100 }),
        async (writes) => {
          const { db } = makeDatabase()
          const results = await Promise.allSettled(
            writes.map(([id, fails]) =>
              db.transaction(async (tx) => {
                await tx.run(insert, [id, 'x'])
                if (fails) throw new Error('no')
                return id
              }),
            ),
          )
          const stored = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
          const rows = await db.all<{ id: number }>('SELECT id FROM items')
          expect(rows.map(({ id }) => id)).toEqual(stored.toSorted((a, b) => a - b))
          expect(stored).toEqual([...new Set(writes.filter(([, fails]) => !fails).map(([id]) => id))])
        },
      ),
      { numRuns: runs(20) },
    )
  })

  test('a database that is full refuses as full, keeps what was acknowledged, and goes on when there is room', async () => {
    const { db } = makeDatabase()
    const text = 'x'.repeat(3000)
    await db.transaction((tx) => tx.run('PRAGMA max_page_count = 12'))
    let acknowledged = 0
    const fill = async () => {
      for (let id = 0; id < 100; id++) {
        await db.run(insert, [id, text])
        acknowledged++
      }
    }
    expect(await fill().catch((error) => error)).toBeInstanceOf(DatabaseFull)
    expect(await count(db)).toBe(acknowledged)
    const together = await Promise.allSettled([db.run(insert, [901, 'small']), db.run(insert, [902, text.repeat(9)])])
    const kept = together.filter(({ status }) => status === 'fulfilled').length
    expect(await count(db)).toBe(acknowledged + kept)
    await db.transaction((tx) => tx.run('PRAGMA max_page_count = 1000'))
    await db.run(insert, [999, text])
    expect(await count(db)).toBe(acknowledged + kept + 1)
  })

  test('close waits for the writers in line', async () => {
    const { db, path } = makeDatabase()
    const writing = db.run(insert, [1, 'one'])
    await close(db)
    await writing
    const again = openSqlite(path)
    expect(again.query('SELECT count(*) AS n FROM items').get()).toEqual({ n: 1 })
    again.close()
  })

  test('writers whose connection is closed are all told so: nobody waits for ever, and the process goes on', async () => {
    const unhandled: unknown[] = []
    const note = (reason: unknown) => unhandled.push(reason)
    process.on('unhandledRejection', note)
    const { db } = makeDatabase()
    await db.run(insert, [1, 'one'])
    await close(db)
    const late = [1, 2, 3].map((n) => db.run(insert, [n, 'late']))
    expect(await Promise.allSettled(late)).toEqual(
      late.map(() => ({ status: 'rejected', reason: expect.any(DatabaseUnavailable) })),
    )
    // The line goes on after a fault: the next writer is answered as well.
    await expect(db.run(insert, [4, 'late'])).rejects.toThrow()
    process.off('unhandledRejection', note)
    expect(unhandled).toEqual([])
  })
})
