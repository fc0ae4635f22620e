import { Elysia } from 'elysia'
import { ifMatch } from '../../http/conditional'
import type { RequestPlugin } from '../../http/request'
import { NoContent, nameSchemas, Problem } from '../../http/schema'
import { UpdateWorkspaceSettings, WorkspaceSettings } from './schema'
import type { WorkspaceSettingsService } from './service'

nameSchemas({ WorkspaceSettings, UpdateWorkspaceSettings })

export function workspaceSettingsRoutes({ settings, api }: { settings: WorkspaceSettingsService; api: RequestPlugin }) {
  return new Elysia({ prefix: '/api/workspace', tags: ['Workspace'] })
    .use(api)
    .get('/settings', async ({ session, reply }) => reply.read(await settings.get(session)), {
      response: { 200: WorkspaceSettings, 304: NoContent },
      detail: {
        operationId: 'getWorkspaceSettings',
        summary: 'Get the settings of your workspace',
        description: 'The time zone and the language of requests that name none.',
      },
    })
    .patch(
      '/settings',
      async ({ session, request, body, reply }) =>
        reply.changed(await settings.update(session, body, ifMatch(request))),
      {
        body: UpdateWorkspaceSettings,
        response: { 200: WorkspaceSettings, 412: Problem },
        detail: {
          operationId: 'updateWorkspaceSettings',
          summary: 'Change the settings of your workspace',
          description:
            'From then on `today`, words of time and the like are those of this zone and language, unless a request names others. Stored dates stay as they are. Study days have a zone of their own.',
        },
      },
    )
}
