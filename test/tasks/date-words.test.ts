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
  ['a language that is not read', 'dopodomani', 'not_understood', 'dopodomani'],
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

const before = (minutes: number) => ({ at: null, offset_minutes: -minutes, from: 'due' })
const at = (instant: string) => ({ at: instant, offset_minutes: null, from: null })

test.each([
  ['en', '2 days before', before(2880)],
  ['en', 'remind me 1h before', before(60)],
  ['en', 'reminder a week before', before(10_080)],
  ['en', 'the day before', before(1440)],
  ['en', '30 min', before(30)],
  ['en', '1 hour and 30 minutes in advance', before(90)],
  ['en', 'tomorrow 9am', at('2026-03-03T08:00:00.000Z')],
  ['en', 'friday 9am EST', at('2026-03-06T14:00:00.000Z')],
  ['de', '2 Tage vorher', before(2880)],
  ['de', 'erinnere mich 1 Stunde vorher', before(60)],
  ['de', 'morgen um 9 Uhr', at('2026-03-03T08:00:00.000Z')],
  ['fr', '2 jours avant', before(2880)],
  ['fr', 'rappel 30 minutes avant', before(30)],
  ['es', '2 días antes', before(2880)],
  ['es', 'recordatorio 1 hora antes', before(60)],
])(
  '%s: the reminder %s is read, when a task is created, changed, or part of a batch',
  async (language, words, read) => {
    const me = stranger()
    const request = { due: day('2026-04-30'), reminders: [{ offset_minutes: -5 }, words], language, ...SETTINGS }
    const expected = [before(5), read]
    const made = await make(me, request)
    expect(made.reminders).toEqual(expected)
    const other = await make(me, { due: day('2026-05-01') })
    const changed = await patch(me, other.id, { reminders: [words], language, ...SETTINGS })
    expect([changed.status, changed.body.reminders]).toEqual([200, [read]])
    const ops = [
      { op: 'create', data: { title: 'B', ...request } },
      { op: 'update', id: other.id, data: request },
    ]
    const { body } = await call(me, 'POST', '/api/tasks/batch', { ops })
    expect(body.items.map((item: { body: { reminders: object } }) => item.body.reminders)).toEqual([expected, expected])
  },
)

test.each([
  ['half of it is read', '2 days before lunch', 'not_understood'],
  ['no amount', 'soon', 'not_understood'],
  ['nothing', '', 'not_understood'],
  ['months, which have no length', '2 months before', 'not_understood'],
  ['more than a year', '366 days before', 'not_understood'],
  ['half a minute', '0.5 minutes before', 'not_understood'],
  ['a day without a time', 'friday', 'needs_time'],
  ['a recurrence', 'every day at 9am', 'not_understood'],
  ['another language', '2 Tage vorher', 'not_understood'],
  ['too long a text', 'x'.repeat(101), 'too_long'],
])('a reminder with %s is 400, and nothing is changed', async (_, words, code) => {
  const me = stranger()
  const task = await make(me, { due: day('2026-03-05'), reminders: [{ offset_minutes: -5 }] })
  const members = { due: day('2026-03-06'), reminders: [{ offset_minutes: -1 }, words], ...SETTINGS }
  const created = await call(me, 'POST', '/api/tasks', { title: 'T', ...members })
  const changed = await patch(me, task.id, members)
  const ops = [{ op: 'update', id: task.id, data: members }]
  const batch = await call(me, 'POST', '/api/tasks/batch', { ops })
  expect(refused(created)).toEqual([400, '/reminders/1'])
  expect(created.body.errors[0].code).toBe(code)
  expect(refused(changed)).toEqual([400, '/reminders/1'])
  expect(refused(batch)).toEqual([400, '/ops/0/data/reminders/1'])
  expect(await read(me, task.id)).toEqual(task)
})

test('a reminder at a time needs a zone, and one before a date needs the date', async () => {
  const me = stranger()
  const floating = await call(me, 'POST', '/api/tasks', { title: 'T', reminders: ['tomorrow 9am'] })
  expect([...refused(floating), floating.body.errors[0].code]).toEqual([400, '/reminders/0', 'needs_zone'])
  const dateless = await call(me, 'POST', '/api/tasks', { title: 'T', reminders: ['2 days before'] })
  expect([...refused(dateless), dateless.body.errors[0].code]).toEqual([400, '/reminders/0', 'needs_due'])
})

test('in a batch by itself, an op with words that are refused fails alone', async () => {
  const me = stranger()
  const task = await make(me)
  const id = '01890000-0000-7000-8000-0000000000aa'
  const { status, body } = await call(me, 'POST', '/api/tasks/batch', {
    atomic: false,
    ops: [
      { op: 'create', id, data: { title: 'A', due: 'tomorrow', ...SETTINGS } },
      { op: 'update', id: task.id, data: { due: 'soon' } },
      { op: 'update', id: task.id, if_revision: 7, data: { due: 'soon' } },
      { op: 'update', id: task.id, data: { due: 'friday', ...SETTINGS } },
    ],
  })
  expect([status, body.items.map((item: { status: number }) => item.status)]).toEqual([200, [201, 400, 412, 200]])
  expect([body.items[0].body.id, body.items[0].body.due]).toEqual([id, day('2026-03-03')])
  expect(body.items[1].body.errors).toMatchObject([{ pointer: '/ops/1/data/due', code: 'not_understood' }])
  expect((await read(me, task.id)).due).toEqual(day('2026-03-06'))
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
