import { Elysia } from 'elysia'
import type { Session } from '../../db/database'
import type { Once } from '../../http/idempotency'
import { send } from '../../http/responses'
import { NoContent, Problem } from '../../http/schema'
import type { Asked } from '../../imports/in-steps'
import { ImportReport, IN_STEPS } from '../../imports/schema'
import { namedHandlers, restoreHandler, updateHandler } from '../groups/handlers'
import { DeleteGroup, OneGroup } from '../groups/schema'
import { CreateSection, ListSections, TaskSection, TaskSectionPage, UpdateSection } from './schema'
import type { LeaveSection, Sections } from './service'

interface Deps {
  readonly sections: Sections
  readonly leave: Asked<LeaveSection, undefined>
  readonly once: Once
  /** The workspace of whoever sent a request. */
  readonly session: (request: Request) => Session
}

const COLLECTION = '/api/tasks/sections'

export function sectionsRoutes({ sections, leave, once, session }: Deps) {
  const handlers = namedHandlers({ collection: COLLECTION, service: sections, once, session })
  return new Elysia({ prefix: COLLECTION, tags: ['Tasks'] })
    .get('', ({ request, query }) => sections.list(session(request), query), {
      query: ListSections,
      response: { 200: TaskSectionPage },
      detail: {
        operationId: 'listSections',
        summary: 'List sections',
        description: 'In the order of their project. The trash is listed alone.',
      },
    })
    .post('', handlers.create, {
      body: CreateSection,
      response: { 201: TaskSection, 409: Problem },
      detail: {
        operationId: 'createSection',
        summary: 'Create a section',
        description: 'It becomes the last one, unless `after` or `before` says else.',
      },
    })
    .get('/:id', handlers.get, {
      params: OneGroup,
      response: { 200: TaskSection, 304: NoContent },
      detail: {
        operationId: 'getSection',
        summary: 'Get a section',
        description: 'Also from the trash; `deleted_at` tells.',
      },
    })
    .patch('/:id', updateHandler({ service: sections, session }), {
      params: OneGroup,
      body: UpdateSection,
      response: { 200: TaskSection, 409: Problem, 412: Problem },
      detail: {
        operationId: 'updateSection',
        summary: 'Change a section',
        description: '`after` or `before` moves it.',
      },
    })
    .delete(
      '/:id',
      async ({ request, params, query, set }) => {
        const what = query.permanent === 'true' ? 'erase' : 'trash'
        return send(set, await leave(request, session(request), { id: params.id, what }))
      },
      {
        params: OneGroup,
        query: DeleteGroup,
        response: { 202: ImportReport, 204: NoContent, 409: Problem, 412: Problem },
        detail: {
          operationId: 'deleteSection',
          summary: 'Delete a section',
          description: `Moves it to the trash for 30 days; \`permanent=true\` erases it at once. Its tasks stay in the project. ${IN_STEPS}`,
        },
      },
    )
    .post('/:id/restore', restoreHandler({ service: sections, once, session }), {
      params: OneGroup,
      response: { 200: TaskSection, 409: Problem, 412: Problem },
      detail: {
        operationId: 'restoreSection',
        summary: 'Restore a section',
        description: 'Brings it back from the trash, empty. Its project must be there.',
      },
    })
}
