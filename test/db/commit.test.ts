import { Database as Sqlite } from 'bun:sqlite'
import { afterEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Database } from '../../src/db/database'
import { openDatabase } from '../../src/db/open'
import { makeFolder } from '../support/folder'

const COUNT = 'SELECT count(*) AS rows FROM facts'
const ADD = "INSERT INTO facts (name, value) VALUES ($1, '')"

const opened: Database[] = []
afterEach(async () => {
  for (const db of opened.splice(0)) await db.close()
})

async function open() {
  const path = join(makeFolder(), 'satchel.db')
  const db = openDatabase(path, 0, () => '')
  opened.push(db)
  const count = async () => (await db.get<{ rows: number }>(COUNT))?.rows ?? 0
  return { path, db, count, before: await count() }
}

test('whoever waited for a commit reads it at once, though others read in the same turn before', async () => {
  const { db, count, before } = await open()
  for (let n = 1; n <= 20; n++) {
    const reading = count()
    await db.run(ADD, [`n${n}`])
    expect([await reading, await count()]).toEqual([before + n - 1, before + n])
  }
})

test('reads of one turn after the first see one moment, and those of the next what another process wrote', async () => {
  const { path, count, before } = await open()
  await setImmediate()
  const first = [await count(), await count()]
  const other = new Sqlite(path)
  other.run("INSERT INTO facts (name, value) VALUES ('theirs', '')")
  other.close()
  expect([...first, await count()]).toEqual([before, before, before])
  await setImmediate()
  expect(await count()).toBe(before + 1)
})

test('a lone read opens no transaction, and two in one turn do', async () => {
  const { path, count } = await open()
  await setImmediate()
  const other = new Sqlite(path)
  const isBusy = async (n: number) => {
    await count()
    other.run(`INSERT INTO facts (name, value) VALUES ('n${n}', '')`)
    return other.query<{ busy: number }, []>('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy === 1
  }
  expect([await isBusy(0), await isBusy(1)]).toEqual([false, true])
  other.close()
})

test('no reader keeps the log from being emptied', async () => {
  const { path, db, count } = await open()
  for (let n = 0; n < 50; n++) await Promise.all([count(), db.run(ADD, [`n${n}`]), count()])
  await setImmediate()
  const other = new Sqlite(path)
  expect(other.query('PRAGMA wal_checkpoint(TRUNCATE)').get()).toMatchObject({ busy: 0, log: 0 })
  other.close()
})

test('what is to be told is told after the commit, once, and others see by then what was written', async () => {
  const { db } = await open()
  const told: string[] = []
  const seen: unknown[] = []
  await db.transaction(async (tx) => {
    await tx.run("INSERT INTO facts (name, value) VALUES ('x', 'y')")
    for (const nth of [1, 2]) tx.afterCommit('a', () => void told.push(`a${nth}`))
    await tx.transaction(async (inner) =>
      inner.afterCommit('b', () => void seen.push(db.get("SELECT value FROM facts WHERE name = 'x'"))),
    )
    expect(told).toEqual([])
  })
  await db.transaction(async () => {})
  expect([told, await Promise.all(seen)]).toEqual([['a2'], [{ value: 'y' }]])
})

test('nothing is told of what was rolled back, alone or with others of its commit', async () => {
  const { db } = await open()
  const told: string[] = []
  const failing = db.transaction(async (tx) => {
    tx.afterCommit('a', () => void told.push('failed'))
    throw new Error('no')
  })
  const beside = db.transaction(async (tx) => {
    tx.afterCommit('b', () => void told.push('beside'))
    const inner = tx.transaction(async (nested) => {
      nested.afterCommit('b', () => void told.push('nested'))
      throw new Error('no')
    })
    await expect(inner).rejects.toThrow('no')
  })
  await expect(failing).rejects.toThrow('no')
  await beside
  const late = db.transaction(async (tx) => {
    tx.afterCommit('c', () => void told.push('late'))
    // Only the commit itself finds the fault.
    await tx.run('PRAGMA defer_foreign_keys = ON')
    await tx.run("INSERT INTO note_properties (workspace, name, value, key) VALUES ('w', 'a', 'b', -1)")
  })
  await expect(late).rejects.toThrow('FOREIGN KEY')
  expect(await db.get("SELECT 1 FROM note_properties WHERE workspace = 'w'")).toBeNull()
  await db.transaction(async () => {})
  expect(told).toEqual(['beside'])
})
