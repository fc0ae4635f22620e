import { afterAll, expect, test } from 'bun:test'
import { day, makeTasksWorld, refused } from './support'

const world = await makeTasksWorld()
const { make, read, patch, stranger, call } = world
afterAll(world.close)

/** A Monday. */
const SETTINGS = { time_zone: 'Europe/Berlin', now: '2026-03-02T08:00:00.000Z' }
const NINE_ON_13TH = { date: '2026-03-13', time: '09:00', time_zone: 'Europe/Berlin' }

test.each([
  ['en', 'next friday 9am', NINE_ON_13TH],
  ['en', 'last friday of the month', day('2026-03-27')],
  ['en', 'tomorrow 9am EST', { date: '2026-03-03', time: '09:00', time_zone: 'America/New_York' }],
  ['de', 'nächsten Freitag um 9 Uhr', NINE_ON_13TH],
  ['de', 'übermorgen', day('2026-03-04')],
  ['de', 'am 5. Mai um 14:30', { date: '2026-05-05', time: '14:30', time_zone: 'Europe/Berlin' }],
  ['fr', 'demain à 9h', { date: '2026-03-03', time: '09:00', time_zone: 'Europe/Berlin' }],
  ['es', 'mañana', day('2026-03-03')],
])('%s: %s is read, when a task is created, changed, or part of a batch', async (language, due, expected) => {
  const me = stranger()
  const made = await make(me, { due, language, ...SETTINGS })
  expect(made.due).toEqual(expected)
  expect(await read(me, made.id)).toEqual(made)
  const other = await make(me, { due: { date: '2027-01-01', time: '23:00', time_zone: 'Asia/Tokyo' } })
  expect((await patch(me, other.id, { due, language, ...SETTINGS })).body.due).toEqual(expected)
  const ops = [
    { op: 'create', data: { title: 'B', due, language, ...SETTINGS } },
    { op: 'update', id: other.id, data: { start: due, language, ...SETTINGS } },
  ]
  const { body } = await call(me, 'POST', '/api/tasks/batch', { ops })
  expect(body.items.map((item: { body: object }) => item.body)).toMatchObject([{ due: expected }, { start: expected }])
})

test.each([
  ['half of it is read', 'friday 9am at the dentist', 'not_understood', 'at the dentist'],
  ['words without a day', 'soon', 'not_understood', 'soon'],
  ['nothing', '', 'not_understood', ''],
  ['a recurrence', 'every friday', 'not_understood', 'every friday'],
  ['two dates', 'tomorrow or friday', 'more_dates', 'friday'],
  ['a range', '5-7 may', 'not_understood', '5-7 may'],
  ['a reminder', 'tomorrow remind 1 h before', 'not_understood', 'tomorrow remind 1 h before'],
  ['day and month without an order', '03/04', 'ambiguous_date', '03/04'],
  ['another language', 'übermorgen', 'not_understood', 'übermorgen'],
  ['a year out of range', '1899-12-31', 'not_understood', '1899-12-31'],
  ['too long a text', 'x'.repeat(101), 'too_long', null],
])('%s is 400 for either date, and nothing is changed', async (_, words, code, part) => {
  const me = stranger()
  const task = await make(me, { due: { date: '2026-03-05' }, start: { date: '2026-03-04' } })
  for (const name of ['due', 'start']) {
    const created = await call(me, 'POST', '/api/tasks', { title: 'T', [name]: words })
    const changed = await patch(me, task.id, { title: 'changed', [name]: words })
    const ops = [{ op: 'update', id: task.id, data: { title: 'changed', [name]: words } }]
    const batch = await call(me, 'POST', '/api/tasks/batch', { ops })
    expect(refused(created)).toEqual([400, `/${name}`])
    expect(refused(changed)).toEqual([400, `/${name}`])
    expect(refused(batch)).toEqual([400, `/ops/0/data/${name}`])
    expect(created.body.errors).toMatchObject([{ code }])
    if (part !== null) expect(created.body.detail).toStartWith(`${name} cannot be read at "${part}": `)
  }
  expect(await read(me, task.id)).toEqual(task)
  expect((await call(me, 'GET', '/api/tasks')).body.items).toEqual([task])
})

test('the refusal of a recurrence says where it belongs', async () => {
  const { body } = await call(stranger(), 'POST', '/api/tasks', { title: 'T', due: 'every friday' })
  expect(body.detail).toBe(
    'due cannot be read at "every friday": a date does not repeat: use `recurrence` or quick add',
  )
})

test.each([
  ['an offset for a zone', { time_zone: '+02:00' }, '/time_zone'],
  ['no zone', { time_zone: '' }, '/time_zone'],
  ['no instant', { now: 'soon' }, '/now'],
  ['an unknown language', { language: 'it' }, '/language'],
  ['an unknown order', { date_order: 'ymd' }, '/date_order'],
  ['neither words nor a date', { due: 20260302 }, '/due'],
  ['a date of the wrong type', { due: { date: 20260302 } }, '/due/date'],
])('%s is 400', async (_, members, pointer) => {
  const me = stranger()
  const task = await make(me)
  expect(refused(await call(me, 'POST', '/api/tasks', { title: 'T', ...members }))).toEqual([400, pointer])
  expect(refused(await patch(me, task.id, members))).toEqual([400, pointer])
})

test('without settings, words are English, count from now, and times float', async () => {
  const me = stranger()
  // The clock of the world is at noon on 2026-03-02, UTC.
  expect((await make(me, { due: 'tomorrow 9am' })).due).toEqual({ date: '2026-03-03', time: '09:00', time_zone: null })
  const nulls = { time_zone: null, now: null, language: null, date_order: null }
  expect((await make(me, { due: '11am', ...nulls })).due).toEqual({
    date: '2026-03-03',
    time: '11:00',
    time_zone: null,
  })
  expect((await make(me, { due: '03/04', date_order: 'dmy' })).due).toEqual(day('2026-04-03'))
  expect((await make(me, { start: 'yesterday' })).start).toEqual(day('2026-03-01'))
})

test('the settings are of words alone: an object stays as it is', async () => {
  const me = stranger()
  const due = { date: '2026-03-05', time: '09:00' }
  const made = await make(me, { due, start: 'tomorrow', ...SETTINGS })
  expect([made.due, made.start]).toEqual([{ ...due, time_zone: null }, day('2026-03-03')])
  const same = await patch(me, made.id, SETTINGS)
  expect([same.status, same.body.revision]).toEqual([200, 1])
})

test('words beside other members are one change, with all of their rules', async () => {
  const me = stranger()
  const task = await make(me, {
    due: NINE_ON_13TH,
    recurrence: { rrule: 'FREQ=WEEKLY' },
    reminders: [{ offset_minutes: -60 }],
  })
  const changed = await patch(me, task.id, {
    title: 'Call',
    priority: 1,
    due: 'friday',
    labels: ['phone'],
    ...SETTINGS,
  })
  expect(changed.body).toMatchObject({
    title: 'Call',
    priority: 1,
    labels: ['phone'],
    due: day('2026-03-06'),
    revision: 2,
    // As an object does, words move the one occurrence.
    recurrence: { ...task.recurrence, moved: [{ occurrence: '2026-03-13', moved_to: '2026-03-06' }] },
    reminders: task.reminders,
  })
  const late = await patch(me, task.id, { start: 'in 3 weeks', ...SETTINGS })
  expect([...refused(late), late.body.errors[0].code]).toEqual([400, '/start', 'after_due'])
  expect(
    (await patch(me, task.id, { start: 'tomorrow', due: null, recurrence: null, reminders: [], ...SETTINGS })).body,
  ).toMatchObject({ due: null, start: day('2026-03-03') })
})

test('If-Match counts before the words', async () => {
  const me = stranger()
  const task = await make(me)
  const stale = await patch(me, task.id, { due: 'soon' }, { 'If-Match': '"7-7"' })
  expect(stale.status).toBe(412)
  const fresh = await patch(me, task.id, { due: 'tomorrow' }, { 'If-Match': '"1-1"' })
  expect([fresh.status, fresh.body.due]).toEqual([200, day('2026-03-03')])
})

test('a repeat with the same Idempotency-Key answers the same, although tomorrow is another day', async () => {
  const me = stranger()
  const once = { 'Idempotency-Key': 'words' }
  const send = () => call(me, 'POST', '/api/tasks', { title: 'T', due: 'tomorrow 9am' }, once)
  const first = await send()
  const start = world.clock.now
  world.clock.now += 12.5 * 3_600_000
  const [second, without] = [await send(), await make(me, { due: 'tomorrow 9am' })]
  world.clock.now = start
  expect([second.status, second.body, second.headers.get('Idempotency-Replayed')]).toEqual([201, first.body, 'true'])
  expect([first.body.due.date, without.due.date]).toEqual(['2026-03-03', '2026-03-04'])
})
