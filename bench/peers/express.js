/** Express with zod and express-rate-limit, on Node. */
import express from 'express'
import { rateLimit } from 'express-rate-limit'
import { HOUR_MS, LIMIT, ListQuery, NewNote, openNotes, ready } from './notes.js'

const notes = await openNotes()
const app = express()
app.disable('x-powered-by')
// Satchel computes no ETag of a list either.
app.disable('etag')
app.use(
  rateLimit({
    windowMs: HOUR_MS,
    limit: LIMIT,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    keyGenerator: (request) => request.get('X-API-Key') ?? '',
  }),
)
app.use((request, response, next) => {
  request.user = notes.findUser(request.get('X-API-Key') ?? '')
  if (request.user) next()
  else response.status(401).json({ error: 'unknown key' })
})
app.use(express.json({ limit: '2mb' }))
app.get('/api/notes', ({ user, query }, response) => {
  const { success, data, error } = ListQuery.safeParse(query)
  if (success) response.json(notes.list(user, data))
  else response.status(400).json({ error: error.issues })
})
app.post('/api/notes', ({ user, body }, response) => {
  const { success, data, error } = NewNote.safeParse(body)
  if (success) response.status(201).json(notes.create(user, data))
  else response.status(400).json({ error: error.issues })
})
app.get('/api/notes/:id', ({ user, params }, response) => {
  const note = notes.get(user, params.id)
  if (note) response.json(note)
  else response.status(404).json({ error: 'no such note' })
})
const server = app.listen(0, '127.0.0.1', () => ready(server.address().port))
