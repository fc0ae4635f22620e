import { archiveOf } from '../archive/support'
import { type Asking, BARE, FORM, get, keyReused, LARGE, NO_JSON, NO_OBJECT, post, type Route, STALE } from './asking'
import { NOTE_TYPE_LINE } from './note-type-line'
import { ALL_STEPS, idOf, inTrash, made, NOBODY, on, resourceRoutes } from './resource-routes'
import type { Visitor } from './visitor'

/** What to ask of the routes of flashcards. */

export const BASE = '/api/flashcards'
const IMPORT = `${BASE}/import?format=csv`

const OTHER = { deck_id: NOBODY, type: 'basic', front: 'f', back: 'b' }

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

const postDeck =
  (body: object = {}, headers = {}): Asking =>
  () => ({ method: 'POST', path: `${BASE}/decks`, body: { name: freshName(), ...body }, headers })

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

/** Asks for a medium that is stored before. */
const onMedia =
  (method: string, body?: unknown, headers = {}): Asking =>
  async (visitor) => {
    const path = `${BASE}/media/${encodeURIComponent(freshName())}`
    await visitor.send({ method: 'PUT', path, body: 'bytes' })
    return { method, path, body, headers }
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
  (members: object = {}, query = '', headers = {}): Asking =>
  async (visitor) => ({
    method: 'POST',
    path: `${BASE}/facts${query}`,
    body: await basic(visitor, members),
    headers,
  })

/** The same fact again. */
const again =
  (query: string): Asking =>
  async (visitor) => {
    const body = await basic(visitor)
    await made(visitor, `${BASE}/facts`, body)
    return { method: 'POST', path: `${BASE}/facts${query}`, body }
  }

const batch =
  (members: object = {}, rest: object = {}, headers = {}): Asking =>
  async (visitor) => ({
    method: 'POST',
    path: `${BASE}/facts/batch`,
    body: { items: [await basic(visitor, members)], ...rest },
    headers,
  })

const takenInBatch: Asking = async (visitor) => {
  const id = idOf(await makeFact(visitor))
  return batch({ id }, { atomic: true })(visitor)
}

export const bad = (queries: readonly string[], path: string) => queries.map((query) => get(`${BASE}/${path}?${query}`))
const STUDY = ['state=old', 'flag=8', 'due_before=2026-02-30', 'q=%20', 'leech']
export const missing =
  (method: string, path: string, body?: unknown): Asking =>
  () => ({ method, path: BASE + path, body })

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

export const FLASHCARD_ROUTES: Readonly<Record<string, Route>> = {
  ...resourceRoutes({
    base: `${BASE}/decks`,
    steps: ALL_STEPS,
    make: makeDeck,
    body: () => ({ name: freshName() }),
    change: () => ({ description: 'd' }),
    others: {
      list: { 400: [get(`${BASE}/decks?parent_id=x`)], 404: [get(`${BASE}/decks?parent_id=${NOBODY}`)] },
      create: {
        400: [
          ...[{ name: ' ' }, { name: 'a::b' }].map((body) => post(`${BASE}/decks`, body)),
          postDeck({ parent_id: NOBODY }),
          postDeck({ settings: { learning_steps_minutes: [1440] } }),
        ],
        409: [takenName],
      },
      patch: {
        400: [
          ...[{ name: '' }, { settings: { fuzz: 1 } }].map((body) => onDeck('PATCH', body)),
          onDeck('PATCH', {}, {}, '?dry_run=true'),
        ],
      },
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
      list: { 400: bad(STUDY, 'facts'), 404: [get(`${BASE}/facts?deck_id=${NOBODY}`)] },
      create: {
        200: [again('?on_duplicate=skip'), again('?on_duplicate=update')],
        400: [
          ...[{ back: null }, { type: 'cloze' }, { deck_id: NOBODY }, { note_ids: [NOBODY] }].map((body) =>
            postFact(body),
          ),
          postFact({}, '?on_duplicate=replace'),
        ],
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
      list: { 400: bad([...STUDY, 'trashed'], 'cards'), 404: [get(`${BASE}/cards?deck_id=${NOBODY}`)] },
      read: { 400: [onCard('GET', undefined, {}, '?render=pdf')] },
      patch: {
        400: [{ flag: 8 }, { state: 'new' }, { buried_until: '2025-02-30' }].map((body) => onCard('PATCH', body)),
        409: [cardInTrash],
      },
    },
  }),
  ...resourceRoutes({ base: `${BASE}/note-types`, steps: ['list', 'read'], make: makeNoteType }),
  ...resourceRoutes({ base: `${BASE}/media`, steps: ['list'], make: async () => `${BASE}/media/none` }),
  [`GET ${BASE}/stats`]: {
    served: async (visitor) => ({ path: `${BASE}/stats?deck_id=${idOf(await makeDeck(visitor))}` }),
    status: 200,
    others: {
      400: bad(['deck_id=x', 'from=2026-02-30', 'parts=years', 'forecast_days=0'], 'stats'),
      404: [get(`${BASE}/stats?deck_id=${NOBODY}`)],
    },
  },
  [`POST ${BASE}/optimize`]: {
    served: training,
    status: TRAINS ? 200 : 501,
    others: {
      400: [
        ...NO_JSON,
        ...NO_OBJECT,
        { deck_id: NOBODY },
        { reschedule: true },
        { dry_run: true },
        { apply: 'yes' },
      ].map((body) => post(`${BASE}/optimize`, body)),
      409: [post(`${BASE}/optimize`, {}), ...(TRAINS ? [keyReused(training, {})] : [])],
      413: [post(`${BASE}/optimize`, LARGE)],
      415: [post(`${BASE}/optimize`, 'apply=true', FORM)],
    },
  },
  [`GET ${BASE}/decks/:id/settings`]: {
    served: onDeck('GET', undefined, {}, '/settings'),
    status: 200,
    others: { 400: [get(`${BASE}/decks/x/settings`)], 404: [missing('GET', `/decks/${NOBODY}/settings`)] },
  },
  [`GET ${BASE}/decks/:id/counts`]: {
    served: onDeck('GET', undefined, {}, '/counts'),
    status: 200,
    others: { 400: [get(`${BASE}/decks/x/counts`)], 404: [missing('GET', `/decks/${NOBODY}/counts`)] },
  },
  [`POST ${BASE}/facts/batch`]: {
    served: batch(),
    status: 200,
    others: {
      400: [
        post(`${BASE}/facts/batch`, { items: [] }),
        batch({ back: '' }, { atomic: true }),
        batch({ colour: 'red' }),
      ],
      409: [takenInBatch, keyReused(batch(), { items: [OTHER] })],
      413: [post(`${BASE}/facts/batch`, LARGE)],
      415: [post(`${BASE}/facts/batch`, 'x', FORM)],
    },
  },
  [`GET ${BASE}/settings`]: {
    served: get(`${BASE}/settings`),
    status: 200,
    others: { 304: [get(`${BASE}/settings`, { 'If-None-Match': '*' })], 400: [get(`${BASE}/settings?colour=red`)] },
  },
  [`PATCH ${BASE}/settings`]: {
    served: missing('PATCH', '/settings', { learn_ahead_minutes: 30 }),
    status: 200,
    others: {
      400: [{ time_zone: 'Mars/Olympus' }, { day_starts_at_hour: 24 }, { deck_defaults: { fuzz: 1 } }, '{'].map(
        (body) => missing('PATCH', '/settings', body),
      ),
      412: [() => ({ method: 'PATCH', path: `${BASE}/settings`, body: {}, headers: STALE })],
      413: [missing('PATCH', '/settings', LARGE)],
      415: [() => ({ method: 'PATCH', path: `${BASE}/settings`, body: 'x', headers: FORM })],
    },
  },
  [`POST ${BASE}/reschedule/undo`]: {
    served: undoReschedule,
    status: 200,
    others: {
      400: [post(`${BASE}/reschedule/undo`, { id: 'x' })],
      404: [missing('POST', '/reschedule/undo')],
      409: [keyReused(undoReschedule, {})],
    },
  },
  [`GET ${BASE}/media/:name`]: {
    served: onMedia('GET'),
    status: 200,
    others: {
      206: [onMedia('GET', undefined, { Range: 'bytes=1-2' })],
      304: [onMedia('GET', undefined, { 'If-None-Match': '*' })],
      400: [get(`${BASE}/media/.hidden`), get(`${BASE}/media/a%2Fb`)],
      404: [missing('GET', '/media/none')],
      416: [onMedia('GET', undefined, { Range: 'bytes=100-' })],
    },
  },
  [`PUT ${BASE}/media/:name`]: {
    served: onMedia('PUT', 'other bytes'),
    status: 200,
    others: {
      201: [async () => ({ method: 'PUT', path: `${BASE}/media/${freshName()}`, body: 'bytes' })],
      400: [missing('PUT', '/media/empty', ''), missing('PUT', '/media/.hidden', 'x')],
      412: [onMedia('PUT', 'x', STALE), onMedia('PUT', 'x', { 'If-None-Match': '*' })],
      413: [missing('PUT', '/media/large', new Uint8Array(8 * 1024 * 1024 + 1))],
      415: [onMedia('PUT', 'packed', { 'Content-Encoding': 'gzip' })],
    },
  },
  [`DELETE ${BASE}/media/:name`]: {
    served: onMedia('DELETE'),
    status: 204,
    others: {
      400: [onMedia('DELETE', undefined, BARE), missing('DELETE', '/media/.hidden')],
      404: [missing('DELETE', '/media/none')],
      412: [onMedia('DELETE', undefined, STALE)],
    },
  },
  [`POST ${BASE}/drafts`]: {
    served: missing('POST', '/drafts', { text: 'Q: a\nA: b' }),
    status: 200,
    others: {
      400: [
        ...NO_JSON,
        ...NO_OBJECT,
        {},
        { text: 'x', note_id: NOBODY },
        { note_id: NOBODY },
        { text: 'x', limit: 0 },
      ].map((body) => missing('POST', '/drafts', body)),
      409: [keyReused(missing('POST', '/drafts', { text: 'x' }), { text: 'y' })],
      413: [missing('POST', '/drafts', LARGE)],
      415: [() => ({ method: 'POST', path: `${BASE}/drafts`, body: 'x', headers: FORM })],
    },
  },
  [`POST ${BASE}/import`]: {
    served: post(IMPORT, 'front,back'),
    status: 200,
    others: {
      202: [post(IMPORT, 'front,back\na,b', { Prefer: 'respond-async' })],
      400: [
        post(`${BASE}/import`, 'front,back'),
        post(IMPORT, ''),
        post(`${BASE}/import?format=apkg`, 'text'),
        ...['colour=red', 'dry_run', 'on_duplicate=x', 'scheduling=x', 'deck_id=x', `deck_id=${NOBODY}`].map((query) =>
          post(`${IMPORT}&${query}`, 'front,back'),
        ),
      ],
      409: [keyReused(post(IMPORT, 'front,back'), 'other,back')],
      413: [post(IMPORT, 'x'.repeat(64 * 1024 * 1024 + 1))],
      415: [post(IMPORT, 'x', FORM), post(IMPORT, 'x', { 'Content-Encoding': 'br' })],
    },
  },
  [`GET ${BASE}/export`]: {
    served: get(`${BASE}/export?format=apkg`),
    status: 200,
    others: {
      200: ['colpkg', 'csv'].map((format) => get(`${BASE}/export?format=${format}`)),
      400: [
        get(`${BASE}/export`),
        ...bad(
          ['format=pdf', 'format=csv&deck_id=x', 'format=csv&colour=red', 'format=colpkg&scheduling=false'],
          'export',
        ),
      ],
      404: [get(`${BASE}/export?format=csv&deck_id=${NOBODY}`)],
      409: [exportInTrash],
    },
  },
}
