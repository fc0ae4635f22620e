import { expect, test } from 'bun:test'
import { listMissing } from '../../../src/flashcards/import/log-merge'
import { recounted } from '../../support/recounted'
import type { As } from '../../support/world'
import { packageOf, type Source } from '../anki/build'
import { BASIC, CLOZE } from '../anki/support'
import type { Shown } from '../support'
import { counted, makeTransferWorld } from '../transfer-support'

/** Answers given in Anki after a card was imported, beside those that were given here. */

const world = recounted(await makeTransferWorld())

const START = Date.parse('2026-03-02T12:00:00.000Z')
const DAY = 86_400_000
const at = (days: number) => START + Math.round(days * DAY)

type Answer = Partial<NonNullable<Source['reviews']>[number]> & { readonly days: number }

/** A package with one studied note, and further answers of its card. */
function packed(answers: readonly Answer[], more: Partial<Source> = {}): Uint8Array {
  return packageOf('legacy1', {
    decks: [{ id: 100, name: 'Deck' }],
    notetypes: [BASIC],
    notes: [{ id: 1, mid: BASIC.id, fields: ['front', 'back'] }],
    cards: [{ id: 11, nid: 1, did: 100, type: 2, queue: 2, due: 20, ivl: 9, factor: 2500, reps: 2 }],
    reviews: [
      { id: at(0), cid: 11, ease: 3, type: 0 },
      { id: at(1), cid: 11, ease: 3 },
      ...answers.map(({ days, ...rest }) => ({ id: at(days), cid: 11, ease: 3, ...rest })),
    ],
    ...more,
  })
}

async function learner(file = packed([])) {
  const me = world.stranger()
  world.clock.now = at(400)
  expect((await world.send(me, 'format=apkg', file)).status).toBe(200)
  const [deck] = await world.all(me, '/decks')
  await world.call(me, 'PATCH', `/decks/${deck.id}`, { settings: { fuzz: false } })
  const [card] = await world.all(me, '/cards')
  const answer = (days: number, rating = 3) =>
    world.call(me, 'POST', `/cards/${card.id}/reviews`, { rating, reviewed_at: new Date(at(days)).toISOString() })
  return { me, card, answer }
}

const log = async (me: As, { id }: Shown) =>
  (await world.all(me, `/cards/${id}/reviews`))
    .toReversed()
    .map(({ reviewed_at, rating, undone_at }) => [
      (Date.parse(reviewed_at) - START) / DAY,
      rating,
      ...(undone_at === null ? [] : ['undone']),
    ])
const schedule = async (me: As, { id }: Shown) => {
  const { state, due_at, stability, difficulty, scheduled_days, reps, lapses, last_reviewed_at } = await world.read(
    me,
    `/cards/${id}`,
  )
  return { state, due_at, stability, difficulty, scheduled_days, reps, lapses, last_reviewed_at }
}

test('answers of both sides stand once in the log, by time, and the card is as if all had been given here', async () => {
  const [both, one] = [await learner(), await learner()]
  for (const [days, rating] of [
    [20, 3],
    [60, 1],
  ] as const)
    await both.answer(days, rating)
  const file = packed([
    { days: 30, ease: 2 },
    { days: 90, ease: 4 },
  ])
  const report = await world.send(both.me, 'format=apkg', file)
  expect(counted(report.body)).toEqual({
    deck: { unchanged: 1 },
    note_type: { unchanged: 1 },
    fact: { unchanged: 1 },
    review: { created: 2 },
  })
  const expected = [
    [0, 3],
    [1, 3],
    [20, 3],
    [30, 2],
    [60, 1],
    [90, 4],
  ]
  expect(await log(both.me, both.card)).toEqual(expected)
  for (const [days = 0, rating] of expected.slice(2)) await one.answer(days, rating)
  expect(await schedule(both.me, both.card)).toEqual(await schedule(one.me, one.card))
  const seq = await world.latestSeq(both.me)
  expect(counted((await world.send(both.me, 'format=apkg', file)).body).review).toBeUndefined()
  expect(await world.latestSeq(both.me)).toBe(seq)
})

test.each([
  ['scheduling=drop', [{ days: 30 }]],
  ['on_duplicate=skip', [{ days: 30 }]],
  ['', [{ days: 30, ease: 0, type: 4 }]],
  ['', [{ days: 30, ease: 3, type: 3, factor: 0 }]],
  ['', [{ days: 401 }]],
] as const)('nothing is merged with "%s" of %j', async (query, answers) => {
  const { me, card } = await learner()
  const seq = await world.latestSeq(me)
  await world.send(me, `format=apkg&${query}`, packed(answers))
  expect([await log(me, card), await world.latestSeq(me)]).toEqual([
    [
      [0, 3],
      [1, 3],
    ],
    seq,
  ])
})

test('an answer in a filtered deck that came before it was due is an answer', async () => {
  const { me, card } = await learner(packed([{ days: 2, type: 3 }]))
  expect((await log(me, card)).at(-1)).toEqual([2, 3])
  expect((await world.read(me, `/cards/${card.id}/reviews`)).items[0].before.state).toBe('review')
})

test('an answer older than the imported log is in the log and changes nothing', async () => {
  const { me, card } = await learner()
  const before = await schedule(me, card)
  await world.send(me, 'format=apkg', packed([{ days: 0.5, ease: 1 }]))
  expect(await log(me, card)).toEqual([
    [0, 3],
    [0.5, 1],
    [1, 3],
  ])
  expect(await schedule(me, card)).toEqual(before)
})

test('what was undone here stays undone, though Anki still has it', async () => {
  const { me, card, answer } = await learner()
  const { body } = await answer(20)
  await world.call(me, 'POST', `/reviews/${body.review.id}/undo`)
  await world.send(me, 'format=apkg', packed([{ days: 20 }, { days: 30 }]))
  expect(await log(me, card)).toEqual([
    [0, 3],
    [1, 3],
    [20, 3, 'undone'],
    [30, 3],
  ])
})

test('a card in the trash, and a fact there, get nothing', async () => {
  const { me, card } = await learner()
  await world.call(me, 'DELETE', `/facts/${card.fact_id}`)
  await world.send(me, 'format=apkg', packed([{ days: 30 }]))
  await world.call(me, 'POST', `/facts/${card.fact_id}/restore`)
  expect(await log(me, card)).toHaveLength(2)
  await world.send(me, 'format=apkg', packed([{ days: 30 }]))
  expect(await log(me, card)).toHaveLength(3)
})

test('a card whose number is gone from the text gets nothing, its sibling does', async () => {
  const cloze: Partial<Source> = {
    notetypes: [CLOZE],
    notes: [{ id: 1, mid: CLOZE.id, fields: ['{{c1::a}} {{c2::b}}', ''] }],
    cards: [11, 12].map((id, ord) => ({ id, nid: 1, did: 100, ord })),
  }
  const { me, card } = await learner(packed([], cloze))
  await world.call(me, 'PATCH', `/facts/${card.fact_id}`, { text: '{{c1::a}} b' })
  const answers = [11, 12].map((cid, i) => ({ days: 30 + i, cid }))
  const { body } = await world.send(me, 'format=apkg', packed(answers, cloze))
  expect(counted(body).review).toEqual({ created: 1 })
  const [first] = await world.all(me, '/cards')
  expect((await log(me, first)).at(-1)).toEqual([30, 3])
})

test('hundreds of answers of one card are merged in several steps, each once', async () => {
  const { me, card, answer } = await learner()
  await answer(50)
  const many = Array.from({ length: 450 }, (_, i) => ({ days: 10.05 + i / 10, ease: 3 + (i % 2) }))
  const report = await world.send(me, 'format=apkg', packed(many))
  expect(counted(report.body)).toMatchObject({ fact: { unchanged: 1 }, review: { created: 450 } })
  expect(report.body.items.filter(({ type }: Shown) => type === 'fact')).toHaveLength(1)
  expect(report.body.items.flatMap(({ warnings }: Shown) => warnings)).toEqual([])
  expect((await log(me, card)).map(([days]) => days)).toEqual(
    [0, 1, ...many.map(({ days }) => Math.round(days * DAY) / DAY), 50].toSorted((a, b) => Number(a) - Number(b)),
  )
})

test('answers that an export had to move are known again, one for one', () => {
  const of = (reviewed_at: number, rating: 1 | 3 = 3, duration_ms = 7) => ({ reviewed_at, rating, duration_ms })
  const missing = (given: ReturnType<typeof of>[], known: ReturnType<typeof of>[]) =>
    listMissing(
      given.map((one) => ({ ...one, ordinal: 0, kind: 'review' as const })),
      known.map((one) => ({ ...one, card: 1 })),
    ).map(({ reviewed_at }) => reviewed_at)
  expect(missing([of(1000), of(2000)], [of(1000), of(2000)])).toEqual([])
  expect(missing([of(1001), of(1002)], [of(1000), of(1000)])).toEqual([])
  expect(missing([of(11_000)], [of(1000)])).toEqual([])
  expect(missing([of(1001), of(1002)], [of(1000)])).toEqual([1002])
  expect(missing([of(11_001)], [of(1000)])).toEqual([11_001])
  expect(missing([of(999)], [of(1000)])).toEqual([999])
  expect(missing([of(1001, 1)], [of(1000)])).toEqual([1001])
  expect(missing([of(1001, 3, 8)], [of(1000)])).toEqual([1001])
  expect(missing([of(1000), of(1001)], [of(1000)])).toEqual([1001])
})
