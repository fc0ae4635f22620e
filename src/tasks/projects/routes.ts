import { Elysia } from 'elysia'
import { refuses } from '../../http/api-error'
import { ifMatch } from '../../http/conditional'
import type { RequestPlugin } from '../../http/request'
import { created } from '../../http/responses'
import { NoContent, nameSchemas, Problem } from '../../http/schema'
import { ImportReport, IN_STEPS } from '../../imports/schema'
import type { ChangeRunner } from '../../imports/stepped-change'
import { OneGroup } from '../groups/schema'
import { CreateProject, DeleteProject, ListProjects, Project, ProjectPage, UpdateProject } from './schema'
import type { DeleteOrRestoreProject, Projects } from './service'

interface Deps {
  readonly projects: Projects
  readonly deleteOrRestore: ChangeRunner<DeleteOrRestoreProject, Project | undefined>
  readonly api: RequestPlugin
}

const COLLECTION = '/api/tasks/projects'

nameSchemas({ Project, ProjectPage, CreateProject, UpdateProject })

export function projectsRoutes({ projects, deleteOrRestore, api }: Deps) {
  return new Elysia({ prefix: COLLECTION, tags: ['Projects and sections'] })
    .use(api)
    .get('', ({ session, query }) => projects.list(session, query), {
      query: ListProjects,
      response: { 200: ProjectPage },
      detail: {
        operationId: 'listProjects',
        ...refuses('invalid_cursor'),
        summary: 'List projects',
        description:
          'By position, without archived projects unless `archived` asks for them. `trashed=true` lists only the trash.',
      },
    })
    .post('', ({ body, once }) => once(async (session) => created(COLLECTION, await projects.create(session, body))), {
      idempotent: true,
      body: CreateProject,
      response: { 201: Project, 409: Problem },
      detail: {
        operationId: 'createProject',
        ...refuses('too_many_affected'),
        summary: 'Create a project',
        description: 'It becomes the last one, unless `after` or `before` is given.',
      },
    })
    .get('/:id', async ({ session, params, reply }) => reply.read(await projects.get(session, params.id)), {
      params: OneGroup,
      response: { 200: Project, 304: NoContent },
      detail: {
        operationId: 'getProject',
        summary: 'Get a project',
        description: 'Also finds projects in the trash: those have `deleted_at`.',
      },
    })
    .patch(
      '/:id',
      async ({ request, session, params, body, reply }) =>
        reply.changed(await projects.update(session, params.id, body, ifMatch(request))),
      {
        params: OneGroup,
        body: UpdateProject,
        response: { 200: Project, 409: Problem, 412: Problem },
        detail: {
          operationId: 'updateProject',
          ...refuses('conflict', 'too_many_affected'),
          summary: 'Change a project',
          description: '`after` or `before` moves it.',
        },
      },
    )
    .delete(
      '/:id',
      async ({ request, session, params, query, reply }) => {
        const what = query.permanent === 'true' ? 'erase' : 'trash'
        const order = { id: params.id, what, tasks: query.tasks ?? 'inbox' } as const
        return reply.send(await deleteOrRestore(request, session, order))
      },
      {
        params: OneGroup,
        query: DeleteProject,
        response: { 202: ImportReport, 204: NoContent, 409: Problem, 412: Problem },
        detail: {
          operationId: 'deleteProject',
          ...refuses('too_many_affected'),
          summary: 'Delete a project',
          description:
            'Moves the project and its sections to the trash for 30 days; `permanent=true` erases them immediately. Its tasks move to the end of the inbox, or with `tasks=trash` to the trash. Restoring the project brings them back from both, except those that were moved or restored in between. ' +
            IN_STEPS,
        },
      },
    )
    .post(
      '/:id/restore',
      async ({ request, session, params, body, reply }) =>
        reply.send(
          await deleteOrRestore<Project>(request, session, { id: params.id, what: 'restore', tasks: 'inbox' }, body),
        ),
      {
        params: OneGroup,
        response: { 200: Project, 202: ImportReport, 409: Problem, 412: Problem },
        detail: {
          operationId: 'restoreProject',
          ...refuses('too_many_affected'),
          summary: 'Restore a project',
          description: `Brings the project back from the trash, with the sections and tasks that were deleted with it, and the tasks that moved to the inbox then and were not moved since. ${IN_STEPS}`,
        },
      },
    )
}
