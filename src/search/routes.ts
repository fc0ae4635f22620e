import { Elysia } from 'elysia'
import type { Session } from '../db/database'
import { SearchPage, SearchQuery } from './schema'
import type { SearchEverything } from './service'

interface Deps {
  readonly search: SearchEverything
  /** The workspace of whoever sent a request. */
  readonly session: (request: Request) => Session
}

export function searchEverythingRoutes({ search, session }: Deps) {
  return new Elysia({ tags: ['Search'] }).get('/api/search', ({ request, query }) => search(session(request), query), {
    query: SearchQuery,
    response: { 200: SearchPage },
    detail: {
      operationId: 'search',
      summary: 'Search everything',
      description:
        'Notes, tasks and flashcards in one list, the best first: what holds more of the words, and rarer ones. Accents, case, endings and slips make no difference; what is in the trash is not found.',
    },
  })
}
