import { Database as Sqlite } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { DatabaseUnavailable } from '../../src/db/database'
import { SqliteDatabase } from '../../src/db/sqlite'
import { makeFolder } from '../support/folder'

/** A database in a file of its own, with a table to write to. */
function fresh(): SqliteDatabase {
  const path = join(makeFolder(), 'test.db')
  const made = new Sqlite(path)
  made.run('CREATE TABLE t (n INTEGER)')
  made.close()
  return new SqliteDatabase(path)
}

test('writers whose connection is closed are all told so: nobody waits for ever, and the process goes on', async () => {
  const unhandled: unknown[] = []
  const note = (reason: unknown) => unhandled.push(reason)
  process.on('unhandledRejection', note)
  const db = fresh()
  await db.run('INSERT INTO t VALUES (1)')
  await db.close()
  const late = [1, 2, 3].map((n) => db.run('INSERT INTO t VALUES ($1)', [n]))
  expect(await Promise.allSettled(late)).toEqual(
    late.map(() => ({ status: 'rejected', reason: expect.any(DatabaseUnavailable) })),
  )
  // The line goes on after a fault: the next writer is answered as well.
  await expect(db.run('INSERT INTO t VALUES (4)')).rejects.toThrow()
  process.off('unhandledRejection', note)
  expect(unhandled).toEqual([])
})
