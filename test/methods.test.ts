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

test.each(['toString', '\\u0074oString'])('a wrong value with a member %s is 400, like any other', async (name) => {
  for (const path of ['notes', 'tasks', 'tasks/projects', 'tasks/feeds', 'flashcards/decks']) {
    const member = /notes|tasks$/.test(path) ? 'title' : 'name'
    const { status, body } = await world.call({}, 'POST', `/api/${path}`, `{"${member}":{"${name}":[]}}`)
    expect([path, status, body.errors?.[0].pointer]).toEqual([path, 400, `/${member}`])
  }
  const kept = await world.call({}, 'POST', '/api/notes', `{"title":"T","properties":{"${name}":["a"]}}`)
  expect([kept.status, kept.body.properties]).toEqual([201, { toString: ['a'] }])
})
