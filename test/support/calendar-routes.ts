import { type Asking, BARE, FORM, get, keyReused, LARGE, NO_JSON, NO_OBJECT, post, type Route, STALE } from './asking'

/** What to ask of the routes of calendar files and feeds. */

const IMPORT = '/api/tasks/import'
const FEEDS = '/api/tasks/feeds'
const NOBODY = '01890000-0000-7000-8000-00000000ffff'
const ICS = { 'Content-Type': 'text/calendar' }
const EMPTY = 'BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n'
const ONE = EMPTY.replace('END:', 'BEGIN:VTODO\r\nUID:u\r\nSUMMARY:s\r\nEND:VTODO\r\nEND:')

/** Asks for a feed that is made before. */
const onFeed =
  (method: string, body?: unknown, headers = {}): Asking =>
  async (visitor) => {
    const made = await visitor.send({ method: 'POST', path: FEEDS, body: { name: 'F' } })
    return { method, path: made.headers.get('Location') ?? `${FEEDS}/${NOBODY}`, body, headers }
  }

const takenId: Asking = async (visitor) => {
  const { path } = await onFeed('GET')(visitor)
  return { method: 'POST', path: FEEDS, body: { name: 'F', id: path.split('/').at(-1) } }
}

export const CALENDAR_ROUTES: Readonly<Record<string, Route>> = {
  'POST /api/tasks/import': {
    served: post(IMPORT, ONE, ICS),
    status: 200,
    others: {
      202: [post(IMPORT, ONE, { ...ICS, Prefer: 'respond-async' })],
      400: [
        post(IMPORT, 'no calendar', ICS),
        post(IMPORT, '', ICS),
        ...['colour=red', 'dry_run', 'on_conflict=x', 'project_id=x', `project_id=${NOBODY}`].map((query) =>
          post(`${IMPORT}?${query}`, ONE, ICS),
        ),
      ],
      409: [keyReused(post(IMPORT, ONE, ICS), EMPTY)],
      413: [post(IMPORT, 'x'.repeat(4 * 1024 * 1024 + 1), ICS)],
      415: [post(IMPORT, '{}'), post(IMPORT, 'x', FORM)],
    },
  },
  'GET /api/tasks/export': {
    served: get('/api/tasks/export'),
    status: 200,
    others: {
      400: ['format=xml', 'filter=due<x', 'filter_id=x', 'time_zone=Mars', 'now=x', 'colour=red'].map((query) =>
        get(`/api/tasks/export?${query}`),
      ),
    },
  },
  'GET /api/tasks/feed.ics': {
    served: get('/api/tasks/feed.ics'),
    status: 200,
    others: {
      304: [get('/api/tasks/feed.ics', { 'If-None-Match': '*' })],
      400: ['component=valarm', 'filter=due<x', 'include_done=1', 'colour=red'].map((query) =>
        get(`/api/tasks/feed.ics?${query}`),
      ),
    },
  },
  'GET /api/tasks/feeds': {
    served: get(FEEDS),
    status: 200,
    others: { 400: ['limit=0', 'cursor=e30', 'colour=red'].map((query) => get(`${FEEDS}?${query}`)) },
  },
  'POST /api/tasks/feeds': {
    served: post(FEEDS, { name: 'F' }),
    status: 201,
    others: {
      400: [...NO_JSON, ...NO_OBJECT, {}, { name: '' }, { name: 'F', filter: '#nowhere' }].map((body) =>
        post(FEEDS, body),
      ),
      409: [takenId, keyReused(post(FEEDS, { name: 'F' }), { name: 'G' })],
      413: [post(FEEDS, LARGE)],
      415: [post(FEEDS, 'name=F', FORM)],
    },
  },
  'GET /api/tasks/feeds/:id': {
    served: onFeed('GET'),
    status: 200,
    others: {
      304: [onFeed('GET', undefined, { 'If-None-Match': '"1"' })],
      400: [get(`${FEEDS}/nonsense`), onFeed('GET', undefined, { 'If-None-Match': 'bare' })],
      404: [get(`${FEEDS}/${NOBODY}`), get(`${FEEDS}/nobody.ics`), get(`${FEEDS}/${'A'.repeat(43)}.ics`)],
    },
  },
  'PATCH /api/tasks/feeds/:id': {
    served: onFeed('PATCH', { name: 'G' }),
    status: 200,
    others: {
      400: [{ name: '' }, { component: 'x' }, { filter: 'due<' }, '{'].map((body) => onFeed('PATCH', body)),
      404: [() => ({ method: 'PATCH', path: `${FEEDS}/${NOBODY}`, body: {} })],
      412: [onFeed('PATCH', { name: 'G' }, STALE)],
      413: [onFeed('PATCH', LARGE)],
      415: [onFeed('PATCH', 'name=G', FORM)],
    },
  },
  'DELETE /api/tasks/feeds/:id': {
    served: onFeed('DELETE'),
    status: 204,
    others: {
      400: [onFeed('DELETE', undefined, BARE)],
      404: [() => ({ method: 'DELETE', path: `${FEEDS}/${NOBODY}` })],
      412: [onFeed('DELETE', undefined, STALE)],
    },
  },
}
