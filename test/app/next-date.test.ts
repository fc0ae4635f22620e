/** The next date of a task that repeats is worked out in the browser as the server does it. */
import { afterAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Task } from '../../app/api/types'
import { applyToTask } from '../../app/data/writes'
import { afterStep } from '../../app/tasks/next-date'
import { runs } from '../support/full'
import { MANY_CALLERS, makeWorld, stranger } from '../support/world'

const RUNS = runs(80)

const world = await makeWorld({ settings: MANY_CALLERS })
afterAll(() => world.close())

const start = world.clock.now
const DAY = 86_400_000

const zone = fc.constantFrom('UTC', 'Europe/Lisbon', 'America/New_York', 'Asia/Kolkata', 'Pacific/Apia')
const rrule = fc.constantFrom(
  'FREQ=DAILY',
  'FREQ=DAILY;INTERVAL=3;COUNT=4',
  'FREQ=WEEKLY;BYDAY=MO,TH',
  'FREQ=WEEKLY;INTERVAL=2;BYDAY=SU',
  'FREQ=MONTHLY;BYMONTHDAY=31',
  'FREQ=MONTHLY;BYDAY=-1FR',
  'FREQ=YEARLY;UNTIL=20280101',
)
const due = fc.record({
  date: fc.constantFrom('2026-01-05', '2026-02-26', '2026-03-02', '2026-03-28', '2026-10-31', '2028-02-29'),
  time: fc.option(fc.constantFrom('00:00', '02:30', '09:15', '23:59')),
})
const reminder = fc.constantFrom(
  { offset_minutes: 30 },
  { at: '2026-02-20T08:00:00.000Z' },
  { at: '2026-03-29T01:30:20.000Z' },
)
const task = fc.record({
  due,
  zone: fc.option(zone),
  rrule,
  mode: fc.constantFrom('schedule' as const, 'completion' as const),
  skip: fc.constantFrom('backward' as const, 'forward' as const, 'omit' as const),
  hasStart: fc.boolean(),
  reminders: fc.array(reminder, { maxLength: 2 }),
})
const step = fc.record({
  op: fc.constantFrom('complete' as const, 'skip' as const),
  time_zone: zone,
  ms: fc.integer({ min: 0, max: 40 * DAY }),
})

test('a completion or a skip shows what the server then answers', async () => {
  let advanced = 0
  await fc.assert(
    fc.asyncProperty(task, fc.array(step, { minLength: 1, maxLength: 4 }), async (given, steps) => {
      const me = stranger()
      world.clock.now = start
      const { date, time } = given.due
      const made = await world.call(me, 'POST', '/api/tasks', {
        title: 'Water the plants',
        due: { date, time, time_zone: time === null ? null : given.zone },
        ...(given.hasStart && { start: { date: '2026-01-01' } }),
        recurrence: { rrule: given.rrule, mode: given.mode, skip: given.skip, anchor: date },
        reminders: given.reminders,
      })
      if (made.status !== 201) return
      let before: Task = made.body
      for (const { op, time_zone, ms } of steps) {
        if (before.status !== 'open') return
        world.clock.now += ms
        const write = { op, id: before.id, data: { time_zone } }
        const after = afterStep(before, { kind: op === 'skip' ? 'skip' : 'done', at: world.clock.now, time_zone })
        const here = applyToTask(before, { type: 'task', op: write, after }, world.clock.now)
        const { body } = await world.call(me, 'POST', '/api/tasks/batch', { atomic: false, ops: [write] })
        if (body.items[0].status >= 400) return
        const { revision: _, ...there } = body.items[0].body as Task
        const { revision: __, ...shown } = here as Task
        expect(shown).toEqual(there)
        before = body.items[0].body
        advanced += 1
      }
    }),
    { numRuns: RUNS },
  )
  expect(advanced).toBeGreaterThan(RUNS)
})
