import { afterAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { fromDay, toDay } from '../../../src/lib/civil/day'
import { runs } from '../../support/full'
import { dueDates, instantShown, type Modelled } from '../dates'
import { makeTasksWorld } from '../support'

const world = await makeTasksWorld()
afterAll(world.close)

const before = (minutes: number, from = 'due') => ({ offset_minutes: -minutes, from })

/** What fires, by title and instant, of a new caller who has made these tasks. */
async function fires(tasks: readonly object[], query: Record<string, string>): Promise<string[]> {
  const me = world.stranger()
  const made = await world.create(me, ...tasks)
  const titles = new Map(made.map(({ id, title }) => [id, title]))
  const { items } = await world.ask(me, 'reminders', query)
  return items.map(({ task_id, at }: { task_id: string; at: string }) => `${titles.get(task_id)} ${at.slice(5, 16)}`)
}

const MARCH = { from: '2026-03-01T00:00:00.000Z', to: '2026-04-01T00:00:00.000Z' }

describe('a reminder', () => {
  test('fires before or behind what is due or starts, or at its instant', async () => {
    const tasks = [
      {
        title: 'Call',
        start: { date: '2026-03-02', time: '08:00', time_zone: 'Europe/Berlin' },
        due: { date: '2026-03-03', time: '10:00', time_zone: 'Europe/Berlin' },
        reminders: [before(60), before(0, 'start'), before(-30), { at: '2026-03-05T05:05:05.000Z' }],
      },
    ]
    expect(await fires(tasks, MARCH)).toEqual([
      'Call 03-02T07:00',
      'Call 03-03T08:00',
      'Call 03-03T09:30',
      'Call 03-05T05:05',
    ])
  })

  test('fires for what starts and is not due', async () => {
    const timed = { date: '2026-03-02', time: '08:00', time_zone: 'Europe/Berlin' }
    const tasks = [
      { title: 'Timed', start: timed, reminders: [before(10, 'start')] },
      { title: 'Day', start: { date: '2026-03-03' }, reminders: [before(60, 'start')] },
    ]
    expect(await fires(tasks, MARCH)).toEqual(['Timed 03-02T06:50', 'Day 03-02T23:00'])
  })

  test('of a whole day counts from 00:00, of a floating time from that time, in the zone of the request', async () => {
    const tasks = [
      { title: 'Day', due: { date: '2026-03-10' }, reminders: [before(60)] },
      { title: 'Float', due: { date: '2026-03-10', time: '09:00' }, reminders: [before(60)] },
      { title: 'Zoned', due: { date: '2026-03-10', time: '09:00', time_zone: 'UTC' }, reminders: [before(60)] },
    ]
    expect(await fires(tasks, MARCH)).toEqual(['Day 03-09T23:00', 'Float 03-10T08:00', 'Zoned 03-10T08:00'])
    expect(await fires(tasks, { ...MARCH, time_zone: 'America/New_York' })).toEqual([
      'Day 03-10T03:00',
      'Zoned 03-10T08:00',
      'Float 03-10T12:00',
    ])
  })

  test('fires for each date to come of what repeats, on its clock, and at an instant once', async () => {
    const series = {
      title: 'S',
      start: { date: '2026-03-27' },
      due: { date: '2026-03-28', time: '09:00', time_zone: 'Europe/Berlin' },
      recurrence: { rrule: 'FREQ=DAILY;COUNT=3' },
      reminders: [before(0), { at: '2026-03-28T12:00:00.000Z' }, before(0, 'start')],
    }
    expect(await fires([series], { ...MARCH, time_zone: 'Europe/Berlin' })).toEqual([
      'S 03-26T23:00',
      'S 03-27T23:00',
      'S 03-28T08:00',
      'S 03-28T12:00',
      'S 03-28T23:00',
      'S 03-29T07:00',
      'S 03-30T07:00',
    ])
  })

  test('fires a year before what is due then', async () => {
    const far = {
      title: 'Far',
      due: { date: '2027-03-02' },
      recurrence: { rrule: 'FREQ=DAILY' },
      reminders: [before(525_600)],
    }
    expect((await fires([far], MARCH)).slice(0, 2)).toEqual(['Far 03-02T00:00', 'Far 03-03T00:00'])
  })

  test('fires for what is still to be done alone', async () => {
    const me = world.stranger()
    const task = { title: 'T', due: { date: '2026-03-10' }, reminders: [before(0)] }
    const [done, gone, open] = await world.create(me, task, task, task)
    await world.call(me, 'PATCH', `/api/tasks/${done.id}`, { status: 'done' })
    await world.call(me, 'DELETE', `/api/tasks/${gone.id}`)
    expect((await world.ask(me, 'reminders', MARCH)).items).toEqual([
      { task_id: open.id, at: '2026-03-10T00:00:00.000Z', reminder: open.reminders[0] },
    ])
  })
})

describe('the list', () => {
  test('takes its first instant and not its last, and is of a week from now unless asked otherwise', async () => {
    const at = (date: string) => ({ title: date, due: { date }, reminders: [before(0)] })
    const tasks = ['2026-03-02', '2026-03-03', '2026-03-09', '2026-03-10'].map(at)
    const hour = 'T00:00:00.000Z'
    expect(await fires(tasks, { from: `2026-03-02${hour}`, to: `2026-03-09${hour}` })).toEqual([
      '2026-03-02 03-02T00:00',
      '2026-03-03 03-03T00:00',
    ])
    expect(await fires(tasks, {})).toEqual(['2026-03-03 03-03T00:00', '2026-03-09 03-09T00:00'])
  })

  test('joins from pages, though the clock goes on between them', async () => {
    const me = world.stranger()
    const tasks = Array.from({ length: 7 }, (_, i) => ({
      title: `T${i}`,
      due: { date: '2026-03-02' },
      recurrence: { rrule: 'FREQ=DAILY' },
      reminders: [before(i % 3), before(i % 2), before(i % 2)],
    }))
    await world.create(me, ...tasks)
    const whole = await world.ask(me, 'reminders', { limit: '200' })
    expect(whole.items).toHaveLength(7 * 3 * 7)
    const items = []
    const start = world.clock.now
    for (let cursor: string | null = ''; cursor !== null; world.clock.now += 86_400_000) {
      const page = await world.ask(me, 'reminders', { limit: '10', ...(cursor && { cursor }) })
      items.push(...page.items)
      cursor = page.next_cursor
    }
    world.clock.now = start
    expect(items).toEqual(whole.items)
  })

  test('refuses windows that are no window, and cursors that are not its own', async () => {
    const me = world.stranger()
    await world.create(me, { title: 'T', due: { date: '2026-03-03' }, reminders: [before(0), before(1)] })
    const { next_cursor } = await world.ask(me, 'reminders', { limit: '1' })
    const [mark] = JSON.parse(Buffer.from(next_cursor, 'base64url').toString())
    const forged = [mark, 1e300, 0, 0, 0, 0]
    for (const query of [
      'from=2026-03-01T00:00:00Z&to=2026-02-01T00:00:00Z',
      'from=2026-03-01T00:00:00Z&to=2026-06-01T00:00:01Z',
      'from=2026-03-01',
      'time_zone=Mars',
      'limit=0',
      'days=1',
      `time_zone=Europe/Berlin&cursor=${next_cursor}`,
      `cursor=${Buffer.from(JSON.stringify(forged)).toString('base64url')}`,
    ]) {
      const { status } = await world.call(me, 'GET', `/api/tasks/reminders?${query}`)
      expect([query, status]).toEqual([query, 400])
    }
  })
})

test('what fires is what a model finds that goes through every date', async () => {
  const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Pacific/Kiritimati']
  const zone = fc.constantFrom(...zones)
  const drawn = fc.array(
    fc.record({
      day: fc.integer({ min: toDay('2026-03-20'), max: toDay('2026-03-30') }),
      time: fc.constantFrom(null, '00:00', '02:30', '23:45'),
      time_zone: fc.option(zone),
      rrule: fc.constantFrom(null, 'FREQ=DAILY', 'FREQ=WEEKLY;BYDAY=MO,TH', 'FREQ=MONTHLY', 'FREQ=DAILY;COUNT=5'),
      offsets: fc.uniqueArray(fc.constantFrom(-60_000, -1440, -30, 0, 90, 1440), { minLength: 1, maxLength: 3 }),
    }),
    { minLength: 1, maxLength: 4 },
  )
  await fc.assert(
    fc.asyncProperty(drawn, zone, fc.integer({ min: 0, max: 10 * 24 }), async (all, time_zone, hour) => {
      const me = world.stranger()
      const tasks = all.map(({ day, time, time_zone, rrule, offsets }, i): Modelled & { offsets: number[] } => ({
        title: `T${i}`,
        due: { date: fromDay(day), time, time_zone: time === null ? null : time_zone },
        start: null,
        recurrence: rrule === null ? null : { rrule, mode: 'schedule' },
        offsets,
      }))
      const made = await world.create(
        me,
        ...tasks.map(({ offsets, ...task }) => ({ ...task, reminders: offsets.map((minutes) => before(-minutes)) })),
      )
      const from = Date.parse('2026-03-24T00:00:00.000Z') + hour * 3_600_000
      const to = from + 4 * 86_400_000
      const expected = tasks.flatMap((task, i) =>
        dueDates(task, '2026-06-01').flatMap((date) => {
          const at = instantShown(date, task.due?.time ?? '00:00', task.due?.time_zone ?? time_zone)
          const firing = task.offsets.map((minutes) => at + minutes * 60_000)
          return firing.filter((at) => at >= from && at < to).map((at) => `${at} ${made[i].id}`)
        }),
      )
      const window = { from: new Date(from).toISOString(), to: new Date(to).toISOString(), time_zone, limit: '200' }
      const { items } = await world.ask(me, 'reminders', window)
      const found = items.map(({ at, task_id }: { at: string; task_id: string }) => `${Date.parse(at)} ${task_id}`)
      expect(found.toSorted()).toEqual(expected.toSorted())
      const instants = items.map(({ at }: { at: string }) => at)
      expect(instants).toEqual(instants.toSorted())
    }),
    { numRuns: runs(10) },
  )
})
