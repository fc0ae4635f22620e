import { afterAll, expect, test } from 'bun:test'
import { makeWorld } from '../support/world'

const world = await makeWorld()
afterAll(world.close)

const question = { role: 'user', content: 'When?' }

test.each<[path: string, body: unknown, detail: string]>([
  ['/api/notes', [], 'the body must be an object'],
  ['/api/notes', { colour: 'red' }, 'colour is not known here'],
  ['/api/notes', { pinned: 'yes' }, 'pinned must be a boolean'],
  ['/api/notes', { tags: ['a', 3] }, 'tags/1 must be a string'],
  ['/api/notes', { title: 5 }, 'title must be one of: string, null'],
  ['/api/notes', { id: 'x' }, 'id must be a UUIDv7 in lower case'],
  ['/api/notes', { tags: Array(65).fill('a') }, 'tags must be at most 64 long'],
  ['/api/notes', { source: { system: '' } }, 'source/id is required'],
  ['/api/notes', { source: { system: '', id: 'x' } }, 'source/system must be at least 1 long'],
  ['/api/notes', { source: { system: 'x', id: 'x', by: 'x' } }, 'source/by is not known here'],
  ['/api/notes', { source: 'x' }, 'source must be one of: object, null'],
  ['/api/chat', {}, 'messages is required'],
  ['/api/chat', { messages: [] }, 'messages must be at least 1 long'],
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
  expect([status, body.detail, body.errors[0].detail]).toEqual([400, detail, detail])
})

test('a value that fits no choice of a union is told by the choice it comes nearest, whatever it holds', async () => {
  const nested = JSON.parse(`${'{"system":'.repeat(60)}1${'}'.repeat(60)}`)
  const wide = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`m${i}`, i]))
  for (const source of [nested, wide]) {
    const start = process.cpuUsage()
    const { status, body } = await world.call({}, 'POST', '/api/notes', { source })
    const { user, system } = process.cpuUsage(start)
    expect([status, body.code]).toEqual([400, 'invalid_request'])
    expect(body.errors.length).toBeWithin(1, 21)
    expect((user + system) / 1e6).toBeLessThan(1)
  }
})
