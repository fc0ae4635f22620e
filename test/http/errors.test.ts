import { afterAll, expect, test } from 'bun:test'
import { spent } from '../support/cost'
import { makeWorld } from '../support/world'

const world = await makeWorld({ settings: { FREE_LIMIT_PER_HOUR: '1000' } })
afterAll(world.close)

const question = { role: 'user', content: 'When?' }

test.each<[path: string, body: unknown, detail: string]>([
  ['/api/notes', [], 'the body must be an object'],
  ['/api/notes', { colour: 'red' }, 'colour is not known here'],
  ['/api/notes', { ['x'.repeat(200)]: 'x' }, `${'x'.repeat(200)} is not known here`],
  ['/api/notes', { pinned: 'yes' }, 'pinned must be a boolean'],
  ['/api/notes', { tags: ['a', 3] }, 'tags/1 must be a string'],
  ['/api/notes', { title: 5 }, 'title must be one of: string, null'],
  ['/api/notes', { id: 'x' }, 'id must be a UUIDv7 in lower case'],
  ['/api/notes', { tags: Array(65).fill('a') }, 'tags must be at most 64 long'],
  ['/api/notes', { source: { system: '' } }, 'system and id of a source must be given together'],
  ['/api/notes', { source: { system: '', id: 'x' } }, 'source/system must not be empty'],
  ['/api/notes', { source: { system: 'x', id: 'x', by: 'x' } }, 'source/by is not known here'],
  ['/api/notes', { source: 'x' }, 'source must be one of: object, null'],
  ['/api/chat', {}, 'messages is required'],
  ['/api/flashcards/facts', { type: 'basic' }, 'deck_id is required, and must be a UUIDv7 in lower case'],
  ['/api/flashcards/facts', { type: 'basic', deck_id: 'x' }, 'deck_id must be a UUIDv7 in lower case'],
  ['/api/chat', { messages: {} }, 'messages must be an array'],
  ['/api/chat', { messages: [question], options: { top_p: 3 } }, 'options/top_p must be at most 1'],
  ['/api/chat', { messages: [question], options: { seed: 1.5 } }, 'options/seed must be an integer'],
  ['/api/chat', { messages: [question], options: { stop: [''] } }, 'options/stop/0 must be at least 1 long'],
  [
    '/api/chat',
    { messages: [{ ...question, role: 'x' }] },
    'messages/0/role must be one of: system, developer, user, assistant',
  ],
])('%s with %j is refused in a sentence that says what it must be', async (path, sent, detail) => {
  const { status, body } = await world.call({}, 'POST', path, sent)
  expect([status, body.error, body.errors[0].detail]).toEqual([400, detail, detail])
})

const fact = { deck_id: 'x', type: 'basic', front: 'a', back: 'b' }

test.each<[path: string, body: unknown, detail: string]>([
  ['/api/notes', { titel: 'x' }, 'titel is not known here; did you mean title?'],
  ['/api/notes', { archivedAt: null }, 'archivedAt is not known here; did you mean archived_at?'],
  ['/api/notes', { content: 'x' }, 'content is not known here; did you mean body?'],
  [
    '/api/notes',
    { source: { system: 'x', id: 'x', sytsem: 'x' } },
    'source/sytsem is not known here; did you mean source/system?',
  ],
  ['/api/tasks', { title: 'x', labels: [], description: 'x' }, 'description is not known here; did you mean notes?'],
  [
    '/api/tasks',
    { title: 'x', due: { date: '2026-03-01', Time: '08:00' } },
    'due/Time is not known here; did you mean due/time?',
  ],
  [
    '/api/chat',
    { messages: [question, { ...question, text: 'x' }] },
    'messages/1/text is not known here; did you mean messages/1/content?',
  ],
  [
    '/api/flashcards/facts/batch',
    { items: [{ ...fact, 'ex/tra': 'x' }] },
    'items/0/ex~1tra is not known here; did you mean items/0/extra?',
  ],
  ['/api/search?query=boiler', undefined, 'query is not known here; did you mean q?'],
  ['/api/notes?limits=5', undefined, 'limits is not known here; did you mean limit?'],
])('%s with %j: the nearest member that is known is named', async (path, sent, detail) => {
  const { status, body } = await world.call({}, sent ? 'POST' : 'GET', path, sent)
  const errors = expect.arrayContaining([expect.objectContaining({ code: 'invalid_value', detail })])
  expect([status, body.error, body.errors]).toEqual([400, body.errors[0].detail, errors])
})

test.each<[path: string, body: unknown, name: string]>([
  ['/api/notes', { shape: 'round' }, 'shape'],
  ['/api/notes', { ttl: 5 }, 'ttl'],
  ['/api/notes', { source: { system: 'x', id: 'x', is: 'x' } }, 'source/is'],
  ['/api/tasks', { title: 'x', toString: 'x' }, 'toString'],
  ['/api/notes?kolour=red', undefined, 'kolour'],
  ['/api/version?limits=5', undefined, 'limits'],
])('%s with a member that is like no other: none is named (case %#)', async (path, sent, name) => {
  const { status, body } = await world.call({}, sent ? 'POST' : 'GET', path, sent)
  expect([status, body.errors]).toEqual([
    400,
    [{ pointer: `/${name}`, code: 'invalid_value', detail: `${name} is not known here` }],
  ])
})

test.each<[method: string, path: string]>([
  ['POST', '/api/notes'],
  ['POST', '/api/notes/01890000-0000-7000-8000-000000000001/restore'],
])('%s %s: of a member with a name as long as a body its first 200 characters are told', async (method, path) => {
  const name = `title${'😀'.repeat(50_000)}`
  const { status, body } = await world.call({}, method, path, { [name]: 'x' })
  const detail = `${`${name.slice(0, 199)}\ufffd…`} is not known here`
  expect([status, body.detail, body.error]).toEqual([400, detail, detail])
  expect(body.errors).toEqual([{ pointer: `/${name}`, code: 'invalid_value', detail }])
})

test('of very many faults the first twenty are told, and soon', async () => {
  const wide = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`tit${i}`, i]))
  const { ms, value } = await spent(() => world.call({}, 'POST', '/api/notes', wide))
  expect([value.status, value.body.errors.length]).toEqual([400, 20])
  expect(ms).toBeLessThan(1000)
})

test('a value that fits no choice of a union is told by the choice it comes nearest, whatever it holds', async () => {
  const nested = JSON.parse(`${'{"system":'.repeat(60)}1${'}'.repeat(60)}`)
  const wide = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`m${i}`, i]))
  for (const source of [nested, wide]) {
    const { ms, value } = await spent(() => world.call({}, 'POST', '/api/notes', { source }))
    expect([value.status, value.body.code]).toEqual([400, 'invalid_request'])
    expect(value.body.errors.length).toBeWithin(1, 21)
    expect(ms).toBeLessThan(1000)
  }
})

test('what a caller did wrong is not logged as an error', async () => {
  for (const [method, path] of [
    ['POST', '/api/notes'],
    ['GET', '/api/notes/01890000-0000-7000-8000-000000000000'],
    ['PUT', '/api/notes'],
  ] as const)
    expect((await world.call({}, method, path, method === 'GET' ? undefined : [])).status).toBeWithin(400, 500)
  expect(world.logged.filter(({ level }) => level === 'error')).toEqual([])
})
