import { afterAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { ApiError } from '../../../src/http/api-error'
import { writeCursor } from '../../../src/http/cursor'
import { createTaskQueries } from '../../../src/tasks/list'
import type { ListTasks } from '../../../src/tasks/list-schema'
import type { Task } from '../../../src/tasks/schema'
import { NAMES, randomTask } from './model'
import { idOf, openTables, PLAIN, type Plain, writeShelf, writeTask } from './support'

const NOW = Date.parse('2026-04-05T12:00:00.000Z')
const clock = { now: NOW }
const world = openTables()
afterAll(() => world.db.close())
const me = world.session('1'.repeat(32))
const lists = createTaskQueries({ now: () => clock.now, findByText: world.findByText })
const shelf = await writeShelf(me, NAMES)

const tasks: Plain[] = fc
  .sample(randomTask, { numRuns: 120, seed: 11 })
  // Few instants, so that there are ties for the ids to break.
  .map((task, i) => ({ ...task, n: 120 - i, created: NOW - (i % 7) * 1000, updated: NOW - (i % 5) * 1000 }))
await world.db.transaction(async (db) => {
  for (const task of tasks) await writeTask({ ...me, db }, task, shelf)
})

async function everyPage(query: ListTasks): Promise<Task[]> {
  const items: Task[] = []
  let cursor: string | null = null
  do {
    const page = await lists.list(me, cursor === null ? query : { ...query, cursor })
    expect(page.items.length).toBeLessThanOrEqual(Number(query.limit))
    items.push(...page.items)
    cursor = page.next_cursor
  } while (cursor !== null)
  return items
}

describe('pages', () => {
  test('of the trash are the whole trash', async () => {
    for (const sort of ['due', '-updated'] as const) {
      const ids = (await everyPage({ trashed: 'true', sort, limit: '3' })).map(({ id }) => id)
      expect(ids).toHaveLength(tasks.filter(({ trashed }) => trashed).length)
      expect(ids).toEqual((await lists.list(me, { trashed: 'true', sort, limit: '200' })).items.map(({ id }) => id))
    }
  })

  test('are all of the instant of the first', async () => {
    clock.now = NOW
    const whole = await lists.list(me, { filter: 'overdue', limit: '200' })
    const first = await lists.list(me, { filter: 'overdue', limit: '2' })
    clock.now = NOW + 20 * 86_400_000
    const later = await lists.list(me, { filter: 'overdue', limit: '200', cursor: first.next_cursor ?? '' })
    const anew = await lists.list(me, { filter: 'overdue', limit: '200' })
    clock.now = NOW
    expect([...first.items, ...later.items]).toEqual(whole.items)
    expect(anew.items.length).toBeGreaterThan(whole.items.length)
  })

  test('answer alike for one `now`, whatever the clock says', async () => {
    const query = {
      filter: 'overdue | today',
      now: '2026-04-01T10:00:00.000Z',
      time_zone: 'Pacific/Kiritimati',
      limit: '200',
    }
    const before = await lists.list(me, query)
    clock.now = NOW + 40 * 86_400_000
    expect(await lists.list(me, query)).toEqual(before)
    clock.now = NOW
  })
})

describe('a cursor', () => {
  const from = async () => (await lists.list(me, { filter: 'open', limit: '1', sort: 'title' })).next_cursor ?? ''
  test.each([
    ['another filter', { filter: 'in_progress', sort: 'title' }],
    ['no filter', { sort: 'title' }],
    ['a label', { filter: 'open', sort: 'title', label: 'a' }],
    ['another sort', { filter: 'open', sort: '-title' }],
    ['another zone', { filter: 'open', sort: 'title', time_zone: 'Europe/Berlin' }],
    ['another instant', { filter: 'open', sort: 'title', now: '2026-04-05T12:00:00.000Z' }],
    ['the trash', { filter: 'open', sort: 'title', trashed: 'true' }],
  ] as [string, ListTasks][])('does not go with %s', async (_, query) => {
    const answer = await lists.list(me, { ...query, cursor: await from() }).catch((error: unknown) => error)
    expect(answer).toBeInstanceOf(ApiError)
    expect((answer as ApiError).code).toBe('invalid_cursor')
  })

  test('that was made up is refused, or names a place in the list', async () => {
    const binding = JSON.stringify(['tasks', 'title', null, 'UTC', [['sort', 'title']]])
    for (const now of [1e300, 1.5, null, -1e17]) {
      const cursor = writeCursor(binding, [now, 'a', idOf(1)])
      expect(await lists.list(me, { sort: 'title', cursor }).catch(({ code }) => code)).toBe('invalid_cursor')
    }
    expect(await lists.list(me, { sort: 'title', cursor: writeCursor(binding, [NOW, '', '']) })).toEqual(
      await lists.list(me, { sort: 'title' }),
    )
  })
})

test('a page ends early at 8 MiB, and the next goes on from there', async () => {
  const heavy = world.session('2'.repeat(32))
  for (let n = 1; n <= 140; n++) await writeTask(heavy, { ...PLAIN, n, notes: 'n'.repeat(64 * 1024) }, shelf)
  const first = await lists.list(heavy, { limit: '200', sort: 'created' })
  const second = await lists.list(heavy, { limit: '200', sort: 'created', cursor: first.next_cursor ?? '' })
  expect(first.items).toHaveLength(127)
  expect(second.items).toHaveLength(13)
  expect(second.next_cursor).toBeNull()
})
