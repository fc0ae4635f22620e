import { afterAll, expect, test } from 'bun:test'
import { columnsOf, useDatabase } from '../support/database'
import type { As } from '../support/world'
import { makeStudyWorld, type Shown } from './support'

/** Answers: how they schedule, in which order they are refused, and that each counts once. */

const world = await makeStudyWorld()
afterAll(world.close)

const NEW_YORK = { time_zone: 'America/New_York', deck_defaults: { fuzz: false } }
const START = Date.parse('2026-03-02T12:00:00.000Z')
const reviewId = (n: number) => `01890000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`

/** A card of a caller of its own. */
async function newCard(settings: object = { deck_defaults: { fuzz: false } }) {
  const me = world.stranger()
  world.clock.now = START
  await world.call(me, 'PATCH', '/settings', settings)
  const deck = await world.deck(me)
  const fact = await world.fact(me, { deck_id: deck.id })
  const [card] = await world.cards(me, fact)
  const answer = (body: object, headers = {}) => world.call(me, 'POST', `/cards/${card.id}/reviews`, body, headers)
  return { me, deck, fact, card, answer, read: () => world.read(me, `/cards/${card.id}`) }
}

/** Answers at an instant, as the clock of the server says. */
async function answerAt(answer: (body: object) => Promise<Shown>, at: string, rating: number) {
  world.clock.now = Date.parse(at)
  const answered = await answer({ rating, reviewed_at: at })
  expect(answered.status).toBe(201)
  return answered.body
}

const seqOf = async (me: As) => (await world.callAny(me, 'GET', '/api/changes?limit=1')).body.latest_seq

test('the example of the page, to the digit: three answers in New York, and the preview of the third', async () => {
  const { answer, me, card } = await newCard(NEW_YORK)
  const first = await answerAt(answer, '2026-03-01T23:50:00.000Z', 3)
  expect(first.review).toMatchObject({ kind: 'learning', elapsed_days: 0, predicted_retrievability: null })
  expect(first.card).toMatchObject({ state: 'learning', step: 1, due_at: '2026-03-02T00:00:00.000Z', revision: 2 })
  expect(first.card.stability).toBeCloseTo(2.3065, 8)
  expect(first.card.difficulty).toBeCloseTo(2.11810397, 8)

  const second = await answerAt(answer, '2026-03-02T00:00:00.000Z', 3)
  expect(second.review).toMatchObject({ kind: 'learning', elapsed_days: 0, predicted_retrievability: 1 })
  expect(second.review.study_day).toBe('2026-03-01')
  expect(second.card).toMatchObject({ state: 'review', due_day: '2026-03-03', due_at: '2026-03-03T09:00:00.000Z' })
  expect(second.card.revision).toBe(3)
  expect(second.card.difficulty).toBeCloseTo(2.11121424, 8)

  world.clock.now = Date.parse('2026-03-05T13:15:00.000Z')
  const { again, hard, good, easy } = await world.read(me, `/cards/${card.id}/preview`)
  expect(again).toMatchObject({ state: 'relearning', interval_seconds: 600 })
  expect([hard, good, easy].map(({ scheduled_days }) => scheduled_days)).toEqual([11, 16, 28])

  const third = await answerAt(answer, '2026-03-05T13:15:00.000Z', 3)
  expect(third.review).toMatchObject({ kind: 'review', elapsed_days: 4 })
  expect(third.review.predicted_retrievability).toBeCloseTo(0.85798579, 8)
  expect(third.card).toMatchObject({ due_day: '2026-03-21', due_at: '2026-03-21T08:00:00.000Z', revision: 4 })
  expect(third.card).toMatchObject({ state: 'review', scheduled_days: 16, reps: 3, lapses: 0 })
  expect(third.card.stability).toBeCloseTo(16.18802274, 8)
  expect(third.card.difficulty).toBeCloseTo(2.1043314, 8)
})

test('an answer is 201 with its address; without an instant it is now, and clears buried_until', async () => {
  const { answer, me, card } = await newCard()
  await world.call(me, 'PATCH', `/cards/${card.id}`, { buried_until: '2026-04-01' })
  const { status, headers, body } = await answer({ rating: 4, duration_ms: 1234 })
  expect([status, headers.get('Location')]).toEqual([201, `/api/flashcards/reviews/${body.review.id}`])
  expect(body.review).toMatchObject({ reviewed_at: '2026-03-02T12:00:00.000Z', duration_ms: 1234, rating: 4 })
  expect(body.review.before.buried_until).toBe('2026-04-01')
  expect(body.card.buried_until).toBeNull()
  const read = await world.call(me, 'GET', `/reviews/${body.review.id}`)
  expect([read.body, read.headers.get('ETag')]).toEqual([body.review, '"1"'])
})

test('the checks come in the order of the page', async () => {
  const { me, card, fact, answer } = await newCard()
  const before = await answer({ rating: 3, id: reviewId(1), reviewed_at: '2026-03-02T11:00:00.000Z' })
  const asked = { rating: 3, reviewed_at: '2026-03-02T10:00:00.000Z' }
  const late = { rating: 3, reviewed_at: '2026-03-02T12:05:00.001Z' }
  const stale = { 'If-Match': '"1"' }
  const said = async (body: object, headers = {}) => {
    const { status, body: problem } = await answer(body, headers)
    return [status, problem.code]
  }
  await world.call(me, 'PATCH', `/cards/${card.id}`, { suspended: true })
  expect(await said({ ...asked, rating: 5 }, stale)).toEqual([400, 'invalid_request'])
  expect(await said({ ...asked, id: reviewId(1) }, stale)).toEqual([409, 'conflict'])
  expect(await said({ rating: 3, id: reviewId(1), reviewed_at: '2026-03-02T11:00:00.000Z' }, stale)).toEqual([
    200,
    undefined,
  ])
  const live = { ...asked, reviewed_at: '2026-03-02T11:30:00.000Z' }
  expect(await said(live, stale)).toEqual([412, 'precondition_failed'])
  expect(await said(live)).toEqual([409, 'card_suspended'])
  expect(await said(asked, stale)).toEqual([409, 'card_suspended'])
  await world.call(me, 'PATCH', `/cards/${card.id}`, { suspended: false })
  expect(await said(late)).toEqual([400, 'invalid_request'])
  await world.call(me, 'DELETE', `/facts/${fact.id}`)
  expect(await said(asked, stale)).toEqual([404, 'not_found'])
  expect((await world.call(me, 'GET', `/cards/${card.id}/preview`)).status).toBe(404)
  // What was answered before is answered again, in the trash as well.
  const again = await answer({ rating: 3, id: reviewId(1), reviewed_at: '2026-03-02T11:00:00.000Z' })
  expect([again.status, again.body.review]).toEqual([200, before.body.review])
})

test('five minutes ahead is allowed, and who then says no instant is not before that', async () => {
  const { answer, me, card } = await newCard()
  const ahead = '2026-03-02T12:05:00.000Z'
  expect((await answer({ rating: 3, reviewed_at: ahead })).status).toBe(201)
  expect((await world.read(me, `/cards/${card.id}/preview`)).good.state).toBe('review')
  expect((await answer({ rating: 3 })).body.review.reviewed_at).toBe(ahead)
})

test('statistics call a card young or mature by the interval that it had, not by the one that it gets', async () => {
  const { answer, me, card } = await newCard()
  await world.study(card.id)
  const { body } = await answer({ rating: 4 })
  expect(body.review.before.scheduled_days).toBeLessThan(21)
  expect(body.review.after.scheduled_days).toBeGreaterThan(21)
  const { young, mature } = (await world.read(me, '/stats?parts=retention')).retention
  expect([young.count, mature.count]).toEqual([1, 0])
})

test('a rating that is none, an impossible duration or instant: 400, and nothing is changed', async () => {
  const { answer, read, me } = await newCard()
  const [before, seq] = [await read(), await seqOf(me)]
  const bad = [0, 5, 2.5, '3', null].map((rating): object => ({ rating }))
  const more = [{ reviewed_at: '2025-02-30T00:00:00.000Z' }, { duration_ms: -1 }, { duration_ms: 3_600_001 }]
  // Anki has ids of milliseconds since 1970.
  more.push({ reviewed_at: '0000-01-01T00:00:00.000Z' }, { reviewed_at: '1970-01-01T00:00:00.000Z' })
  const others = [{ id: 'x' }, { colour: 'red' }, { expected_revision: 1 }, { duration_ms: 0.5 }]
  for (const body of [...bad, ...[...more, ...others].map((one) => ({ rating: 3, ...one }))])
    expect((await answer(body)).status).toBe(400)
  expect([await read(), await seqOf(me)]).toEqual([before, seq])
})

test('the same review is answered with the one that is stored, for ever and whatever If-Match says', async () => {
  const { answer, read, me } = await newCard()
  const body = { rating: 2, id: reviewId(2), reviewed_at: '2026-03-02T12:00:00.000Z' }
  const first = await answer(body, { 'If-Match': '"1"' })
  await answer({ rating: 3 })
  const [card, seq] = [await read(), await seqOf(me)]
  world.clock.now += 400 * 86_400_000
  const again = await answer(body, { 'If-Match': '"1"' })
  expect([again.status, again.headers.get('Idempotency-Replayed')]).toEqual([200, 'true'])
  expect(again.body.review).toEqual(first.body.review)
  expect([again.body.card.revision, await seqOf(me)]).toEqual([card.revision, seq])
  expect((await answer({ ...body, rating: 3 })).status).toBe(409)
})

test('two clients answer one card at one revision: one 201, one 412, one log row', async () => {
  const { answer, me, card } = await newCard()
  const answers = await Promise.all([3, 4].map((rating) => answer({ rating }, { 'If-Match': '"1"' })))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 412])
  const refused = answers.find(({ status }) => status === 412)
  expect(refused?.body.current).toMatchObject({ id: card.id, revision: 2 })
  expect(await world.all(me, `/cards/${card.id}/reviews`)).toHaveLength(1)
})

test('the same review id a hundred times at once makes one log row', async () => {
  const { answer, me, card } = await newCard()
  const body = { rating: 3, id: reviewId(3) }
  const answers = await Promise.all(Array.from({ length: 100 }, () => answer(body)))
  expect(answers.map(({ status }) => status).toSorted((a, b) => b - a)).toEqual([201, ...Array(99).fill(200)])
  expect(await world.all(me, `/cards/${card.id}/reviews`)).toHaveLength(1)
})

test('preview is what an answer later that study day comes to, with fuzz', async () => {
  const { answer, me, card } = await newCard({ deck_defaults: { fuzz: true } })
  await answerAt(answer, '2026-03-02T12:00:00.000Z', 4)
  await answerAt(answer, '2026-03-10T12:00:00.000Z', 3)
  for (const [i, name] of ['again', 'hard', 'good', 'easy'].entries()) {
    world.clock.now = Date.parse('2026-04-10T05:00:00.000Z')
    const preview = (await world.read(me, `/cards/${card.id}/preview`))[name]
    world.clock.now = Date.parse('2026-04-11T03:59:00.000Z')
    const { body } = await answer({ rating: i + 1 })
    const { state, due_day, scheduled_days } = body.card
    expect(state).toBe(preview.state)
    if (state === 'review') expect([due_day, scheduled_days]).toEqual([preview.due_day, preview.scheduled_days])
    else expect(Date.parse(body.card.due_at) - world.clock.now).toBe(preview.interval_seconds * 1000)
    await world.call(me, 'POST', '/reviews/undo')
  }
})

test('a batch is applied by reviewed_at; each answers for itself, and sent twice it is as sent once', async () => {
  const { me, card, fact, deck } = await newCard()
  await world.call(me, 'PATCH', `/facts/${fact.id}`, { type: 'reversed' })
  const [, other] = await world.cards(me, fact)
  await world.call(me, 'PATCH', `/cards/${other.id}`, { suspended: true })
  const item = (n: number, minute: number, more: object = {}) => {
    const reviewed_at = `2026-03-02T11:${String(minute).padStart(2, '0')}:00.000Z`
    return { id: reviewId(n), card_id: card.id, rating: 3, reviewed_at, ...more }
  }
  const items = [
    item(12, 30),
    item(10, 10),
    item(11, 20, { rating: 1 }),
    item(13, 40, { card_id: other.id }),
    item(14, 50, { card_id: deck.id }),
    item(15, 59, { reviewed_at: '2026-02-30T00:00:00.000Z' }),
  ]
  const first = (await world.call(me, 'POST', '/reviews/batch', { items })).body.items
  expect(first.map(({ status }: Shown) => status)).toEqual([201, 201, 201, 409, 404, 400])
  expect(first.map(({ index }: Shown) => index)).toEqual([0, 1, 2, 3, 4, 5])
  expect(first.map(({ error }: Shown) => error?.code)).toEqual([
    ...Array(3).fill(undefined),
    'card_suspended',
    'not_found',
    'invalid_request',
  ])
  expect(first[5].error.errors[0].pointer).toBe('/items/5/reviewed_at')
  expect([1, 2, 0].map((i) => first[i].card.reps)).toEqual([1, 2, 3])

  const [before, seq] = [await world.all(me, '/cards'), await seqOf(me)]
  const second = (await world.call(me, 'POST', '/reviews/batch', { items })).body.items
  expect(second.map(({ status }: Shown) => status)).toEqual([200, 200, 200, 409, 404, 400])
  expect(second.map(({ review }: Shown) => review)).toEqual(first.map(({ review }: Shown) => review))
  expect([await world.all(me, '/cards'), await seqOf(me)]).toEqual([before, seq])
})

test('a batch answers with what the ratings come to next, if it is asked to', async () => {
  const { me, card, fact } = await newCard()
  const items = [
    { id: reviewId(20), card_id: card.id, rating: 1, reviewed_at: '2026-03-02T11:58:00.000Z' },
    { id: reviewId(21), card_id: reviewId(999), rating: 1, reviewed_at: '2026-03-02T11:59:00.000Z' },
  ]
  const send = async (query: string) => (await world.call(me, 'POST', `/reviews/batch${query}`, { items })).body.items
  const asked = await send('?preview=true')
  expect(asked.map(({ preview }: Shown) => preview)).toEqual([
    (await world.call(me, 'GET', `/cards/${card.id}/preview`)).body,
    null,
  ])
  expect((await send('')).map(({ preview }: Shown) => preview)).toEqual([null, null])
  expect((await send('?preview=false')).map(({ preview }: Shown) => preview)).toEqual([null, null])
  await world.call(me, 'DELETE', `/facts/${fact.id}`)
  expect((await send('?preview=true'))[0]).toMatchObject({ status: 200, preview: null, error: null })
})

test('the log is listed by filters, the latest answer first', async () => {
  const { answer, me, card, deck } = await newCard()
  const ids: string[] = []
  for (const [i, rating] of [1, 3, 3, 4].entries())
    ids.unshift((await answerAt(answer, `2026-03-0${i + 1}T12:00:00.000Z`, rating)).review.id)
  await world.call(me, 'POST', `/reviews/${ids[0]}/undo`)
  const listed = async (query: string) => (await world.all(me, `/reviews?${query}`)).map(({ id }) => id)
  expect(await listed('')).toEqual(ids)
  expect(await listed(`card_id=${card.id}`)).toEqual(ids)
  expect(await listed(`deck_id=${deck.id}`)).toEqual(ids)
  expect(await listed('undone=true')).toEqual(ids.slice(0, 1))
  expect(await listed('undone=false')).toEqual(ids.slice(1))
  expect(await listed('from=2026-03-02T12:00:00.000Z&to=2026-03-04T12:00:00.000Z')).toEqual(ids.slice(1, 3))
  expect(await listed('kind=import')).toEqual([])
  const other = await world.deck(me)
  expect(await listed(`deck_id=${other.id}`)).toEqual([])
})

test('a workspace holds so many reviews and no more', async () => {
  const me: As = { address: '198.51.100.77' }
  const deck = await world.deck(me)
  const [card] = await world.cards(me, await world.fact(me, { deck_id: deck.id }))
  expect((await world.call(me, 'POST', `/cards/${card.id}/reviews`, { rating: 3 })).status).toBe(201)
  await useDatabase(world.folder, async (db) => {
    const columns = (await columnsOf(db, 'study_reviews')).filter((name) => name !== 'key' && name !== 'id')
    await db.run(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1998)
       INSERT INTO study_reviews (id, ${columns}) SELECT 'copy ' || i, ${columns} FROM n, study_reviews
       WHERE card = (SELECT key FROM study_cards WHERE id = $1)`,
      [card.id],
    )
    const workspace = '(SELECT workspace FROM study_cards WHERE id = $1)'
    await db.run(`UPDATE workspaces SET size_bytes = size_bytes + 1998 * 200 WHERE id = ${workspace}`, [card.id])
  })
  const last = await world.call(me, 'POST', `/cards/${card.id}/reviews`, { rating: 3 })
  const over = await world.call(me, 'POST', `/cards/${card.id}/reviews`, { rating: 3 })
  expect([last.status, over.status, over.body.code]).toEqual([201, 429, 'quota_exceeded'])
})

test('a typed answer is checked, and nothing is written', async () => {
  const { me, deck, fact } = await newCard()
  const typed = { deck_id: deck.id, type: 'typed', front: 'Capital?', back: '**Lisbon**', accepted: ['Lisboa'] }
  const [card] = await world.cards(me, await world.fact(me, typed))
  const cloze = { deck_id: deck.id, type: 'cloze', front: null, back: null, text: 'The {{c1::Tagus}} and {{c1::sea}}.' }
  const [gap] = await world.cards(me, await world.fact(me, cloze))
  const seq = await seqOf(me)
  const check = async ({ id }: Shown, answer: string) =>
    (await world.call(me, 'POST', `/cards/${id}/check`, { answer })).body
  expect(await check(card, 'lisbon')).toMatchObject({ correct: true, expected: 'Lisbon', suggested_rating: 3 })
  expect(await check(card, 'Lisbom')).toMatchObject({ correct: false, distance: 1, suggested_rating: 2 })
  expect(await check(card, 'lisboa')).toMatchObject({ correct: true, expected: 'Lisboa' })
  expect(await check(card, 'Porto')).toMatchObject({ suggested_rating: 1 })
  const show = () => world.call(me, 'GET', `/cards/${card.id}?render=html`)
  const shown = await show()
  expect(shown.body.typed_answer).toEqual({ right: ['Lisbon', 'Lisboa'], ignores_accents: false })
  for (const answer of ['tagus sea', 'Tagus, sea']) expect(await check(gap, answer)).toMatchObject({ correct: true })
  const [plain] = await world.cards(me, fact)
  expect(await check(plain, 'b')).toMatchObject({ correct: true })
  expect((await world.call(me, 'POST', `/cards/${card.id}/check`, { answer: 'x'.repeat(1001) })).status).toBe(400)
  expect(await seqOf(me)).toBe(seq)
  await world.call(me, 'PATCH', `/facts/${card.fact_id}`, { accepted: [] })
  expect((await show()).headers.get('ETag')).not.toBe(shown.headers.get('ETag'))
})

test('others have their turn within a batch', async () => {
  const { me, card, deck } = await newCard()
  const items = Array.from({ length: 100 }, (_, i) => {
    return { id: freshReviewId(), card_id: card.id, rating: 3, reviewed_at: new Date(START + i * 1000).toISOString() }
  })
  world.clock.now = START + 200_000
  const order: string[] = []
  const sent = world.call(me, 'POST', '/reviews/batch', { items }).then(({ body }) => {
    order.push('batch')
    return body.items
  })
  const other = (description: string) =>
    world.call(me, 'PATCH', `/decks/${deck.id}`, { description }).then(({ status }) => order.push(`${status}`))
  await other('a')
  await other('b')
  expect((await sent).map(({ status }: Shown) => status)).toEqual(items.map(() => 201))
  expect(order).toEqual(['200', '200', 'batch'])
})

test('a batch under a key is answered once: its repeat is replayed, another body refused, at the same time too', async () => {
  const { me, card } = await newCard()
  const batch = (seconds: number) => ({
    items: Array.from({ length: 40 }, (_, i) => {
      const reviewed_at = new Date(START + (seconds + i) * 1000).toISOString()
      return { id: reviewId(0x70000 + seconds * 100 + i), card_id: card.id, rating: 3, reviewed_at }
    }),
  })
  world.clock.now = START + 200_000
  const send = (body: object, key: string) => world.call(me, 'POST', '/reviews/batch', body, { 'Idempotency-Key': key })
  const bad = await send(batch(0), 'not visible')
  expect([bad.status, (await world.read(me, '/reviews')).items]).toEqual([400, []])
  const [one, other] = await Promise.all([send(batch(0), 'k'), send(batch(0), 'k')])
  expect([one.status, other.status, other.body]).toEqual([200, 200, one.body])
  const replays = [one, other].map(({ headers }) => headers.get('Idempotency-Replayed'))
  expect(replays.toSorted()).toEqual(['true', null].toSorted())
  expect(await send(batch(0), 'k')).toMatchObject({ status: 200, body: one.body })
  expect((await send(batch(50), 'k')).body.code).toBe('conflict')
  expect(await world.all(me, '/reviews')).toHaveLength(40)
})

let freshReviews = 0x60000
const freshReviewId = () => reviewId(++freshReviews)
