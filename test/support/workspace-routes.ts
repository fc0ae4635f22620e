/** What to ask of the routes of whole workspaces. */
import { type Asking, FORM, get, post, type Route, route } from './asking'
import { ARCHIVE } from './file-routes'

const IMPORT = '/api/import'
const ADOPT = '/api/workspace/adopt'
const ASYNC = { Prefer: 'respond-async' }

const NO_RUN = '/api/imports/01890000-0000-7000-8000-00000000ffff'

/** Asks for a run that has ended. */
const ofRun =
  (method: 'GET' | 'DELETE'): Asking =>
  async (visitor) => {
    const headers = { 'Content-Type': 'application/zip', ...ASYNC }
    const sent = await visitor.send({ method: 'POST', path: IMPORT, body: ARCHIVE, headers })
    return { method, path: sent.headers.get('Location') ?? NO_RUN }
  }

const SETTINGS = '/api/workspace/settings'
const changeSettings =
  (body: unknown): Asking =>
  () => ({ method: 'PATCH', path: SETTINGS, body })

const drop =
  (path: string, body?: unknown, headers = {}): Asking =>
  () => ({ method: 'DELETE', path, body, headers })

/** A route that erases if it is told to in the body or the query. */
const erasing = (path: string, status: number, wrong: readonly string[]): Route =>
  route(status, drop(path, { confirm: 'erase' }), {
    400: [
      ...[undefined, {}, { confirm: 'yes' }, { confirm: 'erase', really: true }].map((body) => drop(path, body)),
      ...['confirm=', 'confirm=yes', 'confirm=Erase', ...wrong].map((query) => drop(`${path}?${query}`)),
    ],
    415: [drop(path, 'confirm=erase', FORM)],
  })

const trash = erasing('/api/trash', 200, ['confirm=erase&type=notes', 'confirm=erase&type='])

export const WORKSPACE_ROUTES: Readonly<Record<string, Route>> = {
  [`GET ${SETTINGS}`]: route(200, get(SETTINGS)),
  [`PATCH ${SETTINGS}`]: route(200, changeSettings({ time_zone: 'Europe/Lisbon', language: 'de' }), {
    400: [{ time_zone: 'Mars' }, { time_zone: '+02:00' }, { language: 'it' }].map(changeSettings),
  }),
  'GET /api/imports': route(200, get('/api/imports')),
  'GET /api/imports/:id': route(200, ofRun('GET')),
  'DELETE /api/imports/:id': route(200, ofRun('DELETE')),
  [`POST ${ADOPT}`]: {
    served: post(ADOPT, undefined),
    status: 200,
    needsKey: true,
    others: { 202: [post(ADOPT, undefined, ASYNC)], 400: [post(ADOPT, { all: true })] },
  },
  'DELETE /api/workspace': erasing('/api/workspace', 204, []),
  'DELETE /api/trash': {
    ...trash,
    others: {
      ...trash.others,
      202: [
        async (visitor) => {
          await visitor.send({ method: 'DELETE', path: await visitor.note() })
          return { method: 'DELETE', path: '/api/trash?confirm=erase', headers: ASYNC }
        },
      ],
    },
  },
}
