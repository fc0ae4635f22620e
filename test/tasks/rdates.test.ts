import { describe, expect, test } from 'bun:test'
import { recounted } from '../support/recounted'
import { day, makeTasksWorld, refused, type Shown, stored } from './support'

const world = recounted(await makeTasksWorld())
const { make, read, act, patch, undo, stranger, call } = world
world.clock.now = Date.parse('2100-01-01T00:00:00.000Z')

const weekly = {
  rrule: 'FREQ=WEEKLY;COUNT=3',
  rdates: ['2026-03-25', '2026-03-05', '2026-03-05'],
  exdates: ['2026-03-09'],
}
const noon = (date: string) => ({ completed_at: `${date}T12:00:00.000Z` })

describe('dates beside those of the rule', () => {
  test('come in their order in what is done, missed, to come and in the agenda', async () => {
    const me = stranger()
    const reminders = [{ offset_minutes: 0, from: 'due' }]
    const made = await make(me, { due: day('2026-03-02'), recurrence: weekly, reminders })
    expect(made.recurrence.rdates).toEqual(['2026-03-05', '2026-03-25'])
    const listed = await call(me, 'GET', `/api/tasks/${made.id}/occurrences?from=2026-03-01`)
    const dates = ['2026-03-02', '2026-03-05', '2026-03-16', '2026-03-25']
    expect(listed.body.items.map(({ date }: Shown) => date)).toEqual(dates)
    const agenda = await call(me, 'GET', '/api/tasks/agenda?from=2026-03-01&to=2026-04-30')
    const shown = agenda.body.days.filter(({ items }: Shown) => items.length > 0).map(({ date }: Shown) => date)
    expect(shown).toEqual(dates)
    const fires = await call(
      me,
      'GET',
      '/api/tasks/reminders?from=2026-03-01T00:00:00.000Z&to=2026-04-30T00:00:00.000Z',
    )
    expect(fires.body.items.map(({ at }: Shown) => at.slice(0, 10))).toEqual(dates)
    const first = (await act(me, made.id, 'complete', noon('2026-03-02'))).body
    expect(first.completion.next_due).toBe('2026-03-05')
    const second = (await act(me, made.id, 'complete', noon('2026-03-20'))).body
    expect([second.completion.missed, second.task.due.date]).toEqual([['2026-03-16'], '2026-03-25'])
    const last = (await act(me, made.id, 'complete', noon('2026-03-25'))).body
    expect(last.task.status).toBe('done')
    for (const { completion } of [last, second, first]) await undo(me, made.id, completion.id)
    expect(stored(await read(me, made.id))).toEqual(stored(made))
  })

  test('come and go through a calendar file', async () => {
    const [here, there] = [stranger(), stranger()]
    const { id } = await make(here, { due: day('2026-03-02'), recurrence: weekly })
    const file = await (
      await world.app.handle(
        new Request('http://localhost/api/tasks/export', { headers: { 'X-API-Key': here.key ?? '' } }),
      )
    ).text()
    expect(file).toContain('RDATE;VALUE=DATE:20260305,20260325\r\n')
    const headers = { 'X-API-Key': there.key ?? '', 'content-type': 'text/calendar' }
    await world.app.handle(new Request('http://localhost/api/tasks/import', { method: 'POST', body: file, headers }))
    const [task] = (await call(there, 'GET', '/api/tasks')).body.items
    expect(task.recurrence).toEqual((await read(here, id)).recurrence)
  })

  test('are changed by a merge patch, and go with a rule that has no times', async () => {
    const me = stranger()
    const recurrence = { rrule: 'FREQ=HOURLY', rdates: ['2026-03-02T08:30'] }
    const { id } = await make(me, { due: { date: '2026-03-02', time: '08:00' }, recurrence })
    expect((await patch(me, id, { recurrence: { rdates: ['2026-03-02T08:45'] } })).body.recurrence.rdates).toEqual([
      '2026-03-02T08:45',
    ])
    expect((await act(me, id, 'skip')).body.task.due.time).toBe('08:45')
    expect((await patch(me, id, { recurrence: { rrule: 'FREQ=DAILY' } })).body.recurrence.rdates).toEqual([])
  })

  test.each([
    ['/recurrence/rdates/0', { rrule: 'FREQ=DAILY', rdates: ['2026-02-30'] }],
    ['/recurrence/rdates/1', { rrule: 'FREQ=DAILY', rdates: ['2026-03-02', '2026-03-02T08:00'] }],
    ['/recurrence/rdates', { rrule: 'FREQ=HOURLY', rdates: ['2026-03-02'] }],
    ['/recurrence/rdates', { rrule: 'FREQ=DAILY', rdates: Array.from({ length: 501 }, () => '2026-03-02') }],
  ])('%s is refused in %.80j', async (pointer, recurrence) => {
    const due = { date: '2026-03-02', time: '08:00' }
    expect(refused(await call(stranger(), 'POST', '/api/tasks', { title: 'T', due, recurrence }))).toEqual([
      400,
      pointer,
    ])
  })

  test.each([
    { rrule: 'FREQ=DAILY', rdates: [] },
    { rrule: 'FREQ=DAILY', rdates: ['2026-03-02', '1900-01-01', '2200-12-31'] },
    { rrule: 'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30', rdates: ['2026-03-03'] },
  ])('%j is taken', async (recurrence) => {
    const { recurrence: taken } = await make(stranger(), { due: day('2026-03-02'), recurrence })
    expect(taken.rdates).toEqual([...recurrence.rdates].sort())
  })
})
