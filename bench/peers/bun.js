/** Bun.serve with its own router: the limiter is a Map. */
import { HOUR_MS, LIMIT, ListQuery, NewNote, openNotes, ready } from './notes.js'

const notes = await openNotes()
const windows = new Map()

/** Counts a request of a key, and says how many are left in its hour. */
function count(key) {
  const now = Date.now()
  let window = windows.get(key)
  if (!window || window.end <= now) {
    window = { end: now + HOUR_MS, used: 0 }
    windows.set(key, window)
  }
  return LIMIT - ++window.used
}

const failed = (status, error) => Response.json({ error }, { status })

const guarded = (handle) => async (request) => {
  const key = request.headers.get('X-API-Key') ?? ''
  const left = count(key)
  if (left < 0) return failed(429, 'too many requests')
  const user = notes.findUser(key)
  if (!user) return failed(401, 'unknown key')
  const response = await handle(user, request)
  response.headers.set('X-RateLimit-Limit', LIMIT)
  response.headers.set('X-RateLimit-Remaining', left)
  return response
}

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  routes: {
    '/api/notes': {
      GET: guarded((user, { url }) => {
        const query = ListQuery.safeParse(Object.fromEntries(new URL(url).searchParams))
        return query.success ? Response.json(notes.list(user, query.data)) : failed(400, query.error.issues)
      }),
      POST: guarded(async (user, request) => {
        const input = NewNote.safeParse(await request.json())
        if (!input.success) return failed(400, input.error.issues)
        return Response.json(notes.create(user, input.data), { status: 201 })
      }),
    },
    '/api/notes/:id': guarded((user, { params }) => {
      const note = notes.get(user, params.id)
      return note ? Response.json(note) : failed(404, 'no such note')
    }),
  },
})
ready(server.port)
