/** What to ask of each route of /api so that it gives each answer that it can. */
import type { Ask, Visitor } from './visitor'

type Asking = (visitor: Visitor) => Promise<Ask> | Ask

interface Route {
  /** A request that it serves; the visitor prepares what it needs. */
  readonly served: Asking
  readonly status: number
  /** Further requests, by the status of their answers. */
  readonly others?: Readonly<Record<number, readonly Asking[]>>
}

const NOBODY = '/api/notes/01890000-0000-7000-8000-00000000ffff'
const LARGE = JSON.stringify({ body: 'x'.repeat(2 * 1024 * 1024) })
const CHAT = { messages: [{ role: 'user', content: 'Which notes are there?' }] }
const STALE = { 'If-Match': '"7-0"' }
const BARE = { 'If-Match': 'bare' }
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }

const NO_JSON = ['{', '{"a":1}}', "{'a':1}", `${'['.repeat(70)}${']'.repeat(70)}`, new Uint8Array([0x22, 0xff, 0x22])]
const NO_OBJECT = ['', '[]', 'null', '"\\ud800"', '{"\\u0000":1}', '{"__proto__":{"a":1}}']

const MARKDOWN = { 'Content-Type': 'text/markdown' }
const ZIP = { 'Content-Type': 'application/zip' }
const IMPORT = '/api/notes/import'

const get =
  (path: string, headers = {}): Asking =>
  () => ({ path, headers })
const post =
  (path: string, body: unknown, headers = {}): Asking =>
  () => ({ method: 'POST', path, body, headers })
const onNote =
  (method: string, body?: unknown, headers = {}, rest = ''): Asking =>
  async (visitor) => ({ method, path: (await visitor.note()) + rest, body, headers })

/** The same Idempotency-Key came with another body before. */
const keyReused =
  (asking: Asking, body: unknown): Asking =>
  async (visitor) => {
    const asked = await asking(visitor)
    const ask = { ...asked, headers: { ...asked.headers, 'Idempotency-Key': 'one' } }
    await visitor.send(ask)
    return { ...ask, body }
  }

const changeInTrash: Asking = async (visitor) => {
  const path = await visitor.note()
  await visitor.send({ method: 'DELETE', path })
  return { method: 'PATCH', path, body: { title: 'U' } }
}

const takenId: Asking = async (visitor) => {
  const id = (await visitor.note()).split('/').at(-1)
  return { method: 'POST', path: '/api/notes', body: { id } }
}

export const ROUTES: Readonly<Record<string, Route>> = {
  'GET /api': { served: get('/api'), status: 200 },
  'GET /api/usage': { served: get('/api/usage'), status: 200 },
  'GET /api/notes': {
    served: get('/api/notes'),
    status: 200,
    others: {
      400: ['limit=0', 'limit=%ff', 'colour=red', 'cursor=%00', 'cursor=e30', 'sort=size', 'trashed'].map((query) =>
        get(`/api/notes?${query}`),
      ),
    },
  },
  'POST /api/notes': {
    served: post('/api/notes', { title: 'T' }),
    status: 201,
    others: {
      400: [
        ...[...NO_JSON, ...NO_OBJECT, { colour: 'red' }, { title: 5 }].map((body) => post('/api/notes', body)),
        post('/api/notes', {}, { 'Idempotency-Key': 'a b' }),
      ],
      409: [takenId, keyReused(post('/api/notes', { title: 'one' }), { title: 'two' })],
      413: [post('/api/notes', LARGE)],
      415: [post('/api/notes', 'title=T', FORM), post('/api/notes', '{}', { 'Content-Encoding': 'gzip' })],
    },
  },
  'GET /api/notes/:id': {
    served: onNote('GET'),
    status: 200,
    others: {
      304: [onNote('GET', undefined, { 'If-None-Match': '"1-0"' }), onNote('GET', undefined, { 'If-None-Match': '*' })],
      400: [get('/api/notes/nonsense'), get('/api/notes/%ff'), onNote('GET', undefined, { 'If-None-Match': 'bare' })],
      404: [get(NOBODY)],
    },
  },
  'PATCH /api/notes/:id': {
    served: onNote('PATCH', { pinned: true }),
    status: 200,
    others: {
      400: [onNote('PATCH', { pinned: 5 }), onNote('PATCH', '{'), onNote('PATCH', {}, BARE)],
      404: [() => ({ method: 'PATCH', path: NOBODY, body: {} })],
      409: [changeInTrash],
      412: [onNote('PATCH', { pinned: true }, STALE)],
      413: [onNote('PATCH', LARGE)],
      415: [onNote('PATCH', 'pinned=true', FORM)],
    },
  },
  'DELETE /api/notes/:id': {
    served: onNote('DELETE'),
    status: 204,
    others: {
      400: [onNote('DELETE', undefined, {}, '?permanent=5'), onNote('DELETE', undefined, BARE)],
      404: ['', '?permanent=true'].map((query) => () => ({ method: 'DELETE', path: NOBODY + query })),
      412: [onNote('DELETE', undefined, STALE), onNote('DELETE', undefined, STALE, '?permanent=true')],
    },
  },
  'POST /api/notes/:id/restore': {
    served: onNote('POST', undefined, {}, '/restore'),
    status: 200,
    others: {
      404: [post(`${NOBODY}/restore`, undefined)],
      409: [keyReused(onNote('POST', undefined, {}, '/restore'), { other: true })],
      412: [onNote('POST', undefined, STALE, '/restore')],
    },
  },
  'POST /api/notes/import': {
    served: post(IMPORT, '# T', MARKDOWN),
    status: 200,
    others: {
      400: [
        post(IMPORT, 'no archive', ZIP),
        post(IMPORT, '', MARKDOWN),
        ...['format=word', 'format=keep', 'colour=red', 'folder=..', 'dry_run', 'on_conflict=x'].map((query) =>
          post(`${IMPORT}?${query}`, '# T', MARKDOWN),
        ),
      ],
      409: [keyReused(post(IMPORT, '# one', MARKDOWN), '# two')],
      413: [post(IMPORT, 'x'.repeat(4 * 1024 * 1024 + 1), MARKDOWN)],
      415: [post(IMPORT, '{}'), post(IMPORT, 'x', FORM)],
    },
  },
  'GET /api/notes/export': {
    served: get('/api/notes/export'),
    status: 200,
    others: {
      400: ['colour=red', 'folder_only=true', 'created_from=x'].map((query) => get(`/api/notes/export?${query}`)),
    },
  },
  'POST /api/chat': {
    served: post('/api/chat', CHAT),
    status: 200,
    others: {
      200: [post('/api/chat', { ...CHAT, stream: true }), post('/api/chat', CHAT, { Accept: 'text/event-stream' })],
      400: [...NO_JSON, ...NO_OBJECT, {}, { ...CHAT, tools: [{}] }, { ...CHAT, confirm: ['x'] }].map((body) =>
        post('/api/chat', body),
      ),
      404: [post('/api/chat', { ...CHAT, model: 'another' })],
      409: [keyReused(post('/api/chat', CHAT), { ...CHAT, mode: 'read' })],
      413: [post('/api/chat', LARGE)],
      415: [post('/api/chat', '<messages/>', { 'Content-Type': 'application/xml' })],
    },
  },
  'GET /api/changes': {
    served: get('/api/changes'),
    status: 200,
    others: { 400: [get('/api/changes?since=x'), get('/api/changes?limit=201')] },
  },
}
