import { type Asking, BARE, FORM, get, keyReused, LARGE, NO_JSON, NO_OBJECT, post, type Route, STALE } from './asking'
import type { Visitor } from './visitor'

/** What to ask of the routes of flashcards. */

export const BASE = '/api/flashcards'
export const NOBODY = '01890000-0000-7000-8000-00000000ffff'
const IMPORT = `${BASE}/import?format=csv`

const OTHER = { deck_id: NOBODY, type: 'basic', front: 'f', back: 'b' }

let names = 0
/** A name that nothing has yet: visitors with the same key share a workspace. */
const freshName = () => `deck ${++names}`
export const idOf = (path: string) => path.split('/').at(-1)

/** Makes something and answers its path; where nothing can be made, that of one nobody has. */
async function made(visitor: Visitor, kind: 'decks' | 'facts', body: object): Promise<string> {
  const { headers } = await visitor.send({ method: 'POST', path: `${BASE}/${kind}`, body })
  return headers.get('Location') ?? `${BASE}/${kind}/${NOBODY}`
}

const makeDeck = (visitor: Visitor, body: object = {}) => made(visitor, 'decks', { name: freshName(), ...body })

const basic = async (visitor: Visitor, body: object = {}) => ({
  deck_id: idOf(await makeDeck(visitor)),
  type: 'basic',
  front: freshName(),
  back: 'b',
  ...body,
})

export const makeFact = async (visitor: Visitor) => made(visitor, 'facts', await basic(visitor))

export async function makeCard(visitor: Visitor): Promise<string> {
  const response = await visitor.send({ path: `${BASE}/cards?deck_id=${(await factOf(visitor)).deck_id}` })
  const { items = [] } = (await response.json()) as { items?: { id: string }[] }
  return `${BASE}/cards/${items[0]?.id ?? NOBODY}`
}

async function factOf(visitor: Visitor): Promise<{ deck_id: string }> {
  const response = await visitor.send({ path: await makeFact(visitor) })
  return response.status === 200 ? await response.json() : { deck_id: NOBODY }
}

export const on =
  (make: (visitor: Visitor) => Promise<string>) =>
  (method: string, body?: unknown, headers = {}, rest = ''): Asking =>
  async (visitor) => ({ method, path: (await make(visitor)) + rest, body, headers })

const onDeck = on(makeDeck)
const onFact = on(makeFact)
export const onCard = on(makeCard)

const inTrash =
  (make: (visitor: Visitor) => Promise<string>, method: string, body?: unknown, rest = ''): Asking =>
  async (visitor) => {
    const path = await make(visitor)
    await visitor.send({ method: 'DELETE', path })
    return { method, path: path + rest, body }
  }

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
  return { path: `${BASE}/export?format=json&deck_id=${idOf(path)}` }
}

/** Asks for a medium that is stored before. */
const onMedia =
  (method: string, body?: unknown, headers = {}): Asking =>
  async (visitor) => {
    const path = `${BASE}/media/${encodeURIComponent(freshName())}`
    await visitor.send({ method: 'PUT', path, body: 'bytes' })
    return { method, path, body, headers }
  }

const NOTE_TYPE = {
  id: '01890000-0000-7000-8000-00000000fffe',
  ...{ revision: 1, created_at: '2026-03-01T08:15:00.000Z', updated_at: '2026-03-01T08:15:00.000Z' },
  ...{ anki_id: 1, name: 'Words', kind: 'standard', fields: ['Front'], css: '' },
  templates: [{ name: 'Card 1', question: '{{Front}}', answer: '{{FrontSide}}' }],
}

/** Asks for a note type that is imported before. */
const onNoteType =
  (headers = {}): Asking =>
  async (visitor) => {
    const resources = [{ note_type: NOTE_TYPE }]
    const body = JSON.stringify({ format: 'satchel-flashcards', version: 4, resources })
    await visitor.send({ method: 'POST', path: `${BASE}/import?format=json`, body })
    return { path: `${BASE}/note-types/${NOTE_TYPE.id}`, headers }
  }

/** A fact in the trash whose deck is there as well. */
const deckGone: Asking = async (visitor) => {
  const body = await basic(visitor)
  const path = await made(visitor, 'facts', body)
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
    await made(visitor, 'facts', body)
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
const STUDY = ['limit=0', 'cursor=e30', 'state=old', 'flag=8', 'due_before=2026-02-30', 'q=%20', 'colour=red', 'leech']
export const missing =
  (method: string, path: string, body?: unknown): Asking =>
  () => ({ method, path: BASE + path, body })

/** A statistic, which days are asked of or not. */
const statistic = (name: string, dated = true): [string, Route] => [
  `GET ${BASE}/stats/${name}`,
  {
    served: async (visitor) => ({ path: `${BASE}/stats/${name}?deck_id=${idOf(await makeDeck(visitor))}` }),
    status: 200,
    others: {
      400: bad(['deck_id=x', dated ? 'from=2026-02-30' : 'from=2026-02-20'], `stats/${name}`),
      404: [get(`${BASE}/stats/${name}?deck_id=${NOBODY}`)],
    },
  },
]

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
  ...Object.fromEntries(['hours', 'retention', 'forecast', 'heatmap', 'calibration'].map((name) => statistic(name))),
  ...Object.fromEntries(['today', 'streak', 'workload', 'distributions'].map((name) => statistic(name, false))),
  [`POST ${BASE}/optimize`]: {
    served: training,
    status: TRAINS ? 200 : 503,
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
  [`GET ${BASE}/decks`]: {
    served: get(`${BASE}/decks`),
    status: 200,
    others: {
      400: bad(['limit=0', 'cursor=e30', 'trashed', 'parent_id=x'], 'decks'),
      404: [get(`${BASE}/decks?parent_id=${NOBODY}`)],
    },
  },
  [`POST ${BASE}/decks`]: {
    served: postDeck(),
    status: 201,
    others: {
      400: [
        ...[...NO_JSON, ...NO_OBJECT, {}, { name: ' ' }, { name: 'a::b' }].map((body) => post(`${BASE}/decks`, body)),
        postDeck({ parent_id: NOBODY }),
        postDeck({ settings: { learning_steps_minutes: [1440] } }),
      ],
      409: [takenName, keyReused(postDeck(), { name: 'x' })],
      413: [post(`${BASE}/decks`, LARGE)],
      415: [post(`${BASE}/decks`, 'name=x', FORM)],
    },
  },
  [`GET ${BASE}/decks/:id`]: {
    served: onDeck('GET'),
    status: 200,
    others: {
      304: [onDeck('GET', undefined, { 'If-None-Match': '"1"' })],
      400: [get(`${BASE}/decks/nonsense`), onDeck('GET', undefined, { 'If-None-Match': 'bare' })],
      404: [missing('GET', `/decks/${NOBODY}`)],
    },
  },
  [`PATCH ${BASE}/decks/:id`]: {
    served: onDeck('PATCH', { description: 'd' }),
    status: 200,
    others: {
      400: [
        onDeck('PATCH', { name: '' }),
        onDeck('PATCH', '{'),
        onDeck('PATCH', { settings: { fuzz: 1 } }),
        onDeck('PATCH', {}, {}, '?dry_run=true'),
      ],
      404: [missing('PATCH', `/decks/${NOBODY}`, {})],
      409: [inTrash(makeDeck, 'PATCH', { description: 'd' })],
      412: [onDeck('PATCH', { description: 'd' }, STALE)],
      413: [onDeck('PATCH', LARGE)],
      415: [onDeck('PATCH', 'name=x', FORM)],
    },
  },
  [`DELETE ${BASE}/decks/:id`]: {
    served: onDeck('DELETE'),
    status: 204,
    others: {
      400: [onDeck('DELETE', undefined, BARE), onDeck('DELETE', undefined, {}, `?move_to=${NOBODY}`)],
      404: ['', '?permanent=true'].map((query) => missing('DELETE', `/decks/${NOBODY}${query}`)),
      409: [inTrash(makeDeck, 'DELETE', undefined, `?move_to=${NOBODY}`)],
      412: [onDeck('DELETE', undefined, STALE), onDeck('DELETE', undefined, STALE, '?permanent=true')],
    },
  },
  [`POST ${BASE}/decks/:id/restore`]: {
    served: onDeck('POST', undefined, {}, '/restore'),
    status: 200,
    others: {
      400: [onDeck('POST', undefined, BARE, '/restore')],
      404: [missing('POST', `/decks/${NOBODY}/restore`)],
      409: [nameTaken, keyReused(onDeck('POST', undefined, {}, '/restore'), {})],
      412: [onDeck('POST', undefined, STALE, '/restore')],
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
  [`GET ${BASE}/facts`]: {
    served: get(`${BASE}/facts`),
    status: 200,
    others: { 400: bad(STUDY, 'facts'), 404: [get(`${BASE}/facts?deck_id=${NOBODY}`)] },
  },
  [`POST ${BASE}/facts`]: {
    served: postFact(),
    status: 201,
    others: {
      200: [again('?on_duplicate=skip'), again('?on_duplicate=update')],
      400: [
        ...[...NO_JSON, ...NO_OBJECT, {}].map((body) => post(`${BASE}/facts`, body)),
        ...[{ back: null }, { type: 'cloze' }, { deck_id: NOBODY }, { note_ids: [NOBODY] }].map((body) =>
          postFact(body),
        ),
        postFact({}, '?on_duplicate=replace'),
      ],
      409: [again('?on_duplicate=error'), keyReused(postFact(), OTHER)],
      413: [post(`${BASE}/facts`, LARGE)],
      415: [post(`${BASE}/facts`, 'front=x', FORM)],
    },
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
  [`GET ${BASE}/facts/:id`]: {
    served: onFact('GET'),
    status: 200,
    others: {
      304: [onFact('GET', undefined, { 'If-None-Match': '"1"' })],
      400: [get(`${BASE}/facts/nonsense`), onFact('GET', undefined, { 'If-None-Match': 'bare' })],
      404: [missing('GET', `/facts/${NOBODY}`)],
    },
  },
  [`PATCH ${BASE}/facts/:id`]: {
    served: onFact('PATCH', { hint: 'h' }),
    status: 200,
    others: {
      400: [onFact('PATCH', { type: 'cloze' }), onFact('PATCH', '{'), onFact('PATCH', { deck_id: NOBODY })],
      404: [missing('PATCH', `/facts/${NOBODY}`, {})],
      409: [inTrash(makeFact, 'PATCH', { hint: 'h' })],
      412: [onFact('PATCH', { hint: 'h' }, STALE)],
      413: [onFact('PATCH', LARGE)],
      415: [onFact('PATCH', 'hint=x', FORM)],
    },
  },
  [`DELETE ${BASE}/facts/:id`]: {
    served: onFact('DELETE'),
    status: 204,
    others: {
      400: [onFact('DELETE', undefined, BARE), onFact('DELETE', undefined, {}, '?permanent=5')],
      404: ['', '?permanent=true'].map((query) => missing('DELETE', `/facts/${NOBODY}${query}`)),
      412: [onFact('DELETE', undefined, STALE), onFact('DELETE', undefined, STALE, '?permanent=true')],
    },
  },
  [`POST ${BASE}/facts/:id/restore`]: {
    served: onFact('POST', undefined, {}, '/restore'),
    status: 200,
    others: {
      400: [onFact('POST', undefined, BARE, '/restore')],
      404: [missing('POST', `/facts/${NOBODY}/restore`)],
      409: [deckGone, keyReused(onFact('POST', undefined, {}, '/restore'), {})],
      412: [onFact('POST', undefined, STALE, '/restore')],
    },
  },
  [`GET ${BASE}/cards`]: {
    served: get(`${BASE}/cards`),
    status: 200,
    others: { 400: bad(STUDY, 'cards'), 404: [get(`${BASE}/cards?deck_id=${NOBODY}`)] },
  },
  [`GET ${BASE}/cards/:id`]: {
    served: onCard('GET'),
    status: 200,
    others: {
      304: [onCard('GET', undefined, { 'If-None-Match': '*' })],
      400: [
        get(`${BASE}/cards/nonsense`),
        onCard('GET', undefined, { 'If-None-Match': 'bare' }),
        onCard('GET', undefined, {}, '?render=pdf'),
      ],
      404: [missing('GET', `/cards/${NOBODY}`)],
    },
  },
  [`PATCH ${BASE}/cards/:id`]: {
    served: onCard('PATCH', { flag: 3 }),
    status: 200,
    others: {
      400: [{ flag: 8 }, { state: 'new' }, { buried_until: '2025-02-30' }, '{'].map((body) => onCard('PATCH', body)),
      404: [missing('PATCH', `/cards/${NOBODY}`, {})],
      409: [cardInTrash],
      412: [onCard('PATCH', { flag: 3 }, STALE)],
      413: [onCard('PATCH', LARGE)],
      415: [onCard('PATCH', 'flag=3', FORM)],
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
  [`GET ${BASE}/note-types`]: {
    served: get(`${BASE}/note-types`),
    status: 200,
    others: { 400: bad(['limit=0', 'cursor=e30', 'colour=red'], 'note-types') },
  },
  [`GET ${BASE}/note-types/:id`]: {
    served: onNoteType(),
    status: 200,
    others: {
      304: [onNoteType({ 'If-None-Match': '"1"' })],
      400: [get(`${BASE}/note-types/nonsense`), onNoteType({ 'If-None-Match': 'bare' })],
      404: [missing('GET', `/note-types/${NOBODY}`)],
    },
  },
  [`GET ${BASE}/media`]: {
    served: get(`${BASE}/media`),
    status: 200,
    others: { 400: bad(['limit=0', 'cursor=e30', 'colour=red'], 'media') },
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
        post(`${BASE}/import?format=json`, '{'),
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
      200: ['colpkg', 'csv', 'json'].map((format) => get(`${BASE}/export?format=${format}`)),
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
