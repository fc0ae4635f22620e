import { type Asking, get, NOBODY, post, queries, type Route, route } from './asking'
import { ALL_STEPS, idOf, inTrash, made, on, resourceRoutes } from './resource-routes'
import type { Visitor } from './visitor'

/** What to ask of the routes of tasks and feeds; those of projects, labels and the like are in routes.ts. */

const DAILY = { title: 'T', due: { date: '2026-03-01' }, recurrence: { rrule: 'FREQ=DAILY' } }
const FEEDS = '/api/tasks/feeds'

let titles = 0

const makeTask = (visitor: Visitor, body: object = DAILY) => made(visitor, '/api/tasks', body)
const makeFeed = (visitor: Visitor) => made(visitor, FEEDS, { name: 'F' })
const onTask = on(makeTask)
const act = (action: string, body?: unknown) => onTask('POST', body, {}, `/${action}`)
const taskInTrash = (action: string, body?: unknown) => inTrash(makeTask, 'POST', body, `/${action}`)

/** Asks for a task to be made a part of itself. */
const intoItself =
  (method: string, rest = ''): Asking =>
  async (visitor) => {
    const path = await makeTask(visitor)
    return { method, path: path + rest, body: { parent_id: idOf(path) } }
  }

/** Undoes a completion of a task, with so many more after it. */
const undo =
  (later: number, query = ''): Asking =>
  async (visitor) => {
    const path = await makeTask(visitor)
    const response = await visitor.send({ method: 'POST', path: `${path}/complete` })
    const { completion } = response.status === 200 ? await response.json() : { completion: { id: NOBODY } }
    for (let i = 0; i < later; i++) await visitor.send({ method: 'POST', path: `${path}/complete` })
    return { method: 'DELETE', path: `${path}/completions/${completion.id}${query}` }
  }

const skipOnce: Asking = async (visitor) => ({
  method: 'POST',
  path: `${await makeTask(visitor, { title: 'once' })}/skip`,
})

const batch = (op: object) => post('/api/tasks/batch', { ops: [op] })

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
          ...['project_id=null', 'section_id=', 'label=', 'q=', 'q=%20', 'archived=1', 'status=any,open'],
        ),
      },
      create: { 400: [post('/api/tasks', { title: 'T', recurrence: { rrule: 'FREQ=DAILY' } })] },
      patch: { 400: [onTask('PATCH', { due: { time_zone: 'Europe/Lisbon' } })], 409: [intoItself('PATCH')] },
    },
  }),
  ...resourceRoutes({
    base: FEEDS,
    steps: ['list', 'create', 'read', 'patch', 'delete'],
    make: makeFeed,
    body: () => ({ name: `feed ${++titles}` }),
    change: () => ({ name: 'G' }),
    others: {
      create: { 400: [post(FEEDS, { name: 'F', filter: '#nowhere' })] },
      read: { 404: [get(`${FEEDS}/nobody.ics`), get(`${FEEDS}/${'A'.repeat(43)}.ics`)] },
      patch: { 400: [on(makeFeed)('PATCH', { filter: 'due<' })] },
    },
  }),
  'POST /api/tasks/:id/move': route(200, act('move', { after: null }), {
    400: [act('move', { project_id: NOBODY })],
    409: [intoItself('POST', '/move'), taskInTrash('move', {})],
  }),
  'POST /api/tasks/:id/complete': route(200, act('complete', { occurrence: '2026-03-01' }), {
    400: [act('complete', { completed_at: '2999-01-01T00:00:00.000Z' })],
    409: [act('complete', { occurrence: '2026-03-02' }), taskInTrash('complete')],
  }),
  'POST /api/tasks/:id/skip': route(200, act('skip', { occurrence: '2026-03-01' }), {
    400: [act('skip', { time_zone: 'Mars' })],
    409: [skipOnce, taskInTrash('skip')],
  }),
  'POST /api/tasks/:id/reopen': route(200, act('reopen'), {
    400: [act('reopen', { colour: 'red' })],
    409: [taskInTrash('reopen')],
  }),
  'GET /api/tasks/:id/occurrences': route(200, onTask('GET', undefined, {}, '/occurrences')),
  'GET /api/tasks/:id/completions': route(200, onTask('GET', undefined, {}, '/completions')),
  'DELETE /api/tasks/:id/completions/:cid': route(200, undo(0), {
    404: [onTask('DELETE', undefined, {}, `/completions/${NOBODY}`)],
    409: [undo(1), undo(1, '?force=true')],
  }),
  'GET /api/tasks/completed': route(200, get('/api/tasks/completed')),
  'POST /api/tasks/quick': route(201, post('/api/tasks/quick', { text: 'buy milk' }), {
    200: [post('/api/tasks/quick', { text: 'buy milk', dry_run: true })],
    400: [post('/api/tasks/quick', { text: '@home' })],
  }),
  'POST /api/tasks/batch': route(200, batch({ op: 'create', data: { title: 'T' } }), {
    400: [post('/api/tasks/batch', { ops: [] }), batch({ op: 'create', data: { title: '' } })],
    404: [batch({ op: 'complete', id: NOBODY })],
    412: [async (visitor) => batch({ op: 'delete', id: idOf(await makeTask(visitor)), if_revision: 7 })(visitor)],
  }),
}
