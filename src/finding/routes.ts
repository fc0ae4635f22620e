import { Elysia } from 'elysia'
import type { Session } from '../db/database'
import { FindAll, FindPage } from './schema'
import type { FindEverywhere } from './service'

interface Deps {
  readonly find: FindEverywhere
  /** The workspace of whoever sent a request. */
  readonly session: (request: Request) => Session
}

export function findingRoutes({ find, session }: Deps) {
  return new Elysia({ tags: ['Search'] }).get('/api/search', ({ request, query }) => find(session(request), query), {
    query: FindAll,
    response: { 200: FindPage },
    detail: {
      summary: 'Search everything',
      description:
        'Notes, tasks and flashcards in one list, the best first: what stands in titles, then in tags, then elsewhere. Accents and case make no difference; what is in the trash is not found.',
    },
  })
}
