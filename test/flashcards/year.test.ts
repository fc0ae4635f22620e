import { beforeAll, expect, test } from 'bun:test'
import { recounted } from '../support/recounted'
import type { As } from '../support/world'
import { makePortableWorld } from './archive-support'
import { Person } from './person'
import type { Shown } from './support'

/** A year of study goes out and comes in by every format: schedule, log and due dates are the same. */

const world = recounted(await makePortableWorld())
const me = world.stranger()
const DAY = 86_400_000
const START = Date.parse('2026-03-01T18:00:00.000Z')
let before: Awaited<ReturnType<typeof world.studied>>

beforeAll(async () => {
  const { call } = world
  world.clock.now = START
  await call(me, 'PATCH', '/settings', { time_zone: 'America/New_York', day_starts_at_hour: 3 })
  const settings = { new_limit_per_day: 2, desired_retention: 0.85, learning_steps_minutes: [1, 5, 10] }
  const top = await world.deck(me, { name: 'Top', settings })
  const below = await world.deck(me, { name: 'Below', parent_id: top.id, settings: { relearning_steps_minutes: [] } })
  for (let i = 0; i < 60; i++) {
    const deck_id = i % 3 === 0 ? below.id : top.id
    if (i % 10 === 0)
      await world.fact(me, { deck_id, type: 'cloze', front: null, back: null, text: `{{c1::a${i}}} {{c2::b}}` })
    else
      await world.fact(me, {
        deck_id,
        type: i % 5 === 1 ? 'reversed' : 'basic',
        front: `front ${i}`,
        back: `back ${i}`,
      })
  }
  const person = new Person(world, me, 5)
  for (let day = 0; day < 365; day++) {
    world.clock.now = START + day * DAY
    await person.study()
    if (day % 50 === 20) await by(day)
  }
  // Some cards are between two steps, one is buried, one is undone, some are new.
  world.clock.now = START + 365 * DAY
  for (const front of ['new', 'newer', 'newest', 'last']) await world.fact(me, { deck_id: top.id, front })
  const cards: Shown[] = (await world.read(me, '/queue?limit=30')).items.map(({ card }: Shown) => card)
  for (const [i, { id }] of cards.entries())
    await call(me, 'POST', `/cards/${id}/reviews`, { rating: i % 2 === 0 ? 1 : 3, duration_ms: 5000 })
  await call(me, 'POST', '/reviews/undo')
  await call(me, 'POST', '/cards/actions', { ids: [cards[2]?.id], action: 'bury' })
  before = await world.studied(me)
})

/** What else happens in a year: answers that arrive late, cards that are set by hand, suspended and flagged. */
async function by(day: number): Promise<void> {
  const { call } = world
  const [first, second, third] = (await world.all(me, '/cards')).filter(({ state }) => state === 'review')
  const reviewed_at = new Date(world.clock.now - 3 * DAY).toISOString()
  await call(me, 'POST', `/cards/${first.id}/reviews`, { rating: 2, reviewed_at, duration_ms: 900 })
  const date = new Date(world.clock.now + 12 * DAY).toISOString().slice(0, 10)
  await call(me, 'POST', '/cards/actions', { ids: [second.id], action: 'set_due', value: date })
  await call(me, 'PATCH', `/cards/${third.id}`, { flag: day % 7, suspended: day > 300 })
}

/** Formats that a file is asked for and sent in. */
async function throughFile(to: As, format: string): Promise<void> {
  const file = await world.exported(me, `format=${format}`)
  const { status, body } = await world.send(to, `format=${format === 'colpkg' ? 'apkg' : format}`, file)
  expect([status, body.totals.failed]).toEqual([200, 0])
}

const ways: Readonly<Record<string, (to: As) => Promise<unknown>>> = {
  apkg: (to) => throughFile(to, 'apkg'),
  colpkg: (to) => throughFile(to, 'colpkg'),
  archive: async (to) => world.merge(to, await world.told(me)),
}

test('a year is a year: hundreds of answers, of every state', () => {
  const cards = before.flatMap((fact) => fact.cards)
  expect(new Set(cards.map(({ state }: Shown) => state))).toEqual(new Set(['new', 'learning', 'review', 'relearning']))
  expect(before.flatMap(({ log }) => log.flat()).length).toBeGreaterThan(1000)
})

test.each(Object.keys(ways))('by %s', async (format) => {
  const to = world.stranger()
  await world.call(to, 'PATCH', '/settings', { time_zone: 'America/New_York', day_starts_at_hour: 3 })
  await ways[format]?.(to)
  expect(await world.studied(to)).toEqual(before)
})

test('by csv, the content', async () => {
  const to = world.stranger()
  await throughFile(to, 'csv')
  const content = (facts: typeof before) =>
    facts.map(({ cards, log: _, ...fact }) => ({ ...fact, cards: cards.length }))
  expect(content(await world.studied(to))).toEqual(content(before))
})
