import { describe, expect, test } from 'bun:test'
import { recounted } from '../support/recounted'
import { makeTasksWorld, refused, type Shown, stored } from './support'

const world = recounted(await makeTasksWorld())
const { make, read, act, patch, undo, stranger, call } = world
// Long after all that is done here: nothing is in the future.
world.clock.now = Date.parse('2100-01-01T00:00:00.000Z')

const at = (date: string, time: string, time_zone: string | null = 'Europe/Berlin') => ({ date, time, time_zone })
const done = (completed_at: string) => ({ completed_at })
const when = ({ due }: Shown) => `${due.date} ${due.time}`
const hourly = (rrule: string, more: object = {}) => ({
  due: at('2026-03-02', '08:00'),
  recurrence: { rrule },
  ...more,
})

describe('a series by the hour', () => {
  test('counts from its anchor, which has a time', async () => {
    const me = stranger()
    const task = await make(me, hourly('FREQ=HOURLY;INTERVAL=5'))
    expect(task.recurrence).toMatchObject({ anchor: '2026-03-02T08:00', exdates: [] })
    const dues: string[] = []
    for (const time of ['07:30', '12:00', '17:00', '22:00', '23:00', '23:30']) {
      const { body } = await act(me, task.id, 'complete', done(`2026-03-02T${time}:00.000Z`))
      dues.push(when(body.task))
    }
    // Berlin is an hour ahead of UTC; 22:00 there is 23:00, and what is done early goes on to the next all the same.
    expect(dues).toEqual([
      ...['2026-03-02 13:00', '2026-03-02 18:00', '2026-03-02 23:00', '2026-03-03 04:00'],
      ...['2026-03-03 09:00', '2026-03-03 14:00'],
    ])
  })

  test('goes on to the first date that is not past by the minute; what was passed over is missed', async () => {
    const me = stranger()
    const { id } = await make(me, hourly('FREQ=HOURLY;INTERVAL=4'))
    const { body } = await act(me, id, 'complete', {
      occurrence: '2026-03-02T08:00',
      ...done('2026-03-02T19:00:30.000Z'),
    })
    expect(body.completion).toMatchObject({
      occurrence: '2026-03-02T08:00',
      next_due: '2026-03-02T20:00',
      missed: ['2026-03-02T12:00', '2026-03-02T16:00'],
    })
    const again = await act(me, id, 'complete', { occurrence: '2026-03-02T08:00' })
    expect(refused(again)).toEqual([409, 'occurrence_passed'])
    const { body: page } = await call(me, 'GET', `/api/tasks/${id}/occurrences?from=2026-03-02&limit=3`)
    const shown = page.items.map(({ occurrence, time, at: instant, status }: Shown) => [
      occurrence,
      time,
      instant,
      status,
    ])
    expect(shown).toEqual([
      ['2026-03-02T08:00', '08:00', '2026-03-02T07:00:00.000Z', 'done'],
      ['2026-03-02T12:00', '12:00', '2026-03-02T11:00:00.000Z', 'missed'],
      ['2026-03-02T16:00', '16:00', '2026-03-02T15:00:00.000Z', 'missed'],
    ])
    const rest = await call(
      me,
      'GET',
      `/api/tasks/${id}/occurrences?from=2026-03-02&limit=3&cursor=${page.next_cursor}`,
    )
    const next = rest.body.items.map(({ occurrence, status }: Shown) => `${occurrence} ${status}`)
    expect(next).toEqual(['2026-03-02T20:00 current', '2026-03-03T00:00 future', '2026-03-03T04:00 future'])
  })

  test('done, skipped and undone is what it was', async () => {
    const me = stranger()
    const start = at('2026-03-02', '07:15')
    const reminders = [{ at: '2026-03-02T06:45:00.000Z' }, { offset_minutes: -10, from: 'start' }]
    const before = await make(me, hourly('FREQ=HOURLY;INTERVAL=20', { start, reminders }))
    const { body } = await act(me, before.id, 'complete', done('2026-03-02T07:00:00.000Z'))
    expect(body.task).toMatchObject({ due: at('2026-03-03', '04:00'), start: at('2026-03-03', '03:15') })
    expect(body.task.reminders[0].at).toBe('2026-03-03T02:45:00.000Z')
    const skipped = await act(me, before.id, 'skip')
    expect(when(skipped.body.task)).toBe('2026-03-04 00:00')
    await undo(me, before.id, skipped.body.completion.id)
    await undo(me, before.id, body.completion.id)
    expect(stored(await read(me, before.id))).toEqual(stored(before))
  })

  test('counts civil hours where clocks change, and shows each at its instant', async () => {
    const me = stranger()
    const instants = async (date: string) => {
      const { id } = await make(me, { due: at(date, '01:00'), recurrence: { rrule: 'FREQ=HOURLY' } })
      const { body } = await call(me, 'GET', `/api/tasks/${id}/occurrences?from=${date}&limit=4`)
      return body.items.map((item: Shown) => `${item.time} ${item.at.slice(11, 16)}`)
    }
    expect(await instants('2026-03-29')).toEqual(['01:00 00:00', '02:00 01:00', '03:00 01:00', '04:00 02:00'])
    expect(await instants('2026-10-25')).toEqual(['01:00 23:00', '02:00 00:00', '03:00 02:00', '04:00 03:00'])
  })

  test('ends with COUNT and with UNTIL', async () => {
    const me = stranger()
    for (const end of ['COUNT=2', 'UNTIL=20260302T090000Z']) {
      const { id } = await make(me, hourly(`FREQ=HOURLY;INTERVAL=2;${end}`))
      const first = await act(me, id, 'skip')
      expect(when(first.body.task)).toBe('2026-03-02 10:00')
      const last = await act(me, id, 'complete', done('2026-03-02T09:00:00.000Z'))
      expect([last.body.task.status, last.body.completion.next_due]).toEqual(['done', null])
      const { body } = await call(me, 'GET', `/api/tasks/${id}/occurrences?from=2026-03-01`)
      expect(body.items.map(({ occurrence, status }: Shown) => `${occurrence} ${status}`)).toEqual([
        '2026-03-02T08:00 skipped',
        '2026-03-02T10:00 done',
      ])
    }
  })

  test('counts from completions by the minute', async () => {
    const me = stranger()
    const { id } = await make(
      me,
      hourly('FREQ=HOURLY;INTERVAL=4', { recurrence: { rrule: 'FREQ=HOURLY;INTERVAL=4', mode: 'completion' } }),
    )
    const { body } = await act(me, id, 'complete', done('2026-03-02T09:07:00.000Z'))
    expect([when(body.task), body.task.recurrence.anchor]).toEqual(['2026-03-02 14:07', '2026-03-02T10:07'])
  })

  test('leaves out single times and whole days', async () => {
    const me = stranger()
    const exdates = ['2026-03-02T10:00', '2026-03-03']
    const { id } = await make(me, hourly('', { recurrence: { rrule: 'FREQ=DAILY;BYHOUR=8,10,12', exdates } }))
    const { body } = await call(me, 'GET', `/api/tasks/${id}/occurrences?limit=3`)
    const names = body.items.map(({ occurrence }: Shown) => occurrence)
    expect(names).toEqual(['2026-03-02T08:00', '2026-03-02T12:00', '2026-03-04T08:00'])
  })

  test('missed for years lists the last thousand', async () => {
    const me = stranger()
    const { id } = await make(me, hourly('FREQ=HOURLY;INTERVAL=7'))
    const { body } = await act(me, id, 'complete', done('2046-03-02T07:00:00.000Z'))
    expect(body.completion.missed).toHaveLength(1000)
    expect(body.completion.missed.at(-1) < body.completion.next_due).toBe(true)
  })
})

describe('an all-day task', () => {
  const rules = ['FREQ=HOURLY', 'FREQ=HOURLY;BYMINUTE=5', 'FREQ=DAILY;BYHOUR=9', 'FREQ=WEEKLY;BYMINUTE=0']

  test.each(rules)('cannot repeat by %s', async (rrule) => {
    const me = stranger()
    const due = { date: '2026-03-02' }
    const made = await call(me, 'POST', '/api/tasks', { title: 'T', due, recurrence: { rrule } })
    expect([refused(made), made.body.detail]).toEqual([
      [400, 'unsupported_recurrence'],
      expect.stringContaining('time'),
    ])
    const { id } = await make(me, { due, recurrence: { rrule: 'FREQ=DAILY' } })
    expect(refused(await patch(me, id, { recurrence: { rrule } }))).toEqual([400, 'unsupported_recurrence'])
    const timed = await make(me, hourly(rrule))
    expect(refused(await patch(me, timed.id, { due: { time: null } }))).toEqual([400, 'unsupported_recurrence'])
    expect(await read(me, timed.id)).toEqual(timed)
  })

  test.each(['FREQ=DAILY', 'FREQ=WEEKLY;BYDAY=MO', 'FREQ=DAILY;BYSECOND=0'])('can repeat by %s', async (rrule) => {
    const me = stranger()
    const { id, recurrence } = await make(me, { due: { date: '2026-03-02' }, recurrence: { rrule } })
    expect(recurrence.anchor).toBe('2026-03-02')
    expect((await patch(me, id, { due: { date: '2026-03-09' } })).status).toBe(200)
    expect((await patch(me, id, { due: { time: '08:00' }, recurrence: { rrule: 'FREQ=HOURLY' } })).status).toBe(200)
  })
})

describe('what a rule leaves', () => {
  test.each([
    ['/recurrence/anchor', { rrule: 'FREQ=DAILY', anchor: '2026-03-02T08:00' }],
    ['/recurrence/anchor', { rrule: 'FREQ=HOURLY', anchor: '2026-03-02T24:00' }],
    ['/recurrence/anchor', { rrule: 'FREQ=HOURLY', anchor: '2026-02-30T08:00' }],
    ['/recurrence/exdates/1', { rrule: 'FREQ=DAILY', exdates: ['2026-03-03', '2026-03-04T08:00'] }],
    ['/recurrence/exdates/0', { rrule: 'FREQ=HOURLY', exdates: ['2026-03-03T8:00'] }],
    ['/recurrence/exdates/0', { rrule: 'FREQ=HOURLY', exdates: ['2026-03-03T08:00:00'] }],
    ['recurrence_never_occurs', { rrule: 'FREQ=HOURLY;INTERVAL=2;BYHOUR=9' }],
  ])('%s is refused in %j', async (pointer, recurrence) => {
    const me = stranger()
    const made = await call(me, 'POST', '/api/tasks', { title: 'T', due: at('2026-03-02', '08:00'), recurrence })
    expect(refused(made)).toEqual([400, pointer])
  })

  test('times of a rule go with it, dates stay', async () => {
    const me = stranger()
    const exdates = ['2026-03-02T10:00', '2026-03-05']
    const { id } = await make(me, hourly('', { recurrence: { rrule: 'FREQ=HOURLY', exdates } }))
    const daily = (await patch(me, id, { recurrence: { rrule: 'FREQ=DAILY' } })).body
    expect(daily.recurrence).toMatchObject({ anchor: '2026-03-02', exdates: ['2026-03-05'] })
    const again = (await patch(me, id, { recurrence: { rrule: 'FREQ=DAILY;BYHOUR=9' } })).body
    expect(again.recurrence).toMatchObject({ anchor: '2026-03-02T09:00', exdates: ['2026-03-05'] })
  })
})

describe('an agenda and reminders', () => {
  test('show every date of a series by the hour', async () => {
    const me = stranger()
    const start = at('2026-03-01', '23:30')
    await make(me, hourly('FREQ=HOURLY;INTERVAL=6', { start, reminders: [{ offset_minutes: -30, from: 'due' }] }))
    const agenda = await call(me, 'GET', '/api/tasks/agenda?from=2026-03-02&to=2026-03-03&time_zone=Europe/Berlin')
    const shown = agenda.body.days.map(({ items }: Shown) => items.map(({ kind, time }: Shown) => `${kind} ${time}`))
    expect(shown).toEqual([
      [...['start 05:30', 'due 08:00', 'start 11:30', 'due 14:00', 'start 17:30', 'due 20:00', 'start 23:30']],
      [
        ...[
          'due 02:00',
          'start 05:30',
          'due 08:00',
          'start 11:30',
          'due 14:00',
          'start 17:30',
          'due 20:00',
          'start 23:30',
        ],
      ],
    ])
    const list = '/api/tasks/reminders?from=2026-03-02T00:00:00.000Z&to=2026-03-03T00:00:00.000Z&limit=2'
    const first = (await call(me, 'GET', list)).body
    const second = (await call(me, 'GET', `${list}&cursor=${first.next_cursor}`)).body
    expect([...first.items, ...second.items].map((item: Shown) => item.at.slice(11, 16))).toEqual([
      '06:30',
      '12:30',
      '18:30',
    ])
  })

  test('of many series by the minute answer, in their bounds', async () => {
    const me = stranger()
    const reminders = [{ offset_minutes: 0, from: 'due' }]
    const rrule = `FREQ=HOURLY;BYMINUTE=${Array.from({ length: 60 }, (_, i) => i).join()}`
    for (let i = 0; i < 20; i++)
      await make(me, { due: at('2026-03-02', '00:00', null), recurrence: { rrule }, reminders })
    const { body } = await call(me, 'GET', '/api/tasks/agenda?from=2026-03-03&to=2026-05-01')
    expect(body.days.map(({ items, more }: Shown) => [items.length, more])).toEqual([[2000, true]])
    expect(body.next_from).toBe('2026-03-04')
    // The first minutes of the day, twenty of each.
    expect(body.days[0].items.at(-1).time).toBe('01:39')
    const query = 'from=2026-03-03T00:00:00.000Z&to=2026-05-01T00:00:00.000Z&limit=200'
    const pages: string[] = []
    let cursor = ''
    for (let i = 0; i < 3; i++) {
      const page = (await call(me, 'GET', `/api/tasks/reminders?${query}${cursor}`)).body
      pages.push(...page.items.map((item: Shown) => `${item.at} ${item.task_id}`))
      cursor = `&cursor=${page.next_cursor}`
    }
    expect([pages.length, new Set(pages).size, pages.at(-1)?.slice(0, 16)]).toEqual([600, 600, '2026-03-03T00:29'])
    const { url } = (await call(me, 'POST', '/api/tasks/feeds', { name: 'All' })).body
    const feed = await call(me, 'GET', url)
    expect(feed.status).toBe(200)
  })
})
