import { Elysia } from 'elysia'
import type { Session } from '../../db/database'
import { ifMatch } from '../../http/conditional'
import type { Once } from '../../http/idempotency'
import { NoContent, Problem } from '../../http/schema'
import { namedHandlers, restoreHandler, updateHandler } from '../groups/handlers'
import { DeleteGroup, OneGroup } from '../groups/schema'
import { CreateSavedFilter, ListSavedFilters, SavedFilter, SavedFilterPage, UpdateSavedFilter } from './schema'
import type { SavedFilters } from './service'

interface Deps {
  readonly savedFilters: SavedFilters
  readonly once: Once
  /** The workspace of whoever sent a request. */
  readonly session: (request: Request) => Session
}

const COLLECTION = '/api/tasks/filters'

export function savedFiltersRoutes({ savedFilters, once, session }: Deps) {
  const handlers = namedHandlers({ collection: COLLECTION, service: savedFilters, once, session })
  return new Elysia({ prefix: COLLECTION, tags: ['Tasks'] })
    .get('', ({ request, query }) => savedFilters.list(session(request), query), {
      query: ListSavedFilters,
      response: { 200: SavedFilterPage },
      detail: {
        operationId: 'listSavedFilters',
        summary: 'List saved filters',
        description: 'In their order. The trash is listed alone.',
      },
    })
    .post('', handlers.create, {
      body: CreateSavedFilter,
      response: { 201: SavedFilter, 409: Problem },
      detail: {
        operationId: 'createSavedFilter',
        summary: 'Save a filter',
        description: 'It becomes the last one, unless `after` or `before` says else.',
      },
    })
    .get('/:id', handlers.get, {
      params: OneGroup,
      response: { 200: SavedFilter, 304: NoContent },
      detail: {
        operationId: 'getSavedFilter',
        summary: 'Get a saved filter',
        description: 'Also from the trash; `deleted_at` tells.',
      },
    })
    .patch('/:id', updateHandler({ service: savedFilters, session }), {
      params: OneGroup,
      body: UpdateSavedFilter,
      response: { 200: SavedFilter, 409: Problem, 412: Problem },
      detail: {
        operationId: 'updateSavedFilter',
        summary: 'Change a saved filter',
        description: '`after` or `before` moves it.',
      },
    })
    .delete(
      '/:id',
      async ({ request, params, query, set }) => {
        const dropped = query.permanent === 'true' ? savedFilters.erase : savedFilters.trash
        await dropped(session(request), params.id, ifMatch(request))
        set.status = 204
      },
      {
        params: OneGroup,
        query: DeleteGroup,
        response: { 204: NoContent, 412: Problem },
        detail: {
          operationId: 'deleteSavedFilter',
          summary: 'Delete a saved filter',
          description: 'Moves it to the trash for 30 days; `permanent=true` erases it at once. No task changes.',
        },
      },
    )
    .post('/:id/restore', restoreHandler({ service: savedFilters, once, session }), {
      params: OneGroup,
      response: { 200: SavedFilter, 409: Problem, 412: Problem },
      detail: {
        operationId: 'restoreSavedFilter',
        summary: 'Restore a saved filter',
        description: 'Brings it back from the trash.',
      },
    })
}
