import { afterAll, expect, test } from 'bun:test'
import { slowness } from '../support/cost'
import { slowOnSqlite } from '../support/full'
import { makeTasksWorld } from './support'

const world = await makeTasksWorld()
const { call, make, stranger } = world
afterAll(world.close)

const MAX_HELD_MS = 20
const fill = (unit: string, length: number) => unit.repeat(length).slice(0, length)
/** What takes long to read, and is nothing after all. */
const HOSTILE = ['3 days before ', 'every 1st, ', '1, ', 'a ', 'on ', 'last friday of the ']

/** Milliseconds of the processor's time for which the writer was held at the longest while `work` ran. */
async function longestHold(work: () => Promise<unknown>): Promise<number> {
  const { db } = world
  const { transaction } = db
  let longest = 0
  db.transaction = (inside) =>
    transaction.call(db, async (tx) => {
      const start = process.cpuUsage()
      try {
        return await inside(tx)
      } finally {
        const { user, system } = process.cpuUsage(start)
        longest = Math.max(longest, (user + system) / 1000)
      }
    }) as never
  try {
    await work()
  } finally {
    db.transaction = transaction
  }
  return longest / slowness()
}

/** The least of three runs: others are busy on the machine. */
async function leastHold(work: () => Promise<unknown>): Promise<number> {
  const held = [await longestHold(work), await longestHold(work), await longestHold(work)]
  expect(held.every((ms) => ms > 0)).toBe(true)
  return Math.min(...held)
}

// SQLite has one writer. In PostgreSQL a transaction waits for answers, and what runs meanwhile would count.
slowOnSqlite(`a batch of hostile words holds the writer for less than ${MAX_HELD_MS} ms`, async () => {
  const me = stranger()
  const { id } = await make(me)
  const long = (i: number, length: number) => fill(HOSTILE[i % HOSTILE.length] ?? '', length)
  const opsOf = (length: number) =>
    Array.from({ length: 100 }, (_, i) => {
      const data = {
        title: 'T',
        due: 'tomorrow',
        start: 'today',
        reminders: Array.from({ length: 10 }, () => long(i, length)),
      }
      return i % 2 ? { op: 'create', data } : { op: 'update', id, data: { ...data, due: long(i, length) } }
    })
  for (const length of [100, 1000]) {
    const send = async () => {
      const { status, body } = await call(me, 'POST', '/api/tasks/batch', { atomic: false, ops: opsOf(length) })
      expect([status, ...new Set(body.items.map((item: { status: number }) => item.status))]).toEqual([200, 400])
    }
    expect(await leastHold(send)).toBeLessThan(MAX_HELD_MS)
  }
})

test('a project that is made between reading and writing is used, not made twice', async () => {
  const me = stranger()
  const send = (n: number) => call(me, 'POST', '/api/tasks/quick', { text: `Task ${n} #Same`, create_missing: true })
  const made = await Promise.all([1, 2, 3].map(send))
  expect(made.map(({ status }) => status)).toEqual([201, 201, 201])
  expect(new Set(made.map(({ body }) => body.task.project_id)).size).toBe(1)
  expect((await call(me, 'GET', '/api/tasks/projects')).body.items).toMatchObject([{ name: 'Same', open: 3 }])
})
