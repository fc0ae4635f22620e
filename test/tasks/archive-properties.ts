import { expect } from 'bun:test'
import fc from 'fast-check'
import { contradictions } from '../support/recount'
import { begin, someSteps, take } from './archive-fill'
import type { Lines, TaskArchiveWorld } from './archive-support'

const countOf = (all: Lines) => Object.values(all).reduce((sum, items) => sum + items.length, 0)

/**
 * What callers made of a workspace is the same in another, line by line, with what is computed; a repeat, there and here,
 * changes nothing.
 */
export const sameElsewhere = (world: TaskArchiveWorld) =>
  fc.asyncProperty(someSteps(40), async (steps) => {
    const [mine, other] = [await world.newcomer(), await world.newcomer()]
    await begin(world, mine.as)
    await take(
      world,
      mine.as,
      steps.filter(({ what }) => what !== 'note'),
    )
    const [before, held] = [await world.lines(mine.session), await world.state(mine.session)]
    const { counts, told } = await world.merge(other.session, before)
    expect(told).toEqual([])
    expect(counts.created + counts.updated + counts.unchanged).toBe(countOf(before))
    expect(await world.lines(other.session)).toEqual(before)
    const there = await world.state(other.session)
    expect(there?.resources).toBe(held?.resources ?? 0)
    // A completion remembers edges to tasks that were erased since, which no archive holds.
    expect(there?.size_bytes).toBeLessThanOrEqual(held?.size_bytes ?? 0)
    for (const { id } of before.task ?? [])
      expect(await world.read(other.as, id)).toEqual(await world.read(mine.as, id))
    for (const { session } of [mine, other]) {
      const unchanged = await world.state(session)
      const again = await world.merge(session, before)
      expect(again).toEqual({ counts: { created: 0, updated: 0, unchanged: countOf(before) }, told: [], refused: [] })
      expect(await world.state(session)).toEqual(unchanged)
    }
    expect(await contradictions(world.folder)).toEqual([])
  })

/** A workspace comes up to what was made of another since; what was made of it on either side is kept in order. */
export const broughtTogether = (world: TaskArchiveWorld) =>
  fc.asyncProperty(someSteps(12), someSteps(16), someSteps(16), async (first, here, there) => {
    const own = (steps: typeof first) => steps.filter(({ what }) => what !== 'note')
    const [mine, other] = [await world.newcomer(), await world.newcomer()]
    await begin(world, mine.as)
    await take(world, mine.as, own(first))
    await world.merge(other.session, await world.lines(mine.session))
    await take(world, mine.as, own(here), 'mine')
    await take(world, other.as, own(there), 'other')
    const all = await world.lines(mine.session)
    const { refused } = await world.merge(other.session, all)
    expect(await contradictions(world.folder)).toEqual([])
    const after = await world.lines(other.session)
    for (const type of world.types) {
      const known = new Map(after[type]?.map((line) => [line.id, line]))
      for (const line of all[type] ?? [])
        if (known.has(line.id) && !refused.includes(line.id))
          expect(known.get(line.id).revision ?? 1).toBeGreaterThanOrEqual(line.revision ?? 1)
    }
    expect((await world.merge(other.session, all)).counts).toMatchObject({ updated: 0 })
    expect(await contradictions(world.folder)).toEqual([])
  })
