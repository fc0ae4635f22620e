import { describe, expect, test } from 'bun:test'
import { contradictions } from '../support/recount'
import { recounted } from '../support/recounted'
import { day, makeTasksWorld, refused } from './support'

const world = recounted(await makeTasksWorld())
const { make, read, patch, act, remove, stranger } = world

const NOON = '2026-03-02T12:00:00.000Z'

describe('a change', () => {
  test('of nothing keeps the revision, whatever members it names', async () => {
    const me = stranger()
    const task = await make(me, {
      due: day('2026-03-10'),
      labels: ['Bills', 'home'],
      recurrence: { rrule: 'FREQ=DAILY' },
    })
    const { title, notes, status, priority, due, start, recurrence, reminders, note_ids, blocked_by, source } = task
    const same = { title, notes, status, priority, due, start, recurrence, reminders, note_ids, blocked_by, source }
    for (const body of [{}, same, { labels: ['bills', 'HOME', 'Bills'] }, { due: {} }, { project_id: null }])
      expect((await patch(me, task.id, body)).body).toEqual(task)
    expect((await act(me, task.id, 'move', {})).body).toEqual(task)
  })

  test('of a part of `due` keeps the rest', async () => {
    const me = stranger()
    const { id } = await make(me, { due: { date: '2026-03-10', time: '08:00', time_zone: 'Europe/Berlin' } })
    const due = async (change: object | null) => (await patch(me, id, { due: change })).body
    expect((await due({ time: '09:00' })).due).toEqual({
      date: '2026-03-10',
      time: '09:00',
      time_zone: 'Europe/Berlin',
    })
    expect((await due({ time_zone: null })).due_at).toBeNull()
    expect((await due({ time_zone: 'Asia/Tokyo' })).due_at).toBe('2026-03-10T00:00:00.000Z')
    expect((await due({ date: '2026-03-11' })).due).toEqual({
      date: '2026-03-11',
      time: '09:00',
      time_zone: 'Asia/Tokyo',
    })
    expect((await due({ time: null })).due).toEqual(day('2026-03-11'))
    expect(refused(await patch(me, id, { due: { time_zone: 'Asia/Tokyo' } }))).toEqual([400, '/due/time_zone'])
    expect((await due(null)).due).toBeNull()
    expect(refused(await patch(me, id, { due: { time: '09:00' } }))).toEqual([400, '/due/date'])
  })

  test('of a part of `recurrence` keeps the rest, and a due date on which something rests stays', async () => {
    const me = stranger()
    const { id, recurrence } = await make(me, { due: day('2026-03-10'), recurrence: { rrule: 'FREQ=DAILY' } })
    expect(recurrence).toEqual({
      rrule: 'FREQ=DAILY',
      mode: 'schedule',
      skip: 'backward',
      anchor: '2026-03-10',
      exdates: [],
      rdates: [],
      moved: [],
    })
    const changed = await patch(me, id, {
      due: { date: '2026-03-12' },
      recurrence: { exdates: ['2026-03-14', '2026-03-13'] },
    })
    expect(changed.body.recurrence).toEqual({ ...recurrence, exdates: ['2026-03-13', '2026-03-14'] })
    expect((await patch(me, id, { recurrence: { anchor: null } })).body.recurrence.anchor).toBe('2026-03-12')
    expect(refused(await patch(me, id, { due: null }))).toEqual([400, '/recurrence'])
    await patch(me, id, { recurrence: null, reminders: [{ offset_minutes: 0 }] })
    expect(refused(await patch(me, id, { due: null }))).toEqual([400, '/reminders/0'])
    expect((await patch(me, id, { due: null, reminders: [] })).body.due).toBeNull()
  })

  test('of several members, the status among them, is one', async () => {
    const me = stranger()
    const task = await make(me, { due: day('2026-03-01') })
    const recurrence = { rrule: 'FREQ=WEEKLY' }
    const steps: [object, object][] = [
      [
        { title: 'U', status: 'in_progress' },
        { title: 'U', status: 'in_progress' },
      ],
      [
        { title: 'V', status: 'done', labels: ['a'] },
        { title: 'V', status: 'done', labels: ['a'], completed_at: NOON },
      ],
      [
        { title: 'W', status: 'open' },
        { title: 'W', status: 'open', completed_at: null },
      ],
      [{ status: 'done' }, { completed_at: NOON }],
      [
        { status: 'in_progress', priority: 1 },
        { status: 'in_progress', priority: 1, completed_at: null },
      ],
      [
        { status: 'cancelled', notes: 'n' },
        { status: 'cancelled', notes: 'n', cancelled_at: NOON },
      ],
      [
        { status: 'in_progress', notes: '' },
        { status: 'in_progress', notes: '', cancelled_at: null },
      ],
      [
        { recurrence, status: 'done' },
        { status: 'open', due: day('2026-03-08'), completed_at: null },
      ],
    ]
    for (const [i, [change, expected]] of steps.entries())
      expect((await patch(me, task.id, change)).body).toMatchObject({ ...expected, revision: i + 2 })
    expect(await world.completions(me, task.id)).toMatchObject([{ occurrence: '2026-03-01', title: 'W' }])
    const undone = await world.undo(me, task.id, (await world.completions(me, task.id))[0].id)
    expect(undone.body).toMatchObject({ status: 'in_progress', due: day('2026-03-01'), recurrence })
  })

  test('from one closed status to the other is refused', async () => {
    const me = stranger()
    const [done, cancelled] = [await make(me, { status: 'done' }), await make(me, { status: 'cancelled' })]
    expect([done.completed_at, cancelled.cancelled_at]).toEqual([NOON, NOON])
    expect((await patch(me, done.id, { status: 'cancelled', title: 'U' })).body.code).toBe('conflict')
    expect((await patch(me, cancelled.id, { status: 'done' })).body.code).toBe('conflict')
    expect(await read(me, done.id)).toEqual(done)
    for (const { id } of [done, cancelled])
      expect((await act(me, id, 'reopen')).body).toMatchObject({ status: 'open', revision: 2 })
  })

  test('with a stale If-Match is 412 with the present task; what is computed of others makes none stale', async () => {
    const me = stranger()
    const task = await make(me)
    const etag = async () => (await world.call(me, 'GET', `/api/tasks/${task.id}`)).headers.get('etag')
    await make(me, { parent_id: task.id })
    const waiting = await make(me, { blocked_by: [task.id] })
    expect(await etag()).toBe('"1-2"')
    const shown = await world.call(me, 'GET', `/api/tasks/${task.id}`, undefined, { 'If-None-Match': '"1-0"' })
    expect(shown.status).toBe(200)
    const saved = await patch(me, task.id, { title: 'U' }, { 'If-Match': '"1-0"' })
    expect([saved.status, saved.headers.get('etag')]).toEqual([200, '"2-2"'])
    const stale = { 'If-Match': '"1-2"' }
    const present = await read(me, task.id)
    for (const answer of [
      await patch(me, task.id, { title: 'V' }, stale),
      ...(await Promise.all(
        ['complete', 'reopen', 'restore', 'move'].map((a) => act(me, task.id, a, a === 'move' ? {} : undefined, stale)),
      )),
      await world.call(me, 'DELETE', `/api/tasks/${task.id}`, undefined, stale),
    ])
      expect([answer.status, answer.body.current]).toEqual([412, present])
    await remove(me, waiting.id)
    expect([await etag(), (await read(me, task.id)).blocking]).toEqual(['"2-3"', false])
  })
})

describe('labels and notes', () => {
  test('a label is spelled as it was first used, and each is carried once', async () => {
    const me = stranger()
    await make(me, { labels: ['Caf\u00e9'] })
    expect((await make(me, { labels: ['CAFE\u0301', 'tea', 'Tea'] })).labels).toEqual(['Café', 'tea'])
  })

  test('a note that is erased leaves the tasks that speak of it; in the trash it stays', async () => {
    const me = stranger()
    const ids = await Promise.all([1, 2].map(async () => (await world.call(me, 'POST', '/api/notes', {})).body.id))
    const { id } = await make(me, { note_ids: [...ids, ids[0]] })
    await world.call(me, 'DELETE', `/api/notes/${ids[0]}`)
    expect(await read(me, id)).toMatchObject({ note_ids: ids, revision: 1 })
    await world.call(me, 'DELETE', `/api/notes/${ids[0]}?permanent=true`)
    expect(await read(me, id)).toMatchObject({ note_ids: [ids[1]], revision: 2 })
    const theirs = await world.call(stranger(), 'POST', '/api/notes', {})
    expect(refused(await patch(me, id, { note_ids: [theirs.body.id] }))).toEqual([400, '/note_ids/0'])
  })
})

describe('a place', () => {
  test('is a project, one of its sections, or that of the whole', async () => {
    const me = stranger()
    const task = await make(me)
    const one = await world.addProject(task.id, 2)
    const two = await world.addProject(task.id, 3)
    expect((await patch(me, task.id, { section_id: one.section })).body.project_id).toBe(one.project)
    expect(refused(await patch(me, task.id, { section_id: two.section, project_id: one.project }))).toEqual([
      400,
      '/section_id',
    ])
    const part = await make(me, { parent_id: task.id })
    const deeper = await make(me, { parent_id: part.id })
    expect([deeper.project_id, deeper.section_id]).toEqual([one.project, one.section])
    for (const [member, value] of [
      ['project_id', two.project],
      ['section_id', null],
    ] as const)
      expect(refused(await patch(me, part.id, { [member]: value }))).toEqual([400, `/${member}`])
    // Who leaves a project leaves its section, and the parts come along.
    await act(me, task.id, 'move', { project_id: two.project })
    for (const { id } of [task, part, deeper])
      expect(await read(me, id)).toMatchObject({ project_id: two.project, section_id: null })
    expect((await patch(me, part.id, { parent_id: null, project_id: null })).body.project_id).toBeNull()
    expect((await read(me, deeper.id)).project_id).toBeNull()
    expect(await contradictions(world.folder)).toEqual([])
  })
})
