import { archiveOf, NOTE_TYPE_LINE } from '../archive/support'
import { type Asking, get, NOBODY, post, queries, type Route, route } from './asking'
import { ALL_STEPS, idOf, inTrash, made, on, resourceRoutes } from './resource-routes'
import type { Visitor } from './visitor'

/** What to ask of the routes of flashcards. */

export const BASE = '/api/flashcards'

let names = 0
/** A name that nothing has yet: visitors with the same key share a workspace. */
const freshName = () => `deck ${++names}`
const makeDeck = (visitor: Visitor, body: object = {}) => made(visitor, `${BASE}/decks`, { name: freshName(), ...body })

const basic = async (visitor: Visitor, body: object = {}) => ({
  deck_id: idOf(await makeDeck(visitor)),
  type: 'basic',
  front: freshName(),
  back: 'b',
  ...body,
})

export const makeFact = async (visitor: Visitor) => made(visitor, `${BASE}/facts`, await basic(visitor))

export async function makeCard(visitor: Visitor): Promise<string> {
  const response = await visitor.send({ path: `${BASE}/cards?deck_id=${(await factOf(visitor)).deck_id}` })
  const { items = [] } = (await response.json()) as { items?: { id: string }[] }
  return `${BASE}/cards/${items[0]?.id ?? NOBODY}`
}

async function factOf(visitor: Visitor): Promise<{ deck_id: string }> {
  const response = await visitor.send({ path: await makeFact(visitor) })
  return response.status === 200 ? await response.json() : { deck_id: NOBODY }
}

const onDeck = on(makeDeck)
const onFact = on(makeFact)
export const onCard = on(makeCard)

const postDeck = (body: object) => post(`${BASE}/decks`, { name: freshName(), ...body })

const takenName: Asking = async (visitor) => {
  const name = freshName()
  await makeDeck(visitor, { name })
  return { method: 'POST', path: `${BASE}/decks`, body: { name } }
}

/** It is in the trash, and its name is another's by now. */
const nameTaken: Asking = async (visitor) => {
  const name = freshName()
  const path = await makeDeck(visitor, { name })
  await visitor.send({ method: 'DELETE', path })
  await makeDeck(visitor, { name })
  return { method: 'POST', path: `${path}/restore` }
}

/** A deck in the trash has no file. */
const exportInTrash: Asking = async (visitor) => {
  const path = await makeDeck(visitor)
  await visitor.send({ method: 'DELETE', path })
  return { path: `${BASE}/export?format=csv&deck_id=${idOf(path)}` }
}

/** Imports a note type. */
async function makeNoteType(visitor: Visitor): Promise<string> {
  const body = archiveOf({ note_type: [NOTE_TYPE_LINE] })
  await visitor.send({ method: 'POST', path: '/api/import', body, headers: { 'Content-Type': 'application/zip' } })
  return `${BASE}/note-types/${NOTE_TYPE_LINE.id}`
}

/** A fact in the trash whose deck is there as well. */
const deckGone: Asking = async (visitor) => {
  const body = await basic(visitor)
  const path = await made(visitor, `${BASE}/facts`, body)
  await visitor.send({ method: 'DELETE', path: `${BASE}/decks/${body.deck_id}` })
  return { method: 'POST', path: `${path}/restore` }
}

/** A card whose fact is in the trash. */
const cardInTrash: Asking = async (visitor) => {
  const fact = await makeFact(visitor)
  const { deck_id } = await (await visitor.send({ path: fact })).json()
  const { items } = await (await visitor.send({ path: `${BASE}/cards?deck_id=${deck_id}` })).json()
  await visitor.send({ method: 'DELETE', path: fact })
  return { method: 'PATCH', path: `${BASE}/cards/${items[0].id}`, body: { flag: 1 } }
}

const postFact =
  (members: object): Asking =>
  async (visitor) =>
    post(`${BASE}/facts`, await basic(visitor, members))(visitor)

/** The same fact again. */
const again =
  (query: string): Asking =>
  async (visitor) => {
    const body = await basic(visitor)
    await made(visitor, `${BASE}/facts`, body)
    return { method: 'POST', path: `${BASE}/facts${query}`, body }
  }

const batch =
  (members: object = {}, rest: object = {}): Asking =>
  async (visitor) =>
    post(`${BASE}/facts/batch`, { items: [await basic(visitor, members)], ...rest })(visitor)

const takenInBatch: Asking = async (visitor) => {
  const id = idOf(await makeFact(visitor))
  return batch({ id }, { atomic: true })(visitor)
}

const STUDY = ['state=old', 'flag=8', 'due_before=2026-02-30', 'q=%20', 'leech']

/** Something was rescheduled. */
const undoReschedule: Asking = async (visitor) => {
  const path = `${await makeDeck(visitor)}?reschedule=true`
  await visitor.send({ method: 'PATCH', path, body: { settings: { desired_retention: 0.8 } } })
  return { method: 'POST', path: `${BASE}/reschedule/undo` }
}

/** Where it is not there, training is refused. */
const TRAINS = await import('@open-spaced-repetition/binding').then(
  () => true,
  () => false,
)
const DAY = 86_400_000
/** In the worlds of these tests it is never earlier. */
const LAST_ANSWER = Date.parse('2026-03-02T12:00:00.000Z')

/** A training on cards that were answered each day: just enough, and too few wrong to suspend one. */
const training: Asking = async (visitor) => {
  const deck_id = idOf(await makeDeck(visitor))
  const items = Array.from({ length: 9 }, () => ({ deck_id, type: 'basic', front: freshName(), back: 'b' }))
  await visitor.send({ method: 'POST', path: `${BASE}/facts/batch`, body: { items } })
  const cards = await (await visitor.send({ path: `${BASE}/cards?deck_id=${deck_id}` })).json()
  const answers = (cards.items ?? []).flatMap(({ id: card_id }: { id: string }, card: number) =>
    Array.from({ length: 50 }, (_, day) => {
      const reviewed_at = new Date(LAST_ANSWER - (50 - day) * DAY).toISOString()
      return { id: Bun.randomUUIDv7(), card_id, rating: (day + card) % 10 === 0 ? 1 : 3, reviewed_at }
    }),
  )
  await visitor.send({ method: 'POST', path: `${BASE}/reviews/batch`, body: { items: answers } })
  return { method: 'POST', path: `${BASE}/optimize`, body: { deck_id } }
}

const patchSettings =
  (body: object): Asking =>
  () => ({ method: 'PATCH', path: `${BASE}/settings`, body })

export const FLASHCARD_ROUTES: Readonly<Record<string, Route>> = {
  ...resourceRoutes({
    base: `${BASE}/decks`,
    steps: ALL_STEPS,
    make: makeDeck,
    body: () => ({ name: freshName() }),
    change: () => ({ description: 'd' }),
    others: {
      list: { 404: [get(`${BASE}/decks?parent_id=${NOBODY}`)] },
      create: {
        400: [
          ...[{ name: ' ' }, { name: 'a::b' }].map((body) => post(`${BASE}/decks`, body)),
          postDeck({ parent_id: NOBODY }),
          postDeck({ settings: { learning_steps_minutes: [1440] } }),
        ],
        409: [takenName],
      },
      patch: { 400: [onDeck('PATCH', { settings: { fuzz: 1 } }), onDeck('PATCH', {}, {}, '?dry_run=true')] },
      delete: {
        400: [onDeck('DELETE', undefined, {}, `?move_to=${NOBODY}`)],
        409: [inTrash(makeDeck, 'DELETE', undefined, `?move_to=${NOBODY}`)],
      },
      restore: { 409: [nameTaken] },
    },
  }),
  ...resourceRoutes({
    base: `${BASE}/facts`,
    steps: ALL_STEPS,
    make: makeFact,
    body: basic,
    change: () => ({ hint: 'h' }),
    others: {
      list: { 400: queries(`${BASE}/facts`, ...STUDY), 404: [get(`${BASE}/facts?deck_id=${NOBODY}`)] },
      create: {
        200: [again('?on_duplicate=skip'), again('?on_duplicate=update')],
        400: [{ back: null }, { type: 'cloze' }, { deck_id: NOBODY }, { note_ids: [NOBODY] }].map(postFact),
        409: [again('?on_duplicate=error')],
      },
      patch: { 400: [{ type: 'cloze' }, { deck_id: NOBODY }].map((body) => onFact('PATCH', body)) },
      restore: { 409: [deckGone] },
    },
  }),
  ...resourceRoutes({
    base: `${BASE}/cards`,
    steps: ['list', 'read', 'patch'],
    make: makeCard,
    change: () => ({ flag: 3 }),
    others: {
      list: { 400: queries(`${BASE}/cards`, ...STUDY, 'trashed'), 404: [get(`${BASE}/cards?deck_id=${NOBODY}`)] },
      patch: {
        400: [{ flag: 8 }, { buried_until: '2025-02-30' }].map((body) => onCard('PATCH', body)),
        409: [cardInTrash],
      },
    },
  }),
  ...resourceRoutes({ base: `${BASE}/note-types`, steps: ['list', 'read'], make: makeNoteType }),
  [`GET ${BASE}/stats`]: route(
    200,
    async (visitor) => ({ path: `${BASE}/stats?deck_id=${idOf(await makeDeck(visitor))}` }),
    { 404: [get(`${BASE}/stats?deck_id=${NOBODY}`)] },
  ),
  [`POST ${BASE}/optimize`]: route(TRAINS ? 200 : 501, training, {
    400: [{ deck_id: NOBODY }, { reschedule: true }, { dry_run: true }].map((body) => post(`${BASE}/optimize`, body)),
    409: [post(`${BASE}/optimize`, {})],
  }),
  [`GET ${BASE}/decks/:id/settings`]: route(200, onDeck('GET', undefined, {}, '/settings')),
  [`GET ${BASE}/decks/:id/counts`]: route(200, onDeck('GET', undefined, {}, '/counts')),
  [`POST ${BASE}/facts/batch`]: route(200, batch(), {
    400: [post(`${BASE}/facts/batch`, { items: [] }), batch({ back: '' }, { atomic: true })],
    409: [takenInBatch],
  }),
  [`GET ${BASE}/settings`]: route(200, get(`${BASE}/settings`)),
  [`PATCH ${BASE}/settings`]: route(200, patchSettings({ learn_ahead_minutes: 30 }), {
    400: [{ time_zone: 'Mars/Olympus' }, { day_starts_at_hour: 24 }, { deck_defaults: { fuzz: 1 } }].map(patchSettings),
  }),
  [`POST ${BASE}/reschedule/undo`]: route(200, undoReschedule, {
    400: [post(`${BASE}/reschedule/undo`, { id: 'x' })],
    404: [post(`${BASE}/reschedule/undo`, undefined)],
  }),
  [`POST ${BASE}/drafts`]: route(200, post(`${BASE}/drafts`, { text: 'Q: a\nA: b' }), {
    400: [{}, { text: 'x', note_id: NOBODY }, { note_id: NOBODY }, { text: 'x', limit: 0 }].map((body) =>
      post(`${BASE}/drafts`, body),
    ),
  }),
  [`GET ${BASE}/export`]: route(200, get(`${BASE}/export?format=apkg`), {
    200: queries(`${BASE}/export`, 'format=colpkg', 'format=csv'),
    400: [get(`${BASE}/export`), ...queries(`${BASE}/export`, 'format=pdf', 'format=colpkg&scheduling=false')],
    404: [get(`${BASE}/export?format=csv&deck_id=${NOBODY}`)],
    409: [exportInTrash],
  }),
}
