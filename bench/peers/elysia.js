/** Elysia with its own validation and elysia-rate-limit, on Bun. */
import { Elysia, t } from 'elysia'
import { rateLimit } from 'elysia-rate-limit'
import { HOUR_MS, LIMIT, openNotes, ready } from './notes.js'

const query = t.Object({
  limit: t.Integer({ minimum: 1, maximum: 200, default: 50 }),
  tag: t.Optional(t.String({ maxLength: 100 })),
  cursor: t.Optional(t.String({ maxLength: 200 })),
})
const body = t.Object({
  title: t.String({ maxLength: 500, default: '' }),
  body: t.String({ maxLength: 1_048_576, default: '' }),
  tags: t.Array(t.String({ maxLength: 100 }), { maxItems: 64, default: [] }),
})

const notes = await openNotes()
const app = new Elysia()
  .use(rateLimit({ duration: HOUR_MS, max: LIMIT, generator: (request) => request.headers.get('X-API-Key') ?? '' }))
  .resolve(({ headers, status }) => {
    const user = notes.findUser(headers['x-api-key'] ?? '')
    return user ? { user } : status(401, { error: 'unknown key' })
  })
  .get('/api/notes', ({ user, query }) => notes.list(user, query), { query })
  .post('/api/notes', ({ user, body, status }) => status(201, notes.create(user, body)), { body })
  .get(
    '/api/notes/:id',
    ({ user, params, status }) => notes.get(user, params.id) ?? status(404, { error: 'no such note' }),
  )
  .listen({ port: 0, hostname: '127.0.0.1' })
ready(app.server?.port)
