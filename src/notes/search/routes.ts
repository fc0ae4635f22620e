import { Elysia } from 'elysia'
import type { Session } from '../../db/database'
import { SearchNotes, SearchPage } from './schema'
import type { Search } from './service'

interface Deps {
  readonly search: Search
  /** The workspace of whoever sent a request. */
  readonly session: (request: Request) => Session
}

export function searchRoutes({ search, session }: Deps) {
  return new Elysia({ prefix: '/api/notes', tags: ['Notes'] }).get(
    '/search',
    ({ request, query }) => search(session(request), query),
    {
      query: SearchNotes,
      response: { 200: SearchPage },
      detail: { summary: 'Search notes', description: 'The best first. Accents and case make no difference.' },
    },
  )
}
