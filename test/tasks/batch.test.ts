import { afterAll, expect, test } from 'bun:test'
import { makeTasksWorld } from './support'

const world = await makeTasksWorld()
afterAll(world.close)

const NOBODY = '01890000-0000-7000-8000-00000000ffff'
const batch = (me: ReturnType<typeof world.stranger>, body: object, headers = {}) =>
  world.call(me, 'POST', '/api/tasks/batch', body, headers)

test('every op does what its endpoint does, in order, in one request', async () => {
  const me = world.stranger()
  const id = '01890000-0000-7000-8000-000000000001'
  const rent = await world.make(me, { due: { date: '2026-01-31' }, recurrence: { rrule: 'FREQ=MONTHLY' } })
  const { status, body } = await batch(me, {
    ops: [
      { op: 'create', id, data: { title: 'Buy food', labels: ['errand'] } },
      { op: 'update', id, if_revision: 1, data: { priority: 1 } },
      { op: 'complete', id: rent.id, data: { occurrence: '2026-01-31', completed_at: '2026-02-02T08:00:00.000Z' } },
      { op: 'skip', id: rent.id },
      { op: 'move', id, data: { parent_id: rent.id } },
      { op: 'complete', id },
      { op: 'reopen', id },
      { op: 'delete', id: rent.id },
      { op: 'restore', id: rent.id },
    ],
  })
  expect(status).toBe(200)
  expect(body.items.map((item: { status: number }) => item.status)).toEqual([
    201, 200, 200, 200, 200, 200, 200, 204, 200,
  ])
  expect(body.items.map((item: { body: { due?: { date: string } } | null }) => item.body?.due?.date ?? null)).toEqual([
    null,
    null,
    '2026-02-28',
    '2026-03-31',
    null,
    null,
    null,
    null,
    '2026-03-31',
  ])
  expect(await world.read(me, id)).toMatchObject({ priority: 1, parent_id: rent.id, status: 'open', deleted_at: null })
})

test('atomic: the first refusal is the answer, with its index and a pointer into the op, and nothing is changed', async () => {
  const me = world.stranger()
  const task = await world.make(me)
  const { status, body } = await batch(me, {
    ops: [
      { op: 'update', id: task.id, data: { title: 'changed' } },
      { op: 'update', id: task.id, data: { due: { date: '2026-02-30' } } },
    ],
  })
  expect([status, body.failed_index, body.errors[0].pointer]).toEqual([400, 1, '/ops/1/data/due/date'])
  expect(await world.read(me, task.id)).toEqual(task)
})

const refusals: [code: string, op: (ids: { whole: string; part: string }) => object][] = [
  ['parent_cycle', ({ whole, part }) => ({ op: 'move', id: whole, data: { parent_id: part } })],
  ['dependency_cycle', ({ whole, part }) => ({ op: 'update', id: part, data: { blocked_by: [whole] } })],
  ['occurrence_passed', ({ whole }) => ({ op: 'complete', id: whole, data: { occurrence: '2026-01-30' } })],
  [
    'recurrence_never_occurs',
    ({ whole }) => ({
      op: 'update',
      id: whole,
      data: { recurrence: { rrule: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', skip: 'omit' } },
    }),
  ],
  [
    'unsupported_recurrence',
    ({ whole }) => ({ op: 'update', id: whole, data: { recurrence: { rrule: 'FREQ=SECONDLY' } } }),
  ],
]

test.each(refusals)('atomic: %s is answered as the endpoint of the op does', async (code, op) => {
  const me = world.stranger()
  const part = await world.make(me)
  const due = { date: '2026-01-31' }
  const whole = await world.make(me, { due, recurrence: { rrule: 'FREQ=MONTHLY' }, blocked_by: [part.id] })
  await world.patch(me, part.id, { parent_id: whole.id })
  const { status, body } = await batch(me, { ops: [op({ whole: whole.id, part: part.id })] })
  expect([status, body.code, body.failed_index]).toEqual([
    code.startsWith('recurrence') || code.startsWith('uns') ? 400 : 409,
    code,
    0,
  ])
})

test('not atomic: each op answers for itself, and what failed left nothing behind', async () => {
  const me = world.stranger()
  const task = await world.make(me)
  const { status, body } = await batch(me, {
    atomic: false,
    ops: [
      { op: 'update', id: task.id, data: { labels: ['kept'] } },
      { op: 'update', id: task.id, if_revision: 1, data: { title: 'stale' } },
      { op: 'complete', id: NOBODY },
      { op: 'create', data: { title: 'x', labels: ['lost'], parent_id: NOBODY } },
    ],
  })
  expect(status).toBe(200)
  expect(body.items.map((item: { status: number }) => item.status)).toEqual([200, 412, 404, 400])
  expect(body.items[1].body).toMatchObject({ code: 'precondition_failed', current: { revision: 2 } })
  const labels = await world.call(me, 'GET', '/api/tasks/labels')
  expect(labels.body.items.map(({ name }: { name: string }) => name)).toEqual(['kept'])
})

test('the same Idempotency-Key does it once', async () => {
  const me = world.stranger()
  const once = { 'Idempotency-Key': 'batch-1' }
  const body = { ops: [{ op: 'create', data: { title: 'only one' } }] }
  const [first, second] = [await batch(me, body, once), await batch(me, body, once)]
  expect(second.headers.get('Idempotency-Replayed')).toBe('true')
  expect(second.body).toEqual(first.body)
  expect((await world.call(me, 'GET', '/api/tasks')).body.items).toHaveLength(1)
})

test('each op says whether it found the task as it was to be', async () => {
  const me = world.stranger()
  const { id } = await world.make(me)
  const ops = [{ op: 'update', data: { priority: 1 } }, { op: 'update', data: { priority: 1 } }, { op: 'reopen' }]
  const { body } = await batch(me, { ops: [...ops, { op: 'complete' }].map((op) => ({ ...op, id })) })
  const said = body.items.map(({ unchanged }: { unchanged?: true }) => unchanged)
  expect(said).toEqual([undefined, true, true, undefined])
})

test('labels are added and taken away without reading first', async () => {
  const me = world.stranger()
  const [a, b] = [await world.make(me, { labels: ['x', 'y'] }), await world.make(me)]
  const data = { labels_add: ['NEW', 'new', 'z'], labels_remove: ['X', 'nothing'] }
  const { body } = await batch(me, { ops: [a, b].map(({ id }) => ({ op: 'update', id, data })) })
  expect(body.items.map((item: { body: { labels: string[] } }) => item.body.labels)).toEqual([
    ['y', 'NEW', 'z'],
    ['NEW', 'z'],
  ])
  const both = { ops: [{ op: 'update', id: a.id, data: { title: 'T', labels: ['p', 'q'], labels_remove: ['Q'] } }] }
  expect((await batch(me, both)).body.items[0].body).toMatchObject({ title: 'T', labels: ['p'] })
})

test.each([
  ['too many', Array.from({ length: 50 }, (_, place) => `l${place}`), '/ops/0/data/labels_add'],
  ['one that is no name', ['ok', ''], '/ops/0/data/labels_add/1'],
])('labels to add that the server refuses: %s', async (_, labels_add, pointer) => {
  const me = world.stranger()
  const { id } = await world.make(me, { labels: ['x'] })
  const { status, body } = await batch(me, { ops: [{ op: 'update', id, data: { labels_add } }] })
  expect([status, body.errors[0].pointer]).toEqual([400, pointer])
  expect(await world.read(me, id)).toMatchObject({ labels: ['x'] })
})
