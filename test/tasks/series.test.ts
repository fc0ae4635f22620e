import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { fromDay, toDay } from '../../src/lib/civil/day'
import { parseRule } from '../../src/lib/recurrence/parse'
import { listOccurrences } from '../lib/recurrence/support'
import { runs } from '../support/full'
import { recounted } from '../support/recounted'
import { expectModelOfCompletions } from './completions-model'
import { day, makeTasksWorld, type Shown } from './support'

const world = recounted(await makeTasksWorld())
const { make, read, patch, act, stranger, completions } = world
// Long after all that is done here: nothing is in the future.
world.clock.now = Date.parse('2100-01-01T00:00:00.000Z')

const noon = (date: string) => ({ completed_at: `${date}T12:00:00.000Z` })

describe('no month-end drifts', () => {
  test.each([
    ['FREQ=MONTHLY', 'backward', '2026-01-31', ['2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31']],
    ['FREQ=MONTHLY', 'omit', '2026-01-31', ['2026-03-31', '2026-05-31', '2026-07-31', '2026-08-31']],
    ['FREQ=YEARLY', 'backward', '2024-02-29', ['2025-02-28', '2026-02-28', '2027-02-28', '2028-02-29']],
    [
      'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH',
      'backward',
      '2026-03-02',
      ['2026-03-05', '2026-03-16', '2026-03-19', '2026-03-30'],
    ],
  ])('%s, %s, from %s', async (rrule, skip, date, dates) => {
    const me = stranger()
    const { id } = await make(me, { due: day(date), recurrence: { rrule, skip } })
    let due = date
    for (const next of dates) {
      // On time, then a day late, in turns.
      const done = dates.indexOf(next) % 2 ? fromDay(toDay(due) + 1) : due
      due = (await act(me, id, 'complete', noon(done))).body.task.due.date
      expect(due).toBe(next)
    }
  })
})

const RULES: readonly [rrule: string, skip: 'backward' | 'omit', anchor: string, exdates: string[]][] = [
  ['FREQ=MONTHLY', 'backward', '2026-01-31', []],
  ['FREQ=MONTHLY', 'omit', '2026-01-31', ['2026-05-31']],
  ['FREQ=YEARLY', 'backward', '2024-02-29', []],
  ['FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH', 'backward', '2026-03-02', ['2026-03-16']],
  ['FREQ=DAILY;INTERVAL=3;UNTIL=20260420', 'backward', '2026-03-01', []],
  ['FREQ=MONTHLY;BYDAY=-1FR;COUNT=9', 'backward', '2026-01-30', ['2026-03-27']],
]

const step = fc.record({
  skips: fc.nat(4).map((n) => n === 0),
  // Days from the due date to the day of completion: often on time, else early or late.
  days: fc.oneof(fc.constant(0), fc.integer({ min: -20, max: 80 })),
})

test('a new rule starts at its first date from the due date on, and COUNT counts from there', async () => {
  const me = stranger()
  const { id } = await make(me, { due: day('2026-03-01'), recurrence: { rrule: 'FREQ=DAILY' } })
  await act(me, id, 'complete', { completed_at: '2026-03-01T12:00:00.000Z' })
  const rule = async (recurrence: object) => (await patch(me, id, { recurrence })).body.recurrence
  expect(await rule({ rrule: 'FREQ=WEEKLY;BYDAY=FR;COUNT=2' })).toMatchObject({ anchor: '2026-03-06' })
  const { body } = await world.call(me, 'GET', `/api/tasks/${id}/occurrences?from=2026-02-01`)
  const dates = body.items.map(({ date, status }: Shown) => `${date} ${status}`)
  expect(dates).toEqual(['2026-03-01 done', '2026-03-02 current', '2026-03-06 future', '2026-03-13 future'])
  expect(await rule({ rrule: 'FREQ=WEEKLY;BYDAY=FR;COUNT=2', skip: 'omit' })).toMatchObject({ anchor: '2026-03-06' })
  expect(await rule({ rrule: 'FREQ=MONTHLY', anchor: '2026-01-02' })).toMatchObject({ anchor: '2026-01-02' })
  expect(await rule({ rrule: 'FREQ=DAILY;COUNT=0' })).toMatchObject({ anchor: '2026-03-02', rrule: 'FREQ=DAILY' })
})

test('missed, done, skipped and current are together the dates of the rule, each once, whenever it is completed', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...RULES),
      fc.array(step, { minLength: 3, maxLength: 14 }),
      async (rule, steps) => {
        const me = stranger()
        const [rrule, skip, anchor, exdates] = rule
        const { id } = await make(me, { due: day(anchor), recurrence: { rrule, skip, exdates } })
        for (const { skips, days } of steps) {
          const { due, status } = await read(me, id)
          if (status === 'done') break
          await act(me, id, skips ? 'skip' : 'complete', skips ? {} : noon(fromDay(toDay(due.date) + days)))
        }
        const { due, status } = await read(me, id)
        const told = (await completions(me, id)).flatMap(({ occurrence, missed }: Shown) => [occurrence, ...missed])
        const covered = [...told, ...(status === 'done' ? [] : [due.date])].toSorted()
        const series = {
          rule: parseRule(rrule).rule,
          anchor: toDay(anchor),
          skip,
          exdates: new Set(exdates.map(toDay)),
        }
        const end = status === 'done' ? '2099-12-31' : due.date
        const dates = listOccurrences(series, { to: toDay(end), limit: 10_000 }).map(fromDay)
        // The day a series begins with is its first, whether the rule names it or not.
        expect(covered).toEqual(dates)
        const shown = await world.call(me, 'GET', `/api/tasks/${id}/occurrences?from=${anchor}&to=2100-01-01&limit=200`)
        const past = shown.body.items.filter((item: Shown) => item.status !== 'future').map(({ date }: Shown) => date)
        expect(past).toEqual(covered)
      },
    ),
    { numRuns: runs(25) },
  )
})

test('completes, skips, undos and reopenings in random order equal a model', async () => {
  await expectModelOfCompletions(world, 1, 200)
})
