import { FORM, get, keyReused, post, type Route } from './asking'
import { made, NOBODY, on, resourceRoutes } from './resource-routes'
import type { Visitor } from './visitor'

/** What to ask of the routes of calendar files and feeds. */

const IMPORT = '/api/tasks/import'
const FEEDS = '/api/tasks/feeds'
let names = 0
const ICS = { 'Content-Type': 'text/calendar' }
const EMPTY = 'BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n'
const ONE = EMPTY.replace('END:', 'BEGIN:VTODO\r\nUID:u\r\nSUMMARY:s\r\nEND:VTODO\r\nEND:')

const makeFeed = (visitor: Visitor) => made(visitor, FEEDS, { name: 'F' })

export const CALENDAR_ROUTES: Readonly<Record<string, Route>> = {
  ...resourceRoutes({
    base: FEEDS,
    steps: ['list', 'create', 'read', 'patch', 'delete'],
    make: makeFeed,
    body: () => ({ name: `feed ${++names}` }),
    change: () => ({ name: 'G' }),
    others: {
      create: { 400: [{}, { name: '' }, { name: 'F', filter: '#nowhere' }].map((body) => post(FEEDS, body)) },
      read: { 404: [get(`${FEEDS}/nobody.ics`), get(`${FEEDS}/${'A'.repeat(43)}.ics`)] },
      patch: {
        400: [{ name: '' }, { component: 'x' }, { filter: 'due<' }].map((body) => on(makeFeed)('PATCH', body)),
      },
    },
  }),
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
}
