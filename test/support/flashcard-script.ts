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
    .concat(`?deck_id=${other.id}`, `?deck_id=${shared}`, '?external_id=same', `?source_note_id=${other.id}`)
    .concat('?state=new&due_before=2027-01-01', '?flag=3', '?suspended=true', '?leech=true')
  const reading = ['facts', 'cards'].flatMap((what) => queries.map((query) => ({ path: `${base}/${what}${query}` })))
  const decks = ['', '?limit=1', '?trashed=true', '?parent_id=none', `?parent_id=${other.id}`]
  const ofDeck = (id: string): Ask[] => [
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
    post('/facts', fact({ id: shared, external_id: 'same', tags: ['common', me.word] })),
    post(
      '/facts',
      fact({ id: me.id, deck_id: shared, type: 'cloze', front: null, back: null, text: `{{c1::${me.word}}}` }),
    ),
    post('/facts', fact({ id: other.id, deck_id: other.id })),
    post('/facts', fact({ source_note_id: other.id })),
    post('/facts', fact({ external_id: 'same', front: 'more' })),
    ...['skip', 'update', 'error'].map((what) => post(`/facts?on_duplicate=${what}`, fact({ hint: me.word }))),
    post('/facts/batch', {
      on_duplicate: 'skip',
      items: [fact(), fact({ front: other.word }), fact({ deck_id: other.id })],
    }),
    ...reading,
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
    ...['&dry_run=true', '', `&deck_id=${other.id}`].map((query) =>
      post(`/import?format=csv${query}`, `common,${me.word},,\nnew ${me.word},x`),
    ),
    ...['csv', 'json', `csv&deck_id=${other.id}`].map((format) => ({ path: `${base}/export?format=${format}` })),
    ...[me.id, shared, other.id].flatMap(ofFact),
    ...[me.id, shared, other.id].flatMap(ofDeck),
    { method: 'DELETE', path: `${base}/facts/${other.id}?permanent=true` },
    { method: 'DELETE', path: `${base}/facts/${me.id}?permanent=true` },
    { method: 'DELETE', path: `${base}/decks/${other.id}?permanent=true` },
    { method: 'DELETE', path: `${base}/decks/${me.id}?permanent=true&move_to=${shared}` },
    ...['facts', 'cards'].map((what) => ({ path: `${base}/${what}` })),
    { path: `${base}/settings` },
  ]
}
