/** What to ask of the routes that move whole workspaces. */
import { type Asking, BARE, FORM, get, keyReused, LARGE, NO_JSON, NO_OBJECT, post, type Route, STALE } from './asking'
import { zipOfTexts } from './zip'

const IMPORT = '/api/import'
const ADOPT = '/api/workspace/adopt'
const ZIP = { 'Content-Type': 'application/zip' }
const ASYNC = { Prefer: 'respond-async' }
const ONCE = { 'Idempotency-Key': 'of-a-note' }

const AT = '2026-03-01T08:15:00.000Z'
/** A line of data/note.jsonl. */
export const NOTE = {
  id: '01890000-0000-7000-8000-00000000aaaa',
  revision: 1,
  created_at: AT,
  updated_at: AT,
  deleted_at: null,
  title: 'T',
  file_name: null,
  folder: null,
  tags: [],
  pinned: false,
  archived_at: null,
  source: null,
  daily_date: null,
  imported: null,
  properties: {},
  body: '',
}
const manifest = JSON.stringify({ format: 'satchel-workspace', version: 1 })
const ARCHIVE = zipOfTexts({ 'manifest.json': manifest, 'data/note.jsonl': JSON.stringify(NOTE) })
const OTHER = zipOfTexts({ 'manifest.json': `${manifest}\n` })

const NO_RUN = '/api/imports/01890000-0000-7000-8000-00000000ffff'

/** Asks for a run that has ended. */
const ofRun =
  (method: 'GET' | 'DELETE', rest = ''): Asking =>
  async (visitor) => {
    const { headers } = await visitor.send({
      method: 'POST',
      path: IMPORT,
      body: ARCHIVE,
      headers: { ...ZIP, ...ASYNC },
    })
    return { method, path: `${headers.get('Location') ?? NO_RUN}${rest}` }
  }

const SETTINGS = '/api/workspace/settings'
const changeSettings =
  (body: unknown, headers = {}): Asking =>
  () => ({ method: 'PATCH', path: SETTINGS, body, headers })
/** Asks for the settings with the ETag that they have. */
const unchanged: Asking = async (visitor) => {
  const { headers } = await visitor.send({ method: 'GET', path: SETTINGS })
  return { method: 'GET', path: SETTINGS, headers: { 'If-None-Match': headers.get('ETag') ?? '' } }
}

export const WORKSPACE_ROUTES: Readonly<Record<string, Route>> = {
  'GET /api/workspace/settings': {
    served: get(SETTINGS),
    status: 200,
    others: {
      304: [unchanged],
      400: [
        get(`${SETTINGS}?colour=red`),
        () => ({ method: 'GET', path: SETTINGS, headers: { 'If-None-Match': 'bare' } }),
      ],
    },
  },
  'PATCH /api/workspace/settings': {
    served: changeSettings({ time_zone: 'Europe/Lisbon', language: 'de' }),
    status: 200,
    others: {
      400: [
        ...NO_JSON,
        ...NO_OBJECT,
        { time_zone: 'Mars' },
        { time_zone: '+02:00' },
        { language: 'it' },
        { zone: 'UTC' },
      ]
        .map((body) => changeSettings(body))
        .concat(changeSettings({ language: 'fr' }, BARE)),
      412: [changeSettings({ language: 'fr' }, STALE)],
      413: [changeSettings(LARGE)],
      415: [changeSettings('language=fr', FORM)],
    },
  },
  'GET /api/imports': {
    served: get('/api/imports'),
    status: 200,
    others: { 400: ['limit=0', 'cursor=e30', 'colour=red'].map((query) => get(`/api/imports?${query}`)) },
  },
  'GET /api/imports/:id': {
    served: ofRun('GET'),
    status: 200,
    others: {
      400: [get('/api/imports/x'), ...['?limit=0', '?cursor=e30', '?colour=red'].map((query) => ofRun('GET', query))],
      404: [get(NO_RUN)],
    },
  },
  'DELETE /api/imports/:id': {
    served: ofRun('DELETE'),
    status: 200,
    others: {
      400: [() => ({ method: 'DELETE', path: '/api/imports/x' })],
      404: [() => ({ method: 'DELETE', path: NO_RUN })],
    },
  },
  'GET /api/export': {
    served: get('/api/export'),
    status: 200,
    others: { 400: ['colour=red', 'readable=5'].map((query) => get(`/api/export?${query}`)) },
  },
  'POST /api/import': {
    served: post(IMPORT, ARCHIVE, ZIP),
    status: 200,
    others: {
      202: [post(IMPORT, ARCHIVE, { ...ZIP, ...ASYNC })],
      400: [
        post(IMPORT, 'no archive', ZIP),
        post(IMPORT, '', ZIP),
        ...['colour=red', 'dry_run', 'dry_run=1'].map((query) => post(`${IMPORT}?${query}`, ARCHIVE, ZIP)),
      ],
      409: [keyReused(post(IMPORT, ARCHIVE, ZIP), OTHER)],
      413: [post(IMPORT, 'x'.repeat(4 * 1024 * 1024 + 1), ZIP)],
      415: [post(IMPORT, '{}'), post(IMPORT, 'x', FORM)],
    },
  },
  'POST /api/workspace/adopt': {
    served: post(ADOPT, undefined),
    status: 200,
    needsKey: true,
    others: {
      202: [post(ADOPT, undefined, ASYNC)],
      400: [post(`${ADOPT}?colour=red`, undefined), post(`${ADOPT}?dry_run=5`, undefined), post(ADOPT, { all: true })],
      409: [
        async (visitor) => {
          await visitor.send({ method: 'POST', path: '/api/notes', body: {}, headers: ONCE })
          return { method: 'POST', path: ADOPT, headers: ONCE }
        },
      ],
    },
  },
}
