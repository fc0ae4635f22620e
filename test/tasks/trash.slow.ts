import { expect, test } from 'bun:test'
import { listAncestors, listDescendants, setBlockers, updateComputed } from '../../src/tasks/relation-store'
import { taskTable } from '../../src/tasks/store'
import { createTaskDraft } from '../../src/tasks/task'
import { cost } from '../support/cost'
import { day, makeTasksWorld, sessionOf } from './support'

test('more than ten thousand tasks are neither moved nor done together', async () => {
  await using large = await makeTasksWorld()
  const me = large.stranger()
  const whole = await large.make(me, { due: day('2026-02-01'), recurrence: { rrule: 'FREQ=DAILY' } })
  const session = await sessionOf(large, whole.id)
  await session.db.transaction(async (db) => {
    for (let i = 0; i < 10_001; i++) {
      const id = `01890000-0000-7000-8000-${String(i).padStart(12, '0')}`
      const draft = createTaskDraft({ id, at: 0, input: { title: 'part', status: 'done' } })
      const place = { parent_id: whole.id, place: `t:${whole.id}`, position: `b${i}` }
      await taskTable.insert({ ...session, db }, { ...draft, ...place })
    }
    await updateComputed({ ...session, db }, [1])
  })
  const { project } = await large.addProject(whole.id, 1)
  const { db } = session
  expect(await cost(100, () => listDescendants(session, whole.id))).toBeLessThan(100)
  expect(await cost(5, () => listAncestors(session, '01890000-0000-7000-8000-000000000000', 8))).toBeLessThan(5)
  for (const answer of [
    await large.patch(me, whole.id, { project_id: project }),
    await large.act(me, whole.id, 'complete'),
    await large.act(me, whole.id, 'skip'),
    await large.act(me, whole.id, 'move', { project_id: project }),
    await large.call(me, 'POST', '/api/tasks/batch', { ops: [{ op: 'skip', id: whole.id }] }),
  ])
    expect([answer.status, answer.body.code]).toEqual([409, 'too_many_affected'])
  expect((await large.read(me, whole.id)).revision).toBe(1)
  // Of a project that is gone.
  await db.run("UPDATE tasks SET deleted_at = 0, project_id = 'gone' WHERE id = $1", [whole.id])
  expect((await large.act(me, whole.id, 'restore')).body.code).toBe('too_many_affected')
})

test('a task that thousands wait for is erased without a standstill; one that more than ten thousand wait for is not', async () => {
  await using large = await makeTasksWorld()
  const me = large.stranger()
  const [hub, other] = [await large.make(me), await large.make(me)]
  const session = await sessionOf(large, hub.id)
  const waitFor = (blockers: readonly { id: string; key: number }[], from: number, count: number) =>
    session.db.transaction(async (db) => {
      for (let i = from; i < from + count; i++) {
        const id = `01890000-0000-7000-8000-${String(i).padStart(12, '0')}`
        const blocked_by = JSON.stringify(blockers.map((blocker) => blocker.id))
        const draft = { ...createTaskDraft({ id, at: 0, input: { title: 'waits' } }), blocked_by, position: `b${i}` }
        const key = (await taskTable.insert({ ...session, db }, draft))?.key ?? null
        const keys = blockers.map((blocker) => blocker.key)
        if (key !== null) await setBlockers({ ...session, db }, key, keys)
      }
    })
  await waitFor([{ id: hub.id, key: 1 }], 0, 2000)
  await waitFor([{ id: other.id, key: 2 }], 2000, 10_001)
  expect((await large.remove(me, other.id, '?permanent=true')).body.code).toBe('too_many_affected')
  expect((await large.read(me, other.id)).revision).toBe(1)
  let turns = 0
  const timer = setInterval(() => turns++, 0)
  expect((await large.remove(me, hub.id, '?permanent=true')).status).toBe(204)
  clearInterval(timer)
  expect(turns).toBeGreaterThan(10)
  expect(await large.read(me, '01890000-0000-7000-8000-000000001999')).toMatchObject({ blocked_by: [], revision: 2 })
})
