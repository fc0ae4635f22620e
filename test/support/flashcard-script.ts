import { archiveOf, NOTE_TYPE_LINE } from '../archive/support'
import type { Ask } from './visitor'

interface Owner {
  /** A word that stands in all that it stores. */
  readonly word: string
  readonly id: string
}

/** Every endpoint of flashcards, by what is one's own, what both have under one id, and what is the other's alone. */
export function flashcardScript(me: Owner, other: Owner, shared: string): Ask[] {
  const base = '/api/flashcards'
  const post = (path: string, body?: unknown): Ask => ({ method: 'POST', path: base + path, body })
  const fact = (members: object = {}) => ({ deck_id: me.id, type: 'basic', front: 'common', back: me.word, ...members })
  const queries = ['', '?limit=1', '?trashed=true', '?q=common', `?q=${other.word}`, `?tag=${other.word}`]
    .concat(`?deck_id=${other.id}`, `?deck_id=${shared}`, '?source_system=s&source_id=same', `?note_id=${other.id}`)
    .concat('?state=new&due_before=2027-01-01', '?flag=3', '?suspended=true', '?leech=true')
  const reading = ['facts', 'cards'].flatMap((what) => queries.map((query) => ({ path: `${base}/${what}${query}` })))
  const decks = ['', '?limit=1', '?trashed=true', '?parent_id=none', `?parent_id=${other.id}`]
  const ofDeck = (id: string): Ask[] => [
    { path: `${base}/stats?deck_id=${id}` },
    post('/optimize', { deck_id: id }),
    ...['', '/settings', '/counts'].map((rest) => ({ path: `${base}/decks/${id}${rest}` })),
    { method: 'PATCH', path: `${base}/decks/${id}`, body: { description: me.word, parent_id: null } },
    { method: 'PATCH', path: `${base}/decks/${id}`, body: { parent_id: other.id } },
    { method: 'DELETE', path: `${base}/decks/${id}?move_to=${other.id}` },
    { method: 'DELETE', path: `${base}/decks/${id}` },
    ...decks.map((query) => ({ path: `${base}/decks${query}` })),
    post(`/decks/${id}/restore`),
  ]
  const ofFact = (id: string): Ask[] => [
    { path: `${base}/facts/${id}` },
    { method: 'PATCH', path: `${base}/facts/${id}`, body: { type: 'reversed', extra: me.word } },
    { method: 'PATCH', path: `${base}/facts/${id}`, body: { deck_id: other.id } },
    { method: 'DELETE', path: `${base}/facts/${id}` },
    ...['facts', 'cards'].flatMap((what) =>
      ['', '?trashed=true'].map((query) => ({ path: `${base}/${what}${query}` })),
    ),
    post(`/facts/${id}/restore`),
    // Cards have no ids that a caller gives; a fact's id is the id of no card.
    { path: `${base}/cards/${id}` },
    { method: 'PATCH', path: `${base}/cards/${id}`, body: { suspended: true } },
  ]
  return [
    { path: `${base}/settings` },
    { method: 'PATCH', path: `${base}/settings`, body: { deck_defaults: { new_limit_per_day: me.word.length } } },
    post('/decks', { id: shared, name: 'common' }),
    post('/decks', { id: me.id, name: me.word, parent_id: shared, settings: { fuzz: false } }),
    post('/decks', { id: shared, name: 'taken' }),
    post('/decks', { name: 'COMMON' }),
    post('/decks', { name: 'beside', parent_id: other.id }),
    post('/facts', fact({ id: shared, source: { system: 's', id: 'same' }, tags: ['common', me.word] })),
    post(
      '/facts',
      fact({ id: me.id, deck_id: shared, type: 'cloze', front: null, back: null, text: `{{c1::${me.word}}}` }),
    ),
    post('/facts', fact({ id: other.id, deck_id: other.id })),
    post('/facts', fact({ note_ids: [other.id] })),
    post('/facts', fact({ source: { system: 's', id: 'same' }, front: 'more' })),
    ...['skip', 'update', 'error'].map((what) => post(`/facts?on_duplicate=${what}`, fact({ hint: me.word }))),
    post('/facts/batch', {
      on_duplicate: 'skip',
      items: [fact(), fact({ front: other.word }), fact({ deck_id: other.id })],
    }),
    ...reading,
    ...studying(me, other, shared),
    ...['common.txt', `${me.word}.txt`, `${other.word}.txt`].flatMap((name): Ask[] => [
      { path: `${base}/media/${name}` },
      ...(name.startsWith(other.word) ? [] : [{ method: 'PUT', path: `${base}/media/${name}`, body: me.word }]),
      { path: `${base}/media/${name}` },
      { path: `${base}/media?limit=1` },
    ]),
    { method: 'DELETE', path: `${base}/media/${other.word}.txt` },
    { method: 'DELETE', path: `${base}/media/${me.word}.txt` },
    post('/drafts', { text: `common :: ${me.word}` }),
    post('/drafts', { note_id: other.id }),
    ...['&dry_run=true', ''].map((query) =>
      post(`/import?format=csv${query}`, `common,${me.word},,\nnew ${me.word},x`),
    ),
    ...ofNote(me, other, shared),
    ...['csv', `csv&deck_id=${other.id}`].map((format) => ({ path: `${base}/export?format=${format}` })),
    ...[me.id, shared, other.id].flatMap(ofFact),
    ...[me.id, shared, other.id].flatMap(ofDeck),
    { method: 'DELETE', path: `${base}/facts/${other.id}?permanent=true` },
    { method: 'DELETE', path: `${base}/facts/${me.id}?permanent=true` },
    { method: 'DELETE', path: `${base}/decks/${other.id}?permanent=true` },
    { method: 'DELETE', path: `${base}/decks/${me.id}?permanent=true&move_to=${shared}` },
    ...['facts', 'cards'].map((what) => ({ path: `${base}/${what}` })),
    { path: `${base}/stats` },
    post('/optimize', { apply: true }),
    { path: `${base}/settings` },
  ]
}

/** A note of Anki with its note type, and with one that is the other's alone. */
function ofNote(me: Owner, other: Owner, shared: string): Ask[] {
  const base = '/api/flashcards'
  const stamps = { revision: 1, created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' }
  const noteType = { ...NOTE_TYPE_LINE, ...stamps, name: me.word, fields: ['Front', 'Back'] }
  const fact = {
    ...{ ...stamps, deck_id: shared, type: 'custom', front: null, back: null, text: null, extra: null, hint: null },
    ...{
      accepted: [],
      tags: [],
      note_ids: [],
      source: null,
      external_modified_at: null,
      trashed_with: null,
      deleted_at: null,
      ordinals: [0],
    },
    fields: { Front: `common ${me.word}`, Back: '' },
  }
  const file = archiveOf({
    note_type: [shared, me.id].map((id) => ({ ...noteType, id })),
    fact: [
      { ...fact, id: me.id.replace(/.$/, 'e'), note_type_id: shared },
      { ...fact, id: me.id.replace(/.$/, 'd'), note_type_id: other.id },
    ],
  })
  const ids = [shared, me.id, other.id]
  return [
    { method: 'POST', path: '/api/import', body: file, headers: { 'Content-Type': 'application/zip' } },
    { path: `${base}/note-types` },
    ...ids.map((id) => ({ path: `${base}/note-types/${id}` })),
    ...['?q=common', `?q=${other.word}`].map((query) => ({ path: `${base}/facts${query}` })),
  ]
}

/**
 * Answers, undo, actions and the queue. `{card}` stands for the first card of one's own latest queue, `{foreign card}`
 * for that of the other's.
 */
function studying(me: Owner, other: Owner, shared: string): Ask[] {
  const base = '/api/flashcards'
  const get = (path: string): Ask => ({ path: base + path })
  const post = (path: string, body?: unknown): Ask => ({ method: 'POST', path: base + path, body })
  const answer = (card: string, body: object): Ask => post(`/cards/${card}/reviews`, body)
  const reviewed_at = '2026-03-02T12:00:00.000Z'
  const item = (card_id: string, id: string) => ({ id, card_id, rating: 3, reviewed_at })
  const looking = [
    ...['', '?preview=true&limit=1', `?deck_id=${shared}`, `?deck_id=${other.id}`].map((query) =>
      get(`/queue${query}`),
    ),
    ...['', '?limit=1', '?undone=true', `?deck_id=${shared}`, `?deck_id=${other.id}`, '?card_id={foreign card}'].map(
      (query) => get(`/reviews${query}`),
    ),
    ...['{card}', '{foreign card}'].flatMap((card) => [
      get(`/cards/${card}`),
      get(`/cards/${card}/preview`),
      get(`/cards/${card}/reviews`),
      post(`/cards/${card}/check`, { answer: me.word }),
    ]),
  ]
  const act = (body: object): Ask => post('/cards/actions', body)
  return [
    // The fuzz of a card goes by its id, which is made anew.
    { method: 'PATCH', path: `${base}/settings`, body: { deck_defaults: { fuzz: false } } },
    ...looking,
    // The same id of a review in both; then the other's own id, which is not taken here.
    ...['{card}', '{foreign card}'].map((card) => answer(card, { id: shared, rating: 3, reviewed_at })),
    answer('{card}', { rating: 4, duration_ms: me.word.length * 100 }),
    post('/reviews/batch', {
      items: [item('{card}', me.id), item('{foreign card}', other.id), item('{card}', shared)],
    }),
    ...looking,
    ...[me.id, shared, other.id].flatMap((id) => [get(`/reviews/${id}`), post(`/reviews/${id}/undo`)]),
    act({ ids: ['{card}', '{foreign card}'], action: 'suspend' }),
    ...['{card}', '{foreign card}'].map((id) => act({ ids: [id], action: 'flag', value: 3 })),
    act({ filter: { tag: other.word }, action: 'tag_add', value: 'x' }),
    act({ filter: { tag: me.word }, action: 'set_due', value: '2026-03-02' }),
    act({ filter: {}, action: 'move', value: other.id, dry_run: true }),
    ...looking,
    post('/reviews/undo'),
    ...looking,
    post('/reschedule/undo'),
  ]
}
