/** GET /api/notes on Fastify with @fastify/rate-limit: a counter for each key, in its own memory store. */
import rateLimit from '@fastify/rate-limit'
import Fastify from 'fastify'
import { HOUR_MS, LIMIT, openNotes, ready } from './peer.js'

const notes = await openNotes()
const app = Fastify()
await app.register(rateLimit, {
  max: LIMIT,
  timeWindow: HOUR_MS,
  keyGenerator: (request) => request.headers['x-api-key'],
})
app.get('/api/notes', async () => notes())
await app.listen({ port: 0, host: '127.0.0.1' })
ready(app.server.address().port)
