import { afterAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { runs } from '../../support/full'
import { contradictions } from '../../support/recount'
import type { As } from '../../support/world'
import { packageOf, type Source } from '../anki/build'
import { BASIC, CLOZE } from '../anki/support'
import { makeTransferWorld } from '../transfer-support'
import { importInGroups } from './passes'

const world = await makeTransferWorld()
afterAll(world.close)

const SIZES = [1, 7, 1000]
const word = fc.constantFrom('a', 'b', 'c', '![](media:x.png) d', '')
const row = fc
  .tuple(
    fc.constantFrom('', 'A', 'A::B', 'C'),
    fc.constantFrom('basic', 'reversed', 'odd'),
    word,
    word,
    fc.constantFrom('', 'n1', 'n2'),
  )
  .map((cells) => cells.join(','))
const csv = fc
  .array(row, { minLength: 1, maxLength: 16 })
  .map((rows) => ['deck,type,front,back,guid', ...rows].join('\n'))

const note = fc.record({
  front: fc.constantFrom('a', 'b', 'c', '<img src="x.png">'),
  isCloze: fc.boolean(),
  deck: fc.constantFrom(100, 101, 999),
  due: fc.nat(40),
  isStudied: fc.boolean(),
  answers: fc.nat(3),
  guid: fc.constantFrom('g1', 'g2', 'g3', undefined),
})
const DECKS = [
  { id: 100, name: 'A' },
  { id: 101, name: 'A::B' },
]
const apkg = fc.array(note, { minLength: 1, maxLength: 12 }).map((notes) => {
  const cards = notes.map(({ deck, due, isStudied }, i) => ({
    ...{ id: 10 + i, nid: i + 1, did: deck, due },
    ...(isStudied ? { type: 2, queue: 2, ivl: 9, factor: 2300, reps: 2 } : {}),
  }))
  const reviews = notes.flatMap(({ answers }, i) =>
    Array.from({ length: answers }, (_, n) => ({ id: 1_767_700_000_000 + n * 86_400_000 + i, cid: 10 + i, ease: 3 })),
  )
  const given = notes.map(({ front, isCloze, guid }, i) => ({
    ...{
      id: i + 1,
      mid: isCloze ? 12 : 10,
      fields: isCloze ? [`{{c1::${front}}} ${i}`, ''] : [front, `back ${i % 3}`],
    },
    ...(guid ? { guid } : {}),
  }))
  const source: Source = {
    ...{ decks: DECKS, notetypes: [BASIC, CLOZE], notes: given, cards, reviews },
    media: { 'x.png': 'picture', 'y.png': 'other', '../z': 'evil' },
  }
  return packageOf('latest', source)
})

/** What came of it, without the ids, which each workspace has of its own. */
async function seen(me: As) {
  const positions = (await world.all(me, '/cards')).map(({ position, ordinal }) => [position, ordinal])
  const decks = (await world.all(me, '/decks')).map(({ name }) => name)
  const media = (await world.all(me, '/media')).map(({ name }) => name)
  return { facts: await world.studied(me), positions: positions.sort(), decks, media }
}

test('the size of the groups changes neither the report nor what is stored', async () => {
  const files = fc.array(
    fc.oneof(
      csv.map((file) => ({ format: 'csv' as const, file })),
      apkg.map((file) => ({ format: 'apkg' as const, file })),
    ),
    { minLength: 1, maxLength: 2 },
  )
  const inGroups = fc.asyncProperty(
    files,
    fc.constantFrom('update' as const, 'skip' as const, 'create' as const),
    fc.boolean(),
    async (all, on_duplicate, isTaken) => {
      const came: unknown[] = []
      for (const size of SIZES) {
        const me = world.stranger()
        if (isTaken) await world.putMedia(me, 'x.png', Buffer.from('mine'))
        const reports: unknown[] = []
        for (const { format, file } of all) {
          const told = await importInGroups(world, me, file, size, { format, on_duplicate, behind: 50 })
          reports.push(told.map(({ id, ...line }) => ({ ...line, hasId: id !== null })))
        }
        came.push({ reports, ...(await seen(me)) })
      }
      expect(came[1]).toEqual(came[0])
      expect(came[2]).toEqual(came[0])
    },
  )
  await fc.assert(inGroups, { numRuns: runs(8) })
  expect(await contradictions(world.folder)).toEqual([])
})
