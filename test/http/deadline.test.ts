import { afterEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { DatabaseUntil, type Queries } from '../../src/db/database'
import { ANSWER_MS, Deadline } from '../../src/http/request'
import { SHARED_MS, startTimer } from '../../src/lib/steps'
import { makeTimers } from '../imports/timers'
import { openMigrated } from '../support/database'
import { makeFolder } from '../support/folder'
import { onPostgres } from '../support/full'

/** What has begun when the time is over is finished, on the database that the tests run with. */

const closers: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

async function open(isExempt = false) {
  const { timer, pass, waiting } = makeTimers()
  const leaving = new AbortController()
  const request = new Request('http://localhost/api/notes', { signal: leaving.signal })
  const deadline = new Deadline(request, timer, isExempt)
  const base = await openMigrated(join(makeFolder(), 'satchel.db'), 0, () => 'print')
  closers.push(() => base.close())
  const db = new DatabaseUntil(base, deadline)
  const state = { refused: false, late: false }
  deadline.race(new Promise(() => {})).then(() => {
    state.refused = true
  })
  deadline.late.then(() => {
    state.late = true
  })
  return { deadline, db, base, pass, waiting, state, leave: () => leaving.abort() }
}

const put = (db: Queries, name: string) => db.run('INSERT INTO facts (name, value) VALUES ($1, $2)', [name, 'there'])
const has = async (db: Queries, name: string) =>
  (await db.get('SELECT value FROM facts WHERE name = $1', [name])) !== null

/** Runs a transaction that has begun when `meanwhile` runs. */
async function around(db: Queries, work: (tx: Queries) => Promise<void>, meanwhile: () => void): Promise<void> {
  const { promise: freed, resolve: free } = Promise.withResolvers<void>()
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const done = db.transaction(async (tx) => {
    begin()
    await freed
    await work(tx)
  })
  await begun
  meanwhile()
  free()
  await done
}

test('a transaction that has begun is finished, and what belongs to the same answer after it', async () => {
  const { db, base, pass, state } = await open()
  await around(
    db,
    async (tx) => void (await put(tx, 'one')),
    () => pass(ANSWER_MS),
  )
  await put(db, 'two')
  expect([await has(base, 'one'), await has(base, 'two'), await has(db, 'one')]).toEqual([true, true, true])
  expect(state).toEqual({ refused: false, late: true })
})

test('a rolled-back transaction leaves nothing, so the time still counts', async () => {
  const { db, base, pass, state } = await open()
  const work = async (tx: Queries) => {
    await put(tx, 'one')
    throw new Error('rolled back')
  }
  const failed = around(db, work, () => pass(ANSWER_MS))
  expect(failed).rejects.toThrow('rolled back')
  await failed.catch(() => {})
  expect(state.refused).toBe(true)
  expect(has(db, 'one')).rejects.toThrow('was stopped')
  expect(await has(base, 'one')).toBe(false)
})

const WORKS: [string, (db: Queries) => Promise<unknown>][] = [
  ['a read', (db) => db.all('SELECT name FROM facts')],
  ['a read of one row', (db) => db.get('SELECT name FROM facts')],
  ['a statement', (db) => put(db, 'late')],
  ['a transaction', (db) => db.transaction((tx) => put(tx, 'late'))],
]

test.each(WORKS)('%s is done before the time is over, and refused after it', async (_, work) => {
  const { db, base, pass, state } = await open()
  pass(ANSWER_MS - 1)
  await work(db)
  await base.run("DELETE FROM facts WHERE name = 'late'")
  expect(state).toEqual({ refused: false, late: false })
  const second = await open()
  second.pass(ANSWER_MS)
  expect(work(second.db)).rejects.toThrow('was stopped')
  expect(await has(second.base, 'late')).toBe(false)
})

test.each(WORKS)('%s of a caller who has disconnected is refused, unless it has changed something', async (_, work) => {
  const { db, leave, deadline, state } = await open()
  const { signal } = deadline
  leave()
  expect(work(db)).rejects.toThrow('disconnected')
  expect([signal.aborted, deadline.signal.aborted, state.refused]).toEqual([true, true, false])
  const second = await open()
  await put(second.db, 'one')
  second.leave()
  await work(second.db)
})

test('the signal is aborted at the end of the time, whether it was read before or after', async () => {
  const { deadline, pass } = await open()
  const { signal } = deadline
  pass(ANSWER_MS - 1)
  expect(signal.aborted).toBe(false)
  pass(1)
  expect(signal.aborted).toBe(true)
  const second = await open()
  second.pass(ANSWER_MS)
  expect(second.deadline.signal.reason).toMatchObject({ code: 'unavailable', headers: { 'Retry-After': '5' } })
})

test('the time ends with the answer, and has no end for what is exempt', async () => {
  const { deadline, waiting, pass, state } = await open()
  expect(waiting()).toBe(1)
  deadline.end()
  expect(waiting()).toBe(0)
  const exempt = await open(true)
  expect(exempt.waiting()).toBe(0)
  exempt.pass(10 * ANSWER_MS)
  pass(10 * ANSWER_MS)
  expect([state.refused, exempt.state.refused]).toEqual([false, false])
})

test('even what is exempt has to arrive in time', async () => {
  const { deadline, pass, waiting } = await open(true)
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  void writable.getWriter().write(new Uint8Array(3))
  const chunks = deadline.receiveBody(readable, 1000)
  expect((await chunks.next()).value).toHaveLength(3)
  const rest = chunks.next()
  pass(ANSWER_MS)
  expect(rest).rejects.toThrow('The body took too long to arrive')
  await rest.catch(() => {})
  expect(waiting()).toBe(0)
})

test('waits share a timer that calls none early, none later than SHARED_MS, and none that was cancelled', async () => {
  const calls: string[] = []
  const { promise: over, resolve: end } = Promise.withResolvers<void>()
  const begin = (name: string) => {
    startTimer(50, () => void calls.push(name))
    setTimeout(() => calls.push('early'), 49)
  }
  const cancel = startTimer(50, () => void calls.push('cancelled'))
  begin('first')
  setTimeout(begin, SHARED_MS / 2, 'second')
  setTimeout(() => setTimeout(end, 50), SHARED_MS)
  cancel()
  await over
  expect(calls).toEqual(['early', 'early', 'first', 'second'])
})

onPostgres('a read that waits in the line of its owner is not begun for a caller who is gone', async () => {
  const { base, deadline, leave } = await open()
  const { promise: freed, resolve: free } = Promise.withResolvers<void>()
  const { promise: locked, resolve: lock } = Promise.withResolvers<void>()
  const locking = base.transaction(async (tx) => {
    await tx.run('LOCK TABLE facts IN ACCESS EXCLUSIVE MODE')
    lock()
    await freed
  })
  await locked
  const owned = new DatabaseUntil(base.ownedBy('a'.repeat(32)), deadline)
  const reads = Array.from({ length: 20 }, () => owned.all('SELECT name FROM facts'))
  const outcomes = Promise.allSettled(reads)
  leave()
  free()
  await locking
  // A process reads for one owner on six connections.
  expect((await outcomes).map(({ status }) => status === 'fulfilled')).toEqual([
    ...Array(6).fill(true),
    ...Array(14).fill(false),
  ])
})
