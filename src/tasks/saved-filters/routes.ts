import { Elysia } from 'elysia'
import { refuses } from '../../http/api-error'
import { ifMatch } from '../../http/conditional'
import type { RequestPlugin } from '../../http/request'
import { changed, created } from '../../http/responses'
import { NoContent, nameSchemas, Problem } from '../../http/schema'
import { DeleteGroup, OneGroup } from '../groups/schema'
import { CreateSavedFilter, ListSavedFilters, SavedFilter, SavedFilterPage, UpdateSavedFilter } from './schema'
import type { SavedFilters } from './service'

const COLLECTION = '/api/tasks/filters'

nameSchemas({ SavedFilter, SavedFilterPage, CreateSavedFilter, UpdateSavedFilter })

export function savedFiltersRoutes({ savedFilters, api }: { savedFilters: SavedFilters; api: RequestPlugin }) {
  return new Elysia({ prefix: COLLECTION, tags: ['Labels and filters'] })
    .use(api)
    .get('', ({ session, query }) => savedFilters.list(session, query), {
      query: ListSavedFilters,
      response: { 200: SavedFilterPage },
      detail: {
        operationId: 'listSavedFilters',
        ...refuses('invalid_cursor'),
        summary: 'List saved filters',
        description: 'By position. `trashed=true` lists only the trash.',
      },
    })
    .post(
      '',
      ({ body, once }) => once(async (session) => created(COLLECTION, await savedFilters.create(session, body))),
      {
        idempotent: true,
        body: CreateSavedFilter,
        response: { 201: SavedFilter, 409: Problem },
        detail: {
          operationId: 'createSavedFilter',
          ...refuses('invalid_filter', 'too_many_affected'),
          summary: 'Save a filter',
          description: 'It becomes the last one, unless `after` or `before` is given.',
        },
      },
    )
    .get('/:id', async ({ session, params, reply }) => reply.read(await savedFilters.get(session, params.id)), {
      params: OneGroup,
      response: { 200: SavedFilter, 304: NoContent },
      detail: {
        operationId: 'getSavedFilter',
        summary: 'Get a saved filter',
        description: 'Also finds filters in the trash: those have `deleted_at`.',
      },
    })
    .patch(
      '/:id',
      async ({ request, session, params, body, reply }) =>
        reply.changed(await savedFilters.update(session, params.id, body, ifMatch(request))),
      {
        params: OneGroup,
        body: UpdateSavedFilter,
        response: { 200: SavedFilter, 409: Problem, 412: Problem },
        detail: {
          operationId: 'updateSavedFilter',
          ...refuses('conflict', 'invalid_filter', 'too_many_affected'),
          summary: 'Change a saved filter',
          description: '`after` or `before` moves it.',
        },
      },
    )
    .delete(
      '/:id',
      async ({ request, session, params, query, reply }) => {
        await savedFilters[query.permanent === 'true' ? 'erase' : 'trash'](session, params.id, ifMatch(request))
        reply.deleted()
      },
      {
        params: OneGroup,
        query: DeleteGroup,
        response: { 204: NoContent, 412: Problem },
        detail: {
          operationId: 'deleteSavedFilter',
          summary: 'Delete a saved filter',
          description:
            'Moves the filter to the trash for 30 days; `permanent=true` erases it immediately. No task changes.',
        },
      },
    )
    .post(
      '/:id/restore',
      ({ request, params, once }) =>
        once(async (session) => changed(await savedFilters.restore(session, params.id, ifMatch(request)))),
      {
        idempotent: true,
        params: OneGroup,
        response: { 200: SavedFilter, 409: Problem, 412: Problem },
        detail: {
          operationId: 'restoreSavedFilter',
          summary: 'Restore a saved filter',
          description: 'Brings the filter back from the trash.',
        },
      },
    )
}
