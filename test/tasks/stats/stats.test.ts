import { afterAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { fromDay, toDay } from '../../../src/lib/civil/day'
import { runs } from '../../support/full'
import { shownAt } from '../dates'
import { makeTasksWorld } from '../support'

const world = await makeTasksWorld()
afterAll(world.close)

const NOON = '2026-03-02T12:00:00.000Z'

/** Sets the clock, makes a task that is due on a day, and completes it at an instant unless that is null. */
async function made(me: object, { at = NOON, due, done }: { at?: string; due?: string; done?: string | null }) {
  world.clock.now = Date.parse(at)
  const [task] = await world.create(me, { title: 'T', ...(due && { due: { date: due } }) })
  world.clock.now = Date.parse(NOON)
  if (done) await complete(me, task.id, done)
  return task.id
}

async function complete(me: object, id: string, completed_at: string, action = 'complete') {
  const body = action === 'complete' ? { completed_at } : {}
  const { status } = await world.call(me, 'POST', `/api/tasks/${id}/${action}`, body)
  expect(status).toBe(200)
}

const column = (answer: { per_day: Record<string, unknown>[] }, name: string) => answer.per_day.map((day) => day[name])

describe('statistics', () => {
  test('count what was created and done on each civil day of the zone', async () => {
    const me = world.stranger()
    await made(me, { at: '2026-02-27T23:30:00.000Z', done: '2026-02-28T22:59:59.999Z' })
    await made(me, { at: '2026-02-28T22:30:00.000Z', done: '2026-02-28T23:00:00.000Z' })
    const days = { from: '2026-02-27', to: '2026-03-01' }
    const utc = await world.ask(me, 'stats', days)
    expect([column(utc, 'created'), column(utc, 'completed')]).toEqual([
      [1, 1, 0],
      [0, 2, 0],
    ])
    const berlin = await world.ask(me, 'stats', { ...days, time_zone: 'Europe/Berlin' })
    expect([column(berlin, 'created'), column(berlin, 'completed')]).toEqual([
      [0, 2, 0],
      [0, 1, 1],
    ])
    expect(berlin.totals).toEqual({ created: 2, completed: 2 })
  })

  test('count as overdue what is due by the end of a day and done later, or not at all', async () => {
    const me = world.stranger()
    await made(me, { due: '2026-02-26', done: '2026-02-28T10:00:00.000Z' })
    await made(me, { due: '2026-02-26', done: '2026-02-26T23:59:00.000Z' })
    await made(me, { due: '2026-02-27' })
    await made(me, { due: '2026-03-02' })
    await made(me, { due: '2026-03-03', done: '2026-02-27T10:00:00.000Z' })
    const answer = await world.ask(me, 'stats', { from: '2026-02-25', to: '2026-03-04' })
    expect(column(answer, 'overdue')).toEqual([0, 1, 2, 1, 1, 1, null, null])
    const past = await world.ask(me, 'stats', { from: '2026-02-26', to: '2026-02-27' })
    expect(column(past, 'overdue')).toEqual([1, 2])
  })

  test('count each completion of a series by the date it was for, and no skip, cancelled or erased task', async () => {
    const me = world.stranger()
    const series = { title: 'D', due: { date: '2026-02-24' }, recurrence: { rrule: 'FREQ=DAILY;INTERVAL=2' } }
    const [done, skipped, cancelled, gone] = await world.create(me, series, series, series, series)
    await complete(me, done.id, '2026-02-26T10:00:00.000Z')
    await complete(me, done.id, '2026-02-27T10:00:00.000Z')
    await complete(me, skipped.id, '', 'skip')
    await world.call(me, 'PATCH', `/api/tasks/${skipped.id}`, { due: { date: '2026-03-09' } })
    await world.call(me, 'PATCH', `/api/tasks/${cancelled.id}`, { status: 'cancelled' })
    await world.call(me, 'DELETE', `/api/tasks/${gone.id}?permanent=true`)
    const answer = await world.ask(me, 'stats', { from: '2026-02-24', to: '2026-03-01' })
    expect(column(answer, 'completed')).toEqual([0, 0, 1, 1, 0, 0])
    // Due on 24 February, done on the 26th; due on the 26th, done on the 27th; due on the 28th.
    expect(column(answer, 'overdue')).toEqual([1, 1, 1, 0, 1, 1])
  })

  test('are of the 30 days up to today by default', async () => {
    const answer = await world.ask(world.stranger(), 'stats', {})
    expect([answer.from, answer.to, answer.per_day.length]).toEqual(['2026-02-01', '2026-03-02', 30])
  })

  test('are of 366 days at most', async () => {
    const me = world.stranger()
    expect((await world.ask(me, 'stats', { from: '2024-01-01', to: '2024-12-31' })).per_day).toHaveLength(366)
    for (const query of [
      'from=2024-01-01&to=2025-01-01',
      'from=2026-03-03',
      'to=x',
      'time_zone=Mars',
      'now=1',
      'days=1',
    ]) {
      const { status } = await world.call(me, 'GET', `/api/tasks/stats?${query}`)
      expect([query, status]).toEqual([query, 400])
    }
  })
})

test('statistics are what a model counts, in any zone and as of any instant', async () => {
  const hours = fc.integer({ min: -10 * 24, max: 0 }).map((hour) => Date.parse(NOON) + hour * 3_600_000)
  const date = fc.option(fc.integer({ min: -12, max: 4 }).map((days) => fromDay(toDay('2026-03-02') + days)))
  const drawn = fc.array(fc.record({ created: hours, due: date, done: fc.option(hours) }), { maxLength: 8 })
  const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Pacific/Kiritimati')
  await fc.assert(
    fc.asyncProperty(drawn, zone, fc.integer({ min: 0, max: 72 }), async (all, time_zone, hoursAgo) => {
      const me = world.stranger()
      const now = Date.parse(NOON) - hoursAgo * 3_600_000
      for (const { created, due, done } of all)
        await made(me, {
          at: new Date(created).toISOString(),
          ...(due !== null && { due }),
          done: done === null ? null : new Date(done).toISOString(),
        })
      const days = { from: '2026-02-20', to: '2026-03-03', time_zone, now: new Date(now).toISOString() }
      const answer = await world.ask(me, 'stats', days)
      const on = (at: number | null) => (at === null || at > now ? null : shownAt(at, time_zone).date)
      const today = shownAt(now, time_zone).date
      const expected = answer.per_day.map(({ date }: { date: string }) => ({
        date,
        created: all.filter((task) => on(task.created) === date).length,
        completed: all.filter((task) => on(task.done) === date).length,
        overdue:
          date > today
            ? null
            : all.filter(({ due, done }) => {
                const doneOn = on(done)
                const past = due !== null && (date === today ? due < today : due <= date)
                return past && (doneOn === null || doneOn > date)
              }).length,
      }))
      expect(answer.per_day).toEqual(expected)
    }),
    { numRuns: runs(25) },
  )
})
