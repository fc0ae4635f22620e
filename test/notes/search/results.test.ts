import { afterAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { subject, tree } from '../../search/arbitrary'
import { matches, type Subject, spelled } from '../../search/matcher'
import { runs } from '../../support/full'
import { MANY_CALLERS, makeKey, makeWorld } from '../../support/world'

const world = await makeWorld({ settings: MANY_CALLERS })
afterAll(world.close)

let keys = 0
const stranger = () => ({ key: makeKey(++keys) })

async function ids(me: { key: string }, q: string, more = ''): Promise<string[]> {
  const answer = await world.call(me, 'GET', `/api/notes/search?limit=200&q=${encodeURIComponent(q)}${more}`)
  if (answer.status !== 200) throw new Error(`${q}: ${JSON.stringify(answer.body)}`)
  return answer.body.items.map(({ id }: { id: string }) => id)
}

describe('what a search finds', () => {
  test('is what a plain matcher finds, note by note, for random notes and queries', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(subject, { minLength: 4, maxLength: 12 }),
        fc.array(tree, { minLength: 10, maxLength: 25 }),
        async (subjects, trees) => {
          const me = stranger()
          for (const [n, input] of subjects.entries()) {
            world.clock.now = Date.parse('2026-03-02T12:00:00.000Z') + n * 5 * 3_600_000
            await world.call(me, 'POST', '/api/notes', input)
          }
          // Read when all are there: who links to a note is known only then.
          const list = await world.call(me, 'GET', '/api/notes?archived=any&include=body&sort=updated')
          const notes: (Subject & { id: string })[] = list.body.items
          expect(notes).toHaveLength(subjects.length)
          for (const one of trees) {
            const wanted = notes
              .filter((note) => matches(one, note))
              .map(({ id }) => id)
              .sort()
            // Beside OR all is exact; bare words are not.
            const q = `(${spelled(one)}) OR qqzzyy`
            expect([q, (await ids(me, q)).sort()]).toEqual([q, wanted])
            const newest = notes
              .filter(({ id }) => wanted.includes(id))
              .map(({ id }) => id)
              .reverse()
            expect([q, await ids(me, q, '&sort=-updated')]).toEqual([q, newest])
          }
        },
      ),
      { numRuns: runs(10) },
    )
  })
})
