import { Database as Sqlite } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { openDatabase } from '../../src/db/open'
import { makeFolder } from '../support/folder'

const COUNT = 'SELECT count(*) AS rows FROM facts'
const ADD = "INSERT INTO facts (name, value) VALUES ($1, '')"

async function open() {
  const path = join(makeFolder(), 'satchel.db')
  const db = openDatabase(path, 0, () => '')
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
  await db.close()
})

test('reads of one turn see one moment, and those of the next what another process wrote meanwhile', async () => {
  const { path, db, count, before } = await open()
  await setImmediate()
  const first = await count()
  const other = new Sqlite(path)
  other.run("INSERT INTO facts (name, value) VALUES ('theirs', '')")
  other.close()
  expect([first, await count()]).toEqual([before, before])
  await setImmediate()
  expect(await count()).toBe(before + 1)
  await db.close()
})

test('no reader keeps the log from being emptied', async () => {
  const { path, db, count } = await open()
  for (let n = 0; n < 50; n++) await Promise.all([count(), db.run(ADD, [`n${n}`]), count()])
  await setImmediate()
  const other = new Sqlite(path)
  expect(other.query('PRAGMA wal_checkpoint(TRUNCATE)').get()).toMatchObject({ busy: 0, log: 0 })
  other.close()
  await db.close()
})
