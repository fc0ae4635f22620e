import { expect, test } from 'bun:test'
import { DEFAULT_WEIGHTS } from '../../src/flashcards/scheduling/settings'
import { makePortableWorld, type Told } from '../flashcards/archive-support'
import { recounted } from '../support/recounted'
import { takeArchive } from './steps-support'
import { archiveOf } from './support'

/** A large archive comes in steps that are short for others, and whole wherever it is cut. */

const world = recounted(await makePortableWorld())

const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1)
const archiveWith = ({ lines, files }: Told) =>
  archiveOf(
    lines,
    [...files].map(([name, data]) => ({ name, data })),
  )
/** Milliseconds of the processor: what others do meanwhile does not count. */
const spent = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** A workspace of a learner: cards with three answers each, and a picture. */
async function learner(cards: number) {
  const me = world.stranger()
  const deck = await world.deck(me, { settings: { fuzz: false } })
  await world.putMedia(me, 'a.png', PNG)
  for (let i = 0; i < cards; i++) {
    const fact = await world.fact(me, { deck_id: deck.id, front: `front ${i}`, back: `back ${i}` })
    const [card] = await world.cards(me, fact)
    for (const rating of [1, 3, 3]) {
      world.clock.now += 60_000
      await world.call(me, 'POST', `/cards/${card.id}/reviews`, { rating })
    }
  }
  return { me, deck, all: await world.told(me) }
}

const { me, deck, all } = await learner(120)
const archive = archiveWith(all)

test('steps are short, whatever they hold, and the groups grow with what fits', async () => {
  const other = world.stranger()
  const place = { db: world.db, workspace: world.idOf(other) }
  const { run, steps } = await takeArchive(world.archivedTypes, archive, { ...place, ticks: spent })
  expect(run.tally.items).toMatchObject({ card: { created: 120 }, review: { created: 360 }, media: { created: 1 } })
  const items = Object.values(all.lines).flat().length
  expect(steps.length).toBeLessThan(items / 2)
  const sorted = steps.toSorted((a, b) => a - b)
  expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThan(20)
  expect(sorted.at(-1)).toBeLessThan(100)
  expect(await world.told(other)).toEqual(all)
})

test('whichever of its steps is cut off: it comes to the same', async () => {
  const small = archiveWith((await learner(6)).all)
  const take = (as: typeof me, kill?: () => boolean) =>
    takeArchive(world.archivedTypes, small, { db: world.db, workspace: world.idOf(as), ...(kill && { kill }) })
  const whole = world.stranger()
  const undisturbed = await take(whole)
  const told = await world.told(whole)
  for (const cut of [1, 2, 3, 5, 8]) {
    const other = world.stranger()
    let steps = 0
    const killed = await take(other, () => ++steps === cut)
    expect(steps).toBeGreaterThan(cut)
    expect([killed.run.tally, killed.lines]).toEqual([undisturbed.run.tally, undisturbed.lines])
    expect(await world.told(other)).toEqual(told)
  }
})

test('other weights from elsewhere renew the cards that are here alone, over several steps', async () => {
  const other = world.stranger()
  const place = { db: world.db, workspace: world.idOf(other) }
  await takeArchive(world.archivedTypes, archive, place)
  const mine = []
  for (let i = 0; i < 60; i++) {
    const [card] = await world.cards(other, await world.fact(other, { deck_id: deck.id, front: `mine ${i}` }))
    await world.call(other, 'POST', `/cards/${card.id}/reviews`, { rating: 3 })
    // As of a card with a long log: of such a step replays few.
    await world.study(card.id, { reps: 400 })
    mine.push(card.id)
  }
  const weights = DEFAULT_WEIGHTS.with(2, 9)
  await world.call(me, 'PATCH', `/decks/${deck.id}`, { settings: { weights } })
  const theirs = await world.told(me)
  const { steps } = await takeArchive(world.archivedTypes, archiveWith(theirs), place)
  expect(steps.length).toBeGreaterThan(60)
  for (const id of mine) await world.study(id, { reps: 1 })
  for (const id of mine) expect((await world.read(other, `/cards/${id}`)).stability).toBeCloseTo(9, 6)
  const came = new Set(theirs.lines.card?.map(({ id }) => id))
  expect((await world.told(other)).lines.card?.filter(({ id }) => came.has(id))).toEqual([...(theirs.lines.card ?? [])])
})
