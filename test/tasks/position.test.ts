import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { MAX_POSITION_CHARS } from '../../src/tasks/names-and-positions'
import { runs } from '../support/full'
import { recounted } from '../support/recounted'
import type { As } from '../support/world'
import { makeTasksWorld, refused } from './support'

const world = recounted(await makeTasksWorld())
const { make, read, act, remove, stranger } = world

async function inOrder(me: As, ids: readonly string[]): Promise<string[]> {
  const tasks = await Promise.all(ids.map((id) => read(me, id)))
  return tasks.toSorted((a, b) => (a.position < b.position ? -1 : 1)).map(({ id }) => id)
}

const move = fc.record({
  task: fc.nat(5),
  to: fc.oneof(fc.record({ after: fc.option(fc.nat(5)) }), fc.record({ before: fc.option(fc.nat(5)) })),
})

test('moves among siblings equal those in a list', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(move, { minLength: 5, maxLength: 25 }), fc.boolean(), async (moves, inTask) => {
      const me = stranger()
      const parent_id = inTask ? (await make(me)).id : null
      const ids: string[] = []
      for (let i = 0; i < 6; i++) ids.push((await make(me, { parent_id })).id)
      // One of them is in the trash: it keeps its place, and others may stand next to it.
      await remove(me, ids[5] ?? '')
      let list = [...ids]
      for (const { task, to } of moves) {
        const id = ids[task] ?? ''
        const [[side, n] = ['after', null]] = Object.entries(to)
        const sibling = n === null ? null : ids[n]
        const answer = await act(me, id, 'move', { [side]: sibling })
        const expected = task === 5 ? 409 : sibling === id ? 400 : 200
        expect(answer.status).toBe(expected)
        if (expected === 200) list = moved(list, id, side, sibling ?? null)
        expect(await inOrder(me, ids)).toEqual(list)
      }
    }),
    { numRuns: runs(8) },
  )
})

function moved(list: readonly string[], id: string, side: string, sibling: string | null): string[] {
  const rest = list.filter((other) => other !== id)
  const end = side === 'after' ? 0 : rest.length
  const at = sibling === null ? end : rest.indexOf(sibling) + (side === 'after' ? 1 : 0)
  return rest.toSpliced(at, 0, id)
}

test('a move to where it stands changes nothing, and one elsewhere changes one task', async () => {
  const me = stranger()
  const [a, b, c] = [await make(me), await make(me), await make(me)]
  for (const [id, order] of [
    [a.id, { after: null }],
    [a.id, { before: b.id }],
    [b.id, { after: a.id }],
    [c.id, { before: null }],
  ] as const)
    expect((await act(me, id, 'move', order)).body.revision).toBe(1)
  expect((await act(me, c.id, 'move', { after: null })).body.revision).toBe(2)
  expect([await read(me, a.id), await read(me, b.id)]).toEqual([a, b])
  expect(await inOrder(me, [a.id, b.id, c.id])).toEqual([c.id, a.id, b.id])
  // Also where its neighbours have gone, and another position would do.
  await act(me, c.id, 'move', { after: a.id })
  await act(me, b.id, 'move', { after: null })
  expect((await act(me, c.id, 'move', { before: null })).body.revision).toBe(3)
})

test('who comes into a place stands last there, or where it is told', async () => {
  const me = stranger()
  const whole = await make(me)
  const [one, two] = [await make(me, { parent_id: whole.id }), await make(me, { parent_id: whole.id })]
  const [last, between] = [await make(me), await make(me)]
  await world.patch(me, last.id, { parent_id: whole.id })
  await act(me, between.id, 'move', { parent_id: whole.id, after: one.id })
  expect(await inOrder(me, [one.id, two.id, last.id, between.id])).toEqual([one.id, between.id, two.id, last.id])
  const elsewhere = await make(me)
  expect(refused(await act(me, one.id, 'move', { after: elsewhere.id }))).toEqual([400, '/after'])
  expect(refused(await act(me, one.id, 'move', { before: whole.id }))).toEqual([400, '/before'])
  expect(refused(await act(me, one.id, 'move', { before: two.id, after: last.id }))).toEqual([400, '/before'])
})

test('a position of more than 200 characters makes all of its place short again, in the same order', async () => {
  const me = stranger()
  const whole = await make(me)
  const ids: string[] = []
  for (let i = 0; i < 4; i++) ids.push((await make(me, { parent_id: whole.id })).id)
  const [first = '', one = '', other = ''] = ids
  // Each is put between the other and the first: the gap is halved again and again.
  let longest = 0
  let renumbered = false
  for (let i = 0; i < 2500 && !renumbered; i++) {
    const { position } = (await act(me, i % 2 ? one : other, 'move', { after: first })).body
    renumbered = position.length < longest / 2
    longest = Math.max(longest, position.length)
  }
  expect([renumbered, longest]).toEqual([true, MAX_POSITION_CHARS])
  const order = await inOrder(me, ids)
  expect([order[0], order[3]]).toEqual([first, ids[3] ?? ''])
  const lengths = (await Promise.all(ids.map((id) => read(me, id)))).map(({ position }) => position.length)
  expect(Math.max(...lengths)).toBeLessThan(4)
})
