import { afterAll, expect, test } from 'bun:test'
import { makeWorld } from './support/world'

const world = await makeWorld()
afterAll(world.close)

test.each([
  ['PUT', '/api/notes', 405],
  ['DELETE', '/api/chat', 405],
  ['OPTIONS', '/api/notes', 204],
])('%s %s is answered %i, whatever its body holds', async (method, path, status) => {
  const answer = await world.call({}, method, path, 'not JSON', { 'Content-Type': 'text/plain' })
  expect([answer.status, answer.headers.get('allow')?.includes('OPTIONS')]).toEqual([status, true])
})

test.each(['limit=1&limit=2', 'limit=1&%6cimit=2'])(
  'a parameter given twice is refused, not dropped: %s',
  async (query) => {
    const { status, body } = await world.call({}, 'GET', `/api/notes?${query}`)
    expect([status, body.errors[0].pointer]).toEqual([400, '/limit'])
  },
)
