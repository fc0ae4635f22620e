import { rpc, toolCall } from '../mcp/messages'
import type { Ask } from './visitor'

/** Who has notes, of a script that two callers send in turns. */
export interface NoteOwner {
  /** A word that stands in all that this party stores. */
  readonly word: string
  readonly id: string
  /** The id of another note of its own. */
  readonly trip: string
  /** The id of one more, with links to its own and to the other's. */
  readonly linking: string
  /** How many notes it has of quokkas. Each party has two of wombats. */
  readonly quokkas: number
}

/** An id that both use. */
export const SHARED = '01890000-0000-7000-8000-000000000000'
const DAY = '/api/notes/daily/2026-03-02'
/** Where OpenAI's routes are. */
const OPENAI = ['/api/openai', '/api/openai/v1']
const ONCE = { 'Idempotency-Key': 'the-same-for-both' }

/**
 * What a party stores first: a note under an id that both use, and notes of its own. Alpha writes of quokkas as often as
 * of wombats, so that for alpha the two words weigh the same: if beta's quokkas were counted, they would weigh less.
 */
export function firstNotes({ word, id, trip, quokkas }: NoteOwner): Ask[] {
  const make = (body: object, headers = {}): Ask => ({ method: 'POST', path: '/api/notes', body, headers })
  return [
    make({
      id: SHARED,
      title: word,
      body: `The ${word} sleeps #${word} [[Trip]] [[${word} at dawn]]`,
      tags: [word, 'common'],
      folder: `zoo/${word}`,
    }),
    make({ id, title: `House of ${word}`, body: `The boiler warranty of the ${word} ends in May.` }, ONCE),
    make({
      id: trip,
      title: 'Trip',
      body: `The boiler is old, and the train leaves at nine. [[Trip]] [[House of ${word}]] [[Lost ${word}]] [[Lost]]`,
    }),
    ...[...animals('quokka', quokkas), ...animals('wombat', 2)].map((body, i) =>
      make({ id: `${trip.slice(0, -1)}${i + 1}`, title: 'Burrows', body }),
    ),
  ]
}

const animals = (animal: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `One ${animal} is in burrow ${i}.`)

/** What one has oneself, what both have, what the other alone has, and all that one has not. */
export function searches(me: NoteOwner, other: NoteOwner): Ask[] {
  const queries = [me.word, 'common', other.word, `${other.word.slice(0, 2)}*`, `*${other.word.slice(1, 5)}*`, '-zebra']
  return queries.flatMap((q) => [
    ...['', '&sort=-updated'].map((sort) => ({ path: `/api/notes/search?limit=2&q=${q}${sort}` })),
    ...['', '&types=task,fact'].map((types) => ({ path: `/api/search?limit=2&q=${q}${types}` })),
  ])
}

/** Lists of notes, those in the trash too. */
export const listing = (...more: string[]): Ask[] =>
  ['', '?limit=1', ...more, '?sort=title', '?sort=-created', '?trashed=true'].map((query) => ({
    path: `/api/notes${query}`,
  }))

const edit = (path: string, target: object): Ask => ({
  method: 'POST',
  path: `${path}/edits`,
  body: { edits: [{ op: 'text' in target ? 'insert_after' : 'append', target, content: 'more' }] },
})

/** Every endpoint of one note and of lists, by what is one's own, what both have, and what is the other's alone. */
export function noteScript(me: NoteOwner, other: NoteOwner, cursor: string): Ask[] {
  const lists = listing(`?limit=1&cursor=${cursor}`, `?ids=${me.id},${SHARED},${other.id}`, '?title=trip')
  return [
    { method: 'POST', path: '/api/notes', body: { id: SHARED } },
    { method: 'POST', path: '/api/notes', body: { title: me.word }, headers: ONCE },
    ...lists,
    ...[me.id, SHARED, other.id].flatMap((id) => {
      const path = `/api/notes/${id}`
      return [
        { path },
        { path, headers: { 'If-None-Match': '"1-0"' } },
        ...['text/html', 'text/markdown'].map((Accept) => ({ path, headers: { Accept } })),
        ...['links', 'backlinks', 'backlinks?unlinked=true', 'related'].map((list) => ({ path: `${path}/${list}` })),
        { method: 'PATCH', path, body: { pinned: true }, headers: { 'If-Match': '"7-0"' } },
        { method: 'PATCH', path, body: { body: `now of ${me.word}` } },
        ...['outline', 'links', 'backlinks', 'backlinks?unlinked=true'].map((rest) => ({ path: `${path}/${rest}` })),
        { path: '/api/notes/unresolved' },
        edit(path, { document: true }),
        edit(path, { text: other.word }),
        ...['', '/1', '/1/diff'].map((rest) => ({ path: `${path}/revisions${rest}` })),
        { method: 'PATCH', path: `${path}/revisions/1`, body: { label: `first of ${me.word}` } },
        { method: 'POST', path: `${path}/revisions/1/restore` },
        { method: 'DELETE', path },
        { path: '/api/notes?trashed=true' },
        { method: 'POST', path: `${path}/restore` },
        ...searches(me, other),
        { path: '/api/changes' },
      ]
    }),
    ...[me.id, other.id].map((id) => ({ method: 'DELETE', path: `/api/notes/${id}?permanent=true` })),
    ...lists,
    ...attachmentScript(me, other),
  ]
}

/** Attachments under one's own id, and what is asked of those of the other. */
function attachmentScript(me: NoteOwner, other: NoteOwner): Ask[] {
  const all = '/api/notes/attachments'
  return [
    { method: 'POST', path: `${all}?id=${me.id}&name=${me.word}.txt`, body: me.word },
    { method: 'POST', path: `${all}?id=${SHARED}&name=shared.txt&folder=${me.word}`, body: `shared by ${me.word}` },
    ...[me.id, SHARED, other.id].flatMap((id) => [
      { path: `${all}/${id}` },
      { path: `${all}/${id}`, headers: { Accept: 'application/json' } },
      { method: 'PATCH', path: `${all}/${id}`, body: { folder: `of ${me.word}` } },
      { path: `${all}?limit=2` },
    ]),
    { path: `${all}?name=${other.word}.txt` },
    ...[SHARED, other.id].map((id) => ({ method: 'DELETE', path: `${all}/${id}` })),
    { path: all },
    { path: '/api/changes' },
  ]
}

/** Links, days, tags and folders; and what the chat, here and as others speak to it, finds in all of them. */
export function placeScript(me: NoteOwner, other: NoteOwner): Ask[] {
  const ask = (text: string): Ask => ({
    method: 'POST',
    path: '/api/chat',
    body: { messages: [{ role: 'user', content: text }] },
  })
  const places = ['tags', 'folders'].flatMap((what) =>
    ['', '?limit=1'].map((query) => ({ path: `/api/notes/${what}${query}` })),
  )
  return [
    { path: '/api/notes/unresolved' },
    {
      method: 'POST',
      path: '/api/notes',
      body: { id: me.linking, body: `[[Trip]] [[${other.word}]] [[note:${other.trip}]]` },
    },
    { method: 'PATCH', path: `/api/notes/${me.trip}`, body: { title: 'Lost' } },
    { path: `/api/notes/${me.trip}/backlinks` },
    ...['Lost', 'Trip', other.word, `${me.word}/Trip`, `${other.word}/Trip`].map((at) => ({
      path: `/api/notes/by-path/${at}`,
    })),
    { path: '/api/notes/unresolved' },
    { method: 'PUT', path: DAY, body: { body: `${me.word} today`, tags: [me.word] } },
    edit(DAY, { text: me.word }),
    edit(DAY, { text: other.word }),
    { path: DAY },
    ...places,
    { method: 'POST', path: '/api/notes/tags/rename', body: { from: 'common', to: me.word } },
    { method: 'POST', path: '/api/notes/tags/rename', body: { from: other.word, to: 'x' } },
    { method: 'POST', path: '/api/notes/folders/rename', body: { from: 'zoo', to: me.word } },
    { method: 'POST', path: '/api/notes/folders/rename', body: { from: other.word, to: 'x' } },
    {
      method: 'POST',
      path: '/api/notes/batch',
      body: {
        atomic: false,
        ops: [me.id, SHARED, other.id].map((id) => ({ op: 'update', id, data: { tags_add: ['b'] } })),
      },
    },
    ...places,
    ...[
      'When does the boiler warranty end?',
      `What about the ${other.word}?`,
      `${me.word}?`,
      'boiler',
      'quokka wombat',
    ].map(ask),
    ...[
      toolCall('search', { query: 'boiler' }),
      toolCall('search', { query: other.word }),
      ...[me.id, SHARED, other.id].flatMap((id) => [
        toolCall('get_note', { id }),
        rpc('resources/read', { uri: `satchel://note/${id}` }),
        toolCall('update_note', { id, tag: me.word }),
      ]),
      rpc('resources/list'),
      toolCall('list_changes'),
      toolCall('list_tasks'),
      rpc('prompts/get', { name: 'daily_review' }),
    ].map((body) => ({ method: 'POST', path: '/api/mcp', body })),
    ...[toolCall('create_note', { title: me.word }), toolCall('create_note', { title: me.word })].map((body) => ({
      method: 'POST',
      path: '/api/mcp',
      body,
      headers: { 'Idempotency-Key': 'mcp-of-both' },
    })),
    ...['/api/version', '/api/tags', '/api/ps'].map((path) => ({ path })),
    ...OPENAI.flatMap((base) => [`${base}/models`, `${base}/models/satchel-local`]).map((path) => ({ path })),
    { method: 'POST', path: '/api/show', body: { model: 'satchel-local' } },
    { method: 'POST', path: '/api/generate', body: { prompt: `What about the ${other.word}?` } },
    { method: 'POST', path: '/api/embeddings', body: { prompt: me.word } },
    ...['/api/embed', ...OPENAI.map((base) => `${base}/embeddings`)].map((path) => ({
      method: 'POST',
      path,
      body: { input: me.word },
    })),
    ...OPENAI.map((base) => ({
      method: 'POST',
      path: `${base}/chat/completions`,
      body: { messages: [{ role: 'user', content: `What about the ${other.word}?` }] },
    })),
  ]
}
