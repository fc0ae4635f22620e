import { afterAll, describe, expect, test } from 'bun:test'
import { GENERIC_CODES, statusOf } from '../src/openapi/common'
import { asObject } from '../src/openapi/json-schema'
import { commonCases } from './support/asking'
import { ON_POSTGRES, useDatabase } from './support/database'
import { expectDuties, expectProblem, expectSecurity, limitHeaders } from './support/duties'
import { part } from './support/full'
import { operations } from './support/openapi'
import { ROUTES } from './support/routes'
import { makeVectors } from './support/vectors'
import { type Ask, listeningWorld, remainingOf, Visitor } from './support/visitor'
import { requestText, sendBytes } from './support/wire'
import { makeKey } from './support/world'

/** What every answer owes its caller, over a real socket: by every route, with every status that it can give. */

const vectors = makeVectors()
const world = await listeningWorld(vectors.settings)
/** Its tables are gone. */
const emptied = await listeningWorld(vectors.settings)
await sql(
  emptied,
  ...[
    'note_bodies note_names note_tags notes note_attachments changes workspaces workspace_settings import_runs',
    'tasks task_completions task_projects task_sections task_labels task_filters task_feeds study_cards study_facts',
    'study_decks study_settings study_reviews study_media study_reschedules flashcard_note_types',
  ]
    .flatMap((names) => names.split(' '))
    .map((table) => `DROP TABLE ${table}${ON_POSTGRES ? ' CASCADE' : ''}`),
)
/** Its meter has lost its file. */
const unmetered = await listeningWorld(vectors.settings)
unmetered.meter.close()
/** Its disk is full whenever a test says so. */
const crowded = await listeningWorld(vectors.settings)
/** A caller of `world` that has nothing left in this hour. */
const exhausted = await new Visitor(world.base).exhaust()

afterAll(async () => {
  for (const { close } of [world, emptied, unmetered, crowded]) await close()
  await vectors.stop()
})

function sql({ folder }: { folder: string }, ...statements: readonly string[]): Promise<void> {
  return useDatabase(folder, async (db) => {
    for (const statement of statements) await db.run(statement)
  })
}

const declared = world.app.routes.filter(({ path }) => path === '/api' || path.startsWith('/api/'))
const routes = declared.filter(({ method }) => method !== 'ALL').map(({ method, path }) => `${method} ${path}`)
const READ_NOTHING =
  /^GET .api(.version|.tags|.ps|.openai(.v1)?.models(.:id)?)?$|^POST .api.(show|embed|embeddings|openai(.v1)?.embeddings)$/
/** What adds to the data as it is asked here. */
const GROWS = new Set(
  [
    'POST notes notes/attachments notes/:id/edits notes/daily/:date/edits notes/batch notes/tags/rename notes/folders/rename notes/import',
    'PUT notes/daily/:date flashcards/media/:name',
    'PATCH notes/:id/revisions/:n flashcards/decks/:id flashcards/facts/:id flashcards/settings workspace/settings',
    'POST tasks tasks/quick tasks/batch tasks/import tasks/:id/complete tasks/:id/skip',
    'POST tasks/feeds tasks/projects tasks/sections tasks/labels tasks/filters',
    'POST flashcards/decks flashcards/facts flashcards/import flashcards/cards/:id/reviews import workspace/adopt',
  ].flatMap((line) => {
    const [method, ...paths] = line.split(' ')
    return paths.map((path) => `${method} /api/${path}`)
  }),
)
const isUsage = (name: string) => name === 'GET /api/usage'

/** Sends what `ask` says and holds the answer to its duties and its status. Returns the error in it. */
async function expectAnswer(visitor: Visitor, ask: Ask, status: number, counted: number) {
  const { response, cost, remaining } = await visitor.weigh(ask)
  expect([response.status, cost]).toEqual([status, counted])
  expect(remainingOf(response)).toBe(remaining)
  return await expectDuties(response, ask.path, visitor.tier)
}

test('every route of the app is asked here, and nothing that is none', () => {
  expect(Object.keys(ROUTES).toSorted()).toEqual(routes.toSorted())
})

/**
 * What is reached elsewhere, since it takes long: 202 where much changes, more than 10,000 tasks at once; and what is not
 * reached where the trainer is not installed.
 */
const EXTRA: [RegExp, number[]][] = [
  [/^POST .api.flashcards.optimize$/, [200, 202, 501]],
  [/^POST .api.(chat|generate|openai.chat.completions)$/, [502, 504]],
  [/^POST .api.(embed|embeddings|openai.embeddings)$/, [501, 502, 504]],
  [/^(POST .api.notes.(tags|folders).rename|PATCH .api.notes(.attachments|).:id)$/, [202]],
  [/^DELETE .api.tasks(.projects|).:id$/, [202, 409]],
  [/^DELETE .api.tasks.(sections|labels).:id$/, [202]],
  [
    /^DELETE .api.flashcards.decks.:id$|^POST .api.(flashcards.(decks.:id.restore|reschedule.undo)|tasks(.projects|).:id.restore)$/,
    [202],
  ],
  [/^PATCH .api.(flashcards.decks.:id|flashcards.settings|tasks.labels.:id)$/, [202]],
]

/** The second path of OpenAI's routes, and one with a wildcard: the document has the route beside it. */
const isHidden = (name: string) => name.includes(' /api/openai/v1/') || name.endsWith('/*')

const document = asObject(await (await fetch(`${world.base}/openapi.json`)).json())
/** The operations under /api, by the names of their routes. */
const documented = new Map(
  operations(document)
    .filter(({ path }) => /^.api(.|$)/.test(path))
    .map(({ method, path, operation }) => [
      `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
      operation,
    ]),
)

/** What all routes are asked that take the same, and what this one is asked. */
function casesOf(name: string, { served, others = {} }: (typeof ROUTES)[string]) {
  const operation = documented.get(name.replace('/openai/v1/', '/openai/').replace('/*', '/:path')) ?? {}
  const own = Object.entries(others).flatMap(([status, asks]) =>
    asks.map((asking) => ({ status: Number(status), asking, code: undefined })),
  )
  // MCP has an Idempotency-Key for calls that write alone.
  const common = commonCases(document, operation, served).filter(
    ({ status }) => name !== 'POST /api/mcp' || status !== 409,
  )
  return [...common, ...own].map((one, i) => ({ ...one, i }))
}

/** Errors that any request can get: the document says them once. */
const GENERIC = new Set(GENERIC_CODES.map(statusOf))
const isOwn = (status: number) => status < 400 || !GENERIC.has(status)

test('every status that the document declares is reached here, and no other', () => {
  const reached = Object.entries(ROUTES)
    .filter(([name]) => !isHidden(name))
    .map(([name, route]) => {
      const extra = EXTRA.find(([pattern]) => pattern.test(name))?.[1] ?? []
      const answered = casesOf(name, route).map(({ status }) => status)
      return [name, [...new Set([route.status, ...extra, ...answered])].filter(isOwn).toSorted()]
    })
  const told = [...documented].map(([name, { responses }]) => [
    name,
    Object.keys(asObject(responses))
      .filter((status) => status !== 'default')
      .map(Number)
      .filter(isOwn)
      .toSorted(),
  ])
  expect(Object.fromEntries(told)).toEqual(Object.fromEntries(reached))
})

describe.each(Object.entries(ROUTES))('%s', (name, route) => {
  const { served, status, needsKey = false } = route
  const counted = isUsage(name) ? 0 : 1
  const key = needsKey ? makeKey(3) : undefined

  test.each([
    ['without a key', undefined, needsKey ? 400 : status],
    ['with a key', makeKey(1), status],
  ])(`%s is answered, and counted ${counted} times`, async (_, key, expected) => {
    const visitor = new Visitor(world.base, key)
    await expectAnswer(visitor, await served(visitor), expected, counted)
  })

  test.each(casesOf(name, route))('answers $status, counted once (case $i)', async ({ status, asking, code }) => {
    const visitor = new Visitor(world.base, key)
    const problem = await expectAnswer(visitor, await asking(visitor), status, 1)
    if (code) expect(problem.code).toBe(code)
  })

  test('refuses a parameter that it does not know', async () => {
    const visitor = new Visitor(world.base)
    const ask = await served(visitor)
    const response = await visitor.send({ ...ask, path: `${ask.path}${ask.path.includes('?') ? '&' : '?'}kolour=red` })
    const problem = await expectDuties(response, ask.path, visitor.tier)
    expect([response.status, problem.errors]).toEqual([
      400,
      [{ pointer: '/kolour', code: 'invalid_value', detail: 'kolour is not known here' }],
    ])
  })

  if (
    (name.startsWith('DELETE') && !['DELETE /api/workspace', 'DELETE /api/trash'].includes(name)) ||
    name.endsWith('/restore')
  )
    test('takes no body but an empty one, and refuses its members', async () => {
      const visitor = new Visitor(world.base)
      const ask = { ...(await served(visitor)), headers: { 'Content-Type': 'application/json' } }
      const refused = await visitor.send({ ...ask, body: { colour: 'red', 'a/b': null } })
      const problem = await expectDuties(refused, ask.path, visitor.tier)
      expect([refused.status, problem.errors]).toEqual([
        400,
        [
          { pointer: '/colour', code: 'invalid_value', detail: 'colour is not known here' },
          { pointer: '/a~1b', code: 'invalid_value', detail: 'a/b is not known here' },
        ],
      ])
      for (const body of [[], 'text', 1])
        expect((await visitor.send({ ...ask, body: JSON.stringify(body) })).status).toBe(400)
      expect((await visitor.send({ ...ask, body: {} })).status).toBe(status)
    })

  test('on a full disk is refused if it would add something, and served as ever if not', async () => {
    const visitor = new Visitor(crowded.base, key)
    crowded.space.free = 2 ** 40
    crowded.clock.now += 1000
    const ask = await served(visitor)
    crowded.space.free = 0
    crowded.clock.now += 1000
    const expected = GROWS.has(name) ? 507 : status
    const problem = await expectAnswer(visitor, ask, expected, counted)
    if (expected === 507) expect(problem.code).toBe('storage_full')
  })
})

/** What the frame answers before a route is asked, or after it has failed. */
describe.each(part(Object.entries(ROUTES)))('%s', (name, { served, needsKey = false }) => {
  const key = needsKey ? makeKey(3) : undefined

  test('refuses a malformed key with 400, charged to the address', async () => {
    const visitor = new Visitor(world.base)
    const ask = await served(visitor)
    const problem = await expectAnswer(visitor, { ...ask, headers: { 'X-API-Key': 'short' } }, 400, 1)
    expect(problem.code).toBe('invalid_api_key')
  })

  test('answers 429 when nothing is left', async () => {
    // Looking at one's usage is free, so there it is the new keys of an address that are used up.
    const usage = isUsage(name)
    const visitor = usage ? await newcomer() : exhausted
    const ask = await served(new Visitor(world.base))
    const response = await visitor.send(ask)
    const problem = await expectDuties(response, ask.path, visitor.tier)
    expect(problem.code).toBe(usage ? 'too_many_new_keys' : 'rate_limited')
    expect(Number(response.headers.get('Retry-After'))).toBeWithin(1, 10_801)
    if (!usage) expect(remainingOf(response)).toBe(0)
  })

  test('answers 503 while requests cannot be counted', async () => {
    const visitor = new Visitor(unmetered.base)
    const ask = await served(visitor)
    const response = await visitor.send(ask)
    expect([response.status, remainingOf(response)]).toEqual([503, 0])
    expect((await expectDuties(response, ask.path, 'free')).code).toBe('unavailable')
  })

  test('answers 500 without a word of the fault when it fails', async () => {
    // Some read nothing: there it is the look for the workspace of an unknown key that fails.
    const visitor = new Visitor(emptied.base, READ_NOTHING.test(name) ? makeKey(2) : key)
    const ask = await served(visitor)
    const response = await visitor.send(ask)
    expect(response.status).toBe(500)
    const problem = await expectDuties(response, ask.path, visitor.tier)
    expect(problem.detail).toBe(
      'The server failed to answer this request. Its log has the details under this request_id.',
    )
    expect(emptied.logged).toContainEqual(
      expect.objectContaining({ level: 'error', fields: expect.objectContaining({ request_id: problem.request_id }) }),
    )
  })
})

/** A caller whose address has brought as many new keys as it may. */
async function newcomer(): Promise<Visitor> {
  const { address } = new Visitor(world.base)
  for (let i = 0; i < 20; i++) await new Visitor(world.base, makeKey(100 + i), address).send({ path: '/api' })
  return new Visitor(world.base, makeKey(300), address)
}

test('a failure after the gate is counted once', async () => {
  await expectAnswer(new Visitor(emptied.base), { path: '/api/notes' }, 500, 1)
})

test('an answer that breaks its schema is our fault: 500, counted once, and logged', async () => {
  const visitor = new Visitor(world.base)
  const path = await visitor.note()
  await sql(world, `UPDATE notes SET word_count = -1 WHERE id = '${path.split('/').at(-1)}'`)
  expect((await expectAnswer(visitor, { path }, 500, 1)).code).toBe('internal')
})

test('a change feed that forgot what was asked for says 410', async () => {
  const visitor = new Visitor(world.base)
  for (let i = 0; i < 2; i++) await visitor.note()
  await sql(world, 'UPDATE workspaces SET forgotten_seq = 2')
  expect((await expectAnswer(visitor, { path: '/api/changes?since=1' }, 410, 1)).code).toBe('cursor_expired')
  // Who knows nothing has missed no deletion.
  expect((await visitor.send({ path: '/api/changes?since=0' })).status).toBe(200)
})

describe.each(part([...new Set(declared.map(({ path }) => path))]))('%s', (pattern) => {
  const path = pattern.replace(':id', '01890000-0000-7000-8000-00000000ffff')
  const methods = routes.filter((route) => route.endsWith(` ${pattern}`)).map((route) => route.split(' ')[0] ?? '')
  const head = methods.includes('GET') ? ['HEAD'] : []
  const allow = [...methods, ...head, 'OPTIONS'].toSorted()
  const allowOf = ({ headers }: Response) => headers.get('Allow')?.split(', ').toSorted()

  test.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'].filter((method) => !methods.includes(method)))(
    'answers 405 and Allow to %s, counted once',
    async (method) => {
      const visitor = new Visitor(world.base)
      expect((await expectAnswer(visitor, { method, path }, 405, 1)).code).toBe('method_not_allowed')
      expect(allowOf(await visitor.send({ method, path }))).toEqual(allow)
    },
  )

  test('answers 204 and Allow to OPTIONS, counted once', async () => {
    const visitor = new Visitor(world.base)
    await expectAnswer(visitor, { method: 'OPTIONS', path }, 204, 1)
    expect(allowOf(await visitor.send({ method: 'OPTIONS', path }))).toEqual(allow)
  })

  test('answers a preflight with 204, uncounted, also when nothing is left or nothing can be counted', async () => {
    const headers = { Origin: 'https://example.org', 'Access-Control-Request-Method': 'POST' }
    const preflight = { method: 'OPTIONS', path, headers }
    await expectAnswer(new Visitor(world.base), preflight, 204, 0)
    for (const visitor of [exhausted, new Visitor(unmetered.base)]) {
      const response = await visitor.send(preflight)
      expect([response.status, remainingOf(response)]).toEqual([204, 0])
      expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
      await expectDuties(response, path, 'free')
    }
  })

  if (head.length === 0) return
  test('answers HEAD as GET but for the content', async () => {
    const visitor = new Visitor(world.base)
    const get = await visitor.send({ path })
    await expectAnswer(visitor, { method: 'HEAD', path }, get.status, pattern === '/api/usage' ? 0 : 1)
    const response = await visitor.send({ method: 'HEAD', path })
    expect(await response.text()).toBe('')
    expect(response.headers.get('Content-Type')).toBe(get.headers.get('Content-Type'))
    expect(response.headers.get('Content-Length')).toBe(get.headers.get('Content-Length'))
  })
})

test.each(['/api/nothing', '/api/notes/a/b', '/api/..%2fnotes', '/api/%zz', '/api/notes;x', '/api/Notes'])(
  '%s is 404, counted once',
  async (path) => {
    expect((await expectAnswer(new Visitor(world.base), { path }, 404, 1)).code).toBe('not_found')
  },
)

describe('outside /api', () => {
  const pages = world.app.routes
    .map(
      ({ path }) =>
        path
          .replace('guides/:group', 'guides/ten-minutes')
          .replace(':group', 'links')
          .replace(':version/*', '0/app.js') || '/',
    )
    .filter((path) => !/^\/(api|metrics)(\/|$)/.test(path))
  const nothing = [
    '/apis',
    '/API',
    '/api;x',
    '/nothing',
    '/metrics',
    '/.env',
    '/..%2fpackage.json',
    '/src/main.ts',
    '/notes',
  ]

  test.each([...new Set(pages)])('%s is served, with security headers and none of limits', async (path) => {
    for (const method of ['GET', 'HEAD']) {
      const response = await new Visitor(world.base).send({ method, path })
      expect(response.status).toBe(200)
      expect(limitHeaders(response.headers)).toEqual([])
      expectSecurity(response.headers, path)
    }
  })

  test.each([...nothing, '/docs/nothing'])('%s is 404 in the common shape, without headers of limits', async (path) => {
    const visitor = new Visitor(world.base)
    const { response, cost } = await visitor.weigh({ path })
    expect([response.status, cost, limitHeaders(response.headers)]).toEqual([404, 0, []])
    expectSecurity(response.headers, path)
    expectProblem(404, response.headers, await response.text(), path)
  })
})

describe('a request that no client library would send', () => {
  const from = (visitor: Visitor) => `X-Forwarded-For: ${visitor.address}`
  const weighed = async (line: string, ...headers: string[]) => {
    const visitor = new Visitor(world.base)
    const send = (first: string, ...rest: string[]) =>
      sendBytes(world.base, requestText(first, [...rest, from(visitor)]))
    const left = async () => Number((await send('GET /api HTTP/1.1', 'Host: h')).headers.get('X-RateLimit-Remaining'))
    const before = await left()
    const answer = await send(line, ...headers)
    return { ...answer, cost: before - (await left()) - 1 }
  }

  test.each([
    ['no Host in HTTP/1.0', 'GET /api HTTP/1.0', []],
    ...['', ' a b', ' user@h', ' h/zz', ' h?', ' h#', ' h,h', ' h\r\nHost: g', ' h\r\nHost: h', ' h\r\nHost:'].map(
      (host): [string, string, string[]] => [`Host:${host}`, 'GET /api HTTP/1.1', [`Host:${host}`]],
    ),
  ])('with %j is 400 with the headers, counted once', async (_, line, headers) => {
    const { status, cost, text, ...answer } = await weighed(line, ...headers)
    expect([status, cost]).toEqual([400, 1])
    expect(answer.headers.get('X-Tier')).toBe('free')
    expect(expectProblem(400, answer.headers, text, '/api').code).toBe('invalid_request')
  })

  test.each([
    ...['/zz/api', '/zz/api/notes', '//api', '//api/notes', '/%61pi', '/%61pi/notes'].map((path) => [path, 'Host: x']),
    ['/z/notes', 'Host: h/api'],
    ['/openapi.json', 'Host: a\r\nHost: b'],
  ] as [string, string][])('%s with %s goes round neither the gate nor the router', async (path, host) => {
    const { status, cost, headers } = await weighed(`GET ${path} HTTP/1.1`, host)
    expect([status >= 400, cost, limitHeaders(headers)]).toEqual([true, 0, []])
  })

  test.each([
    ['an absolute-form target', 'GET http://other.example/api HTTP/1.1', 'h'],
    ['dots in the path', 'GET /x/../api HTTP/1.1', 'h'],
    ['a backslash', 'GET /api\\ HTTP/1.1', 'h'],
    ['a query and a fragment', 'GET /api/notes?folder=x#y HTTP/1.1', 'h'],
    ...['h:99999', 'a.example:80', '[::1]', '[::1]:4105'].map((host) => [`Host ${host}`, 'GET /api HTTP/1.1', host]),
  ] as [string, string, string][])('with %s is served and counted once', async (_, line, host) => {
    const { status, cost, headers } = await weighed(line, `Host: ${host}`)
    expect([status, cost, headers.get('X-Tier')]).toEqual([200, 1, 'free'])
  })

  const key = `X-API-Key: ${makeKey(1)}`
  test.each([[[key, key]], [['X-API-Key:']], [['x-api-key: \t ']]])(
    'with the keys %j is refused and charged to the address',
    async (keys) => {
      const { status, cost, headers } = await weighed('GET /api HTTP/1.1', 'Host: h', ...keys)
      expect([status, cost, headers.get('X-Tier')]).toEqual([400, 1, 'free'])
    },
  )

  test('with blanks around its key has the key', async () => {
    const { status, headers } = await weighed('GET /api HTTP/1.1', 'Host: h', 'X-API-Key: \t12345678  ')
    expect([status, headers.get('X-Tier')]).toEqual([200, 'api'])
  })

  test('with a body that stops short changes nothing, and the server goes on', async () => {
    const visitor = new Visitor(world.base)
    const socket = await Bun.connect({
      hostname: '127.0.0.1',
      port: Number(new URL(world.base).port),
      socket: { data() {} },
    })
    const head = ['Host: h', from(visitor), 'Content-Type: application/json', 'Content-Length: 100']
    socket.write(`${['POST /api/notes HTTP/1.1', ...head].join('\r\n')}\r\n\r\n{"title":"half`)
    socket.end()
    expect(await (await visitor.send({ path: '/api/notes' })).json()).toEqual({ items: [], next_cursor: null })
  })
})
