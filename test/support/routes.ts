/** What to ask of each route of /api so that it gives each answer that it can. */
import { type Asking, BARE, FORM, get, keyReused, LARGE, NO_JSON, NO_OBJECT, post, type Route, STALE } from './asking'
import { ATTACHMENT_ROUTES } from './attachment-routes'
import { CALENDAR_ROUTES } from './calendar-routes'
import { FLASHCARD_ROUTES } from './flashcard-routes'
import { MCP_ROUTES } from './mcp-routes'
import { ALL_STEPS, idOf, inTrash, made, NOBODY, on, resourceRoutes } from './resource-routes'
import { REVIEW_ROUTES } from './review-routes'
import { TASK_ROUTES } from './task-routes'
import type { Ask, Visitor } from './visitor'
import { WORKSPACE_ROUTES } from './workspace-routes'

const UNKNOWN = `/api/notes/${NOBODY}`
const CHAT = { messages: [{ role: 'user', content: 'Which notes are there?' }] }
const GENERATE = '/api/generate'
const PROMPT = { prompt: 'Which notes are there?' }
const SHOW = { model: 'satchel-local' }
const MARKDOWN = { 'Content-Type': 'text/markdown' }
const ZIP = { 'Content-Type': 'application/zip' }
const IMPORT = '/api/notes/import'

const onNote = on((visitor) => visitor.note())
const noteInTrash = (method: string, body?: unknown, rest = '') =>
  inTrash((visitor) => visitor.note(), method, body, rest)

const tooManyLinks = { body: '[[a]]'.repeat(10_001) }

const DAY = '/api/notes/daily/2026-03-02'
let days = 0
/** A day that nobody has asked for yet: visitors with the same key share a workspace. */
const freshDay = () => `/api/notes/daily/${new Date(Date.UTC(2000, 0, ++days)).toISOString().slice(0, 10)}`

const EDIT = { edits: [{ op: 'append', target: { document: true }, content: 'x' }] }
const LOST = { edits: [{ op: 'delete', target: { text: 'nowhere' } }] }
const BATCH = { ops: [{ op: 'create', data: {} }] }
const failing = (op: object) => post('/api/notes/batch', { ops: [op] })

const put =
  (body: unknown, headers = {}): Asking =>
  () => ({ method: 'PUT', path: DAY, body, headers })

/** What is asked once the day has a note. */
const onDay =
  (ask: Ask): Asking =>
  async (visitor) => {
    await visitor.send({ method: 'PUT', path: DAY, body: { body: 'T' } })
    return ask
  }

/** A route that makes embeddings of the text in one of its members. */
const embedding = (path: string, member = 'input'): Route => {
  const EMBED = { [member]: 'boiler' }
  return {
    served: post(path, EMBED),
    status: 200,
    others: {
      400: [...NO_JSON, ...NO_OBJECT, {}, { ...EMBED, dimensions: 8 }, { ...EMBED, colour: 'red' }].map((body) =>
        post(path, body),
      ),
      404: [post(path, { ...EMBED, model: 'another' })],
      409: [keyReused(post(path, EMBED), { [member]: 'heating' })],
      413: [post(path, LARGE)],
      415: [post(path, JSON.stringify(EMBED), FORM)],
    },
  }
}

/** The routes for OpenAI's clients below one of their paths. */
function openAiRoutes(base: string): Readonly<Record<string, Route>> {
  const completions = `${base}/chat/completions`
  return {
    [`POST ${completions}`]: {
      served: post(completions, CHAT),
      status: 200,
      others: {
        200: [post(completions, { ...CHAT, stream: true })],
        400: [...NO_JSON, ...NO_OBJECT, {}, { ...CHAT, tools: [{}] }, { ...CHAT, n: 2 }].map((body) =>
          post(completions, body),
        ),
        404: [post(completions, { ...CHAT, model: 'another' })],
        409: [keyReused(post(completions, CHAT), { ...CHAT, stream: true })],
        413: [post(completions, LARGE)],
        415: [post(completions, 'messages=x', FORM)],
      },
    },
    [`POST ${base}/embeddings`]: embedding(`${base}/embeddings`),
    [`GET ${base}/models`]: { served: get(`${base}/models`), status: 200 },
    [`GET ${base}/models/:id`]: {
      served: get(`${base}/models/satchel-local`),
      status: 200,
      others: { 200: [get(`${base}/models/satchel-local-write`)], 404: [get(`${base}/models/another`)] },
    },
  }
}

/** Asks for something of a note that is there with these members. */
const beside =
  (note: object, asking: Asking): Asking =>
  async (visitor) => {
    await visitor.send({ method: 'POST', path: '/api/notes', body: note })
    return asking(visitor)
  }

/** A note by its path: another for each visitor, since some share a workspace. */
const notePath =
  (headers: Record<string, string>, folder: string | null = null): Asking =>
  async (visitor) => {
    const title = freshName()
    await visitor.send({ method: 'POST', path: '/api/notes', body: { title, folder } })
    const parts = folder === null ? [title] : [folder, title]
    return { path: `/api/notes/by-path/${parts.map(encodeURIComponent).join('/')}`, headers }
  }

/** The outline of a note in which a long heading stands above many. */
const longOutline: Asking = async (visitor) => {
  const body = `# ${'x'.repeat(400_000)}\n${'## a\n'.repeat(100)}`
  const { headers } = await visitor.send({ method: 'POST', path: '/api/notes', body: { title: 'T', body } })
  return { path: `${headers.get('Location')}/outline` }
}

const rename = (what: string, body: unknown, headers = {}) => post(`/api/notes/${what}/rename`, body, headers)
const NAMES = { from: 'a', to: 'b' }

let names = 0
/** A name that nothing has yet: visitors with the same key share a workspace. */
const freshName = () => `list ${++names}`

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
        400: [post(base, { name: ' ', ...members })],
        409: [
          async (visitor) => {
            const ask = await named(visitor)
            await visitor.send(ask)
            return ask
          },
        ],
      },
      patch: { 400: [on(make)('PATCH', { name: '' })] },
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

export const ROUTES: Readonly<Record<string, Route>> = {
  ...ATTACHMENT_ROUTES,
  ...TASK_ROUTES,
  ...CALENDAR_ROUTES,
  ...FLASHCARD_ROUTES,
  ...REVIEW_ROUTES,
  ...WORKSPACE_ROUTES,
  'GET /api/search': {
    served: get('/api/search?q=word'),
    status: 200,
    others: {
      400: [
        '',
        '?q=',
        '?q=created:2026-02-30',
        '?q=a&types=cat',
        '?q=a&limit=0',
        '?q=a&cursor=e30',
        '?q=a&time_zone=Mars',
        '?q=a&colour=red',
      ].map((query) => get(`/api/search${query}`)),
    },
  },
  'GET /api': { served: get('/api'), status: 200 },
  ...listRoutes('projects'),
  ...listRoutes('sections'),
  ...listRoutes('labels'),
  ...listRoutes('filters', { filter: 'today' }),
  ...resourceRoutes({
    base: '/api/notes',
    steps: ALL_STEPS,
    make: (visitor) => visitor.note(),
    body: () => ({ title: freshName() }),
    change: () => ({ pinned: true }),
    others: {
      list: { 400: ['limit=%ff', 'cursor=%00', 'sort=size', 'ids=1'].map((query) => get(`/api/notes?${query}`)) },
      create: {
        400: [
          ...[{ title: 5 }, tooManyLinks].map((body) => post('/api/notes', body)),
          post('/api/notes', {}, { 'Idempotency-Key': 'a b' }),
          post('/api/notes', { created_at: '2999-01-01T00:00:00Z' }),
          post('/api/notes', '---\nfolder: a//b\n---\n', MARKDOWN),
        ],
        415: [post('/api/notes', '{}', { 'Content-Encoding': 'gzip' })],
      },
      read: { 400: [get('/api/notes/%ff')] },
      patch: {
        400: [
          onNote('PATCH', { pinned: 5 }),
          onNote('PATCH', {}, {}, '?update_links=no'),
          onNote('PATCH', 'a\0b', MARKDOWN),
        ],
      },
    },
  }),
  'GET /api/usage': { served: get('/api/usage'), status: 200 },
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
      202: [post(IMPORT, '# T', { ...MARKDOWN, Prefer: 'respond-async' })],
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
  'GET /api/notes/by-path/:path': {
    served: notePath({}),
    status: 200,
    others: {
      304: [notePath({ 'If-None-Match': '*' })],
      400: [get('/api/notes/by-path/%ff'), notePath({ 'If-None-Match': 'bare' })],
      404: [get('/api/notes/by-path/Nobody')],
    },
  },
  'GET /api/notes/by-path/*': {
    served: notePath({}, 'Work'),
    status: 200,
    others: {
      304: [notePath({ 'If-None-Match': '*' }, 'Work')],
      400: [get('/api/notes/by-path/Work/%ff'), notePath({ 'If-None-Match': 'bare' }, 'Work')],
      404: [get('/api/notes/by-path/Work/Nobody')],
    },
  },
  'GET /api/notes/:id/related': {
    served: onNote('GET', undefined, {}, '/related?limit=50'),
    status: 200,
    others: {
      400: ['?limit=0', '?limit=51', '?cursor=x'].map((query) => onNote('GET', undefined, {}, `/related${query}`)),
      404: [get(`${UNKNOWN}/related`)],
    },
  },
  'GET /api/notes/:id/links': {
    served: onNote('GET', undefined, {}, '/links'),
    status: 200,
    others: {
      400: ['?limit=0', '?colour=red', '?cursor=e30'].map((query) => onNote('GET', undefined, {}, `/links${query}`)),
      404: [get(`${UNKNOWN}/links`)],
    },
  },
  'GET /api/notes/:id/backlinks': {
    served: onNote('GET', undefined, {}, '/backlinks?unlinked=true'),
    status: 200,
    others: {
      400: ['?unlinked=yes', '?cursor=x'].map((query) => onNote('GET', undefined, {}, `/backlinks${query}`)),
      404: [get(`${UNKNOWN}/backlinks`)],
    },
  },
  'GET /api/notes/unresolved': {
    served: get('/api/notes/unresolved'),
    status: 200,
    others: { 400: [get('/api/notes/unresolved?limit=201'), get('/api/notes/unresolved?cursor=e30')] },
  },
  'POST /api/notes/:id/edits': {
    served: onNote('POST', EDIT, {}, '/edits'),
    status: 200,
    others: {
      400: [onNote('POST', {}, {}, '/edits'), onNote('POST', EDIT, BARE, '/edits')],
      404: [post(`${UNKNOWN}/edits`, EDIT)],
      409: [onNote('POST', LOST, {}, '/edits'), keyReused(onNote('POST', EDIT, {}, '/edits'), LOST)],
      412: [onNote('POST', EDIT, STALE, '/edits')],
      413: [onNote('POST', LARGE, {}, '/edits')],
      415: [onNote('POST', 'x', FORM, '/edits')],
    },
  },
  'GET /api/notes/:id/outline': {
    served: onNote('GET', undefined, {}, '/outline'),
    status: 200,
    others: {
      304: [onNote('GET', undefined, { 'If-None-Match': '"1-0"' }, '/outline')],
      400: [get('/api/notes/nonsense/outline')],
      404: [get(`${UNKNOWN}/outline`)],
      409: [longOutline],
    },
  },
  'GET /api/notes/daily/:date': {
    served: onDay({ path: DAY }),
    status: 200,
    others: {
      304: [onDay({ path: DAY, headers: { 'If-None-Match': '*' } })],
      400: [get('/api/notes/daily/2026-02-30'), get('/api/notes/daily/today?time_zone=Mars')],
      404: [get(DAY), get('/api/notes/daily/today?time_zone=Europe/Lisbon')],
    },
  },
  'PUT /api/notes/daily/:date': {
    served: () => ({ method: 'PUT', path: freshDay(), body: { body: 'T' } }),
    status: 201,
    others: {
      200: [onDay({ method: 'PUT', path: DAY, body: { body: 'U' } })],
      400: [put({}), put('{'), put({ body: 'T' }, BARE)],
      412: [
        put({ body: 'T' }, STALE),
        onDay({ method: 'PUT', path: DAY, body: { body: 'U' }, headers: { 'If-None-Match': '*' } }),
      ],
      413: [put(LARGE)],
      415: [put('body=T', FORM)],
    },
  },
  'POST /api/notes/daily/:date/edits': {
    served: () => ({ method: 'POST', path: `${freshDay()}/edits`, body: EDIT }),
    status: 201,
    others: {
      200: [
        onDay({ method: 'POST', path: `${DAY}/edits`, body: EDIT }),
        post(`${DAY}/edits`, { ...EDIT, dry_run: true }),
      ],
      400: [post(`${DAY}/edits`, {}), post('/api/notes/daily/2026-02-30/edits', EDIT)],
      409: [post(`${DAY}/edits`, LOST), keyReused(post(`${DAY}/edits`, EDIT), LOST)],
      412: [post(`${DAY}/edits`, EDIT, STALE)],
      413: [post(`${DAY}/edits`, LARGE)],
      415: [post(`${DAY}/edits`, 'x', FORM)],
    },
  },
  'POST /api/notes/batch': {
    served: post('/api/notes/batch', BATCH),
    status: 200,
    others: {
      400: [post('/api/notes/batch', { ops: [] }), failing({ op: 'create', data: { folder: '..' } })],
      404: [failing({ op: 'delete', id: NOBODY })],
      409: [keyReused(post('/api/notes/batch', BATCH), { ...BATCH, atomic: false })],
      412: [
        async (visitor) => {
          const id = (await visitor.note()).split('/').at(-1)
          return failing({ op: 'delete', id, if_revision: 7 })(visitor)
        },
      ],
      413: [post('/api/notes/batch', LARGE)],
      415: [post('/api/notes/batch', 'x', FORM)],
    },
  },
  'GET /api/notes/tags': {
    served: get('/api/notes/tags'),
    status: 200,
    others: { 400: [get('/api/notes/tags?limit=0'), get('/api/notes/tags?cursor=x')] },
  },
  'GET /api/notes/folders': {
    served: get('/api/notes/folders'),
    status: 200,
    others: { 400: [get('/api/notes/folders?limit=0'), get('/api/notes/folders?cursor=x')] },
  },
  'POST /api/notes/tags/rename': {
    served: beside({ tags: ['a'] }, rename('tags', NAMES)),
    status: 200,
    others: {
      400: [rename('tags', { from: 'a' }), rename('tags', { ...NAMES, to: '#' })],
      404: [rename('tags', NAMES)],
      409: [beside({ body: '#a' }, rename('tags', { ...NAMES, to: 'two words' }))],
      413: [rename('tags', LARGE)],
      415: [rename('tags', 'x', FORM)],
    },
  },
  'POST /api/notes/folders/rename': {
    served: beside({ folder: 'a' }, rename('folders', NAMES)),
    status: 200,
    others: {
      400: [rename('folders', { from: 'a' }), rename('folders', { ...NAMES, to: '..' })],
      404: [rename('folders', NAMES)],
      409: [rename('folders', { from: 'a', to: 'a/b' })],
      413: [rename('folders', LARGE)],
      415: [rename('folders', 'x', FORM)],
    },
  },
  'GET /api/notes/:id/revisions': {
    served: onNote('GET', undefined, {}, '/revisions'),
    status: 200,
    others: {
      400: ['limit=0', 'cursor=e30', 'colour=red'].map((query) => onNote('GET', undefined, {}, `/revisions?${query}`)),
      404: [get(`${UNKNOWN}/revisions`)],
    },
  },
  'GET /api/notes/:id/revisions/:n': {
    served: onNote('GET', undefined, {}, '/revisions/1'),
    status: 200,
    others: {
      304: [onNote('GET', undefined, { 'If-None-Match': '"1"' }, '/revisions/1')],
      400: ['0', 'x', '1e1'].map((n) => onNote('GET', undefined, {}, `/revisions/${n}`)),
      404: [get(`${UNKNOWN}/revisions/1`), onNote('GET', undefined, {}, '/revisions/2')],
    },
  },
  'PATCH /api/notes/:id/revisions/:n': {
    served: onNote('PATCH', { label: 'first' }, {}, '/revisions/1'),
    status: 200,
    others: {
      400: [{ label: 5 }, { label: '' }, { colour: 'red' }, '{'].map((body) =>
        onNote('PATCH', body, {}, '/revisions/1'),
      ),
      404: [onNote('PATCH', { label: 'second' }, {}, '/revisions/2')],
      409: [noteInTrash('PATCH', { label: 'first' }, '/revisions/1')],
      412: [onNote('PATCH', { label: 'first' }, STALE, '/revisions/1')],
      413: [onNote('PATCH', LARGE, {}, '/revisions/1')],
      415: [onNote('PATCH', 'label=first', FORM, '/revisions/1')],
    },
  },
  'GET /api/notes/:id/revisions/:n/diff': {
    served: onNote('GET', undefined, {}, '/revisions/1/diff'),
    status: 200,
    others: {
      400: ['to=0', 'context=21', 'colour=red'].map((query) =>
        onNote('GET', undefined, {}, `/revisions/1/diff?${query}`),
      ),
      404: [get(`${UNKNOWN}/revisions/1/diff`), onNote('GET', undefined, {}, '/revisions/1/diff?to=2')],
    },
  },
  'POST /api/notes/:id/revisions/:n/restore': {
    served: onNote('POST', undefined, {}, '/revisions/1/restore'),
    status: 200,
    others: {
      400: [onNote('POST', undefined, BARE, '/revisions/1/restore')],
      404: [onNote('POST', undefined, {}, '/revisions/2/restore')],
      409: [
        noteInTrash('POST', undefined, '/revisions/1/restore'),
        keyReused(onNote('POST', undefined, {}, '/revisions/1/restore'), {}),
      ],
      412: [onNote('POST', undefined, STALE, '/revisions/1/restore')],
    },
  },
  'POST /api/chat': {
    served: post('/api/chat', CHAT),
    status: 200,
    others: {
      200: [
        post('/api/chat', { ...CHAT, stream: true }),
        post('/api/chat', CHAT, { Accept: 'text/event-stream' }),
        post('/api/chat', JSON.stringify(CHAT), FORM),
        post('/api/chat', { messages: [] }),
      ],
      400: [...NO_JSON, ...NO_OBJECT, {}, { ...CHAT, tools: [{}] }, { ...CHAT, confirm: ['x'] }]
        .map((body) => post('/api/chat', body))
        .concat(post('/api/chat', 'messages=x', FORM)),
      404: [post('/api/chat', { ...CHAT, model: 'another' })],
      409: [
        keyReused(post('/api/chat', CHAT), { ...CHAT, mode: 'read' }),
        keyReused(post('/api/chat', { ...CHAT, stream: true }), { ...CHAT, stream: true, mode: 'read' }),
      ],
      413: [post('/api/chat', LARGE)],
      415: [post('/api/chat', JSON.stringify(CHAT), { 'Content-Type': 'text/plain' })],
    },
  },
  ...MCP_ROUTES,
  ...openAiRoutes('/api/openai'),
  ...openAiRoutes('/api/openai/v1'),
  'POST /api/embed': embedding('/api/embed'),
  'POST /api/embeddings': embedding('/api/embeddings', 'prompt'),
  'POST /api/generate': {
    served: post(GENERATE, PROMPT),
    status: 200,
    others: {
      200: [
        post(GENERATE, { ...PROMPT, stream: true }),
        post(GENERATE, PROMPT, { Accept: 'text/event-stream' }),
        post(GENERATE, JSON.stringify(PROMPT), FORM),
        post(GENERATE, {}),
      ],
      400: [...NO_JSON, ...NO_OBJECT, { prompt: ' ' }, { ...PROMPT, images: ['x'] }, { ...PROMPT, confirm: ['x'] }]
        .map((body) => post(GENERATE, body))
        .concat(post(GENERATE, 'prompt=x', FORM)),
      404: [post(GENERATE, { ...PROMPT, model: 'another' }), post(GENERATE, { model: 'another' })],
      409: [keyReused(post(GENERATE, PROMPT), { ...PROMPT, mode: 'read' })],
      413: [post(GENERATE, LARGE)],
      415: [post(GENERATE, JSON.stringify(PROMPT), { 'Content-Type': 'text/plain' })],
    },
  },
  'GET /api/version': { served: get('/api/version'), status: 200 },
  'GET /api/tags': { served: get('/api/tags'), status: 200 },
  'GET /api/ps': { served: get('/api/ps'), status: 200 },
  'POST /api/show': {
    served: post('/api/show', SHOW),
    status: 200,
    others: {
      200: [post('/api/show', { name: 'auto' })],
      400: [...NO_JSON, ...NO_OBJECT, {}, { ...SHOW, colour: 'red' }].map((body) => post('/api/show', body)),
      404: [post('/api/show', { model: 'another' })],
      409: [keyReused(post('/api/show', SHOW), { name: 'satchel-local' })],
      413: [post('/api/show', LARGE)],
      415: [post('/api/show', JSON.stringify(SHOW), FORM)],
    },
  },
  'GET /api/tasks/agenda': {
    served: get('/api/tasks/agenda'),
    status: 200,
    others: {
      400: ['from=2026-02-30', 'from=2026-03-01&to=2026-06-01', 'time_zone=Mars', 'now=1', 'colour=red'].map((query) =>
        get(`/api/tasks/agenda?${query}`),
      ),
    },
  },
  'GET /api/tasks/stats': {
    served: get('/api/tasks/stats'),
    status: 200,
    others: {
      400: ['from=2026-02-30', 'from=2025-01-01&to=2026-03-01', 'time_zone=Mars', 'now=1', 'colour=red'].map((query) =>
        get(`/api/tasks/stats?${query}`),
      ),
    },
  },
  'GET /api/tasks/reminders': {
    served: get('/api/tasks/reminders'),
    status: 200,
    others: {
      400: ['from=2026-03-01', 'limit=0', 'cursor=e30', 'time_zone=Mars', 'now=1', 'colour=red'].map((query) =>
        get(`/api/tasks/reminders?${query}`),
      ),
    },
  },
  'GET /api/notes/search': {
    served: get('/api/notes/search?q=a'),
    status: 200,
    others: {
      400: [get('/api/notes/search'), get('/api/notes/search?q=is:foo'), get('/api/notes/search?q=a&cursor=x')],
    },
  },
  'GET /api/changes': {
    served: get('/api/changes'),
    status: 200,
    others: {
      400: [get('/api/changes?since=x'), get('/api/changes?limit=201')],
      410: [get('/api/changes?since=99')],
    },
  },
  'DELETE /api/workspace': {
    served: () => ({ method: 'DELETE', path: '/api/workspace', body: { confirm: 'erase' } }),
    status: 204,
    others: {
      400: [
        ...[undefined, {}, { confirm: 'yes' }, { confirm: 'erase', really: true }].map((body) => () => {
          return { method: 'DELETE', path: '/api/workspace', body }
        }),
        ...['?confirm=', '?confirm=yes', '?confirm=Erase', '?confirm=erase&really=1'].map((query) => () => {
          return { method: 'DELETE', path: `/api/workspace${query}` }
        }),
      ],
      413: [() => ({ method: 'DELETE', path: '/api/workspace', body: LARGE })],
      415: [() => ({ method: 'DELETE', path: '/api/workspace', body: 'confirm=erase', headers: FORM })],
    },
  },
  'DELETE /api/trash': {
    served: () => ({ method: 'DELETE', path: '/api/trash', body: { confirm: 'erase' } }),
    status: 200,
    others: {
      202: [
        async (visitor) => {
          await visitor.send({ method: 'DELETE', path: await visitor.note() })
          return { method: 'DELETE', path: '/api/trash?confirm=erase', headers: { Prefer: 'respond-async' } }
        },
      ],
      400: [
        ...[undefined, {}, { confirm: 'yes' }, { confirm: 'erase', really: true }].map((body) => () => {
          return { method: 'DELETE', path: '/api/trash', body }
        }),
        ...['', '&type=notes', '&type=media', '&type=', '&really=1'].map((rest) => () => {
          return { method: 'DELETE', path: `/api/trash?confirm=${rest && 'erase'}${rest}` }
        }),
      ],
      413: [() => ({ method: 'DELETE', path: '/api/trash', body: LARGE })],
      415: [() => ({ method: 'DELETE', path: '/api/trash', body: 'confirm=erase', headers: FORM })],
    },
  },
  'GET /api/changes/stream': {
    served: get('/api/changes/stream'),
    status: 200,
    others: {
      400: [get('/api/changes/stream?since=x'), get('/api/changes/stream', { 'Last-Event-ID': 'x' })],
      410: [get('/api/changes/stream?since=99')],
    },
  },
}
