import { Elysia } from 'elysia'
import type { RequestPlugin } from '../http/api'
import { refuses } from '../http/api-error'
import { nameSchemas } from '../http/schema'
import { SearchPage, SearchQuery, searchSchemas } from './schema'
import type { SearchEverything } from './service'

interface Deps {
  readonly search: SearchEverything
  readonly api: RequestPlugin
}

nameSchemas(searchSchemas)

/** Creates the route GET /api/search. */
export function searchEverythingRoutes({ search, api }: Deps) {
  return new Elysia({ tags: ['Search'] }).use(api).get('/api/search', ({ session, query }) => search(session, query), {
    query: SearchQuery,
    response: { 200: SearchPage },
    detail: {
      operationId: 'search',
      ...refuses('invalid_cursor', 'invalid_query'),
      summary: 'Search everything',
      description:
        'Notes, tasks and flashcards in one list, best first: those with more of the words, and rarer ones. Accents, case, endings and typos make no difference; resources in the trash are not found. A task says its status and when it is due, a fact its deck and the states of its cards. Searches of a workspace run one after the other; one that waits for 5 seconds gets 503.',
    },
  })
}
