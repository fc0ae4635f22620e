import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { fromDay, toDay } from '../../src/lib/civil/day'
import { runs } from '../support/full'
import { recounted } from '../support/recounted'
import { day, makeTasksWorld, refused, type Shown, stored } from './support'

const world = recounted(await makeTasksWorld())
const { make, read, act, patch, undo, stranger, completions, call } = world
world.clock.now = Date.parse('2100-01-01T00:00:00.000Z')

const noon = (date: string) => ({ completed_at: `${date}T12:00:00.000Z` })
const mondays = { due: day('2026-03-02'), recurrence: { rrule: 'FREQ=WEEKLY;BYDAY=MO' } }
const move = (occurrence: string, moved_to: string) => ({ occurrence, moved_to })

async function shown(me: Parameters<typeof read>[0], id: string, query = ''): Promise<string[]> {
  const { body } = await call(me, 'GET', `/api/tasks/${id}/occurrences?limit=4${query}`)
  return body.items.map((item: Shown) => `${item.occurrence} ${item.date} ${item.status}`)
}

describe('the current occurrence', () => {
  test('moved earlier does not come again, and is undone with its date', async () => {
    const me = stranger()
    const { id } = await make(me, mondays)
    await act(me, id, 'complete', noon('2026-03-02'))
    const moved = (await patch(me, id, { due: { date: '2026-03-06' } })).body
    expect(moved.recurrence.moved).toEqual([move('2026-03-09', '2026-03-06')])
    expect(await shown(me, id)).toEqual([
      '2026-03-09 2026-03-06 current',
      '2026-03-16 2026-03-16 future',
      '2026-03-23 2026-03-23 future',
      '2026-03-30 2026-03-30 future',
    ])
    const { body } = await act(me, id, 'complete', { occurrence: '2026-03-06', ...noon('2026-03-06') })
    expect(body.completion).toMatchObject({ occurrence: '2026-03-09', next_due: '2026-03-16', missed: [] })
    expect(body.task.recurrence.moved).toEqual([])
    await undo(me, id, body.completion.id)
    expect(stored(await read(me, id))).toEqual(stored(moved))
  })

  test('moved past the next one is done for itself; what it passes is missed, or still to come', async () => {
    const me = stranger()
    for (const [done, next, missed] of [
      ['2026-03-11', '2026-03-16', ['2026-03-09']],
      ['2026-03-04', '2026-03-09', []],
    ] as const) {
      const { id } = await make(me, mondays)
      await patch(me, id, { due: { date: '2026-03-11' } })
      const { body } = await act(me, id, 'complete', noon(done))
      expect(body.completion).toMatchObject({ occurrence: '2026-03-02', next_due: next, missed })
    }
  })

  test.each([
    ['back to its date', ['2026-03-06', '2026-03-02'], '2026-03-09'],
    ['to another date of the rule', ['2026-03-09'], '2026-03-16'],
    ['to another date of the rule, by way of a third', ['2026-03-06', '2026-03-09'], '2026-03-16'],
  ])('moved %s stands for that one', async (_, dates, next) => {
    const me = stranger()
    const { id } = await make(me, mondays)
    for (const date of dates) await patch(me, id, { due: { date } })
    expect((await read(me, id)).recurrence.moved).toEqual([])
    expect((await act(me, id, 'skip')).body.task.due.date).toBe(next)
  })

  test.each([
    ['its time alone', { due: { time: '10:00' } }],
    ['its date, of a day that is none of the rule', { due: { date: '2026-03-05' } }, { due: day('2026-03-04') }],
    [
      'its date, counted from completions',
      { due: { date: '2026-03-05' } },
      { recurrence: { rrule: 'FREQ=DAILY', mode: 'completion' } },
    ],
    ['the date and the rule', { due: { date: '2026-03-05' }, recurrence: { rrule: 'FREQ=DAILY' } }],
  ] as [string, object, object?][])('keeps no slot where what changes is %s', async (_, change, made = {}) => {
    const me = stranger()
    const { id } = await make(me, { ...mondays, ...made })
    expect((await patch(me, id, change)).body.recurrence.moved).toEqual([])
  })

  test('of a series by the hour is moved by its time', async () => {
    const me = stranger()
    const due = { date: '2026-03-02', time: '08:00' }
    const { id } = await make(me, { due, recurrence: { rrule: 'FREQ=HOURLY;INTERVAL=4' } })
    const { body } = await patch(me, id, { due: { time: '07:15' } })
    expect(body.recurrence.moved).toEqual([move('2026-03-02T08:00', '2026-03-02T07:15')])
    const done = await act(me, id, 'complete', { completed_at: '2026-03-02T07:20:00.000Z' })
    expect(done.body.task.due).toMatchObject({ date: '2026-03-02', time: '12:00' })
  })
})

describe('a later occurrence', () => {
  test('moved comes in its turn, on its date, in lists, agenda and reminders', async () => {
    const me = stranger()
    const reminders = [{ offset_minutes: 0, from: 'due' }]
    const { id } = await make(me, { ...mondays, reminders })
    const moved = [move('2026-03-16', '2026-03-18'), move('2026-03-09', '2026-03-05')]
    const { body } = await patch(me, id, { recurrence: { moved } })
    expect(body.recurrence.moved).toEqual(moved.toReversed())
    const dates = ['2026-03-02', '2026-03-05', '2026-03-18', '2026-03-23']
    expect((await shown(me, id)).map((text) => text.split(' ')[1] ?? '')).toEqual(dates)
    const agenda = await call(me, 'GET', '/api/tasks/agenda?from=2026-03-01&to=2026-03-29')
    const days = agenda.body.days.filter(({ items }: Shown) => items.length > 0)
    expect(days.map(({ date }: Shown) => date)).toEqual(dates)
    const fires = await call(
      me,
      'GET',
      '/api/tasks/reminders?from=2026-03-01T00:00:00.000Z&to=2026-03-29T00:00:00.000Z',
    )
    expect(fires.body.items.map(({ at }: Shown) => at.slice(0, 10))).toEqual(dates)
    const dues: string[] = []
    for (const date of ['2026-03-02', '2026-03-05', '2026-03-18']) {
      const { task } = (await act(me, id, 'complete', noon(date))).body
      dues.push(`${task.due.date} ${task.recurrence.moved.length}`)
    }
    expect(dues).toEqual(['2026-03-05 2', '2026-03-18 1', '2026-03-23 0'])
  })

  test.each([
    ['completed after that date: it is passed over', 'complete', '2026-03-12', '2026-03-16', '2026-03-23'],
    ['completed on that date: it comes', 'complete', '2026-03-05', '2026-03-09', '2026-03-05'],
    ['skipped: it comes, though past', 'skip', '2026-03-12', '2026-03-09', '2026-03-05'],
  ])('moved to an earlier date, once the one before it is %s', async (_, action, on, occurrence, next) => {
    const me = stranger()
    const { id } = await make(me, {
      ...mondays,
      recurrence: { ...mondays.recurrence, moved: [move(occurrence, '2026-03-05')] },
    })
    const { body } = await act(me, id, action, action === 'complete' ? noon(on) : {})
    expect(body.task.due.date).toBe(next)
  })

  test.each([
    ['not_an_occurrence', [move('2026-03-10', '2026-03-12')]],
    ['occurrence_passed', [move('2026-03-02', '2026-03-12')], '2026-03-09'],
    ['moves_due', [move('2026-03-02', '2026-03-12')]],
    ['repeated', [move('2026-03-09', '2026-03-12'), move('2026-03-09', '2026-03-13')]],
    ['repeated', [move('2026-03-09', '2026-03-12'), move('2026-03-16', '2026-03-12')]],
    ['date_taken', [move('2026-03-09', '2026-03-16')]],
    ['date_taken', [move('2026-03-16', '2026-03-03')], '2026-03-03'],
    ['invalid_date', [move('2026-03-09', '2026-02-30')]],
    ['invalid_date', [move('2026-03-09T08:00', '2026-03-12')]],
    ['invalid_value', [move('2026-03-09', '2026-03-12')], null],
  ] as [string, object[], (string | null)?][])('is refused, %s: %j', async (code, moved, date = '2026-03-02') => {
    const me = stranger()
    const mode = date === null ? 'completion' : 'schedule'
    const made = await make(me, {
      due: day(date ?? '2026-03-02'),
      recurrence: { rrule: 'FREQ=WEEKLY', anchor: '2026-03-02', mode },
    })
    const answer = await patch(me, made.id, { recurrence: { moved } })
    expect([answer.status, answer.body.errors[0].code]).toEqual([400, code])
    expect(await read(me, made.id)).toEqual(made)
  })

  test('cannot be where another is', async () => {
    const me = stranger()
    const { id } = await make(me, {
      ...mondays,
      recurrence: { ...mondays.recurrence, moved: [move('2026-03-09', '2026-03-12')] },
    })
    expect(refused(await patch(me, id, { due: { date: '2026-03-12' } }))).toEqual([400, '/due/date'])
    expect((await patch(me, id, { due: { date: '2026-03-11' } })).status).toBe(200)
  })

  test('that the rule has no more is not moved any more', async () => {
    const me = stranger()
    const moved = [move('2026-03-09', '2026-03-12'), move('2026-03-16', '2026-03-17')]
    const { id } = await make(me, { ...mondays, recurrence: { ...mondays.recurrence, moved } })
    const left = async (recurrence: object) => (await patch(me, id, { recurrence })).body.recurrence.moved
    expect(await left({ exdates: ['2026-03-09'] })).toEqual([move('2026-03-16', '2026-03-17')])
    expect(await left({ rrule: 'FREQ=WEEKLY;BYDAY=TU' })).toEqual([])
  })
})

const step = fc.record({
  what: fc.constantFrom('complete', 'skip', 'move', 'move later'),
  days: fc.integer({ min: -9, max: 16 }),
})

test('whatever is moved: done, skipped, missed and current are the dates of the rule, each once, as the list shows', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      const me = stranger()
      const { id } = await make(me, mondays)
      for (const { what, days } of steps) {
        const task = await read(me, id)
        const date = fromDay(Math.max(toDay(task.due.date) + days, toDay('2026-02-25')))
        const later = (await call(me, 'GET', `/api/tasks/${id}/occurrences?limit=2`)).body.items[1].occurrence
        if (what === 'skip') await act(me, id, 'skip')
        else if (what === 'complete') await act(me, id, 'complete', noon(date))
        // No jump to another date of the series: that leaves out what lies between.
        else if (what === 'move' && toDay(date) % 7 !== toDay('2026-03-02') % 7) await patch(me, id, { due: { date } })
        else if (what === 'move later' && toDay(date) % 7 !== toDay('2026-03-02') % 7)
          await patch(me, id, {
            recurrence: {
              moved: [...task.recurrence.moved.filter((entry: Shown) => entry.occurrence !== later), move(later, date)],
            },
          })
      }
      const told = (await completions(me, id)).flatMap(({ occurrence, missed }: Shown) => [occurrence, ...missed])
      const { body } = await call(me, 'GET', `/api/tasks/${id}/occurrences?from=2026-02-01&limit=200`)
      const past = body.items.filter(({ status }: Shown) => status !== 'future')
      const current = past.at(-1)
      expect([current.status, current.date]).toEqual(['current', (await read(me, id)).due.date])
      expect([...told, current.occurrence].toSorted()).toEqual(past.map(({ occurrence }: Shown) => occurrence))
      const weeks = past.map((_: Shown, i: number) => fromDay(toDay('2026-03-02') + 7 * i))
      expect(past.map(({ occurrence }: Shown) => occurrence)).toEqual(weeks)
    }),
    { numRuns: runs(40) },
  )
})
