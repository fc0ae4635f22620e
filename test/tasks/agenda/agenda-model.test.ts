import { afterAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { fromDay, toDay } from '../../../src/lib/civil/day'
import { BoundedAgenda } from '../../../src/tasks/agenda/agenda'
import { runs } from '../../support/full'
import { dueDates, instantShown, type Modelled, shownAt } from '../dates'
import { makeTasksWorld } from '../support'

const world = await makeTasksWorld()
afterAll(world.close)

const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Kiritimati', 'Etc/GMT+12']
const RULES = [
  'FREQ=DAILY',
  'FREQ=DAILY;INTERVAL=3;COUNT=9',
  'FREQ=WEEKLY;BYDAY=MO,TH',
  'FREQ=MONTHLY',
  'FREQ=MONTHLY;BYDAY=-1FR',
  'FREQ=DAILY;UNTIL=20260401T003000Z',
]

const zone = fc.constantFrom(...ZONES)
const when = (day: number) =>
  fc.oneof(
    fc.constant({ date: fromDay(day), time: null, time_zone: null }),
    fc.record({
      date: fc.constant(fromDay(day)),
      time: fc.constantFrom('00:00', '02:30', '09:00', '23:45'),
      time_zone: fc.option(zone),
    }),
  )

/** Days around the change of clocks in Europe. */
const around = fc.integer({ min: toDay('2026-03-20'), max: toDay('2026-04-05') })

const tasks = fc
  .array(
    fc.record({ due: around.chain(when), lead: fc.integer({ min: 2, max: 9 }), starts: fc.boolean() }).chain((drawn) =>
      fc.record({
        due: fc.constant(drawn.due),
        start: drawn.starts ? when(toDay(drawn.due.date) - drawn.lead) : fc.constant(null),
        recurrence: fc.option(
          fc.record({
            rrule: fc.constantFrom(...RULES),
            mode: fc.constantFrom('schedule', 'schedule', 'completion'),
            exdates: fc.uniqueArray(around.map(fromDay), { maxLength: 2 }),
          }),
        ),
      }),
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((all) => all.map((task, i): Modelled => ({ ...task, title: `T${i}` })))
  // A task whose rule ends before it begins cannot be made.
  .filter((all) => all.every(({ due, recurrence }) => !recurrence || !due || due.date < '2026-03-31'))

/** What stands on the days from `from` to `to`, found by going through every date of every task. */
function naive(all: readonly Modelled[], from: string, to: string, time_zone: string): string[] {
  const far = fromDay(toDay(to) + 30)
  const items = all.flatMap((task) =>
    dueDates(task, far).flatMap((date, i) => {
      const days = toDay(date) - toDay(task.due?.date ?? date)
      return (['due', 'start'] as const).flatMap((kind) => {
        const moment = task[kind]
        if (!moment) return []
        const own = fromDay(toDay(moment.date) + days)
        const at = moment.time === null ? null : instantShown(own, moment.time, moment.time_zone ?? time_zone)
        const shown = at === null ? null : shownAt(at, time_zone)
        const on = moment.time_zone === null ? own : (shown?.date ?? own)
        return on < from || on > to ? [] : [JSON.stringify([on, shown?.time ?? null, at, task.title, kind, i > 0])]
      })
    }),
  )
  return items.sort()
}

interface Answer {
  readonly days: readonly {
    readonly date: string
    readonly items: readonly {
      time: string | null
      at: string | null
      title: string
      kind: string
      projected: boolean
    }[]
  }[]
}

function shown({ days }: Answer): string[] {
  return days.flatMap(({ date, items }) =>
    items.map(({ time, at, title, kind, projected }) =>
      JSON.stringify([date, time, at === null ? null : Date.parse(at), title, kind, projected]),
    ),
  )
}

describe('an agenda', () => {
  test('is what a model finds that goes through every date, in the order of time', async () => {
    await fc.assert(
      fc.asyncProperty(tasks, zone, around, fc.integer({ min: 0, max: 12 }), async (all, time_zone, first, length) => {
        const me = world.stranger()
        await world.create(me, ...all)
        const [from, to] = [fromDay(first), fromDay(first + length)]
        const answer = await world.ask(me, 'agenda', { from, to, time_zone })
        expect(shown(answer).sort()).toEqual(naive(all, from, to, time_zone))
        for (const { items } of answer.days) {
          const instants = items.map(({ at }: { at: string | null }) => at ?? '')
          expect(instants).toEqual(instants.toSorted())
        }
      }),
      { numRuns: runs(15) },
    )
  })

  test('of more than 2,000 items ends with whole days, and its pages join to the whole', async () => {
    const me = world.stranger()
    const daily = (i: number) => ({ title: `D${i}`, due: { date: '2026-03-05' }, recurrence: { rrule: 'FREQ=DAILY' } })
    const single = (i: number) => ({ title: `S${i}`, due: { date: fromDay(toDay('2026-03-01') + (i % 70)) } })
    await world.create(me, ...Array.from({ length: 90 }, (_, i) => daily(i)))
    await world.create(me, ...Array.from({ length: 140 }, (_, i) => single(i)))
    const ask = (from: string, to: string) => world.ask(me, 'agenda', { from, to })
    const pages = []
    for (let from: string | null = '2026-03-01'; from !== null; from = pages.at(-1).next_from)
      pages.push(await ask(from, '2026-05-09'))
    expect(pages).toHaveLength(4)
    for (const { days } of pages) {
      const items = shown({ days }).length
      expect(items).toBeLessThanOrEqual(2000)
      expect(days.some(({ more }: { more: boolean }) => more)).toBe(false)
    }
    // One day more would have been too much.
    expect(shown(pages[1]).length + 92).toBeGreaterThan(2000)
    const single_days = []
    for (let day = toDay('2026-03-01'); day <= toDay('2026-05-09'); day++)
      single_days.push(...(await ask(fromDay(day), fromDay(day))).days)
    expect(pages.flatMap(({ days }) => days)).toEqual(single_days)
  })
})

describe('days that fill up', () => {
  const entry = (key: number, at: number | null = null) => ({
    task: { key, id: `t${key}`, title: '' },
    kind: 'due' as const,
    projected: false,
    at,
  })

  test('keep the same days and entries in whatever order the entries come', () => {
    const drawn = fc.array(fc.tuple(fc.integer({ min: -1, max: 6 }), fc.option(fc.integer({ min: 0, max: 3 }))), {
      maxLength: 40,
    })
    fc.assert(
      fc.property(drawn, fc.infiniteStream(fc.nat()), fc.integer({ min: 1, max: 12 }), (all, chance, most) => {
        const fill = (places: readonly number[]) => {
          const filling = new BoundedAgenda({ from: 0, to: 5 }, most)
          for (const i of places) filling.add(all[i]?.[0] ?? 0, entry(i, all[i]?.[1] ?? null))
          return { last: filling.last, days: filling.sorted() }
        }
        const order = all.map((_, i) => i)
        const shuffled = order.map((i) => ({ i, by: chance.next().value })).sort((a, b) => a.by - b.by)
        const filled = fill(order)
        expect(fill(shuffled.map(({ i }) => i))).toEqual(filled)
        const within = (day: number) => all.filter(([on]) => on >= 0 && on <= day).length
        expect(filled.last).toBe(Math.max(0, [0, 1, 2, 3, 4, 5].findLast((day) => within(day) <= most) ?? 0))
      }),
    )
  })

  test('show the first entries of a first day that alone has too many, and say so', () => {
    const filling = new BoundedAgenda({ from: 10, to: 12 }, 3)
    for (let i = 9; i >= 0; i--) filling.add(10, entry(i, i % 5))
    filling.add(11, entry(77))
    expect(filling.last).toBe(10)
    expect(filling.sorted()).toEqual([{ day: 10, entries: [entry(0, 0), entry(5, 0), entry(1, 1)], more: true }])
  })
})
