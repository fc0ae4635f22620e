import { afterAll, expect, test } from 'bun:test'
import type { Queries, WorkspaceId } from '../../src/db/database'
import { createCardWriter } from '../../src/flashcards/cards/card'
import { createCardMemory } from '../../src/flashcards/reviews/memory'
import { DEFAULT_WEIGHTS } from '../../src/flashcards/scheduling/settings'
import { contradictions } from '../support/recount'
import { makeWorkspaces } from '../support/workspaces'
import type { As } from '../support/world'
import { makeStudyWorld, type Shown } from './support'

/** Memory under other weights: it is what the log comes to under them, and due days stay unless they are asked for. */

const world = await makeStudyWorld()
afterAll(world.close)

const DAY = 86_400_000
const START = Date.parse('2026-03-02T12:00:00.000Z')
const OTHER = DEFAULT_WEIGHTS.with(0, 0.9).with(2, 5.5).with(3, 12.5).with(8, 1.2).with(20, 0.3)
const memory = ({ stability, difficulty, retrievability }: Shown) => [stability, difficulty, retrievability]
const dates = ({ due_at, due_day, scheduled_days, state, reps, lapses, step }: Shown) => {
  return { due_at, due_day, scheduled_days, state, reps, lapses, step }
}

/** A deck of a caller with a card for each row of ratings, three days between answers; other callers alike. */
async function studied(rows: readonly (readonly number[])[], settings: object = {}, me: As = world.stranger()) {
  const deck = await world.deck(me, { settings: { fuzz: false, ...settings } })
  const cards: Shown[] = []
  for (const [i, ratings] of rows.entries()) {
    const [card] = await world.cards(me, await world.fact(me, { deck_id: deck.id, front: `${i}` }))
    for (const [day, rating] of ratings.entries()) {
      world.clock.now = START + day * 3 * DAY
      await world.call(me, 'POST', `/cards/${card.id}/reviews`, { rating })
    }
    cards.push(card)
  }
  world.clock.now = START + 30 * DAY
  const read = async (): Promise<Shown[]> => Promise.all(cards.map(({ id }) => world.read(me, `/cards/${id}`)))
  return { me, deck, cards, read, set: (to: object) => world.call(me, 'PATCH', `/decks/${deck.id}`, { settings: to }) }
}

const ROWS = [[3, 3, 1, 3], [4], [1, 1, 2, 3, 3], []]

test.each(['deck', 'workspace', 'deck above', 'moved into another'])(
  'other weights of the %s: memory is as if they had always held, dates stay',
  async (where) => {
    const [one, twin] = [await studied(ROWS), await studied(ROWS, { weights: OTHER })]
    const before = await one.read()
    const above = where.startsWith('de') || where.startsWith('mo') ? await world.deck(one.me) : null
    if (where === 'deck above') await world.call(one.me, 'PATCH', `/decks/${one.deck.id}`, { parent_id: above.id })
    expect(await one.read()).toEqual(before)
    const weights = OTHER
    if (where === 'deck') await one.set({ weights })
    if (where === 'workspace') await world.call(one.me, 'PATCH', '/settings', { deck_defaults: { weights } })
    if (where === 'deck above') await world.call(one.me, 'PATCH', `/decks/${above.id}`, { settings: { weights } })
    if (where === 'moved into another') {
      await world.call(one.me, 'PATCH', `/decks/${above.id}`, { settings: { weights } })
      await world.call(one.me, 'PATCH', `/decks/${one.deck.id}`, { parent_id: above.id })
    }
    const after = await one.read()
    expect(after.map(memory)).toEqual((await twin.read()).map(memory))
    expect(after.map(memory).slice(0, 3)).not.toContainEqual(memory(before[0]))
    expect(after.map(dates)).toEqual(before.map(dates))
    expect(after.map(({ revision }) => revision)).toEqual(
      before.map(({ revision, reps }) => revision + Number(reps > 0)),
    )
  },
)

test('the chance of recall goes by the weights of the deck', async () => {
  const one = await studied([[3, 3]], { weights: OTHER })
  const [card] = await one.read()
  // FSRS-6: R(t) = (1 + (0.9^(-1 / w20) - 1) * t / S)^-w20, here of day 30 after an answer on day 3.
  const recall = (1 + (0.9 ** (-1 / 0.3) - 1) * (27 / card.stability)) ** -0.3
  expect(card.retrievability).toBeCloseTo(recall, 6)
})

test('the same weights, said or inherited, replay nothing; and back again they leave what was', async () => {
  const one = await studied(ROWS)
  const before = await one.read()
  await one.set({ weights: DEFAULT_WEIGHTS, desired_retention: 0.8 })
  expect(await one.read()).toEqual(before)
  await one.set({ weights: OTHER })
  await one.set({ weights: null })
  expect((await one.read()).map(memory)).toEqual(before.map(memory))
})

test('a deck with weights of its own keeps its memory when others change', async () => {
  const one = await studied(ROWS, { weights: OTHER })
  const before = await one.read()
  const weights = OTHER.with(0, 3)
  await world.call(one.me, 'PATCH', '/settings', { deck_defaults: { weights } })
  expect((await one.read()).map(({ revision, stability }) => [revision, stability])).toEqual(
    before.map(({ revision, stability }) => [revision, stability]),
  )
})

test('subdecks that move on when their deck is deleted go by the weights of the new place', async () => {
  const [one, twin] = [await studied(ROWS), await studied(ROWS, { weights: OTHER })]
  const [above, target] = [await world.deck(one.me), await world.deck(one.me, { settings: { weights: OTHER } })]
  await world.call(one.me, 'PATCH', `/decks/${one.deck.id}`, { parent_id: above.id })
  expect((await world.call(one.me, 'DELETE', `/decks/${above.id}?move_to=${target.id}`)).status).toBe(204)
  expect((await one.read()).map(memory)).toEqual((await twin.read()).map(memory))
})

test('undone answers count for nothing, resets begin anew, and what lies in the trash is replayed, too', async () => {
  const rows = [
    [3, 3],
    [4, 3],
    [2, 3],
  ]
  const [one, twin] = [await studied(rows), await studied([[3], [4, 3], []], { weights: OTHER })]
  const [undone, trashed, reset] = one.cards
  const { items } = await world.read(one.me, `/cards/${undone.id}/reviews`)
  await world.call(one.me, 'POST', `/reviews/${items[0].id}/undo`)
  await world.call(one.me, 'DELETE', `/facts/${trashed.fact_id}`)
  await world.call(one.me, 'POST', '/cards/actions', { ids: [reset.id], action: 'reset' })
  await one.set({ weights: OTHER })
  await world.call(one.me, 'POST', `/facts/${trashed.fact_id}/restore`)
  expect((await one.read()).map(memory)).toEqual((await twin.read()).map(memory))
})

test('memory that came without a log stays, and is what answers go on from', async () => {
  const one = await studied([[], []])
  const [bare, answered] = one.cards
  for (const { id } of [bare, answered]) await world.study(id)
  world.clock.now = START
  const before = await world.read(one.me, `/cards/${bare.id}`)
  await world.call(one.me, 'POST', `/cards/${answered.id}/reviews`, { rating: 3 })
  await one.set({ weights: OTHER })
  const [left, next] = await one.read()
  expect([left.stability, left.difficulty]).toEqual([before.stability, before.difficulty])
  await world.call(one.me, 'POST', '/reviews/undo')
  world.clock.now = START
  const again = await world.call(one.me, 'POST', `/cards/${answered.id}/reviews`, { rating: 3 })
  expect([again.body.card.stability, again.body.card.difficulty]).toEqual([next.stability, next.difficulty])
})

test('imported answers count by when they were given, whenever they came in', async () => {
  const [one, twin] = [await studied([[2, 3, 1]]), await studied([[2, 3, 1]], { weights: OTHER })]
  const [card] = one.cards
  // The first two arrive behind the last.
  await world.db.run(
    `UPDATE study_reviews SET kind = 'import', key = 1000000 - key
     WHERE card = (SELECT key FROM study_cards WHERE id = $1) AND reviewed_at < $2`,
    [card.id, START + 5 * DAY],
  )
  await one.set({ weights: OTHER })
  expect((await one.read()).map(memory)).toEqual((await twin.read()).map(memory))
})

/** Replays the memory of a deck in one transaction. */
async function replayed(deck: Shown, reschedule: string): Promise<void> {
  const row = await world.db.get<{ workspace: WorkspaceId; key: number }>(
    'SELECT workspace, key FROM study_decks WHERE id = $1',
    [deck.id],
  )
  if (!row) throw new Error('no such deck')
  const now = () => world.clock.now
  const { record, recordAll } = makeWorkspaces({ db: world.db, now })
  const memories = createCardMemory({ now, cardWriter: createCardWriter({ now, record, recordAll }) })
  const all = { after: '', limit: 200 }
  await world.db.transaction((db: Queries) =>
    memories.replayBatch({ workspace: { id: row.workspace, kind: 'key' }, db }, row.key, all, { reschedule }),
  )
}

test('with reschedule, due days are what the new memory asks for; learning keeps its instants', async () => {
  const one = await studied([[4], [4, 3, 3], [1]])
  const before = await one.read()
  await one.set({ weights: OTHER, desired_retention: 0.8 })
  const kept = await one.read()
  expect(kept.map(dates)).toEqual(before.map(dates))
  await replayed(one.deck, 'one')
  const [easy, good, step] = await one.read()
  // Three times the days at a retention of 0.8: S · ((R^(-1/w20) - 1) / (0.9^(-1/w20) - 1)).
  const stretch = (0.8 ** (-1 / 0.3) - 1) / (0.9 ** (-1 / 0.3) - 1)
  expect(easy).toMatchObject({ stability: 12.5, scheduled_days: Math.round(12.5 * stretch) })
  expect(Date.parse(easy.due_day)).toBe(Date.parse('2026-03-02') + easy.scheduled_days * DAY)
  expect(good.scheduled_days).toBe(Math.round(good.stability * stretch))
  expect(dates(step)).toEqual(dates(before[2]))
})

test('more cards than are written at once are replayed to the last, and the feed tells of each', async () => {
  const one = await studied([])
  const item = (front: string) => ({ deck_id: one.deck.id, type: 'basic', front, back: 'b' })
  const items = Array.from({ length: 230 }, (_, i) => item(`${i}`))
  expect((await world.call(one.me, 'POST', '/facts/batch', { items })).status).toBe(200)
  const cards = await world.all(one.me, '/cards')
  const answers = cards.map(({ id }, i) => {
    const review = `01890000-0000-7000-8000-${i.toString(16).padStart(12, '0')}`
    return { id: review, card_id: id, rating: 4, reviewed_at: '2026-03-02T12:00:00.000Z' }
  })
  await world.call(one.me, 'POST', '/reviews/batch', { items: answers })
  const seq = (await world.callAny(one.me, 'GET', '/api/changes?limit=1')).body.latest_seq
  await one.set({ weights: OTHER })
  const after = await world.all(one.me, '/cards')
  expect(after.filter(({ stability, revision }) => stability === 12.5 && revision === 3)).toHaveLength(230)
  expect((await world.callAny(one.me, 'GET', '/api/changes?limit=1')).body.latest_seq).toBe(seq + 231)
  expect(await contradictions(world.folder)).toEqual([])
})
