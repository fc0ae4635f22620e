/** GET /api/notes on Elysia with elysia-rate-limit: a counter for each key, in its own memory store. */
import { Elysia } from 'elysia'
import { rateLimit } from 'elysia-rate-limit'
import { HOUR_MS, LIMIT, openNotes, ready } from './peer.js'

const notes = await openNotes()
const app = new Elysia()
  .use(rateLimit({ duration: HOUR_MS, max: LIMIT, generator: (request) => request.headers.get('X-API-Key') ?? '' }))
  .get('/api/notes', () => notes())
  .listen({ port: 0, hostname: '127.0.0.1' })
ready(app.server?.port)
