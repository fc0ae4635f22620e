import { describe, expect, test } from 'bun:test'
import { recounted } from '../support/recounted'
import { day, makeTasksWorld, refused, type Shown } from './support'

const world = recounted(await makeTasksWorld())
const { make, read, patch, act, remove, stranger, completions } = world

const NOON = '2026-03-02T12:00:00.000Z'
const rent = { title: 'Pay rent', due: day('2026-01-31'), recurrence: { rrule: 'FREQ=MONTHLY' } }
const daily = (date: string, rest = '', more: object = {}) => ({
  due: day(date),
  recurrence: { rrule: `FREQ=DAILY${rest}`, ...more },
})

describe('completing', () => {
  test('answers as the page shows', async () => {
    const me = stranger()
    const { id } = await make(me, rent)
    for (const title of ['a', 'Pay rent']) await patch(me, id, { title })
    const { status, body } = await act(me, id, 'complete', {
      occurrence: '2026-01-31',
      completed_at: '2026-02-02T08:00:00.000Z',
    })
    expect([status, body.task.status, body.task.due, body.task.revision]).toEqual([200, 'open', day('2026-02-28'), 4])
    expect(body.completion).toEqual({
      id: expect.any(String),
      task_id: id,
      kind: 'done',
      occurrence: '2026-01-31',
      completed_at: '2026-02-02T08:00:00.000Z',
      next_due: '2026-02-28',
      missed: [],
      title: 'Pay rent',
      project_id: null,
    })
    expect(await completions(me, id)).toEqual([body.completion])
    expect(body.task).toEqual(await read(me, id))
  })

  test('a task that does not repeat makes it done, once', async () => {
    const me = stranger()
    const { id } = await make(me, { due: day('2026-03-01'), status: 'in_progress' })
    const first = await act(me, id, 'complete')
    expect(first.body).toMatchObject({
      task: { status: 'done', completed_at: NOON, due: day('2026-03-01'), revision: 2 },
      completion: { kind: 'done', occurrence: '2026-03-01', next_due: null },
    })
    const again = await act(me, id, 'complete', { occurrence: '2026-03-01', subtasks: 'complete' })
    expect([again.status, again.body]).toEqual([200, first.body])
    expect(again.headers.get('etag')).toBe(first.headers.get('etag'))
    const made = await make(me, { status: 'done' })
    expect((await act(me, made.id, 'complete')).body).toEqual({ task: made, completion: null })
  })

  test('is refused with a time to come or long gone, an offset for a zone, another occurrence, or what it does not know', async () => {
    const me = stranger()
    const { id } = await make(me, rent)
    for (const [body, pointer] of [
      [{ completed_at: '2026-03-02T12:00:00.001Z' }, '/completed_at'],
      [{ completed_at: '1899-06-01T00:00:00.000Z' }, '/completed_at'],
      [{ completed_at: '2026-02-30T00:00:00.000Z' }, '/completed_at'],
      [{ time_zone: '+02:00' }, '/time_zone'],
      [{ occurrence: 'today' }, '/occurrence'],
    ] as const)
      expect(refused(await act(me, id, 'complete', body))).toEqual([400, pointer])
    for (const body of [{ subtasks: 'x' }, { colour: 'red' }])
      expect((await act(me, id, 'complete', body)).status).toBe(400)
    for (const action of ['complete', 'skip']) {
      const passed = await act(me, id, action, { occurrence: '2026-02-28' })
      expect([passed.status, passed.body.code, passed.body.due_date]).toEqual([409, 'occurrence_passed', '2026-01-31'])
    }
    const undated = await make(me)
    expect((await act(me, undated.id, 'complete', { occurrence: '2026-01-31' })).body.code).toBe('occurrence_passed')
    expect((await read(me, id)).revision).toBe(1)
  })

  test('one occurrence twice at once is done once', async () => {
    const me = stranger()
    for (let round = 0; round < 5; round++) {
      const { id } = await make(me, rent)
      const both = [1, 2].map(() => act(me, id, 'complete', { occurrence: '2026-01-31' }))
      const answers = await Promise.all(both)
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
      expect(await completions(me, id)).toHaveLength(1)
    }
  })

  test('late tells of what was missed, also when nothing is left', async () => {
    const me = stranger()
    const at = { completed_at: '2026-02-20T12:00:00.000Z' }
    const open = await make(me, daily('2026-02-17'))
    expect((await act(me, open.id, 'complete', at)).body.completion).toMatchObject({
      next_due: '2026-02-20',
      missed: ['2026-02-18', '2026-02-19'],
    })
    const over = await make(me, daily('2026-02-14', ';UNTIL=20260217', { exdates: ['2026-02-16'] }))
    const { task, completion } = (await act(me, over.id, 'complete', at)).body
    expect([task.status, task.due, completion.next_due]).toEqual(['done', day('2026-02-14'), null])
    expect(completion.missed).toEqual(['2026-02-15', '2026-02-17'])
    expect(await statuses(me, over.id, '2026-02-01')).toEqual(['14 done', '15 missed', '17 missed'])
    const old = await make(me, daily('1990-01-01'))
    const { missed } = (await act(me, old.id, 'complete')).body.completion
    expect([missed.length, missed[0], missed[999]]).toEqual([1000, '2023-06-06', '2026-03-01'])
  })

  test('falls on the day that it is in the zone of the task, else in `time_zone`', async () => {
    const me = stranger()
    const next = async (due: object, body: object) => {
      const { id } = await make(me, { due: { date: '2026-01-01', ...due }, recurrence: { rrule: 'FREQ=DAILY' } })
      return (await act(me, id, 'complete', { completed_at: '2026-01-10T22:30:00.000Z', ...body })).body.task.due.date
    }
    expect(await next({}, {})).toBe('2026-01-10')
    expect(await next({}, { time_zone: 'Asia/Tokyo' })).toBe('2026-01-11')
    expect(await next({ time: '09:00', time_zone: 'Europe/Kyiv' }, { time_zone: 'America/New_York' })).toBe(
      '2026-01-11',
    )
    expect(await next({ time: '09:00' }, { time_zone: 'Pacific/Apia' })).toBe('2026-01-11')
  })

  test('moves the start and instants of reminders by the same days, at their time of day', async () => {
    const me = stranger()
    const { id } = await make(me, {
      due: { date: '2026-03-24', time: '09:00', time_zone: 'Europe/Berlin' },
      start: day('2026-03-22'),
      recurrence: { rrule: 'FREQ=WEEKLY' },
      reminders: [{ at: '2026-03-24T06:30:15.250Z' }, { offset_minutes: -10 }],
    })
    const { body } = await act(me, id, 'complete')
    // The clocks went forward on 29 March.
    expect(body.task).toMatchObject({
      due_at: '2026-03-31T07:00:00.000Z',
      start: day('2026-03-29'),
      reminders: [{ at: '2026-03-31T05:30:15.250Z' }, { offset_minutes: -10 }],
    })
  })

  test('moves them to dates and instants that a task can have, also where it is long ago', async () => {
    const me = stranger()
    const due = { due: day('1960-02-01'), recurrence: { rrule: 'FREQ=DAILY' } }
    const old = await make(me, { ...due, reminders: [{ at: '1960-02-01T10:00:30.250Z' }] })
    expect((await act(me, old.id, 'skip')).body.task.reminders[0].at).toBe('1960-02-02T10:00:30.250Z')
    const early = await make(me, {
      due: day('2026-12-01'),
      start: day('1900-01-02'),
      recurrence: { rrule: 'FREQ=DAILY', mode: 'completion' },
    })
    const { task } = (await act(me, early.id, 'complete')).body
    expect([task.due, task.start]).toEqual([day('2026-03-03'), day('1900-01-01')])
  })

  test('reopens done parts when it goes on, and takes open ones along if that is asked', async () => {
    const me = stranger()
    const whole = await make(me, daily('2026-03-01', ';UNTIL=20260303'))
    const done = await make(me, { parent_id: whole.id, status: 'done' })
    const open = await make(me, { parent_id: whole.id, status: 'in_progress' })
    const cancelled = await make(me, { parent_id: done.id, status: 'cancelled' })
    const parts = () => Promise.all([done, open, cancelled].map(async ({ id }) => (await read(me, id)).status))
    expect((await act(me, whole.id, 'complete', { subtasks: 'complete' })).body.task.subtasks).toEqual({
      total: 2,
      done: 0,
    })
    expect(await parts()).toEqual(['open', 'in_progress', 'cancelled'])
    await act(me, whole.id, 'skip')
    const { task } = (await act(me, whole.id, 'complete', { subtasks: 'complete' })).body
    expect([task.status, task.subtasks]).toEqual(['done', { total: 2, done: 2 }])
    expect(await parts()).toEqual(['done', 'done', 'cancelled'])
    await act(me, whole.id, 'reopen')
    expect(await parts()).toEqual(['open', 'in_progress', 'cancelled'])
    const plain = await make(me)
    const part = await make(me, { parent_id: plain.id })
    await act(me, plain.id, 'complete')
    expect((await read(me, part.id)).status).toBe('open')
  })
})

test('the parts of a task that repeats move with it, and back', async () => {
  const me = stranger()
  const trip = await make(me, { due: day('2026-03-01'), recurrence: { rrule: 'FREQ=WEEKLY' } })
  const part = (more: object) => make(me, { parent_id: trip.id, ...more })
  const pack = await part({ due: day('2026-02-28'), start: day('2026-02-26'), status: 'done' })
  const call = await part({ due: { date: '2026-03-01', time: '09:00', time_zone: 'Europe/Berlin' } })
  const begun = await part({ start: day('2026-02-20') })
  const own = await part({ due: day('2026-03-01'), recurrence: { rrule: 'FREQ=DAILY' } })
  const left = await part({ due: day('2026-03-01'), status: 'cancelled' })
  const dates = async () => {
    const all = await Promise.all([pack, call, begun, own, left].map(({ id }) => read(me, id)))
    return all.map(({ due, start, status }) => [due?.date ?? null, start?.date ?? null, status].join(' '))
  }
  const before = await dates()
  const { completion } = (await act(me, trip.id, 'complete', { completed_at: '2026-03-01T12:00:00.000Z' })).body
  expect(await dates()).toEqual([
    '2026-03-07 2026-03-05 open',
    '2026-03-08  open',
    ' 2026-02-27 open',
    '2026-03-01  open',
    '2026-03-01  cancelled',
  ])
  expect((await read(me, call.id)).due.time).toBe('09:00')
  await world.call(me, 'DELETE', `/api/tasks/${trip.id}/completions/${completion.id}`)
  expect(await dates()).toEqual(before)
  await act(me, trip.id, 'skip')
  await patch(me, call.id, { due: day('2026-03-20') })
  const [last] = await completions(me, trip.id)
  const undone = await world.call(me, 'DELETE', `/api/tasks/${trip.id}/completions/${last.id}`)
  expect(undone.body).toMatchObject({ code: 'changed_since', members: ['subtasks'] })
})

describe('a series that is counted from completions', () => {
  const watering = daily('2026-02-01', ';INTERVAL=3', { mode: 'completion' })
  const on = (date: string) => ({ completed_at: `${date}T12:00:00.000Z` })

  test('goes on from the day of completion, early or late', async () => {
    const me = stranger()
    const { id } = await make(me, watering)
    for (const [done, next] of [
      ['2026-02-05', '2026-02-08'],
      ['2026-02-07', '2026-02-10'],
      ['2026-02-10', '2026-02-13'],
    ] as const) {
      const { task, completion } = (await act(me, id, 'complete', on(done))).body
      expect([task.due.date, task.recurrence.anchor, completion.missed]).toEqual([next, done, []])
    }
    expect((await act(me, id, 'skip')).body.task).toMatchObject({
      due: day('2026-02-16'),
      recurrence: { anchor: '2026-02-10' },
    })
    const { body } = await world.call(me, 'GET', `/api/tasks/${id}/occurrences?from=2026-01-01`)
    expect(body.items.map(({ date, status }: Shown) => `${date} ${status}`)).toEqual([
      '2026-02-01 done',
      '2026-02-08 done',
      '2026-02-10 done',
      '2026-02-13 skipped',
      '2026-02-16 current',
    ])
  })

  test.each([
    ['FREQ=MONTHLY;BYMONTHDAY=1', '2026-02-28', '2026-04-01'],
    ['FREQ=MONTHLY;BYMONTHDAY=1', '2026-03-01', '2026-04-01'],
    ['FREQ=MONTHLY;BYMONTHDAY=1;INTERVAL=2', '2026-02-28', '2026-05-01'],
    ['FREQ=WEEKLY;BYDAY=SU', '2026-02-26', '2026-03-08'],
    ['FREQ=MONTHLY', '2026-02-28', '2026-03-28'],
    ['FREQ=DAILY;INTERVAL=3', '2026-02-28', '2026-03-03'],
  ])('%s that was due on 1 March and done on %s is next due on %s', async (rrule, done, next) => {
    const me = stranger()
    const { id } = await make(me, { due: day('2026-03-01'), recurrence: { rrule, mode: 'completion' } })
    expect((await act(me, id, 'complete', on(done))).body.task.due.date).toBe(next)
  })

  test('COUNT counts completions, and UNTIL ends it', async () => {
    const me = stranger()
    const counted = await make(me, daily('2026-02-01', ';COUNT=3', { mode: 'completion' }))
    const seen: unknown[] = []
    for (const action of ['complete', 'skip', 'complete', 'complete', 'complete']) {
      const { body } = await act(me, counted.id, action, action === 'skip' ? {} : on('2026-02-01'))
      seen.push(`${body.task.status} ${body.task.recurrence.rrule.replace('FREQ=DAILY;', '')}`)
    }
    expect(seen).toEqual(['open COUNT=2', 'open COUNT=2', 'open COUNT=1', 'done COUNT=1', 'done COUNT=1'])
    expect(await completions(me, counted.id)).toHaveLength(4)
    const until = await make(me, daily('2026-02-01', ';INTERVAL=3;UNTIL=20260210', { mode: 'completion' }))
    expect((await act(me, until.id, 'complete', on('2026-02-07'))).body.task.due.date).toBe('2026-02-10')
    expect((await act(me, until.id, 'complete', on('2026-02-08'))).body.task.status).toBe('done')
  })
})

describe('skipping', () => {
  test('goes on by one date without a completion, and the last one ends the series', async () => {
    const me = stranger()
    const { id } = await make(me, daily('2026-01-01', ';COUNT=2'))
    expect((await act(me, id, 'skip', { occurrence: '2026-01-01' })).body).toMatchObject({
      task: { status: 'open', due: day('2026-01-02') },
      completion: { kind: 'skip', occurrence: '2026-01-01', next_due: '2026-01-02', missed: [] },
    })
    expect((await act(me, id, 'skip')).body.task.status).toBe('done')
    expect(await statuses(me, id, '2026-01-01')).toEqual(['01 skipped', '02 skipped'])
    expect((await act(me, id, 'skip')).body.code).toBe('conflict')
    expect((await act(me, (await make(me)).id, 'skip')).body.code).toBe('conflict')
    expect((await world.call(me, 'GET', '/api/tasks/completed')).body.items).toEqual([])
  })
})

test('cancelling ends a series: nothing is to come, and it must be reopened before it is completed', async () => {
  const me = stranger()
  const { id } = await make(me, daily('2026-03-01'))
  await act(me, id, 'complete', { completed_at: '2026-03-01T00:00:00.000Z' })
  expect((await patch(me, id, { status: 'cancelled' })).body).toMatchObject({ status: 'cancelled', cancelled_at: NOON })
  expect((await act(me, id, 'complete')).body.code).toBe('conflict')
  expect((await act(me, id, 'skip')).body.code).toBe('conflict')
  expect(await statuses(me, id, '2026-03-01')).toEqual(['01 done', '02 missed'])
  expect((await act(me, id, 'reopen')).body).toMatchObject({
    status: 'open',
    cancelled_at: null,
    due: day('2026-03-02'),
  })
  expect((await statuses(me, id, '2026-03-01')).slice(0, 3)).toEqual(['01 done', '02 current', '03 future'])
})

describe('history', () => {
  test('tells what was done across tasks, newest first, with the titles as they were', async () => {
    const me = stranger()
    const [a, b] = [await make(me, daily('2026-02-01')), await make(me, { title: 'once' })]
    const { project } = await world.addProject(b.id, 70)
    await patch(me, b.id, { project_id: project })
    const at = (hour: string) => ({ completed_at: `2026-02-03T${hour}:00:00.000Z` })
    await act(me, a.id, 'complete', at('10'))
    await patch(me, a.id, { title: 'renamed' })
    await act(me, b.id, 'complete', at('11'))
    await act(me, a.id, 'complete', at('09'))
    await remove(me, a.id)
    const titles = async (query: string) =>
      (await world.call(me, 'GET', `/api/tasks/completed${query}`)).body.items.map(({ title }: Shown) => title)
    expect(await titles('')).toEqual(['once', 'T', 'renamed'])
    expect(await titles('?from=2026-02-03T10:00:00.000Z&to=2026-02-03T11:00:00.000Z')).toEqual(['T'])
    expect(await titles(`?project_id=${project}`)).toEqual(['once'])
    const first = await world.call(me, 'GET', '/api/tasks/completed?limit=2')
    expect(await titles(`?limit=2&cursor=${first.body.next_cursor}`)).toEqual(['renamed'])
    expect(
      (await world.call(me, 'GET', `/api/tasks/completed?cursor=${first.body.next_cursor}&project_id=${project}`))
        .status,
    ).toBe(400)
  })

  test('lists the dates of a task page by page, in its zone', async () => {
    const me = stranger()
    const due = { date: '2026-03-28', time: '02:30', time_zone: 'Europe/Berlin' }
    const { id } = await make(me, { due, recurrence: { rrule: 'FREQ=DAILY' } })
    const page = async (query: string) => (await world.call(me, 'GET', `/api/tasks/${id}/occurrences${query}`)).body
    const shown = (date: string, at: string, status: string) => ({ occurrence: date, date, time: '02:30', at, status })
    expect((await page('')).items.slice(0, 3)).toEqual([
      shown('2026-03-28', '2026-03-28T01:30:00.000Z', 'current'),
      shown('2026-03-29', '2026-03-29T01:30:00.000Z', 'future'),
      shown('2026-03-30', '2026-03-30T00:30:00.000Z', 'future'),
    ])
    const dates: string[] = []
    let cursor = ''
    for (let i = 0; i < 4; i++) {
      const { items, next_cursor } = await page(`?from=2026-03-28&to=2026-12-31&limit=100${cursor}`)
      dates.push(...items.map(({ date }: Shown) => date))
      if (next_cursor === null) break
      cursor = `&cursor=${next_cursor}`
    }
    expect([dates.length, new Set(dates).size, dates.at(-1)]).toEqual([279, 279, '2026-12-31'])
    expect(refused(await world.call(me, 'GET', `/api/tasks/${id}/occurrences?from=2026-03-02&to=2026-03-01`))).toEqual([
      400,
      '/to',
    ])
  })
})

/** `dd status` of the first dates of a task. */
async function statuses(me: Parameters<typeof read>[0], id: string, from: string): Promise<string[]> {
  const { body } = await world.call(me, 'GET', `/api/tasks/${id}/occurrences?from=${from}&limit=10`)
  return body.items.map(({ date, status }: Shown) => `${date.slice(-2)} ${status}`)
}
