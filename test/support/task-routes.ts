import { type Asking, BARE, FORM, get, keyReused, LARGE, NO_JSON, NO_OBJECT, post, type Route, STALE } from './asking'
import { ALL_STEPS, idOf, inTrash, made, NOBODY, on, resourceRoutes } from './resource-routes'
import type { Visitor } from './visitor'

/** What to ask of the routes of tasks; those of projects, labels and the like are in routes.ts. */

const UNKNOWN = `/api/tasks/${NOBODY}`
const DAILY = { title: 'T', due: { date: '2026-03-01' }, recurrence: { rrule: 'FREQ=DAILY' } }

let titles = 0

const makeTask = (visitor: Visitor, body: object = DAILY) => made(visitor, '/api/tasks', body)
const onTask = on(makeTask)
const act = (action: string, body?: unknown, headers = {}) => onTask('POST', body, headers, `/${action}`)
const taskInTrash = (method: string, body?: unknown, rest = '') => inTrash(makeTask, method, body, rest)

/** Asks for a task to be made a part of itself. */
const intoItself =
  (method: string, rest = ''): Asking =>
  async (visitor) => {
    const path = await makeTask(visitor)
    return { method, path: path + rest, body: { parent_id: idOf(path) } }
  }

/** Undoes a completion of a task, with so many more after it. */
const undo =
  (later: number, headers = {}, query = ''): Asking =>
  async (visitor) => {
    const path = await makeTask(visitor)
    const response = await visitor.send({ method: 'POST', path: `${path}/complete` })
    const { completion } = response.status === 200 ? await response.json() : { completion: { id: NOBODY } }
    for (let i = 0; i < later; i++) await visitor.send({ method: 'POST', path: `${path}/complete` })
    return { method: 'DELETE', path: `${path}/completions/${completion.id}${query}`, headers }
  }

/** An action that takes a body, or none, and that some state of the task forbids. */
const action = (name: string, good: object, bad: object, forbidden: Asking): Route => ({
  served: act(name, good),
  status: 200,
  others: {
    400: [...NO_JSON, bad, { colour: 'red' }].map((body) => act(name, body)).concat(act(name, good, BARE)),
    404: [post(`${UNKNOWN}/${name}`, good)],
    409: [forbidden, taskInTrash('POST', good, `/${name}`), keyReused(act(name, good), { time_zone: 'UTC' })],
    412: [act(name, good, STALE)],
    413: [act(name, LARGE)],
    415: [act(name, 'x', FORM)],
  },
})

const skipOnce: Asking = async (visitor) => ({
  method: 'POST',
  path: `${await makeTask(visitor, { title: 'once' })}/skip`,
})

/** What the listed queries of a collection are answered with 400. */
const queries = (path: string, ...list: string[]) => list.map((query) => get(`${path}?${query}`))
const below = (rest: string, ...list: string[]) =>
  list.map((query) => onTask('GET', undefined, {}, `/${rest}?${query}`))

const BATCH = { ops: [{ op: 'create', data: { title: 'T' } }] }
const failing = (op: object) => post('/api/tasks/batch', { ops: [op] })

export const TASK_ROUTES: Readonly<Record<string, Route>> = {
  ...resourceRoutes({
    base: '/api/tasks',
    steps: ALL_STEPS,
    make: makeTask,
    body: () => ({ ...DAILY, title: `task ${++titles}` }),
    change: () => ({ priority: 1 }),
    others: {
      list: {
        400: queries(
          '/api/tasks',
          ...['sort=size', 'sort=due,-due', 'filter=due<x', 'time_zone=Mars', 'ids=x', 'ids=', 'parent_id=x'],
          ...['project_id=null', 'section_id=', 'label=', 'q=', 'q=%20', 'archived=1', 'status=closed'],
          ...['status=any,open', 'include=all'],
        ),
      },
      create: { 400: [post('/api/tasks', { title: 'T', recurrence: { rrule: 'FREQ=DAILY' } })] },
      read: { 400: [onTask('GET', undefined, {}, '?include=all')] },
      patch: {
        400: [{ priority: 5 }, { due: { time_zone: 'Europe/Lisbon' } }].map((body) => onTask('PATCH', body)),
        409: [intoItself('PATCH')],
      },
    },
  }),
  'POST /api/tasks/:id/move': {
    served: act('move', { after: null }),
    status: 200,
    others: {
      400: [...NO_JSON, { after: 5 }, { project_id: NOBODY }].map((body) => act('move', body)),
      404: [post(`${UNKNOWN}/move`, {})],
      409: [intoItself('POST', '/move'), taskInTrash('POST', {}, '/move'), keyReused(act('move', {}), { after: null })],
      412: [act('move', {}, STALE)],
      413: [act('move', LARGE)],
      415: [act('move', 'x', FORM)],
    },
  },
  'POST /api/tasks/:id/complete': action(
    'complete',
    { occurrence: '2026-03-01' },
    { completed_at: '2999-01-01T00:00:00.000Z' },
    act('complete', { occurrence: '2026-03-02' }),
  ),
  'POST /api/tasks/:id/skip': action('skip', { occurrence: '2026-03-01' }, { time_zone: 'Mars' }, skipOnce),
  'POST /api/tasks/:id/reopen': {
    served: act('reopen'),
    status: 200,
    others: {
      400: [act('reopen', undefined, BARE), act('reopen', { colour: 'red' })],
      404: [post(`${UNKNOWN}/reopen`, undefined)],
      409: [taskInTrash('POST', undefined, '/reopen'), keyReused(act('reopen'), {})],
      412: [act('reopen', undefined, STALE)],
    },
  },
  'GET /api/tasks/:id/occurrences': {
    served: onTask('GET', undefined, {}, '/occurrences'),
    status: 200,
    others: {
      400: below('occurrences', 'limit=0', 'from=2026-02-30', 'to=1900-01-01', 'cursor=e30'),
      404: [get(`${UNKNOWN}/occurrences`)],
    },
  },
  'GET /api/tasks/:id/completions': {
    served: onTask('GET', undefined, {}, '/completions'),
    status: 200,
    others: { 400: below('completions', 'limit=0', 'cursor=e30'), 404: [get(`${UNKNOWN}/completions`)] },
  },
  'DELETE /api/tasks/:id/completions/:cid': {
    served: undo(0),
    status: 200,
    others: {
      400: [undo(0, BARE), undo(0, {}, '?force=5'), onTask('DELETE', undefined, {}, '/completions/nonsense')],
      404: [onTask('DELETE', undefined, {}, `/completions/${NOBODY}`)],
      409: [undo(1), undo(1, {}, '?force=true')],
      412: [undo(0, STALE)],
    },
  },
  'GET /api/tasks/completed': {
    served: get('/api/tasks/completed'),
    status: 200,
    others: { 400: queries('/api/tasks/completed', 'limit=0', 'from=today', 'cursor=e30') },
  },
  'POST /api/tasks/quick': {
    served: post('/api/tasks/quick', { text: 'buy milk' }),
    status: 201,
    others: {
      200: [post('/api/tasks/quick', { text: 'buy milk', dry_run: true })],
      400: [...NO_JSON, ...NO_OBJECT, { text: '@home' }].map((body) => post('/api/tasks/quick', body)),
      409: [keyReused(post('/api/tasks/quick', { text: 'one' }), { text: 'two' })],
      413: [post('/api/tasks/quick', LARGE)],
      415: [post('/api/tasks/quick', 'x', FORM)],
    },
  },
  'POST /api/tasks/batch': {
    served: post('/api/tasks/batch', BATCH),
    status: 200,
    others: {
      400: [post('/api/tasks/batch', { ops: [] }), failing({ op: 'create', data: { title: '' } })],
      404: [failing({ op: 'complete', id: NOBODY })],
      409: [keyReused(post('/api/tasks/batch', BATCH), { ...BATCH, atomic: false })],
      412: [
        async (visitor) => {
          const id = idOf(await makeTask(visitor))
          return failing({ op: 'delete', id, if_revision: 7 })(visitor)
        },
      ],
      413: [post('/api/tasks/batch', LARGE)],
      415: [post('/api/tasks/batch', 'x', FORM)],
    },
  },
}
