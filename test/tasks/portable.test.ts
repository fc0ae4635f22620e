import { afterAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { contradictions } from '../support/recount'
import { someSteps, take } from './portable-fill'
import { type Lines, makePortableWorld } from './portable-support'
import { day, type Shown, stored } from './support'

/** Tasks and all that belongs to them leave a workspace whole and come into another the same. */

const world = await makePortableWorld()
const { asked, call, lines, make, merge, newcomer, read, state } = world
afterAll(async () => {
  expect(contradictions(world.folder)).toEqual([])
  await world.close()
})

const NOTHING = { created: 0, updated: 0, unchanged: 0 }
const countOf = (all: Lines) => Object.values(all).reduce((sum, items) => sum + items.length, 0)

/** A task refers to notes of its own workspace: these are no part of what is tested here. */
async function lendNotes(from: string, to: string): Promise<void> {
  await world.db.run('UPDATE notes SET workspace = $2 WHERE workspace = $1', [from, to])
}

describe('what any callers have made of a workspace', () => {
  test('is the same in another, line by line, with what is computed; a repeat, there and here, changes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(someSteps(60), async (steps) => {
        const [mine, other] = [await newcomer(), await newcomer()]
        await take(
          world,
          mine.as,
          steps.filter(({ what }) => what !== 'note'),
        )
        const [before, held] = [await lines(mine.session), await state(mine.session)]
        const { counts, told } = await merge(other.session, before)
        expect(told).toEqual([])
        expect(counts.created + counts.updated + counts.unchanged).toBe(countOf(before))
        expect(await lines(other.session)).toEqual(before)
        const there = await state(other.session)
        expect([there?.resources, there?.size_bytes]).toEqual([held?.resources ?? 0, held?.size_bytes ?? 0])
        for (const { id } of before['task'] ?? []) expect(await read(other.as, id)).toEqual(await read(mine.as, id))
        for (const { session } of [mine, other]) {
          const unchanged = await state(session)
          const again = await merge(session, before)
          expect(again).toEqual({ counts: { ...NOTHING, unchanged: countOf(before) }, told: [] })
          expect(await state(session)).toEqual(unchanged)
        }
        expect(contradictions(world.folder)).toEqual([])
      }),
      { numRuns: 12 },
    )
  }, 60_000)

  test('comes up to what was made of it since, and what was made of it on either side is kept in order', async () => {
    await fc.assert(
      fc.asyncProperty(someSteps(40), someSteps(20), someSteps(20), async (first, here, there) => {
        const own = (steps: typeof first) => steps.filter(({ what }) => what !== 'note')
        const [mine, other] = [await newcomer(), await newcomer()]
        await take(world, mine.as, own(first))
        await merge(other.session, await lines(mine.session))
        await take(world, mine.as, own(here), 'mine')
        await take(world, other.as, own(there), 'other')
        const all = await lines(mine.session)
        await merge(other.session, all)
        expect(contradictions(world.folder)).toEqual([])
        const after = await lines(other.session)
        for (const type of world.types) {
          const known = new Map(after[type]?.map((line) => [line.id, line]))
          for (const line of all[type] ?? [])
            if (known.has(line.id)) expect(known.get(line.id).revision ?? 1).toBeGreaterThanOrEqual(line.revision ?? 1)
        }
        expect((await merge(other.session, all)).counts).toMatchObject({ updated: 0 })
        expect(contradictions(world.folder)).toEqual([])
      }),
      { numRuns: 8 },
    )
  }, 60_000)
})

test('notes are among what a task comes with; one that is not there is left out and told', async () => {
  const [mine, other] = [await newcomer(), await newcomer()]
  const [one, two] = [
    await call(mine.as, 'POST', '/api/notes', { title: 'A' }),
    await call(mine.as, 'POST', '/api/notes', { title: 'B' }),
  ]
  const { id } = await make(mine.as, { note_ids: [one.body.id, two.body.id] })
  const all = await lines(mine.session)
  const report = await merge(other.session, all)
  expect(report.told).toEqual(['task /note_ids/0'])
  expect((await read(other.as, id)).note_ids).toEqual([])
  expect(await lines((await newcomer()).session)).toEqual(Object.fromEntries(world.types.map((type) => [type, []])))
})
