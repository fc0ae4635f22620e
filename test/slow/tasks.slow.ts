import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { contradictions } from '../support/recount'
import { broughtTogether, sameElsewhere } from '../tasks/archive-properties'
import { makeTaskArchiveWorld } from '../tasks/archive-support'
import { expectModelOfCompletions } from '../tasks/completions-model'
import { makeTasksWorld } from '../tasks/support'

test.each([1, 2, 3, 4, 5])(
  '1,000 completes, skips, undos and reopenings in random order equal a model (%i)',
  async (seed) => {
    await using world = await makeTasksWorld()
    await expectModelOfCompletions(world, seed, 1000)
    expect(await contradictions(world.folder)).toEqual([])
  },
)

test('archives of what many callers made of their tasks are the same elsewhere, and are brought together', async () => {
  await using world = await makeTaskArchiveWorld()
  await fc.assert(sameElsewhere(world), { numRuns: 30 })
  await fc.assert(broughtTogether(world), { numRuns: 30 })
  expect(await contradictions(world.folder)).toEqual([])
})
