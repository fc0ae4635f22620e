/** What to ask of each route of /api so that it gives each answer that it can, beside what all routes are asked. */
import { messageOf, rpc, toolCall } from '../mcp/messages'
import { type Asking, FORM, get, keyReused, NOBODY, post, queries, type Route, route } from './asking'
import { FILE_ROUTES } from './file-routes'
import { FLASHCARD_ROUTES } from './flashcard-routes'
import { ALL_STEPS, idOf, inTrash, made, on, resourceRoutes } from './resource-routes'
import { REVIEW_ROUTES } from './review-routes'
import { TASK_ROUTES } from './task-routes'
import type { Ask, Visitor } from './visitor'
import { WORKSPACE_ROUTES } from './workspace-routes'

const CHAT = { messages: [{ role: 'user', content: 'Which notes are there?' }] }
const PROMPT = { prompt: 'Which notes are there?' }
const SHOW = { model: 'satchel-local' }
const MARKDOWN = { 'Content-Type': 'text/markdown' }

const onNote = on((visitor) => visitor.note())
const noteInTrash = (method: string, body?: unknown, rest = '') =>
  inTrash((visitor) => visitor.note(), method, body, rest)
/** Something below a note. */
const below = (rest: string, ...list: readonly string[]) =>
  list.map((query) => onNote('GET', undefined, {}, `/${rest}?${query}`))

const DAY = '/api/notes/daily/2026-03-02'
let days = 0
/** A day that nobody has asked for yet: visitors with the same key share a workspace. */
const freshDay = () => `/api/notes/daily/${new Date(Date.UTC(2000, 0, ++days)).toISOString().slice(0, 10)}`

const EDIT = { edits: [{ op: 'append', target: { document: true }, content: 'x' }] }
const LOST = { edits: [{ op: 'delete', target: { text: 'nowhere' } }] }
const failing = (op: object) => post('/api/notes/batch', { ops: [op] })

/** What is asked once the day has a note. */
const onDay =
  (ask: Ask): Asking =>
  async (visitor) => {
    await visitor.send({ method: 'PUT', path: DAY, body: { body: 'T' } })
    return ask
  }

/** What a path answers to one body, and with which status to others. */
const posting = (path: string, body: object, others: Readonly<Record<number, readonly unknown[]>>): Route =>
  route(
    200,
    post(path, body),
    Object.fromEntries(
      Object.entries(others).map(([status, bodies]) => [status, bodies.map((one) => post(path, one))]),
    ),
  )

/** A route that makes embeddings of the text in one of its members. */
const embedding = (path: string, member = 'input'): Route => {
  const body = { [member]: 'boiler' }
  return posting(path, body, { 400: [{}, { ...body, dimensions: 8 }], 404: [{ ...body, model: 'another' }] })
}

/** The routes for OpenAI's clients below one of their paths. */
const openAiRoutes = (base: string): Readonly<Record<string, Route>> => ({
  [`POST ${base}/chat/completions`]: posting(`${base}/chat/completions`, CHAT, {
    200: [{ ...CHAT, stream: true }],
    400: [{}, { ...CHAT, tools: [{}] }, { ...CHAT, n: 2 }],
    404: [{ ...CHAT, model: 'another' }],
  }),
  [`POST ${base}/embeddings`]: embedding(`${base}/embeddings`),
  [`GET ${base}/models`]: route(200, get(`${base}/models`)),
  [`GET ${base}/models/:id`]: route(200, get(`${base}/models/satchel-local`), {
    200: [get(`${base}/models/satchel-local-write`)],
    404: [get(`${base}/models/another`)],
  }),
})

/** The routes of a chat as Ollama has them: they take a form too, and stream if they are told to. */
const chatRoute = (path: string, body: object, empty: object): Route =>
  route(200, post(path, body), {
    200: [
      post(path, { ...body, stream: true }),
      post(path, body, { Accept: 'text/event-stream' }),
      post(path, JSON.stringify(body), FORM),
      post(path, empty),
    ],
    400: [post(path, { ...body, confirm: ['x'] }), post(path, 'messages=x', FORM)],
    404: [post(path, { ...body, model: 'another' }), post(path, { ...empty, model: 'another' })],
    409: [keyReused(post(path, { ...body, stream: true }), { ...body, stream: true, mode: 'read' })],
    415: [post(path, JSON.stringify(body), { 'Content-Type': 'text/plain' })],
  })

/** Asks for something of a note that is there with these members. */
const beside =
  (note: object, asking: Asking): Asking =>
  async (visitor) => {
    await visitor.send({ method: 'POST', path: '/api/notes', body: note })
    return asking(visitor)
  }

let names = 0
/** A name that nothing has yet: visitors with the same key share a workspace. */
const freshName = () => `list ${++names}`

/** A note by its path. */
const notePath =
  (folder: string | null = null): Asking =>
  async (visitor) => {
    const title = freshName()
    await visitor.send({ method: 'POST', path: '/api/notes', body: { title, folder } })
    return { path: `/api/notes/by-path/${folder === null ? '' : `${folder}/`}${encodeURIComponent(title)}` }
  }

/** The outline of a note in which a long heading stands above many. */
const longOutline: Asking = async (visitor) => {
  const body = `# ${'x'.repeat(400_000)}\n${'## a\n'.repeat(100)}`
  const { headers } = await visitor.send({ method: 'POST', path: '/api/notes', body: { title: 'T', body } })
  return { path: `${headers.get('Location')}/outline` }
}

const rename = (what: string, body: unknown) => post(`/api/notes/${what}/rename`, body)
const NAMES = { from: 'a', to: 'b' }

/** The routes of projects, sections, labels or saved filters. */
function listRoutes(kind: string, members: object = {}): Readonly<Record<string, Route>> {
  const base = `/api/tasks/${kind}`
  const body = async (visitor: Visitor) => {
    const project_id = idOf(
      kind === 'sections' ? await made(visitor, '/api/tasks/projects', { name: freshName() }) : '',
    )
    return { name: freshName(), ...members, ...(kind === 'sections' ? { project_id } : {}) }
  }
  const make = async (visitor: Visitor) => made(visitor, base, await body(visitor))
  const named = async (visitor: Visitor): Promise<Ask> => ({ method: 'POST', path: base, body: await body(visitor) })
  return resourceRoutes({
    ...{ base, make, body, steps: ALL_STEPS },
    change: () => ({ name: freshName() }),
    others: {
      create: {
        409: [
          async (visitor) => {
            const ask = await named(visitor)
            await visitor.send(ask)
            return ask
          },
        ],
      },
      delete: { 400: [on(make)('DELETE', undefined, {}, '?tasks=nowhere')] },
      restore: {
        409: [
          // It is in the trash, and its name is another's by now.
          async (visitor) => {
            const ask = await named(visitor)
            const path = (await visitor.send(ask)).headers.get('Location') ?? ''
            await visitor.send({ method: 'DELETE', path })
            await visitor.send(ask)
            return { method: 'POST', path: `${path}/restore` }
          },
        ],
      },
    },
  })
}

/** Routes that are read alone, by their paths. */
const READ = ['', '/version', '/tags', '/ps', '/usage', '/notes/unresolved', '/notes/tags', '/notes/folders']
  .concat('/tasks/agenda', '/tasks/stats', '/tasks/reminders')
  .map((path): [string, Route] => [`GET /api${path}`, route(200, get(`/api${path}`))])

const NOTE_ROUTES: Readonly<Record<string, Route>> = {
  ...resourceRoutes({
    base: '/api/notes',
    steps: ALL_STEPS,
    make: (visitor) => visitor.note(),
    body: () => ({ title: freshName() }),
    change: () => ({ pinned: true }),
    others: {
      list: { 400: queries('/api/notes', 'limit=%ff', 'cursor=%00') },
      create: {
        400: [
          ...[{ body: '[[a]]'.repeat(10_001) }, { created_at: '2999-01-01T00:00:00Z' }].map((body) =>
            post('/api/notes', body),
          ),
          post('/api/notes', '---\nfolder: a//b\n---\n', MARKDOWN),
        ],
        415: [post('/api/notes', '{}', { 'Content-Encoding': 'gzip' })],
      },
      read: { 400: [get('/api/notes/%ff')] },
      patch: { 400: [onNote('PATCH', 'a\0b', MARKDOWN)] },
    },
  }),
  'GET /api/notes/by-path/:path': route(200, notePath(), {
    400: [get('/api/notes/by-path/%ff')],
    404: [get('/api/notes/by-path/Nobody')],
  }),
  'GET /api/notes/by-path/*': route(200, notePath('Work'), {
    400: [get('/api/notes/by-path/Work/%ff')],
    404: [get('/api/notes/by-path/Work/Nobody')],
  }),
  'GET /api/notes/:id/related': route(200, onNote('GET', undefined, {}, '/related?limit=50')),
  'GET /api/notes/:id/links': route(200, onNote('GET', undefined, {}, '/links')),
  'GET /api/notes/:id/backlinks': route(200, onNote('GET', undefined, {}, '/backlinks?unlinked=true')),
  'POST /api/notes/:id/edits': route(200, onNote('POST', EDIT, {}, '/edits'), {
    409: [onNote('POST', LOST, {}, '/edits')],
  }),
  'GET /api/notes/:id/outline': route(200, onNote('GET', undefined, {}, '/outline'), { 409: [longOutline] }),
  'GET /api/notes/daily/:date': route(200, onDay({ path: DAY }), {
    400: [get('/api/notes/daily/2026-02-30')],
    404: [get(DAY), get('/api/notes/daily/today?time_zone=Europe/Lisbon')],
  }),
  'PUT /api/notes/daily/:date': route(201, () => ({ method: 'PUT', path: freshDay(), body: { body: 'T' } }), {
    200: [onDay({ method: 'PUT', path: DAY, body: { body: 'U' } })],
    400: [() => ({ method: 'PUT', path: DAY, body: {} })],
    412: [onDay({ method: 'PUT', path: DAY, body: { body: 'U' }, headers: { 'If-None-Match': '*' } })],
  }),
  'POST /api/notes/daily/:date/edits': route(201, () => ({ method: 'POST', path: `${freshDay()}/edits`, body: EDIT }), {
    200: [
      onDay({ method: 'POST', path: `${DAY}/edits`, body: EDIT }),
      post(`${DAY}/edits`, { ...EDIT, dry_run: true }),
    ],
    400: [post('/api/notes/daily/2026-02-30/edits', EDIT)],
    409: [post(`${DAY}/edits`, LOST)],
  }),
  'POST /api/notes/batch': route(200, post('/api/notes/batch', { ops: [{ op: 'create', data: {} }] }), {
    400: [post('/api/notes/batch', { ops: [] }), failing({ op: 'create', data: { folder: '..' } })],
    404: [failing({ op: 'delete', id: NOBODY })],
    412: [async (visitor) => failing({ op: 'delete', id: idOf(await visitor.note()), if_revision: 7 })(visitor)],
  }),
  'POST /api/notes/tags/rename': route(200, beside({ tags: ['a'] }, rename('tags', NAMES)), {
    400: [rename('tags', { ...NAMES, to: '#' })],
    404: [rename('tags', NAMES)],
    409: [beside({ body: '#a' }, rename('tags', { ...NAMES, to: 'two words' }))],
  }),
  'POST /api/notes/folders/rename': route(200, beside({ folder: 'a' }, rename('folders', NAMES)), {
    400: [rename('folders', { ...NAMES, to: '..' })],
    404: [rename('folders', NAMES)],
    409: [rename('folders', { from: 'a', to: 'a/b' })],
  }),
  'GET /api/notes/:id/revisions': route(200, onNote('GET', undefined, {}, '/revisions')),
  'GET /api/notes/:id/revisions/:n': route(200, onNote('GET', undefined, {}, '/revisions/1'), {
    404: [onNote('GET', undefined, {}, '/revisions/2')],
  }),
  'PATCH /api/notes/:id/revisions/:n': route(200, onNote('PATCH', { label: 'first' }, {}, '/revisions/1'), {
    404: [onNote('PATCH', { label: 'second' }, {}, '/revisions/2')],
    409: [noteInTrash('PATCH', { label: 'first' }, '/revisions/1')],
  }),
  'GET /api/notes/:id/revisions/:n/diff': route(200, onNote('GET', undefined, {}, '/revisions/1/diff'), {
    404: below('revisions/1/diff', 'to=2'),
  }),
  'POST /api/notes/:id/revisions/:n/restore': route(200, onNote('POST', undefined, {}, '/revisions/1/restore'), {
    404: [onNote('POST', undefined, {}, '/revisions/2/restore')],
    409: [noteInTrash('POST', undefined, '/revisions/1/restore')],
  }),
  'GET /api/notes/search': route(200, get('/api/notes/search?q=a'), {
    400: [get('/api/notes/search'), get('/api/notes/search?q=is:foo')],
  }),
}

export const ROUTES: Readonly<Record<string, Route>> = {
  ...Object.fromEntries(READ),
  ...FILE_ROUTES,
  ...NOTE_ROUTES,
  ...TASK_ROUTES,
  ...FLASHCARD_ROUTES,
  ...REVIEW_ROUTES,
  ...WORKSPACE_ROUTES,
  ...listRoutes('projects'),
  ...listRoutes('sections'),
  ...listRoutes('labels'),
  ...listRoutes('filters', { filter: 'today' }),
  ...openAiRoutes('/api/openai'),
  ...openAiRoutes('/api/openai/v1'),
  'GET /api/search': route(200, get('/api/search?q=word'), {
    400: queries('/api/search', '', 'q=', 'q=created:2026-02-30', 'q=a&types=cat', 'q=a&time_zone=Mars'),
  }),
  'POST /api/chat': chatRoute('/api/chat', CHAT, { messages: [] }),
  'POST /api/generate': chatRoute('/api/generate', PROMPT, {}),
  'POST /api/embed': embedding('/api/embed'),
  'POST /api/embeddings': embedding('/api/embeddings', 'prompt'),
  'POST /api/show': posting('/api/show', SHOW, { 200: [{ name: 'auto' }], 400: [{}], 404: [{ model: 'another' }] }),
  'POST /api/mcp': mcpRoute(),
  'GET /api/changes': route(200, get('/api/changes'), {
    400: [get('/api/changes?since=x')],
    410: [get('/api/changes?since=99')],
  }),
  'GET /api/changes/stream': route(200, get('/api/changes/stream'), {
    400: [get('/api/changes/stream?since=x'), get('/api/changes/stream', { 'Last-Event-ID': 'x' })],
    410: [get('/api/changes/stream?since=99')],
  }),
}

function mcpRoute(): Route {
  const path = '/api/mcp'
  const create = (title: string) => toolCall('create_note', { title })
  return route(200, post(path, toolCall('search', { query: 'boiler' })), {
    200: [
      post(path, create('A')),
      post(path, rpc('tools/list')),
      post(`${path}?mode=read`, rpc('tools/list')),
      post(path, rpc('tools/call', { name: 'nothing' })),
      post(path, rpc('ping'), { Origin: 'http://localhost', Host: 'localhost' }),
      post(path, [rpc('ping'), rpc('ping', {}, 2)]),
    ],
    202: [post(path, { jsonrpc: '2.0', method: 'notifications/initialized' })],
    400: [
      post(path, { ...rpc('ping'), id: {} }),
      post(path, [rpc('ping')], { 'MCP-Protocol-Version': '2025-11-25' }),
      post(path, rpc('ping'), { 'MCP-Protocol-Version': '1999-01-01' }),
      post(path, rpc('tools/list'), { 'MCP-Protocol-Version': '2026-07-28' }),
      post(`${path}?mode=all`, rpc('ping')),
    ],
    403: [post(path, rpc('ping'), { Origin: 'http://evil.example' })],
    404: [() => ({ method: 'POST', path, ...messageOf('modern', 'tools/fetch') })],
    409: [keyReused(post(path, create('A')), create('B'))],
  })
}
