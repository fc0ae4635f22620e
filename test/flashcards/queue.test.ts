import { afterAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { mixCards } from '../../src/flashcards/queue/queue'
import { spent } from '../support/cost'
import { runs } from '../support/full'
import type { As } from '../support/world'
import { makeStudyWorld, type Shown, STUDIED } from './support'

/** The queue: what comes up, in which order, and never more than the limits allow. */

const world = await makeStudyWorld()
afterAll(world.close)

const DAY = 86_400_000
const dayOf = (date: string) => Date.parse(date) / DAY
const at = (time: string) => Date.parse(`2026-03-03T${time}:00.000Z`)
const TODAY = dayOf('2026-03-03')

const studied = (due: number) => ({ ...STUDIED, due_day: due })
const learning = (due: string) => ({ ...STUDIED, state: 'learning', due_day: null, due_at: at(due), scheduled_days: 0 })

/** A caller with a deck of its own, and ways to fill it. */
async function studier(settings: object = {}) {
  const me = world.stranger()
  world.clock.now = at('15:00')
  const deck = await world.deck(me, { settings: { fuzz: false, ...settings } })
  const add = async (deckId: string, type = 'basic', ...columns: object[]): Promise<Shown[]> => {
    const cards = await world.cards(me, await world.fact(me, { deck_id: deckId, type }))
    for (const [i, one] of columns.entries()) if (cards[i]) await world.study(cards[i].id, one)
    return cards
  }
  const answer = (card: Shown, rating = 3) => world.call(me, 'POST', `/cards/${card.id}/reviews`, { rating })
  const queue = async (query = '?limit=200') => world.read(me, `/queue${query}`)
  const order = async (query?: string) => (await queue(query)).items.map(({ card }: Shown) => card.id)
  return { me, deck, add, answer, queue, order }
}

test('the example of the page: L1, R1, N1, R2, and L2 when they are done', async () => {
  const { me, deck, add, answer, queue, order } = await studier({ new_limit_per_day: 2, review_limit_per_day: 4 })
  // Done today: one new card, one review.
  world.clock.now = at('10:00')
  await answer((await add(deck.id))[0], 4)
  await answer((await add(deck.id, 'basic', studied(TODAY)))[0])
  world.clock.now = at('15:00')
  const [l1] = await add(deck.id, 'basic', learning('14:55'))
  const [l2] = await add(deck.id, 'basic', learning('15:12'))
  const [r1, r3] = await add(deck.id, 'reversed', studied(TODAY - 2), studied(TODAY))
  const [r2] = await add(deck.id, 'basic', studied(TODAY))
  const [n1] = await add(deck.id)
  const [n2] = await add(deck.id)
  const first = await queue(`?deck_id=${deck.id}`)
  expect(first.items.map(({ card }: Shown) => card.id)).toEqual([l1, r1, n1, r2].map(({ id }) => id))
  expect(first).toMatchObject({
    study_day: '2026-03-03',
    day_ends_at: '2026-03-04T04:00:00.000Z',
    remaining: { review: 3, new: 1 },
    counts: { learning: 2, review: 2, new: 1 },
    next_learning_at: '2026-03-03T15:12:00.000Z',
  })
  expect(await order()).not.toContain(r3.id)
  expect(await order()).not.toContain(n2.id)
  for (const card of [l1, r1, n1, r2]) expect((await answer(card, 4)).status).toBe(201)
  expect(await order()).toEqual([l2.id])
  await world.call(me, 'PATCH', '/settings', { learn_ahead_minutes: 12 })
  expect(await order()).toEqual([l2.id])
  await world.call(me, 'PATCH', '/settings', { learn_ahead_minutes: 11 })
  expect(await order()).toEqual([])
})

test('new cards come where new_mix says', () => {
  const [reviews, fresh] = [
    ['r1', 'r2', 'r3', 'r4', 'r5'],
    ['n1', 'n2'],
  ]
  expect(mixCards(reviews, fresh, 'mix').join()).toBe('r1,n1,r2,r3,n2,r4,r5')
  expect(mixCards(reviews, fresh, 'before').join()).toBe('n1,n2,r1,r2,r3,r4,r5')
  expect(mixCards(reviews, fresh, 'after').join()).toBe('r1,r2,r3,r4,r5,n1,n2')
  expect(mixCards([], fresh, 'mix')).toEqual(fresh)
  expect(mixCards(reviews, [], 'mix')).toEqual(reviews)
})

test('undo gives back what an answer took of the limits', async () => {
  const { me, deck, add, answer, queue } = await studier({ new_limit_per_day: 5 })
  const [card] = await add(deck.id)
  const before = await queue()
  await answer(card, 1)
  expect((await queue()).remaining.new).toBe(4)
  await answer(card, 1)
  expect((await queue()).remaining.new).toBe(4)
  await world.call(me, 'POST', '/reviews/undo')
  expect((await queue()).remaining.new).toBe(4)
  await world.call(me, 'POST', '/reviews/undo')
  const after = await queue()
  expect([after.remaining, after.counts]).toEqual([before.remaining, before.counts])
  world.clock.now += DAY
  expect((await queue()).remaining.new).toBe(5)
})

test('a schedule that is set by hand takes nothing of the limits, and hides no sibling', async () => {
  const { me, deck, add, queue, order } = await studier({ new_limit_per_day: 1, review_limit_per_day: 5 })
  const [forth, back] = await add(deck.id, 'reversed')
  const act = (body: object) => world.call(me, 'POST', '/cards/actions', { ids: [forth.id], ...body })
  await act({ action: 'set_due', value: '2026-03-04' })
  expect((await queue()).remaining).toEqual({ new: 1, review: 5 })
  expect(await order()).toEqual([back.id])
  await act({ action: 'reset' })
  expect((await queue()).remaining).toEqual({ new: 1, review: 5 })
})

test('a card must fit the limits of every deck up to the selected one', async () => {
  const { me, deck, add, queue, order } = await studier({ new_limit_per_day: 1 })
  const child = await world.deck(me, { parent_id: deck.id, settings: { new_limit_per_day: 3 } })
  for (let i = 0; i < 4; i++) await add(child.id)
  expect(await order(`?deck_id=${child.id}`)).toHaveLength(3)
  expect(await order(`?deck_id=${deck.id}`)).toHaveLength(1)
  expect(await order()).toHaveLength(1)
  expect((await queue(`?deck_id=${child.id}`)).remaining.new).toBe(3)
  await world.call(me, 'PATCH', `/decks/${deck.id}`, { settings: { new_limit_per_day: 4, review_limit_per_day: 2 } })
  // New cards use up the limit of reviews, too, unless the deck says otherwise.
  expect(await order()).toHaveLength(2)
  await world.call(me, 'PATCH', `/decks/${deck.id}`, { settings: { new_ignores_review_limit: true } })
  expect(await order()).toHaveLength(3)
})

test('suspended, trashed and buried cards never appear, in learning neither', async () => {
  const { me, deck, add, order } = await studier()
  const [shown] = await add(deck.id)
  for (const columns of [{ state: 'new' }, studied(TODAY), learning('14:00')]) {
    await add(deck.id, 'basic', { ...columns, suspended: 1 })
    await add(deck.id, 'basic', { ...columns, buried_until: TODAY + 1 })
    const [gone] = await add(deck.id, 'basic', columns)
    await world.call(me, 'DELETE', `/facts/${gone.fact_id}`)
  }
  expect(await order()).toEqual([shown.id])
  const [back] = await add(deck.id, 'basic', { ...studied(TODAY), buried_until: TODAY })
  expect(await order()).toContain(back.id)
  expect((await world.call(me, 'GET', `/queue?deck_id=${shown.id}`)).status).toBe(404)
})

test('siblings are left out unless the deck lets them in; those answered today as well', async () => {
  const { me, deck, add, answer, order } = await studier()
  const [first, second] = await add(deck.id, 'reversed')
  const [due, fresh] = await add(deck.id, 'reversed', studied(TODAY))
  const [step, hidden] = await add(deck.id, 'reversed', learning('14:00'), studied(TODAY))
  expect(await order()).toEqual([step.id, first.id, due.id])
  expect([second, fresh, hidden].every(Boolean)).toBe(true)
  await answer(due, 4)
  expect(await order()).toEqual([step.id, first.id])
  await world.call(me, 'PATCH', `/decks/${deck.id}`, { settings: { bury_siblings: false } })
  expect((await order()).toSorted()).toEqual([step, first, second, fresh, hidden].map(({ id }) => id).toSorted())
})

test('a new card comes up behind however many siblings of what was answered today', async () => {
  const { me, deck, add, answer, order } = await studier({ new_limit_per_day: 41 })
  for (let i = 0; i < 40; i++) await answer((await add(deck.id, 'reversed'))[0], 4)
  const [behind] = await add(deck.id)
  expect(await order()).toEqual([behind.id])
  expect((await world.read(me, `/queue?deck_id=${deck.id}`)).counts.new).toBe(1)
})

test('a queue ends early where the texts are long', async () => {
  const { me, deck, queue } = await studier({ new_limit_per_day: 9999 })
  const text = '\u{1f600}'.repeat(20_000)
  for (let i = 0; i < 53; i++) await world.fact(me, { deck_id: deck.id, front: text, back: text })
  const { items, counts } = await queue()
  expect([items.length, counts.new]).toEqual([52, 53])
})

test('reviews come as review_order says; random order is the same all day and another the next', async () => {
  const { me, deck, add, order } = await studier()
  const cards: Shown[] = []
  for (let i = 0; i < 8; i++) {
    const columns = { ...studied(TODAY - (i % 3)), stability: 3 + ((i * 5) % 8) }
    cards.push((await add(deck.id, 'basic', columns))[0])
  }
  const set = (settings: object) => world.call(me, 'PATCH', `/decks/${deck.id}`, { settings })
  const of = `?limit=200&deck_id=${deck.id}`
  const due = cards.toSorted((a, b) => (cards.indexOf(b) % 3) - (cards.indexOf(a) % 3) || (a.id < b.id ? -1 : 1))
  expect(await order(of)).toEqual(due.map(({ id }) => id))
  await set({ review_order: 'retrievability' })
  const shown = (await world.read(me, `/queue${of}`)).items.map(({ card }: Shown) => card.retrievability)
  expect(shown).toEqual(shown.toSorted((a: number, b: number) => a - b))
  await set({ review_order: 'random' })
  const today = await order(of)
  world.clock.now = at('23:00')
  expect(await order(of)).toEqual(today)
  world.clock.now += DAY
  const tomorrow = await order(of)
  expect(tomorrow).not.toEqual(today)
  expect(tomorrow.toSorted()).toEqual(today.toSorted())
})

test('previews are there where they are asked for, and a limit is kept', async () => {
  const { deck, add, queue } = await studier()
  const [card] = await add(deck.id)
  await add(deck.id)
  const plain = await queue()
  expect(plain.items.map(({ preview }: Shown) => preview)).toEqual([null, null])
  const { items } = await queue('?preview=true&limit=1')
  expect(items.map((item: Shown) => item.card.id)).toEqual([card.id])
  expect(items[0].preview.good).toMatchObject({ state: 'learning', interval_seconds: 600 })
})

test('a long queue of long clozes costs what it shows, not what their other cards would', async () => {
  const fill = async (others: string) => {
    const { me, deck, queue } = await studier({ new_limit_per_day: 9999 })
    const text = Array.from(
      { length: 50 },
      (_, i) => `${i ? others.replace('N', `${i + 1}`) : '{{c1::a}}'} ${'b'.repeat(380)}`,
    )
    const items = Array.from({ length: 50 }, (_, i) => ({
      deck_id: deck.id,
      type: 'cloze',
      text: `${i} ${text.join(' ')}`,
    }))
    await world.call(me, 'POST', '/facts/batch', { items })
    expect((await queue()).items).toHaveLength(50)
    return queue
  }
  const [one, fifty] = [await fill('{{c1::a}}'), await fill('{{cN::a}}')]
  let [short, long] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let run = 0; run < 20 && (run < 5 || long > 2.5 * short); run++) {
    short = Math.min(short, (await spent(one)).ms)
    long = Math.min(long, (await spent(fifty)).ms)
  }
  // With the other 49 cards of each fact it is four times that; half as much again is noise.
  expect(long).toBeLessThan(2.5 * short)
})

test('reading the queue, a preview and the log leaves content and seq as they were', async () => {
  const { me, deck, add, queue } = await studier()
  const [card] = await add(deck.id, 'reversed', studied(TODAY))
  const content = async () => [
    await world.all(me, '/cards'),
    await world.all(me, '/reviews'),
    (await world.callAny(me, 'GET', '/api/usage')).body.workspace,
    (await world.callAny(me, 'GET', '/api/changes?limit=200')).body,
  ]
  const before = await content()
  await queue('?preview=true')
  for (const path of [`/cards/${card.id}/preview`, `/cards/${card.id}/reviews`, '/reviews']) await world.read(me, path)
  expect(await content()).toEqual(before)
})

test('the queue never exceeds a limit, brings no card twice and no two siblings, whatever the decks', async () => {
  const settings = fc.record({
    new_limit_per_day: fc.constantFrom(null, 0, 1, 3),
    review_limit_per_day: fc.constantFrom(null, 0, 2, 5),
    new_ignores_review_limit: fc.boolean(),
    new_order: fc.constantFrom('position', 'random'),
    review_order: fc.constantFrom('due', 'retrievability', 'random'),
    new_mix: fc.constantFrom('mix', 'after', 'before'),
  })
  const fact = fc.record({
    deck: fc.nat(2),
    type: fc.constantFrom('basic', 'reversed'),
    cards: fc.array(fc.constantFrom('new', 'due', 'learning'), { minLength: 2, maxLength: 2 }),
  })
  const columns = { new: [], due: [studied(TODAY)], learning: [learning('14:00')] } as Record<string, object[]>
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(settings, settings, settings),
      fc.array(fact, { maxLength: 12 }),
      fc.nat(4),
      async (perDeck, facts, answers) => {
        const { me, add, answer, queue } = await studier()
        const decks: Shown[] = []
        for (const own of perDeck)
          decks.push(await world.deck(me, { parent_id: decks.at(-1)?.id ?? null, settings: own }))
        for (const { deck, type, cards } of facts)
          await add(decks[deck].id, type, ...cards.map((kind) => columns[kind]?.[0] ?? { flag: 0 }))
        for (let i = 0; i < answers; i++) {
          const [next] = (await queue('?limit=1')).items
          if (next) await answer(next.card, 4)
        }
        for (const [level, top] of decks.entries()) await expectWithin(me, decks.slice(level), top)
      },
    ),
    { numRuns: runs(12) },
  )
})

/** Holds the queue of a deck to the limits of it and of those below it: each in the one before. */
async function expectWithin(me: As, decks: readonly Shown[], selected: Shown): Promise<void> {
  const { items, remaining } = await world.read(me, `/queue?limit=200&deck_id=${selected.id}`)
  const log = (await world.all(me, '/reviews')).filter(({ study_day }) => study_day === '2026-03-03')
  const cards = new Map((await world.all(me, '/cards')).map((card) => [card.id, card]))
  const shown: Shown[] = items.map(({ card }: Shown) => card)
  const main = shown.filter(({ state }) => state !== 'learning')
  const facts = main.map(({ fact_id }) => fact_id)
  expect(new Set(facts).size).toBe(facts.length)
  for (const [i, deck] of decks.entries()) {
    const below = new Set(decks.slice(i).map(({ id }) => id))
    const inside = (card: Shown) => below.has(card.deck_id)
    const { effective } = await world.read(me, `/decks/${deck.id}/settings`)
    const answered = log.filter(({ card_id }) => inside(cards.get(card_id)))
    const done = (test: (review: Shown) => boolean) => new Set(answered.filter(test).map(({ card_id }) => card_id)).size
    const first = done(({ before }) => before.state === 'new')
    const reviewed = done(({ kind }) => kind === 'review')
    const [fresh, due] = ['new', 'review'].map(
      (state) => main.filter((one) => inside(one) && one.state === state).length,
    )
    if (deck === selected) {
      expect(remaining.new).toBe(Math.max(0, effective.new_limit_per_day - first))
      expect(remaining.review).toBe(Math.max(0, effective.review_limit_per_day - reviewed))
    }
    const left = Math.max(0, effective.review_limit_per_day - reviewed)
    expect(fresh ?? 0).toBeLessThanOrEqual(Math.max(0, effective.new_limit_per_day - first))
    expect((due ?? 0) + (effective.new_ignores_review_limit ? 0 : (fresh ?? 0))).toBeLessThanOrEqual(left)
  }
}
