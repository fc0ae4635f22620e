import { describe, expect, test } from 'bun:test'
import { contradictions } from '../support/recount'
import { recounted } from '../support/recounted'
import { day, makeTasksWorld, refused, stored } from './support'

const world = recounted(await makeTasksWorld())
const { make, read, patch, act, remove, stranger } = world

describe('the trash', () => {
  test('takes a task with its parts and gives back those that went along', async () => {
    const me = stranger()
    const whole = await make(me)
    const parts = [await make(me, { parent_id: whole.id }), await make(me, { parent_id: whole.id })]
    const deeper = await make(me, { parent_id: parts[0].id })
    await remove(me, parts[1].id)
    expect((await read(me, whole.id)).subtasks).toEqual({ total: 1, done: 0 })
    await remove(me, whole.id)
    const gone = async () =>
      Promise.all([whole, ...parts, deeper].map(async ({ id }) => (await read(me, id)).deleted_at !== null))
    expect(await gone()).toEqual([true, true, true, true])
    expect((await patch(me, deeper.id, { title: 'U' })).body.code).toBe('conflict')
    expect((await act(me, deeper.id, 'complete')).body.code).toBe('conflict')
    expect(refused(await world.call(me, 'POST', '/api/tasks', { title: 'T', parent_id: whole.id }))).toEqual([
      400,
      '/parent_id',
    ])
    const { body } = await act(me, whole.id, 'restore')
    expect(body.subtasks).toEqual({ total: 1, done: 0 })
    expect(await gone()).toEqual([false, false, true, false])
    expect((await act(me, parts[1].id, 'restore')).body.parent_id).toBe(whole.id)
    expect((await act(me, whole.id, 'restore')).body.subtasks).toEqual({ total: 2, done: 0 })
  })

  test('gives back a part without the whole that stays there, but with its own parts', async () => {
    const me = stranger()
    const whole = await make(me)
    const part = await make(me, { parent_id: whole.id })
    const deeper = await make(me, { parent_id: part.id })
    await remove(me, whole.id)
    expect((await act(me, part.id, 'restore')).body).toMatchObject({ parent_id: null, subtasks: { total: 1, done: 0 } })
    expect((await read(me, deeper.id)).deleted_at).toBeNull()
    expect((await act(me, whole.id, 'restore')).body.subtasks).toEqual({ total: 0, done: 0 })
  })

  test('and erasing free what waits, and erasing takes the parts and the bytes', async () => {
    const me = stranger()
    await make(me, { title: 'stays', labels: ['x'] })
    const before = (await world.call(me, 'GET', '/api/usage')).body.workspace
    const whole = await make(me, { due: day('2026-03-01'), recurrence: { rrule: 'FREQ=DAILY' }, labels: ['x'] })
    const part = await make(me, { parent_id: whole.id })
    const waiting = await make(me, { blocked_by: [whole.id, part.id] })
    await act(me, whole.id, 'complete')
    await remove(me, part.id)
    expect((await read(me, waiting.id)).blocked).toBe(false)
    expect((await remove(me, whole.id, '?permanent=true')).status).toBe(204)
    expect([
      (await world.call(me, 'GET', `/api/tasks/${part.id}`)).status,
      (await read(me, waiting.id)).blocked_by,
    ]).toEqual([404, []])
    await remove(me, waiting.id, '?permanent=true')
    const { resources, size_bytes } = (await world.call(me, 'GET', '/api/usage')).body.workspace
    expect([resources, size_bytes]).toEqual([before.resources, before.size_bytes])
    const { items } = (await world.call(me, 'GET', '/api/changes')).body
    expect(items.filter(({ op }: { op: string }) => op === 'delete')).toHaveLength(3)
  })

  test('brings back exactly what went in', async () => {
    const me = stranger()
    const task = await make(me, { labels: ['a'], due: day('2026-03-10'), source: { system: 's', id: 'i' } })
    await remove(me, task.id)
    await remove(me, task.id)
    const back = await act(me, task.id, 'restore')
    expect([stored(back.body), back.body.revision]).toEqual([stored(task), 3])
  })
})

test('a workspace that is full refuses tasks and completions, and can be emptied', async () => {
  await using small = await makeTasksWorld({ SCRATCH_BYTES: '2000' })
  const me = { address: '198.51.100.9' }
  const due = day('2026-03-01')
  const { id } = await small.make(me, { due, recurrence: { rrule: 'FREQ=DAILY' } })
  const { body } = await small.call(me, 'GET', '/api/usage')
  await small.make(me, { notes: 'x'.repeat(2000 - body.workspace.size_bytes - 20) })
  const full = await small.act(me, id, 'complete')
  expect([full.status, full.body.code]).toEqual([429, 'quota_exceeded'])
  expect(await small.read(me, id)).toMatchObject({ due, revision: 1 })
  expect((await small.call(me, 'POST', '/api/tasks', { title: 'x'.repeat(30) })).body.code).toBe('quota_exceeded')
  expect((await small.remove(me, id, '?permanent=true')).status).toBe(204)
  expect(await contradictions(small.folder)).toEqual([])
})

test('a workspace that is full can undo, which frees more than it takes', async () => {
  await using small = await makeTasksWorld({ SCRATCH_BYTES: '4000' })
  const me = { address: '198.51.100.9' }
  const recurrence = { rrule: 'FREQ=DAILY;COUNT=10', mode: 'completion' }
  const task = await small.make(me, { due: day('2026-03-01'), recurrence })
  const { completion } = (await small.act(me, task.id, 'complete')).body
  const { body } = await small.call(me, 'GET', '/api/usage')
  const empty = Buffer.byteLength('T[][][][][]')
  await small.make(me, { notes: 'x'.repeat(4000 - body.workspace.size_bytes - empty) })
  expect((await small.call(me, 'GET', '/api/usage')).body.workspace.size_bytes).toBe(4000)
  const undone = await small.undo(me, task.id, completion.id)
  expect([undone.status, undone.body.recurrence]).toEqual([200, task.recurrence])
})
