/** GET /api/notes on Express with express-rate-limit: a counter for each key, in its own memory store. */
import express from 'express'
import { rateLimit } from 'express-rate-limit'
import { HOUR_MS, LIMIT, openNotes, ready } from './peer.js'

const notes = await openNotes()
const app = express()
app.disable('x-powered-by')
// Satchel sends no ETag with a list, so nobody computes one.
app.disable('etag')
app.use(
  rateLimit({
    windowMs: HOUR_MS,
    limit: LIMIT,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    keyGenerator: (request) => request.get('X-API-Key'),
  }),
)
app.get('/api/notes', (_, response) => response.json(notes()))
const server = app.listen(0, '127.0.0.1', () => ready(server.address().port))
