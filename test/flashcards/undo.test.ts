import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { DEFAULT_WEIGHTS } from '../../src/flashcards/scheduling/settings'
import { runs } from '../support/full'
import { recounted } from '../support/recounted'
import { makeStudyWorld, type Shown } from './support'

/** Undo: a card is as if the review had never been, but for its revision. */

const world = recounted(await makeStudyWorld())

const START = Date.parse('2026-03-02T12:00:00.000Z')
const DAY = 86_400_000

/** A card of a caller of its own. */
async function newCard(settings: object = {}) {
  const me = world.stranger()
  world.clock.now = START
  const deck = await world.deck(me, { settings: { fuzz: false, ...settings } })
  const [card] = await world.cards(me, await world.fact(me, { deck_id: deck.id }))
  const answer = async (rating: number): Promise<Shown> =>
    (await world.call(me, 'POST', `/cards/${card.id}/reviews`, { rating })).body
  const undo = (id: string, headers = {}) => world.call(me, 'POST', `/reviews/${id}/undo`, undefined, headers)
  return { me, deck, card, answer, undo, read: () => world.read(me, `/cards/${card.id}`) }
}

/** A card without what grows with each write. */
const schedule = ({ revision: _, updated_at: __, ...rest }: Shown) => rest

test('the example of the page: undoing the third answer', async () => {
  const { me, answer, undo, card } = await newCard()
  await world.call(me, 'PATCH', '/settings', { time_zone: 'America/New_York' })
  const reviews: Shown[] = []
  for (const at of ['2026-03-01T23:50:00.000Z', '2026-03-02T00:00:00.000Z', '2026-03-05T13:15:00.000Z']) {
    world.clock.now = Date.parse(at)
    reviews.push((await answer(3)).review)
  }
  const { status, body } = await undo(reviews[2].id)
  expect(status).toBe(200)
  expect(body.review).toMatchObject({ undone_at: '2026-03-05T13:15:00.000Z', revision: 2 })
  expect(body.card).toMatchObject({ due_day: '2026-03-03', reps: 2, revision: 5, state: 'review' })
  expect(body.card.stability).toBeCloseTo(2.3065, 8)
  expect(body.card.difficulty).toBeCloseTo(2.11121424, 8)
  const queue = await world.read(me, '/queue')
  expect([queue.remaining.review, queue.items[0].card.id]).toEqual([200, card.id])
})

test('undoing twice is 200 and changes nothing; only the latest can be undone', async () => {
  const { me, answer, undo, read } = await newCard()
  const [first, second] = [await answer(3), await answer(3)]
  const refused = await undo(first.review.id)
  expect([refused.status, refused.body.code, refused.body.latest_id]).toEqual([
    409,
    'not_latest_review',
    second.review.id,
  ])
  expect((await undo(second.review.id, { 'If-Match': '"7"' })).status).toBe(412)
  const undone = await undo(second.review.id, { 'If-Match': '"1"' })
  expect([undone.status, await undo(second.review.id).then(({ body }) => body)]).toEqual([200, undone.body])
  expect((await undo(first.review.id)).status).toBe(200)
  expect(await read()).toMatchObject({ state: 'new', reps: 0, revision: 5, stability: null, due_at: null })
  expect((await world.call(me, 'POST', '/reviews/undo')).status).toBe(404)
})

test('the last of the workspace is undone by order of arrival, not by when it was answered', async () => {
  const { me, deck, card, answer } = await newCard()
  const [other] = await world.cards(me, await world.fact(me, { deck_id: deck.id }))
  const first = await answer(3)
  const reviewed_at = '2026-03-01T00:00:00.000Z'
  const late = await world.call(me, 'POST', `/cards/${other.id}/reviews`, { rating: 3, reviewed_at })
  const undo = async () => (await world.call(me, 'POST', '/reviews/undo')).body
  expect((await undo()).review.id).toBe(late.body.review.id)
  expect((await undo()).review.id).toBe(first.review.id)
  expect(schedule(await world.read(me, `/cards/${card.id}`))).toEqual(schedule(card))
})

test('the last of the workspace is undone only if it is the one that was meant', async () => {
  const { me, deck, answer, read } = await newCard()
  const [other] = await world.cards(me, await world.fact(me, { deck_id: deck.id }))
  const meant = (await answer(3)).review.id
  const undo = (review_id: unknown) => world.call(me, 'POST', '/reviews/undo', { review_id })
  const came = (await world.call(me, 'POST', `/cards/${other.id}/reviews`, { rating: 3 })).body.review.id
  const refused = await undo(meant)
  expect([refused.status, refused.body.code, refused.body.latest_id]).toEqual([409, 'not_latest_review', came])
  expect((await read()).reps).toBe(1)
  const undone = await undo(came)
  expect([undone.status, undone.body.review.id, (await undo(meant)).status]).toEqual([200, came, 200])
  // Sent again, it must not reach the answer before.
  expect((await undo(meant)).body.review).toMatchObject({ id: meant, revision: 2 })
  for (const wrong of [null, 1, 'x', meant.slice(1)]) expect((await undo(wrong)).status).toBe(400)
  expect((await undo('01890000-0000-7000-8000-00000000ffff')).status).toBe(404)
})

test('a leech that was suspended by an answer is neither after its undo', async () => {
  const { answer, undo, read, me, card } = await newCard({ leech_threshold: 1, learning_steps_minutes: [] })
  await answer(4)
  world.clock.now += 30 * DAY
  const before = await read()
  const lapsed = await answer(1)
  expect(lapsed.card).toMatchObject({ leech: true, suspended: true, lapses: 1, state: 'relearning' })
  expect((await undo(lapsed.review.id)).status).toBe(200)
  expect(schedule(await read())).toEqual(schedule(before))
  // Suspended by hand before, it stays so: the answer had nothing to do with it.
  const again = await answer(3)
  await world.call(me, 'PATCH', `/cards/${card.id}`, {
    suspended: true,
    flag: 2,
    position: 9,
    buried_until: '2027-01-01',
  })
  await undo(again.review.id)
  expect(await read()).toMatchObject({ suspended: true, flag: 2, position: 9, buried_until: '2027-01-01' })
})

test('after other weights, memory is replayed from what is left of the log and only the dates come back', async () => {
  const { me, deck, answer, undo, read, card } = await newCard()
  await answer(4)
  const weights = DEFAULT_WEIGHTS.with(3, 12.5)
  const reference = await world.deck(me, { settings: { fuzz: false, weights } })
  const [twin] = await world.cards(me, await world.fact(me, { deck_id: reference.id, front: 'twin' }))
  const expected = (await world.call(me, 'POST', `/cards/${twin.id}/reviews`, { rating: 4 })).body.card
  world.clock.now += 10 * DAY
  const before = await read()
  const last = await answer(3)
  await world.call(me, 'PATCH', `/decks/${deck.id}`, { settings: { weights } })
  await undo(last.review.id)
  const after = await read()
  expect([after.stability, after.difficulty]).toEqual([12.5, expected.difficulty])
  expect(before.stability).toBe(8.2956)
  expect([after.due_day, after.scheduled_days, after.reps]).toEqual([before.due_day, before.scheduled_days, 1])
  expect(after.id).toBe(card.id)
})

test('a card in the trash, and a review that was imported, cannot be undone', async () => {
  const { me, answer, undo, card } = await newCard()
  const { review } = await answer(3)
  await world.call(me, 'DELETE', `/facts/${card.fact_id}`)
  expect((await undo(review.id)).body.code).toBe('conflict')
  await world.call(me, 'POST', `/facts/${card.fact_id}/restore`)
  await world.db.run("UPDATE study_reviews SET kind = 'import' WHERE id = $1", [review.id])
  expect((await undo(review.id)).body.code).toBe('conflict')
})

test('any sequence of answers, settings by hand and undos equals the sequence of those left standing', async () => {
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(1, 2, 3, 4).map((rating) => ({ rating })) },
    { weight: 3, arbitrary: fc.constant({ undo: true }) },
    { weight: 1, arbitrary: fc.constantFrom('reset', '2026-05-01').map((set) => ({ set })) },
  )
  type Step = { rating?: number; undo?: boolean; set?: string; at: number }
  const steps = fc
    .array(fc.record({ step, gap: fc.constantFrom(60_000, 3_600_000, DAY, 9 * DAY) }), { minLength: 1, maxLength: 14 })
    .map((list) => {
      let at = START
      return list.map(({ step, gap }): Step => {
        at += gap
        return { ...step, at }
      })
    })
  const settings = fc.record({
    leech_threshold: fc.constantFrom(1, 2, 8),
    leech_action: fc.constantFrom('suspend', 'none'),
    learning_steps_minutes: fc.constantFrom([], [1, 10], [1439]),
  })

  /** Does a step; false if it was refused or changed nothing. */
  async function run(one: Awaited<ReturnType<typeof newCard>>, { rating, undo, set, at }: Step): Promise<boolean> {
    world.clock.now = at
    if (undo) return (await world.call(one.me, 'POST', '/reviews/undo')).status === 200
    if (rating !== undefined)
      return (await world.call(one.me, 'POST', `/cards/${one.card.id}/reviews`, { rating })).status === 201
    const action = set === 'reset' ? { action: 'reset' } : { action: 'set_due', value: set }
    const { body } = await world.call(one.me, 'POST', '/cards/actions', { ids: [one.card.id], ...action })
    return body.changed === 1
  }
  const bare = ({ id: _, fact_id: __, deck_id: ___, ...rest }: Shown) => schedule(rest)

  await fc.assert(
    fc.asyncProperty(settings, steps, async (own, list) => {
      const one = await newCard(own)
      const standing: Step[] = []
      for (const step of list) {
        if (!(await run(one, step))) continue
        if (step.undo) standing.pop()
        else standing.push(step)
      }
      const other = await newCard(own)
      for (const step of standing) expect(await run(other, step)).toBe(true)
      world.clock.now = list.at(-1)?.at ?? START
      expect(bare(await one.read())).toEqual(bare(await other.read()))
      const queues = await Promise.all([one, other].map(({ me }) => world.read(me, '/queue')))
      const [left, right] = queues.map(({ items: _, ...rest }) => rest)
      expect(left).toEqual(right)
    }),
    { numRuns: runs(60) },
  )
})
