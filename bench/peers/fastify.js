/** Fastify with its own validation and @fastify/rate-limit, on Node. */
import rateLimit from '@fastify/rate-limit'
import Fastify from 'fastify'
import { HOUR_MS, LIMIT, openNotes, ready } from './notes.js'

const string = (maxLength, more = {}) => ({ type: 'string', maxLength, ...more })
const querystring = {
  type: 'object',
  properties: {
    limit: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
    tag: string(100),
    cursor: string(200),
  },
}
const body = {
  type: 'object',
  properties: {
    title: string(500, { default: '' }),
    body: string(1_048_576, { default: '' }),
    tags: { type: 'array', maxItems: 64, items: string(100), default: [] },
  },
}

const notes = await openNotes()
const app = Fastify({ bodyLimit: 2 * 2 ** 20 })
const keyOf = (request) => request.headers['x-api-key'] ?? ''
await app.register(rateLimit, { max: LIMIT, timeWindow: HOUR_MS, keyGenerator: keyOf })
app.decorateRequest('user', null)
app.addHook('onRequest', async (request, reply) => {
  request.user = notes.findUser(keyOf(request))
  if (!request.user) return reply.code(401).send({ error: 'unknown key' })
})
app.get('/api/notes', { schema: { querystring } }, async ({ user, query }) => notes.list(user, query))
app.post('/api/notes', { schema: { body } }, async ({ user, body }, reply) =>
  reply.code(201).send(notes.create(user, body)),
)
app.get('/api/notes/:id', async ({ user, params }, reply) => {
  const note = notes.get(user, params.id)
  return note ?? reply.code(404).send({ error: 'no such note' })
})
await app.listen({ port: 0, host: '127.0.0.1' })
ready(app.server.address().port)
