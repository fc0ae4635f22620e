import { afterAll, expect, spyOn, test } from 'bun:test'
import dns from 'node:dns'
import http from 'node:http'
import https from 'node:https'
import net from 'node:net'
import { makeKey, makeWorld } from '../support/world'

/** Every way out of the process that JavaScript has: none of them is taken. */
const ways = [
  spyOn(globalThis, 'fetch'),
  spyOn(Bun, 'connect'),
  spyOn(Bun, 'udpSocket'),
  spyOn(net, 'connect'),
  spyOn(net, 'createConnection'),
  spyOn(http, 'request'),
  spyOn(https, 'request'),
  spyOn(dns, 'lookup'),
]
afterAll(() => {
  for (const way of ways) way.mockRestore()
})

test('without CHAT_BASE_URL not one outgoing connection is made, also with a model and a key set', async () => {
  await using world = await makeWorld({ settings: { CHAT_MODEL: 'big-model', CHAT_API_KEY: 'secret' } })
  const me = { key: makeKey(1) }
  await world.call(me, 'POST', '/api/notes', {
    title: 'House',
    body: 'See http://192.0.2.9/x ![i](http://192.0.2.9/y)',
  })
  const asked = ['What is in the house?', 'Add a task buy milk', 'trash the note "House"', 'Summarize House', 'Hello']
  const bodies = asked.map((content) => ({ messages: [{ role: 'user', content }] }))
  for (const body of bodies)
    for (const [path, rest] of [
      ['/api/chat', {}],
      ['/api/chat', { stream: true }],
      ['/api/openai/chat/completions', {}],
    ] as const)
      expect((await world.call(me, 'POST', path, { ...body, ...rest })).status).toBe(200)
  expect((await world.call(me, 'POST', '/api/chat', { ...bodies[0], model: 'big-model' })).status).toBe(404)
  for (const path of ['/api/tags', '/api/ps', '/api/version', '/api/openai/models'])
    expect((await world.call(me, 'GET', path)).status).toBe(200)
  expect(ways.map(({ mock }) => mock.calls.length)).toEqual(ways.map(() => 0))
})
