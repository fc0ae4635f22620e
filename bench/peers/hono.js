/** Hono with @hono/zod-validator and hono-rate-limiter, on Bun. */
import { zValidator } from '@hono/zod-validator'
import { Hono } from 'hono'
import { rateLimiter } from 'hono-rate-limiter'
import { HOUR_MS, LIMIT, ListQuery, NewNote, openNotes, ready } from './notes.js'

const notes = await openNotes()
const app = new Hono()
const keyOf = (context) => context.req.header('X-API-Key') ?? ''
app.use(rateLimiter({ windowMs: HOUR_MS, limit: LIMIT, keyGenerator: keyOf }))
app.use(async (context, next) => {
  const user = notes.findUser(keyOf(context))
  if (!user) return context.json({ error: 'unknown key' }, 401)
  context.set('user', user)
  await next()
})
app.get('/api/notes', zValidator('query', ListQuery), (context) =>
  context.json(notes.list(context.get('user'), context.req.valid('query'))),
)
app.post('/api/notes', zValidator('json', NewNote), (context) =>
  context.json(notes.create(context.get('user'), context.req.valid('json')), 201),
)
app.get('/api/notes/:id', (context) => {
  const note = notes.get(context.get('user'), context.req.param('id'))
  return note ? context.json(note) : context.json({ error: 'no such note' }, 404)
})
const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: app.fetch })
ready(server.port)
