/** What is studied without network comes to what the server makes of the same answers at the same instants. */
import { afterAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Card, CardAnswer, Deck, Queue } from '../../app/api/types'
import { answerCard, type Basis, dayOf, withPreview } from '../../app/study/schedule'
import { makeStudyWorld, STUDIED } from '../flashcards/support'
import { runs } from '../support/full'
import type { As } from '../support/world'

const world = await makeStudyWorld()
afterAll(() => world.close())

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const RUNS = { numRuns: runs(40) }
const start = world.clock.now
let reviews = 0
const newReview = () => `0198aaaa-0000-7000-8000-${String(++reviews).padStart(12, '0')}`

const rating = fc.constantFrom(1, 2, 3, 4) as fc.Arbitrary<1 | 2 | 3 | 4>
const steps = fc.array(fc.constantFrom(1, 5, 10, 60, 600, 1439), { maxLength: 3 })
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { freq: 3 })
const overrides = fc.record({
  fuzz: maybe(fc.boolean()),
  bury_siblings: maybe(fc.boolean()),
  desired_retention: maybe(fc.constantFrom(0.7, 0.85, 0.9, 0.97)),
  maximum_interval_days: maybe(fc.constantFrom(1, 3, 30, 36_500)),
  learning_steps_minutes: maybe(steps),
  relearning_steps_minutes: maybe(steps),
  new_limit_per_day: maybe(fc.constantFrom(0, 1, 3)),
  leech_threshold: maybe(fc.constantFrom(1, 2, 4)),
  leech_action: maybe(fc.constantFrom('suspend', 'none')),
})
const studySettings = fc.record({
  time_zone: fc.constantFrom('UTC', 'Europe/Lisbon', 'America/New_York', 'Asia/Kolkata', 'Pacific/Apia'),
  day_starts_at_hour: fc.constantFrom(0, 4, 23),
  learn_ahead_minutes: fc.constantFrom(0, 20, 60),
  deck_defaults: overrides,
})
/** What cards are like before: new, in review, or in relearning. */
const columns = fc.constantFrom(
  {},
  STUDIED,
  { ...STUDIED, due_day: 20_500, stability: 2.5, lapses: 3, reps: 9 },
  { ...STUDIED, state: 'relearning', due_day: null, due_at: start - MINUTE, scheduled_days: 0, lapses: 1 },
)
const decks = fc.record({ study: studySettings, parent: overrides, child: overrides })
const pause = fc.oneof(fc.integer({ min: 0, max: 90 * MINUTE }), fc.integer({ min: 0, max: 20 * DAY }))

interface Given {
  readonly study: object
  readonly parent: object
  readonly child: object
}

/** Two decks, one below the other, with the given settings, and what a device knows of them. */
async function makeDecks(me: As, { study, parent, child }: Given): Promise<{ ids: string[]; basis: Basis }> {
  world.clock.now = start
  const settings = (await world.call(me, 'PATCH', '/settings', study)).body
  const top: Deck = await world.deck(me, { settings: parent })
  const below: Deck = await world.deck(me, { settings: child, parent_id: top.id })
  return { ids: [top.id, below.id], basis: { settings, decks: new Map([top, below].map((deck) => [deck.id, deck])) } }
}

const queueOf = async (me: As, query = ''): Promise<Queue> =>
  (await world.call(me, 'GET', `/queue?limit=200&preview=true${query}`)).body

async function send(me: As, items: readonly CardAnswer[]) {
  const { status, body } = await world.call(me, 'POST', '/reviews/batch?preview=true', { items })
  expect(status).toBe(200)
  return body.items
}

/** What the scheduler decides of a card, and what is not counted or stored by the server alone. */
const scheduled = ({ revision: _, updated_at: __, ...card }: Card) => card

describe('an answer that is worked out here', () => {
  test('leaves the card, and offers the ratings, as the server does', async () => {
    let counter = 0
    await fc.assert(
      fc.asyncProperty(
        decks,
        columns,
        fc.array(fc.tuple(rating, pause), { minLength: 1, maxLength: 8 }),
        async (given, before, answers) => {
          const me = world.stranger()
          const { ids, basis } = await makeDecks(me, given)
          const fact = await world.fact(me, { deck_id: ids[counter++ % 2] })
          const [{ id }] = await world.cards(me, fact)
          if (Object.keys(before).length > 0) await world.study(id, before)
          let card: Card = await world.read(me, `/cards/${id}`)
          for (const [rating, ms] of answers) {
            world.clock.now += ms
            const at = world.clock.now
            if (card.suspended) break
            const here = answerCard(card, { rating, at }, basis)
            if (!here) throw new Error('an answer before the last')
            const reviewed_at = new Date(at).toISOString()
            const [there] = await send(me, [{ id: newReview(), card_id: id, rating, reviewed_at, duration_ms: 0 }])
            expect(scheduled(here)).toEqual(scheduled(there.card))
            expect(withPreview(here, at, basis).preview).toEqual(there.preview)
            card = here
          }
        },
      ),
      RUNS,
    )
  })

  test('is left to the server if it is older than the last one', async () => {
    const me = world.stranger()
    const { ids, basis } = await makeDecks(me, { study: {}, parent: {}, child: {} })
    const [card] = await world.cards(me, await world.fact(me, { deck_id: ids[0] }))
    const after = answerCard(card, { rating: 3, at: start }, basis) as Card
    expect(answerCard(after, { rating: 3, at: start - 1 }, basis)).toBeNull()
    expect(answerCard(after, { rating: 3, at: start }, basis)?.reps).toBe(2)
    expect(answerCard(after, { rating: 3, at: start + 1 }, basis)?.reps).toBe(2)
  })
})

describe('a day that is studied here', () => {
  test('has what the server still has after the same answers', async () => {
    await fc.assert(
      fc.asyncProperty(
        decks,
        fc.array(columns, { minLength: 1, maxLength: 6 }),
        fc.array(fc.tuple(fc.nat(), rating, fc.integer({ min: 0, max: 40 * MINUTE })), { maxLength: 10 }),
        fc.boolean(),
        async (given, states, answers, isOneDeck) => {
          const me = world.stranger()
          const { ids, basis } = await makeDecks(me, given)
          for (const [place, before] of states.entries()) {
            const fact = await world.fact(me, { deck_id: ids[place % 2], type: 'reversed' })
            const [card] = await world.cards(me, fact)
            if (Object.keys(before).length > 0) await world.study(card.id, before)
          }
          const deckId = isOneDeck ? (ids[1] ?? null) : null
          const query = deckId === null ? '' : `&deck_id=${deckId}`
          const kept = (await queueOf(me, query)).items.map(({ card }) => card)
          const sent: CardAnswer[] = []
          const here = () => dayOf(kept, sent, basis, { deckId, now: world.clock.now })
          const today = here().study_day
          for (const [place, rating, ms] of answers) {
            const { items, later } = here()
            const all = [...items, ...later.map(({ item }) => item)]
            const item = all[place % Math.max(1, all.length)]
            if (!item) break
            world.clock.now += ms
            const reviewed_at = new Date(world.clock.now).toISOString()
            sent.push({ id: newReview(), card_id: item.card.id, rating, reviewed_at, duration_ms: 0 })
          }
          const { items, later, study_day } = here()
          for (const { error } of sent.length > 0 ? await send(me, sent) : []) expect(error).toBeNull()
          const there = await queueOf(me, query)
          expect(study_day).toBe(there.study_day)
          // On the next day the server has cards that were not kept.
          if (study_day !== today) return
          expect(items.length + later.length).toBe(there.counts.new + there.counts.learning + there.counts.review)
          const ahead = world.clock.now + basis.settings.learn_ahead_minutes * MINUTE
          const shown = items.length > 0 ? items : later.filter(({ dueAt }) => dueAt <= ahead).map(({ item }) => item)
          const byId = (list: Queue['items']) => list.toSorted((a, b) => (a.card.id < b.card.id ? -1 : 1))
          const plain = (list: Queue['items']) =>
            byId(list).map(({ card, preview }) => ({ card: scheduled(card), preview }))
          expect(plain(shown)).toEqual(plain(there.items))
        },
      ),
      RUNS,
    )
  })
})

/** Cards of one fact: new, in review, forgotten and due by now, in the course of the day, or just before a queue is asked for. */
const sibling = fc.constantFrom(
  {},
  { ...STUDIED, due_day: 20_500, stability: 2.5, lapses: 3, reps: 9 },
  ...[-1, 3, 15].map((minutes) => ({
    ...{ ...STUDIED, state: 'relearning', due_day: null, due_at: start + minutes * MINUTE },
    ...{ scheduled_days: 0, lapses: 1 },
  })),
)
const roomy = { new_limit_per_day: fc.constant(100), review_limit_per_day: fc.constant(100) }
const burying = fc.record({
  ...roomy,
  bury_siblings: fc.boolean(),
  leech_threshold: fc.constantFrom(1, 4, 8),
  leech_action: fc.constant('suspend'),
  learning_steps_minutes: steps,
  relearning_steps_minutes: steps,
})

describe('cards of one fact', () => {
  const CLOZE = { type: 'cloze', front: undefined, back: undefined, text: '{{c1::one}} {{c2::two}} {{c3::three}}' }

  test('are hidden here when the server hides them, and shown when it shows them', async () => {
    let several = 0
    await fc.assert(
      fc.asyncProperty(
        burying,
        fc.boolean(),
        fc.array(fc.tuple(sibling, sibling, sibling), { minLength: 1, maxLength: 3 }),
        fc.array(fc.tuple(fc.nat(), rating, fc.integer({ min: 0, max: 8 * MINUTE })), { maxLength: 8 }),
        async (settings, wasBuried, facts, answers) => {
          const me = world.stranger()
          // What is kept is from before the person chose whether siblings are buried.
          const before = { ...settings, bury_siblings: wasBuried }
          const { ids, basis } = await makeDecks(me, { study: {}, parent: before, child: {} })
          for (const states of facts) {
            const fact = await world.fact(me, { deck_id: ids[0], ...CLOZE })
            for (const [place, card] of (await world.cards(me, fact)).entries())
              if (Object.keys(states[place] ?? {}).length > 0) await world.study(card.id, states[place])
          }
          const queued = (await queueOf(me)).items.map(({ card }) => card)
          const learning: Card[] = (await world.all(me, '/cards')).filter(({ state }) => state === 'relearning')
          const kept = [...queued, ...learning.filter(({ id }) => !queued.some((card) => card.id === id))]
          const deck: Deck = (await world.call(me, 'PATCH', `/decks/${ids[0]}`, { settings })).body
          const here = () =>
            dayOf(kept, sent, { ...basis, decks: new Map([[deck.id, deck]]) }, { deckId: null, now: world.clock.now })
          const sent: CardAnswer[] = []
          for (const [place, rating, ms] of answers) {
            const { items } = here()
            const item = items[place % Math.max(1, items.length)]
            if (!item) break
            world.clock.now += ms
            const reviewed_at = new Date(world.clock.now).toISOString()
            sent.push({ id: newReview(), card_id: item.card.id, rating, reviewed_at, duration_ms: 0 })
          }
          for (const { error } of sent.length > 0 ? await send(me, sent) : []) expect(error).toBeNull()
          const known = new Set(kept.map(({ id }) => id))
          const there = (await queueOf(me)).items.map(({ card }) => card.id).filter((id) => known.has(id))
          const { items } = here()
          const shown = items.map(({ card }) => card.id)
          // With nothing else, the server shows what is soon due.
          expect(shown.toSorted()).toEqual(shown.length > 0 ? there.toSorted() : [])
          if (new Set(items.map(({ card }) => card.fact_id)).size < shown.length) several += 1
        },
      ),
      { numRuns: runs(80) },
    )
    expect(several).toBeGreaterThan(runs(80) / 16)
  })
})
