import { Elysia } from 'elysia'
import type { Session } from '../../db/database'
import { ifMatch } from '../../http/conditional'
import type { Once } from '../../http/idempotency'
import { NoContent, Problem } from '../../http/schema'
import { namedHandlers } from '../named/handlers'
import { Delete, One } from '../named/schema'
import { CreateSection, ListSections, Section, SectionPage, UpdateSection } from './schema'
import type { Sections } from './service'

interface Deps {
  readonly sections: Sections
  readonly once: Once
  /** The workspace of whoever sent a request. */
  readonly session: (request: Request) => Session
}

const COLLECTION = '/api/tasks/sections'

export function sectionsRoutes({ sections, once, session }: Deps) {
  const handlers = namedHandlers({ collection: COLLECTION, service: sections, once, session })
  return new Elysia({ prefix: COLLECTION, tags: ['Tasks'] })
    .get('', ({ request, query }) => sections.list(session(request), query), {
      query: ListSections,
      response: { 200: SectionPage },
      detail: { summary: 'List sections', description: 'In the order of their project. The trash is listed alone.' },
    })
    .post('', handlers.create, {
      body: CreateSection,
      response: { 201: Section, 409: Problem },
      detail: {
        summary: 'Create a section',
        description: 'It becomes the last one, unless `after` or `before` says else.',
      },
    })
    .get('/:id', handlers.get, {
      params: One,
      response: { 200: Section, 304: NoContent },
      detail: { summary: 'Get a section', description: 'Also from the trash; `deleted_at` tells.' },
    })
    .patch('/:id', handlers.update, {
      params: One,
      body: UpdateSection,
      response: { 200: Section, 409: Problem, 412: Problem },
      detail: { summary: 'Change a section', description: '`after` or `before` moves it.' },
    })
    .delete(
      '/:id',
      async ({ request, params, query, set }) => {
        const dropped = query.permanent === 'true' ? sections.erase : sections.trash
        await dropped(session(request), params.id, ifMatch(request))
        set.status = 204
      },
      {
        params: One,
        query: Delete,
        response: { 204: NoContent, 409: Problem, 412: Problem },
        detail: {
          summary: 'Delete a section',
          description:
            'Moves it to the trash for 30 days; `permanent=true` erases it at once. Its tasks stay in the project.',
        },
      },
    )
    .post('/:id/restore', handlers.restore, {
      params: One,
      response: { 200: Section, 409: Problem, 412: Problem },
      detail: {
        summary: 'Restore a section',
        description: 'Brings it back from the trash, empty. Its project must be there.',
      },
    })
}
