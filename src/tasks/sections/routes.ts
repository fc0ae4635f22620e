import { Elysia } from 'elysia'
import { refuses } from '../../http/api-error'
import { ifMatch } from '../../http/conditional'
import type { RequestPlugin } from '../../http/request'
import { changed, created } from '../../http/responses'
import { NoContent, nameSchemas, Problem } from '../../http/schema'
import { ImportReport, IN_STEPS } from '../../imports/schema'
import type { ChangeRunner } from '../../imports/stepped-change'
import { DeleteGroup, OneGroup } from '../groups/schema'
import { CreateSection, ListSections, TaskSection, TaskSectionPage, UpdateSection } from './schema'
import type { DeleteSectionParams, Sections } from './service'

interface Deps {
  readonly sections: Sections
  readonly deleteSection: ChangeRunner<DeleteSectionParams, undefined>
  readonly api: RequestPlugin
}

const COLLECTION = '/api/tasks/sections'

nameSchemas({ TaskSection, TaskSectionPage, CreateSection, UpdateSection })

export function sectionsRoutes({ sections, deleteSection, api }: Deps) {
  return new Elysia({ prefix: COLLECTION, tags: ['Projects and sections'] })
    .use(api)
    .get('', ({ session, query }) => sections.list(session, query), {
      query: ListSections,
      response: { 200: TaskSectionPage },
      detail: {
        operationId: 'listSections',
        ...refuses('invalid_cursor'),
        summary: 'List sections',
        description: 'By project and position. `trashed=true` lists only the trash.',
      },
    })
    .post('', ({ body, once }) => once(async (session) => created(COLLECTION, await sections.create(session, body))), {
      idempotent: true,
      body: CreateSection,
      response: { 201: TaskSection, 409: Problem },
      detail: {
        operationId: 'createSection',
        ...refuses('too_many_affected'),
        summary: 'Create a section',
        description: 'It becomes the last one, unless `after` or `before` is given.',
      },
    })
    .get('/:id', async ({ session, params, reply }) => reply.read(await sections.get(session, params.id)), {
      params: OneGroup,
      response: { 200: TaskSection, 304: NoContent },
      detail: {
        operationId: 'getSection',
        summary: 'Get a section',
        description: 'Also finds sections in the trash: those have `deleted_at`.',
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
          ...refuses('conflict', 'too_many_affected'),
          summary: 'Change a section',
          description: '`after` or `before` moves it.',
        },
      },
    )
    .delete(
      '/:id',
      async ({ request, session, params, query, reply }) => {
        const what = query.permanent === 'true' ? 'erase' : 'trash'
        return reply.send(await deleteSection(request, session, { id: params.id, what }))
      },
      {
        params: OneGroup,
        query: DeleteGroup,
        response: { 202: ImportReport, 204: NoContent, 412: Problem },
        detail: {
          operationId: 'deleteSection',
          summary: 'Delete a section',
          description: `Moves the section to the trash for 30 days; \`permanent=true\` erases it immediately. Its tasks stay in the project. ${IN_STEPS}`,
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
          description: 'Brings the section back from the trash, without tasks. Its project must not be in the trash.',
        },
      },
    )
}
