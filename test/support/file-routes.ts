/** What to ask of the routes that take and give files: imports, exports, attachments and media. */
import { archiveOf, noteLine } from '../archive/support'
import { type Asking, FORM, get, keyReused, NOBODY, post, queries, type Route, route } from './asking'
import { on, resourceRoutes } from './resource-routes'
import type { Visitor } from './visitor'

let names = 0
/** A name that nothing has yet: visitors with the same key share a workspace. */
const freshName = () => `file${++names}.txt`

const ATTACHMENTS = '/api/notes/attachments'
const add = (query: string, body: unknown = 'bytes', headers = {}) => post(`${ATTACHMENTS}?${query}`, body, headers)

async function makeAttachment(visitor: Visitor, name = freshName()): Promise<string> {
  const { headers } = await visitor.send({ method: 'POST', path: `${ATTACHMENTS}?name=${name}`, body: 'bytes' })
  return headers.get('Location') ?? `${ATTACHMENTS}/${NOBODY}`
}

const onAttachment = on((visitor) => makeAttachment(visitor))

/** Asks for something by a name that an attachment has. */
const taken =
  (asking: (name: string) => Asking): Asking =>
  async (visitor) => {
    const name = freshName()
    await makeAttachment(visitor, name)
    return asking(name)(visitor)
  }

const MEDIA = '/api/flashcards/media'
/** Asks for a medium that is stored before. */
const onMedia =
  (method: string, body?: unknown, headers = {}): Asking =>
  async (visitor) => {
    const path = `${MEDIA}/${freshName()}`
    await visitor.send({ method: 'PUT', path, body: 'bytes' })
    return { method, path, body, headers }
  }
const put =
  (name: string, body: unknown): Asking =>
  () => ({ method: 'PUT', path: `${MEDIA}/${name}`, body })

/** What a route that imports files is asked: with a good file, another one, those that are refused, and queries. */
function importing(
  path: string,
  type: string,
  files: { readonly good: unknown; readonly other: unknown; readonly bad: readonly unknown[] },
  wrong: readonly string[],
  { megabytes = 4, others = [] as readonly Asking[] } = {},
): Route {
  const headers = { 'Content-Type': type }
  const joined = path.includes('?') ? '&' : '?'
  return route(200, post(path, files.good, headers), {
    202: [post(path, files.good, { ...headers, Prefer: 'respond-async' })],
    400: [
      ...files.bad.map((file) => post(path, file, headers)),
      ...wrong.map((query) => post(path + joined + query, files.good, headers)),
      ...others,
      post(path, files.good, { ...headers, 'Content-Encoding': 'gzip' }),
    ],
    409: [keyReused(post(path, files.good, headers), files.other)],
    413: [post(path, 'x'.repeat(megabytes * 1024 * 1024 + 1), headers)],
    415: [post(path, 'x', FORM), post(path, 'x', { ...headers, 'Content-Encoding': 'br' })],
  })
}

const NO_CALENDAR = 'BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n'
const CALENDAR = NO_CALENDAR.replace('END:', 'BEGIN:VTODO\r\nUID:u\r\nSUMMARY:s\r\nEND:VTODO\r\nEND:')
export const ARCHIVE = archiveOf({ note: [noteLine()] })

const IMPORT_CARDS = '/api/flashcards/import'

export const FILE_ROUTES: Readonly<Record<string, Route>> = {
  ...resourceRoutes({
    base: ATTACHMENTS,
    steps: ['list', 'read', 'patch', 'delete'],
    make: (visitor) => makeAttachment(visitor),
    change: () => ({ name: freshName() }),
    others: {
      read: {
        206: [onAttachment('GET', undefined, { Range: 'bytes=1-2' })],
        404: [get(`${ATTACHMENTS}/${'A'.repeat(70)}`)],
        416: [onAttachment('GET', undefined, { Range: 'bytes=9-' })],
      },
      patch: {
        400: [{ name: 'a.md' }, { folder: '..' }].map((body) => onAttachment('PATCH', body)),
        409: [taken((name) => onAttachment('PATCH', { name }))],
      },
    },
  }),
  [`POST ${ATTACHMENTS}`]: route(
    201,
    () => ({ method: 'POST', path: `${ATTACHMENTS}?name=${freshName()}`, body: 'bytes' }),
    {
      400: [add(''), add('name=a.md'), add('name=a&folder=..'), add('name=a', '')],
      409: [taken((name) => add(`name=${name}`)), keyReused(add('name=twice.txt'), 'other bytes')],
      413: [add('name=large', new Uint8Array(256 * 1024 + 1))],
      415: [
        add('name=packed', 'x', { 'Content-Encoding': 'gzip' }),
        add('name=form', 'x', { 'Content-Type': 'multipart/form-data' }),
      ],
    },
  ),
  ...resourceRoutes({ base: MEDIA, steps: ['list'], make: async () => MEDIA }),
  [`GET ${MEDIA}/:name`]: route(200, onMedia('GET'), {
    206: [onMedia('GET', undefined, { Range: 'bytes=1-2' })],
    400: [get(`${MEDIA}/.hidden`), get(`${MEDIA}/a%2Fb`)],
    404: [get(`${MEDIA}/none`)],
    416: [onMedia('GET', undefined, { Range: 'bytes=100-' })],
  }),
  [`PUT ${MEDIA}/:name`]: route(200, onMedia('PUT', 'other bytes'), {
    201: [(visitor) => put(freshName(), 'bytes')(visitor)],
    400: [put('empty', ''), put('.hidden', 'x')],
    412: [onMedia('PUT', 'x', { 'If-None-Match': '*' })],
    413: [put('large', new Uint8Array(8 * 1024 * 1024 + 1))],
    415: [onMedia('PUT', 'packed', { 'Content-Encoding': 'gzip' })],
  }),
  [`DELETE ${MEDIA}/:name`]: route(204, onMedia('DELETE'), {
    404: [() => ({ method: 'DELETE', path: `${MEDIA}/none` })],
  }),
  'POST /api/notes/import': importing(
    '/api/notes/import',
    'text/markdown',
    { good: '# one', other: '# two', bad: [''] },
    ['format=word', 'format=keep', 'folder=..', 'dry_run', 'on_conflict=x'],
    { others: [post('/api/notes/import', 'no archive', { 'Content-Type': 'application/zip' })] },
  ),
  'POST /api/tasks/import': importing(
    '/api/tasks/import',
    'text/calendar',
    { good: CALENDAR, other: NO_CALENDAR, bad: ['', 'no calendar'] },
    [`project_id=${NOBODY}`],
  ),
  [`POST ${IMPORT_CARDS}`]: importing(
    `${IMPORT_CARDS}?format=csv`,
    'text/csv',
    { good: 'front,back', other: 'other,back', bad: [''] },
    ['on_duplicate=x', 'scheduling=x', `deck_id=${NOBODY}`],
    { megabytes: 64, others: [post(IMPORT_CARDS, 'front,back'), post(`${IMPORT_CARDS}?format=apkg`, 'text')] },
  ),
  'POST /api/import': importing(
    '/api/import',
    'application/zip',
    { good: ARCHIVE, other: archiveOf({}), bad: ['', 'no archive'] },
    ['dry_run=1'],
  ),
  'GET /api/export': route(200, get('/api/export')),
  'GET /api/notes/export': route(200, get('/api/notes/export'), {
    400: queries('/api/notes/export', 'folder_only=true', 'created_from=x'),
  }),
  'GET /api/tasks/export': route(200, get('/api/tasks/export'), {
    400: queries('/api/tasks/export', 'filter=due<x', 'time_zone=Mars'),
  }),
}
