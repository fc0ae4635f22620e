import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { getTask, taskTable } from '../../src/tasks/store'
import { createTaskDraft } from '../../src/tasks/task'
import { runs } from '../support/full'
import { recounted } from '../support/recounted'
import type { As } from '../support/world'
import { makeTasksWorld, refused, sessionOf } from './support'

const world = recounted(await makeTasksWorld())
const { make, read, act, remove, stranger } = world

/** A chain of tasks, each a part of the one before. */
async function chain(me: As, length: number): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < length; i++) ids.push((await make(me, { parent_id: ids.at(-1) ?? null })).id)
  return ids
}

test('a tree is eight levels deep at most, whatever is hung where', async () => {
  const me = stranger()
  const deep = await chain(me, 8)
  expect(refused(await world.call(me, 'POST', '/api/tasks', { title: 'T', parent_id: deep[7] }))).toEqual([
    400,
    '/parent_id',
  ])
  const [top = '', below = ''] = await chain(me, 2)
  expect(refused(await act(me, top, 'move', { parent_id: deep[6] }))).toEqual([400, '/parent_id'])
  expect((await act(me, below, 'move', { parent_id: deep[6] })).status).toBe(200)
  // What is in the trash comes back to its place: it counts.
  await act(me, below, 'move', { parent_id: top })
  await remove(me, below)
  expect(refused(await act(me, top, 'move', { parent_id: deep[6] }))).toEqual([400, '/parent_id'])
  expect((await act(me, top, 'move', { parent_id: deep[5] })).status).toBe(200)
  expect((await act(me, below, 'restore')).body.parent_id).toBe(top)
})

test('a task cannot become a part of itself or of its parts', async () => {
  const me = stranger()
  const [top = '', middle, end] = await chain(me, 3)
  for (const parent_id of [top, middle, end])
    for (const answer of [await act(me, top, 'move', { parent_id }), await world.patch(me, top, { parent_id })])
      expect([answer.status, answer.body.code]).toEqual([409, 'parent_cycle'])
})

test('of two requests that together would make a circle, one is refused', async () => {
  const me = stranger()
  for (let round = 0; round < 5; round++) {
    const [a, b] = [await make(me), await make(me)]
    const answers = await Promise.all([
      act(me, a.id, 'move', { parent_id: b.id }),
      act(me, b.id, 'move', { parent_id: a.id }),
    ])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
  }
})

test('of two requests that together would make a ninth level, one is refused', async () => {
  const me = stranger()
  const [above, below, single] = [await chain(me, 4), await chain(me, 4), await make(me)]
  const answers = await Promise.all([
    act(me, below[0] ?? '', 'move', { parent_id: above[3] }),
    act(me, single.id, 'move', { parent_id: below[3] }),
  ])
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400])
})

const partId = (i: number) => `01890000-0000-7000-8000-${String(i).padStart(12, '0')}`

test('a task has at most 500 parts, and none comes back where they are', async () => {
  const me = stranger()
  const whole = await make(me)
  const first = await make(me, { parent_id: whole.id })
  const session = await sessionOf(world, whole.id)
  await session.db.transaction(async (db) => {
    for (let i = 0; i < 498; i++) {
      const draft = createTaskDraft({ id: partId(i), at: 0, input: { title: 'part' } })
      const place = { parent_id: whole.id, place: `t:${whole.id}`, position: `b${String(i).padStart(4, '0')}` }
      await taskTable.insert({ ...session, db }, { ...draft, ...place })
    }
  })
  const last = await make(me, { parent_id: whole.id })
  expect((await read(me, whole.id)).subtasks.total).toBe(500)
  expect(refused(await world.call(me, 'POST', '/api/tasks', { title: 'T', parent_id: whole.id }))).toEqual([
    400,
    '/parent_id',
  ])
  await remove(me, first.id)
  await make(me, { parent_id: whole.id })
  expect((await act(me, first.id, 'restore')).body.code).toBe('conflict')
  await remove(me, last.id)
  expect((await act(me, first.id, 'restore')).body.parent_id).toBe(whole.id)
  // Those parts came in round the change feed and the totals.
  await session.db.run(
    'UPDATE workspaces SET resources = resources + 498, size_bytes = size_bytes + 498 * $2 WHERE id = $1',
    [session.workspace.id, (await getTask(session, partId(0)))?.size_bytes ?? 0],
  )
  await remove(me, whole.id, '?permanent=true')
})

describe('no sequence of writes', () => {
  const step = fc.record({ task: fc.nat(11), parent: fc.option(fc.nat(11), { nil: null, freq: 6 }) })

  test('makes a circle or a ninth level: each is answered as a model says', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
        const me = stranger()
        const ids = await Promise.all(Array.from({ length: 12 }, async () => (await make(me)).id))
        const parents: (number | null)[] = ids.map(() => null)
        for (const { task, parent } of steps) {
          const answer = await act(me, ids[task] ?? '', 'move', { parent_id: parent === null ? null : ids[parent] })
          const expected = judge(parents, task, parent)
          expect([task, parent, answer.status]).toEqual([task, parent, expected])
          if (expected === 200) parents[task] = parent
        }
        const shown = await Promise.all(ids.map(async (id) => (await read(me, id)).parent_id))
        expect(shown).toEqual(parents.map((parent) => (parent === null ? null : ids[parent])))
      }),
      { numRuns: runs(8) },
    )
  })

  function judge(parents: readonly (number | null)[], task: number, parent: number | null): number {
    if (parent === null || parent === parents[task]) return 200
    const above: number[] = []
    for (let n: number | null | undefined = parent; n !== null && n !== undefined; n = parents[n]) above.push(n)
    if (above.includes(task)) return 409
    const height = (n: number): number => 1 + Math.max(0, ...parents.flatMap((p, i) => (p === n ? [height(i)] : [])))
    return above.length + height(task) > 8 ? 400 : 200
  }
})
