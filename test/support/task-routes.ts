import { type Asking, BARE, FORM, get, keyReused, LARGE, NO_JSON, NO_OBJECT, post, type Route, STALE } from './asking'
import type { Visitor } from './visitor'

/** What to ask of the routes of tasks; those of projects, labels and the like are in routes.ts. */

const NOBODY = '/api/tasks/01890000-0000-7000-8000-00000000ffff'
const DAILY = { title: 'T', due: { date: '2026-03-01' }, recurrence: { rrule: 'FREQ=DAILY' } }

/** Makes a task and answers its path; where none can be made, that of one nobody has. */
async function makeTask(visitor: Visitor, body: object = DAILY): Promise<string> {
  const { headers } = await visitor.send({ method: 'POST', path: '/api/tasks', body })
  return headers.get('Location') ?? NOBODY
}

const idOf = (path: string) => path.split('/').at(-1)

const onTask =
  (method: string, body?: unknown, headers = {}, rest = ''): Asking =>
  async (visitor) => ({ method, path: (await makeTask(visitor)) + rest, body, headers })

const act = (action: string, body?: unknown, headers = {}) => onTask('POST', body, headers, `/${action}`)

const inTrash =
  (method: string, body?: unknown, rest = ''): Asking =>
  async (visitor) => {
    const path = await makeTask(visitor)
    await visitor.send({ method: 'DELETE', path })
    return { method, path: path + rest, body }
  }

const takenId: Asking = async (visitor) => {
  const id = idOf(await makeTask(visitor))
  return { method: 'POST', path: '/api/tasks', body: { title: 'T', id } }
}

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
    const { completion } = response.status === 200 ? await response.json() : { completion: { id: idOf(NOBODY) } }
    for (let i = 0; i < later; i++) await visitor.send({ method: 'POST', path: `${path}/complete` })
    return { method: 'DELETE', path: `${path}/completions/${completion.id}${query}`, headers }
  }

/** An action that takes a body, or none, and that some state of the task forbids. */
const action = (name: string, good: object, bad: object, forbidden: Asking): Route => ({
  served: act(name, good),
  status: 200,
  others: {
    400: [...NO_JSON, bad, { colour: 'red' }].map((body) => act(name, body)).concat(act(name, good, BARE)),
    404: [post(`${NOBODY}/${name}`, good)],
    409: [forbidden, inTrash('POST', good, `/${name}`), keyReused(act(name, good), { time_zone: 'UTC' })],
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
  'GET /api/tasks': {
    served: get('/api/tasks'),
    status: 200,
    others: {
      400: queries(
        '/api/tasks',
        ...['limit=0', 'cursor=e30', 'sort=size', 'sort=due,-due', 'trashed', 'filter=due<x', 'time_zone=Mars'],
        ...['ids=x', 'ids=', 'parent_id=x', 'project_id=null', 'section_id=', 'label=', 'q=', 'q=%20', 'archived=1'],
        ...['status=closed', 'status=any,open', 'include=all'],
      ),
    },
  },
  'POST /api/tasks': {
    served: post('/api/tasks', DAILY),
    status: 201,
    others: {
      400: [...NO_JSON, ...NO_OBJECT, {}, { title: 'T', recurrence: { rrule: 'FREQ=DAILY' } }].map((body) =>
        post('/api/tasks', body),
      ),
      409: [takenId, keyReused(post('/api/tasks', DAILY), { title: 'two' })],
      413: [post('/api/tasks', LARGE)],
      415: [post('/api/tasks', 'title=T', FORM)],
    },
  },
  'GET /api/tasks/:id': {
    served: onTask('GET'),
    status: 200,
    others: {
      304: [onTask('GET', undefined, { 'If-None-Match': '"1-0"' })],
      400: [
        get('/api/tasks/nonsense'),
        onTask('GET', undefined, { 'If-None-Match': 'bare' }),
        onTask('GET', undefined, {}, '?include=all'),
      ],
      404: [get(NOBODY)],
    },
  },
  'PATCH /api/tasks/:id': {
    served: onTask('PATCH', { priority: 1 }),
    status: 200,
    others: {
      400: [{ priority: 5 }, '{', { due: { time_zone: 'Europe/Lisbon' } }].map((body) => onTask('PATCH', body)),
      404: [() => ({ method: 'PATCH', path: NOBODY, body: {} })],
      409: [inTrash('PATCH', { title: 'U' }), intoItself('PATCH')],
      412: [onTask('PATCH', { priority: 1 }, STALE)],
      413: [onTask('PATCH', LARGE)],
      415: [onTask('PATCH', 'priority=1', FORM)],
    },
  },
  'DELETE /api/tasks/:id': {
    served: onTask('DELETE'),
    status: 204,
    others: {
      400: [onTask('DELETE', undefined, {}, '?permanent=5'), onTask('DELETE', undefined, BARE)],
      404: ['', '?permanent=true'].map((query) => () => ({ method: 'DELETE', path: NOBODY + query })),
      412: [onTask('DELETE', undefined, STALE), onTask('DELETE', undefined, STALE, '?permanent=true')],
    },
  },
  'POST /api/tasks/:id/restore': {
    served: act('restore'),
    status: 200,
    others: {
      404: [post(`${NOBODY}/restore`, undefined)],
      409: [keyReused(act('restore'), {})],
      412: [act('restore', undefined, STALE)],
    },
  },
  'POST /api/tasks/:id/move': {
    served: act('move', { after: null }),
    status: 200,
    others: {
      400: [...NO_JSON, { after: 5 }, { project_id: idOf(NOBODY) }].map((body) => act('move', body)),
      404: [post(`${NOBODY}/move`, {})],
      409: [intoItself('POST', '/move'), inTrash('POST', {}, '/move'), keyReused(act('move', {}), { after: null })],
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
      404: [post(`${NOBODY}/reopen`, undefined)],
      409: [inTrash('POST', undefined, '/reopen'), keyReused(act('reopen'), {})],
      412: [act('reopen', undefined, STALE)],
    },
  },
  'GET /api/tasks/:id/occurrences': {
    served: onTask('GET', undefined, {}, '/occurrences'),
    status: 200,
    others: {
      400: below('occurrences', 'limit=0', 'from=2026-02-30', 'to=1900-01-01', 'cursor=e30'),
      404: [get(`${NOBODY}/occurrences`)],
    },
  },
  'GET /api/tasks/:id/completions': {
    served: onTask('GET', undefined, {}, '/completions'),
    status: 200,
    others: { 400: below('completions', 'limit=0', 'cursor=e30'), 404: [get(`${NOBODY}/completions`)] },
  },
  'DELETE /api/tasks/:id/completions/:cid': {
    served: undo(0),
    status: 200,
    others: {
      400: [undo(0, BARE), undo(0, {}, '?force=5'), onTask('DELETE', undefined, {}, '/completions/nonsense')],
      404: [onTask('DELETE', undefined, {}, `/completions/${idOf(NOBODY)}`)],
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
      404: [failing({ op: 'complete', id: idOf(NOBODY) })],
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
