import { Elysia } from 'elysia'
import { ifMatch } from '../../http/conditional'
import type { RequestPlugin } from '../../http/request'
import { changed, created } from '../../http/responses'
import { NoContent, nameSchemas, Problem } from '../../http/schema'
import { ImportReport, IN_STEPS } from '../../imports/schema'
import type { ChangeRunner } from '../../imports/stepped-change'
import { DeleteGroup, OneGroup } from '../groups/schema'
import { CreateSection, ListSections, TaskSection, TaskSectionPage, UpdateSection } from './schema'
import type { LeaveSection, Sections } from './service'

interface Deps {
  readonly sections: Sections
  readonly leave: ChangeRunner<LeaveSection, undefined>
  readonly api: RequestPlugin
}

const COLLECTION = '/api/tasks/sections'

nameSchemas({ TaskSection, TaskSectionPage, CreateSection, UpdateSection })

export function sectionsRoutes({ sections, leave, api }: Deps) {
  return new Elysia({ prefix: COLLECTION, tags: ['Tasks'] })
    .use(api)
    .get('', ({ session, query }) => sections.list(session, query), {
      query: ListSections,
      response: { 200: TaskSectionPage },
      detail: {
        operationId: 'listSections',
        summary: 'List sections',
        description: 'In the order of their project. The trash is listed alone.',
      },
    })
    .post('', ({ body, once }) => once(async (session) => created(COLLECTION, await sections.create(session, body))), {
      idempotent: true,
      body: CreateSection,
      response: { 201: TaskSection, 409: Problem },
      detail: {
        operationId: 'createSection',
        summary: 'Create a section',
        description: 'It becomes the last one, unless `after` or `before` says else.',
      },
    })
    .get('/:id', async ({ session, params, reply }) => reply.read(await sections.get(session, params.id)), {
      params: OneGroup,
      response: { 200: TaskSection, 304: NoContent },
      detail: {
        operationId: 'getSection',
        summary: 'Get a section',
        description: 'Also from the trash; `deleted_at` tells.',
      },
    })
    .patch(
      '/:id',
      async ({ request, session, params, body, reply }) =>
        reply.changed(await sections.update(session, params.id, body, ifMatch(request))),
      {
        params: OneGroup,
        body: UpdateSection,
        response: { 200: TaskSection, 409: Problem, 412: Problem },
        detail: {
          operationId: 'updateSection',
          summary: 'Change a section',
          description: '`after` or `before` moves it.',
        },
      },
    )
    .delete(
      '/:id',
      async ({ request, session, params, query, reply }) => {
        const what = query.permanent === 'true' ? 'erase' : 'trash'
        return reply.send(await leave(request, session, { id: params.id, what }))
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
    .post(
      '/:id/restore',
      ({ request, params, once }) =>
        once(async (session) => changed(await sections.restore(session, params.id, ifMatch(request)))),
      {
        idempotent: true,
        params: OneGroup,
        response: { 200: TaskSection, 409: Problem, 412: Problem },
        detail: {
          operationId: 'restoreSection',
          summary: 'Restore a section',
          description: 'Brings it back from the trash, empty. Its project must be there.',
        },
      },
    )
}
