import { type Asking, get, NOBODY, post, type Route, route } from './asking'
import { BASE, makeCard, onCard } from './flashcard-routes'
import { idOf, on } from './resource-routes'
import type { Visitor } from './visitor'

/** What to ask of the routes of answers, of the queue, and of actions on cards. */

let reviews = 0
const freshId = () => `01890000-0000-7000-8000-${(0xa0_0000 + ++reviews).toString(16).padStart(12, '0')}`

/** Answers a new card; the answer is the path of the review, or of one nobody has. */
async function makeReview(visitor: Visitor): Promise<string> {
  const path = `${await makeCard(visitor)}/reviews`
  const { headers } = await visitor.send({ method: 'POST', path, body: { rating: 3 } })
  return headers.get('Location') ?? `${BASE}/reviews/${NOBODY}`
}

const onReview = on(makeReview)

/** A card, whose path is given, that has this done to it before. */
const after =
  (prepare: (visitor: Visitor, card: string) => Promise<unknown>, body: object): Asking =>
  async (visitor) => {
    const card = await makeCard(visitor)
    await prepare(visitor, card)
    return { method: 'POST', path: `${card}/reviews`, body }
  }

const suspended = after((visitor, path) => visitor.send({ method: 'PATCH', path, body: { suspended: true } }), {
  rating: 3,
})
/** The same review twice: of the same answer, or of another. */
const repeated =
  (rating: number): Asking =>
  async (visitor) => {
    const id = freshId()
    const path = `${await makeCard(visitor)}/reviews`
    await visitor.send({ method: 'POST', path, body: { id, rating: 3 } })
    return { method: 'POST', path, body: { id, rating } }
  }

/** A review with a later one behind it. */
const notLatest: Asking = async (visitor) => {
  const review = await makeReview(visitor)
  const { card_id } = (await (await visitor.send({ path: review })).json()) as { card_id: string }
  await visitor.send({ method: 'POST', path: `${BASE}/cards/${card_id}/reviews`, body: { rating: 3 } })
  return { method: 'POST', path: `${review}/undo` }
}

/** The last review is of a card in the trash. */
const lastInTrash: Asking = async (visitor) => {
  const review = await makeReview(visitor)
  const { card_id } = (await (await visitor.send({ path: review })).json()) as { card_id: string }
  const card = (await (await visitor.send({ path: `${BASE}/cards/${card_id}` })).json()) as { fact_id: string }
  await visitor.send({ method: 'DELETE', path: `${BASE}/facts/${card.fact_id}` })
  return { method: 'POST', path: `${BASE}/reviews/undo` }
}

const undoLast: Asking = async (visitor) => {
  await makeReview(visitor)
  return { method: 'POST', path: `${BASE}/reviews/undo` }
}

const batch: Asking = async (visitor) => {
  const card_id = idOf(await makeCard(visitor))
  const item = { id: freshId(), card_id, rating: 3, reviewed_at: '2026-03-01T00:00:00.000Z' }
  return { method: 'POST', path: `${BASE}/reviews/batch`, body: { items: [item] } }
}

const act =
  (body: object): Asking =>
  async (visitor) => ({
    method: 'POST',
    path: `${BASE}/cards/actions`,
    body: { ids: [idOf(await makeCard(visitor))], ...body },
  })

const answer = (body: unknown) => onCard('POST', body, {}, '/reviews')
const below = (rest: string) => onCard('GET', undefined, {}, rest)

export const REVIEW_ROUTES: Readonly<Record<string, Route>> = {
  [`GET ${BASE}/cards/:id/preview`]: route(200, below('/preview')),
  [`GET ${BASE}/cards/:id/reviews`]: route(200, below('/reviews')),
  [`POST ${BASE}/cards/:id/reviews`]: route(201, answer({ rating: 3 }), {
    200: [repeated(3)],
    400: [
      {},
      { rating: 0 },
      { rating: 5 },
      { rating: 2.5 },
      { rating: 3, reviewed_at: '2125-01-01T00:00:00.000Z' },
    ].map(answer),
    409: [suspended, repeated(4)],
  }),
  [`POST ${BASE}/cards/:id/check`]: route(200, onCard('POST', { answer: 'b' }, {}, '/check'), {
    400: [{}, { answer: 'x'.repeat(1001) }].map((body) => onCard('POST', body, {}, '/check')),
  }),
  [`POST ${BASE}/cards/actions`]: route(200, act({ action: 'suspend' }), {
    400: [
      ...[{}, { action: 'suspend' }].map((body) => post(`${BASE}/cards/actions`, body)),
      ...[{ action: 'explode' }, { action: 'flag', value: 8 }, { action: 'set_due', value: '2025-02-30' }].map(act),
      act({ action: 'move', value: NOBODY }),
    ],
    404: [post(`${BASE}/cards/actions`, { ids: [NOBODY], action: 'suspend' })],
  }),
  [`GET ${BASE}/reviews`]: route(200, get(`${BASE}/reviews`), {
    404: [get(`${BASE}/reviews?deck_id=${NOBODY}`), get(`${BASE}/reviews?card_id=${NOBODY}`)],
  }),
  [`POST ${BASE}/reviews/batch`]: route(200, batch, {
    400: [{}, { items: [] }, { items: [{ id: NOBODY }] }].map((body) => post(`${BASE}/reviews/batch`, body)),
  }),
  [`POST ${BASE}/reviews/undo`]: route(200, undoLast, {
    400: [post(`${BASE}/reviews/undo`, { review_id: 'x' })],
    404: [post(`${BASE}/reviews/undo`, undefined)],
    409: [lastInTrash],
  }),
  [`GET ${BASE}/reviews/:id`]: route(200, onReview('GET')),
  [`POST ${BASE}/reviews/:id/undo`]: route(200, onReview('POST', undefined, {}, '/undo'), { 409: [notLatest] }),
  [`GET ${BASE}/queue`]: route(200, get(`${BASE}/queue?preview=true`), {
    404: [get(`${BASE}/queue?deck_id=${NOBODY}`)],
  }),
}
