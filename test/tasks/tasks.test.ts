import { describe, expect, test } from 'bun:test'
import { recounted } from '../support/recounted'
import { day, makeTasksWorld, refused } from './support'

const world = recounted(await makeTasksWorld())
const { make, read, patch, stranger } = world

const NOON = '2026-03-02T12:00:00.000Z'

describe('a task', () => {
  test('is created with everything that it was sent, and read back the same', async () => {
    const me = stranger()
    const note = await world.call(me, 'POST', '/api/notes', { title: 'N' })
    const blocker = await make(me)
    const { project, section } = await world.addProject(blocker.id, 1)
    const sent = {
      id: '01890000-0000-7000-8000-000000000001',
      title: 'Pay \u{1f3e0} rent',
      notes: '# How\r\n- online',
      status: 'in_progress',
      priority: 1,
      due: { date: '2026-03-31', time: '09:00', time_zone: 'Europe/Berlin' },
      start: { date: '2026-03-30', time: null, time_zone: null },
      duration_minutes: 43_200,
      recurrence: {
        rrule: 'FREQ=MONTHLY',
        mode: 'schedule',
        skip: 'omit',
        anchor: '2026-01-31',
        exdates: ['2026-05-31'],
      },
      reminders: [
        { at: '2026-03-30T08:00:00.000Z', offset_minutes: null, from: null },
        { at: null, offset_minutes: -60, from: 'due' },
        { at: null, offset_minutes: 1440, from: 'start' },
      ],
      blocked_by: [blocker.id],
      project_id: project,
      section_id: section,
      labels: ['bills', 'home'],
      note_ids: [note.body.id],
      source: { system: 'ical', id: 'uid-1', url: null },
    }
    const made = await world.call(me, 'POST', '/api/tasks', sent)
    expect([made.status, made.headers.get('location'), made.headers.get('etag')]).toEqual([
      201,
      `/api/tasks/${sent.id}`,
      '"1-1"',
    ])
    expect(made.body).toMatchObject({
      ...sent,
      revision: 1,
      created_at: NOON,
      updated_at: NOON,
      deleted_at: null,
      due_at: '2026-03-31T07:00:00.000Z',
      completed_at: null,
      cancelled_at: null,
      blocked: true,
      blocking: false,
      subtasks: { total: 0, done: 0 },
    })
    const got = await world.call(me, 'GET', `/api/tasks/${sent.id}`)
    expect([got.status, got.body, got.headers.get('etag')]).toEqual([200, made.body, '"1-1"'])
    expect((await read(me, blocker.id)).blocking).toBe(true)
  })

  test('needs a title alone, and shows every member', async () => {
    const body = await make(stranger())
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      revision: 1,
      ...{ created_at: NOON, updated_at: NOON, deleted_at: null, title: 'T', notes: '', status: 'open', priority: 0 },
      ...{ due: null, start: null, due_at: null, duration_minutes: null, recurrence: null, reminders: [] },
      ...{ parent_id: null, blocked_by: [], project_id: null, section_id: null, labels: [], note_ids: [] },
      ...{ position: expect.any(String), completed_at: null, cancelled_at: null, source: null },
      blocked: false,
      blocking: false,
      subtasks: { total: 0, done: 0 },
    })
  })

  const many = (count: number, item: (i: number) => unknown) => Array.from({ length: count }, (_, i) => item(i))
  const DUE = day('2026-03-10')
  const RULE = { due: DUE, recurrence: { rrule: 'FREQ=DAILY' } }
  const ID = '01890000-0000-7000-8000-00000000ffff'

  test.each<[string, object, string]>([
    ['a member that is computed', { blocked: true }, '/blocked'],
    ['a position', { position: 'a0' }, '/position'],
    ['a title too long', { title: 'x'.repeat(501) }, '/title'],
    ['a blank title', { title: ' ' }, '/title'],
    ['a title of two lines', { title: 'a\nb' }, '/title'],
    ['a title with a line separator', { title: 'a\u2028b' }, '/title'],
    ['notes of more than 64 KiB', { notes: 'ä'.repeat(32 * 1024 + 1) }, '/notes'],
    ['an unknown status', { status: 'waiting' }, '/status'],
    ['a priority of 5', { priority: 5 }, '/priority'],
    ['a priority as text', { priority: '1' }, '/priority'],
    ['a due date that is no day', { due: { date: '2026-02-30' } }, '/due/date'],
    ['a due date before 1900', { due: { date: '1899-12-31' } }, '/due/date'],
    ['a due date after 2200', { due: { date: '2201-01-01' } }, '/due/date'],
    ['a time that is none', { due: { date: '2026-03-10', time: '24:00' } }, '/due/time'],
    ['a zone without a time', { due: { date: '2026-03-10', time_zone: 'Europe/Berlin' } }, '/due/time_zone'],
    ['an offset for a zone', { due: { date: '2026-03-10', time: '09:00', time_zone: '+02:00' } }, '/due/time_zone'],
    ['a start without a date', { start: { time: '09:00' } }, '/start/date'],
    ['a start after the due date', { due: DUE, start: day('2026-03-11') }, '/start'],
    [
      'a start after it on the same clock',
      { due: { ...DUE, time: '09:00' }, start: { ...DUE, time: '09:01' } },
      '/start',
    ],
    [
      'a start after it as an instant',
      {
        due: { date: '2026-03-11', time: '00:30', time_zone: 'Asia/Tokyo' },
        start: { date: '2026-03-10', time: '15:31', time_zone: 'UTC' },
      },
      '/start',
    ],
    ['no minutes', { duration_minutes: 0 }, '/duration_minutes'],
    ['more than 30 days of minutes', { duration_minutes: 43_201 }, '/duration_minutes'],
    ['a recurrence without a due date', { recurrence: { rrule: 'FREQ=DAILY' } }, '/recurrence'],
    ['a recurrence without a rule', { ...RULE, recurrence: { mode: 'schedule' } }, '/recurrence/rrule'],
    ['a rule too long', { ...RULE, recurrence: { rrule: `FREQ=DAILY${';'.repeat(500)}` } }, '/recurrence/rrule'],
    ['a rule that is none', { ...RULE, recurrence: { rrule: 'every day' } }, '/recurrence/rrule'],
    ['a rule by hours', { ...RULE, recurrence: { rrule: 'FREQ=HOURLY' } }, 'unsupported_recurrence'],
    [
      'a rule without a date',
      { ...RULE, recurrence: { rrule: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', skip: 'omit' } },
      'recurrence_never_occurs',
    ],
    [
      'a rule that skips otherwise than its member',
      { ...RULE, recurrence: { rrule: 'RSCALE=GREGORIAN;FREQ=MONTHLY;SKIP=BACKWARD', skip: 'omit' } },
      '/recurrence/skip',
    ],
    ['an unknown mode', { ...RULE, recurrence: { rrule: 'FREQ=DAILY', mode: 'x' } }, '/recurrence/mode'],
    ['an anchor that is no day', { ...RULE, recurrence: { rrule: 'FREQ=DAILY', anchor: 'x' } }, '/recurrence/anchor'],
    [
      'an exdate that is no day',
      { ...RULE, recurrence: { rrule: 'FREQ=DAILY', exdates: ['x'] } },
      '/recurrence/exdates/0',
    ],
    [
      'too many exdates',
      { ...RULE, recurrence: { rrule: 'FREQ=DAILY', exdates: many(501, () => '2026-03-10') } },
      '/recurrence/exdates',
    ],
    ['too many reminders', { due: DUE, reminders: many(11, () => ({ offset_minutes: 0 })) }, '/reminders'],
    ['a reminder a year and a minute before', { due: DUE, reminders: [{ offset_minutes: -525_601 }] }, '/reminders/0'],
    ['a reminder a day and a minute after', { due: DUE, reminders: [{ offset_minutes: 1441 }] }, '/reminders/0'],
    ['a reminder of both kinds', { due: DUE, reminders: [{ at: NOON, offset_minutes: 0 }] }, '/reminders/0'],
    ['a reminder of no kind', { due: DUE, reminders: [{}] }, '/reminders/0'],
    ['a reminder at no instant', { reminders: [{ at: '2026-02-30T00:00:00.000Z' }] }, '/reminders/0/at'],
    ['a reminder before 1900', { reminders: [{ at: '1899-12-31T23:59:59.999Z' }] }, '/reminders/0/at'],
    ['a reminder after 2200', { reminders: [{ at: '2201-01-01T00:00:00.000Z' }] }, '/reminders/0/at'],
    ['a reminder from a due date that is not there', { reminders: [{ offset_minutes: 0 }] }, '/reminders/0'],
    [
      'a reminder from a start that is not there',
      { due: DUE, reminders: [{ offset_minutes: 0, from: 'start' }] },
      '/reminders/0',
    ],
    ['a parent that is not there', { parent_id: ID }, '/parent_id'],
    ['a project that is not there', { project_id: ID }, '/project_id'],
    ['a section that is not there', { section_id: ID }, '/section_id'],
    ['too many blockers', { blocked_by: many(51, (i) => ID.slice(0, -4) + String(1000 + i)) }, '/blocked_by'],
    ['a blocker that is not there', { blocked_by: [ID] }, '/blocked_by/0'],
    ['too many labels', { labels: many(51, (i) => `l${i}`) }, '/labels'],
    ['a label too long', { labels: ['ok', 'x'.repeat(101)] }, '/labels/1'],
    ['a blank label', { labels: [''] }, '/labels/0'],
    ['too many notes', { note_ids: many(21, (i) => ID.slice(0, -4) + String(1000 + i)) }, '/note_ids'],
    ['a note that is not there', { note_ids: [ID] }, '/note_ids/0'],
    ['a source without an id', { source: { system: 'x' } }, '/source/id'],
  ])('with %s is refused, and nothing is changed', async (_, members, pointer) => {
    const me = stranger()
    expect(refused(await world.call(me, 'POST', '/api/tasks', { title: 'T', ...members }))).toEqual([400, pointer])
    const task = await make(me)
    expect(refused(await patch(me, task.id, members))).toEqual([400, pointer])
    expect(await read(me, task.id)).toEqual(task)
    expect((await world.call(me, 'GET', '/api/changes')).body.items).toHaveLength(1)
  })

  test('may be as large as its limits say', async () => {
    const me = stranger()
    const task = await make(me, {
      title: '\u{1f600}'.repeat(500),
      notes: 'x'.repeat(64 * 1024),
      due: day('2200-12-31'),
      start: day('1900-01-01'),
      reminders: many(10, (i) => ({ offset_minutes: i % 2 ? -525_600 : 1440 })),
      labels: many(50, (i) => `l${i}`.padEnd(100, 'x')),
      blocked_by: await Promise.all(many(50, async () => (await make(me)).id)),
    })
    expect([task.labels.length, task.blocked_by.length, task.reminders[0].from]).toEqual([50, 50, 'due'])
  })
})
