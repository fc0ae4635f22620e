import { afterAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { runs } from '../support/full'
import type { As } from '../support/world'
import { type Json, makeArchiveWorld, toldIn } from './support'

/** Whatever was done to notes: the archive brings all of it along, at once or bit by bit. */

const world = await makeArchiveWorld()
afterAll(world.close)

const { call, data, imported, exported, stranger } = world
const NOTES = 3
let texts = 0

const step = fc.record({
  note: fc.nat(NOTES - 1),
  does: fc.constantFrom('write', 'write', 'rename', 'pin', 'tag', 'label', 'trash', 'restore', 'erase', 'day'),
})
const steps = fc.array(step, { minLength: 1, maxLength: 15 })

interface Step {
  readonly note: number
  readonly does: string
}

/** Does the steps one after the other. What a note's state does not allow is refused, and leaves it as it is. */
async function live(me: As, ids: readonly string[], life: readonly Step[]): Promise<void> {
  for (const { note, does } of life) {
    world.clock.now += 1000
    const id = ids[note] ?? ''
    const path = `/api/notes/${id}`
    const text = `text ${++texts} [[${texts % 7}]] #t${texts % 3}`
    const present = await call(me, 'GET', path)
    if (present.status === 404) await call(me, 'POST', '/api/notes', { id, title: `${note}`, body: text })
    else if (does === 'write') await call(me, 'PATCH', path, { body: text })
    else if (does === 'rename') await call(me, 'PATCH', path, { title: `${texts % 7} or ${texts}` })
    else if (does === 'pin') await call(me, 'PATCH', path, { pinned: !present.body.pinned })
    else if (does === 'tag') await call(me, 'PATCH', path, { tags: [`t${texts}`] })
    else if (does === 'label') await call(me, 'PATCH', `${path}/revisions/1`, { label: `label ${texts}` })
    else if (does === 'trash') await call(me, 'DELETE', path)
    else if (does === 'restore') await call(me, 'POST', `${path}/restore`)
    else if (does === 'erase') await call(me, 'DELETE', `${path}?permanent=true`)
    else await call(me, 'PUT', '/api/notes/daily/2026-03-02', { body: text })
  }
}

const freshIds = () =>
  Array.from({ length: NOTES }, () => `01890000-0000-7000-8000-${(++texts).toString(16).padStart(12, '0')}`)

test('in one piece: the copy tells the same, line by line, and holds as much', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (life) => {
      const [me, other] = [stranger(), stranger()]
      await live(me, freshIds(), life)
      const { body } = await imported(other, await exported(me, '?readable=false'))
      expect(toldIn(body)).toEqual([])
      expect(await data(other)).toEqual(await data(me))
      expect(await world.held(other)).toEqual(await world.held(me))
    }),
    { numRuns: runs(5) },
  )
  expect(await world.contradictions()).toEqual([])
})

test('bit by bit: a copy that is brought up to date has each living note as it is', async () => {
  await fc.assert(
    fc.asyncProperty(steps, steps, async (life, later) => {
      const [me, other] = [stranger(), stranger()]
      const ids = freshIds()
      await live(me, ids, life)
      await imported(other, await exported(me, '?readable=false'))
      // What is erased for good and made anew begins with revision 1: to a copy that is the older one.
      const rest = later.filter(({ does }) => does !== 'erase')
      await live(me, ids, rest)
      await imported(other, await exported(me, '?readable=false'))
      const [mine, theirs] = [await data(me), await data(other)]
      expect(theirs['data/note.jsonl']).toEqual(mine['data/note.jsonl'])
      const revisions = (lines: readonly string[] = []) =>
        new Set(
          lines
            .filter(Boolean)
            .map((line): Json => JSON.parse(line))
            .map((v) => `${v.note_id} ${v.revision}`),
        )
      expect(
        [...revisions(mine['data/note_revision.jsonl'])].filter(
          (v) => !revisions(theirs['data/note_revision.jsonl']).has(v),
        ),
      ).toEqual([])
    }),
    { numRuns: runs(5) },
  )
  expect(await world.contradictions()).toEqual([])
})
