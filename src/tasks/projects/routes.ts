import { Elysia } from 'elysia'
import type { Session } from '../../db/database'
import { ifMatch } from '../../http/conditional'
import type { Once } from '../../http/idempotency'
import { NoContent, Problem } from '../../http/schema'
import { namedHandlers } from '../named/handlers'
import { One } from '../named/schema'
import { CreateProject, DeleteProject, ListProjects, Project, ProjectPage, UpdateProject } from './schema'
import type { Projects } from './service'

interface Deps {
  readonly projects: Projects
  readonly once: Once
  /** The workspace of whoever sent a request. */
  readonly session: (request: Request) => Session
}

const COLLECTION = '/api/tasks/projects'

export function projectsRoutes({ projects, once, session }: Deps) {
  const handlers = namedHandlers({ collection: COLLECTION, service: projects, once, session })
  return new Elysia({ prefix: COLLECTION, tags: ['Tasks'] })
    .get('', ({ request, query }) => projects.list(session(request), query), {
      query: ListProjects,
      response: { 200: ProjectPage },
      detail: {
        summary: 'List projects',
        description: 'In their order, without the archived unless `archived` says else. The trash is listed alone.',
      },
    })
    .post('', handlers.create, {
      body: CreateProject,
      response: { 201: Project, 409: Problem },
      detail: {
        summary: 'Create a project',
        description: 'It becomes the last one, unless `after` or `before` says else.',
      },
    })
    .get('/:id', handlers.get, {
      params: One,
      response: { 200: Project, 304: NoContent },
      detail: { summary: 'Get a project', description: 'Also from the trash; `deleted_at` tells.' },
    })
    .patch('/:id', handlers.update, {
      params: One,
      body: UpdateProject,
      response: { 200: Project, 409: Problem, 412: Problem },
      detail: { summary: 'Change a project', description: '`after` or `before` moves it.' },
    })
    .delete(
      '/:id',
      async ({ request, params, query, set }) => {
        const dropped = query.permanent === 'true' ? projects.erase : projects.trash
        await dropped(session(request), params.id, query.tasks ?? 'inbox', ifMatch(request))
        set.status = 204
      },
      {
        params: One,
        query: DeleteProject,
        response: { 204: NoContent, 409: Problem, 412: Problem },
        detail: {
          summary: 'Delete a project',
          description:
            'Moves it and its sections to the trash for 30 days; `permanent=true` erases them at once. Its tasks go behind those of the inbox, or with `tasks=trash` into the trash, from where they come back with it.',
        },
      },
    )
    .post('/:id/restore', handlers.restore, {
      params: One,
      response: { 200: Project, 409: Problem, 412: Problem },
      detail: {
        summary: 'Restore a project',
        description: 'Brings it back from the trash, with the sections and tasks that went along.',
      },
    })
}
