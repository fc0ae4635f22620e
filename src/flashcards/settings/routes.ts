import { Elysia } from 'elysia'
import type { Session } from '../../db/database'
import { ifMatch } from '../../http/conditional'
import { changed, send, sendResource } from '../../http/responses'
import { NoContent, Problem } from '../../http/schema'
import { ImportReport, IN_STEPS } from '../../imports/schema'
import type { ReplayAfter } from '../replay'
import { StudySettings, UpdateStudySettings } from './schema'
import type { StudySettingsService } from './service'

interface Deps {
  readonly settings: StudySettingsService
  readonly reweigh: ReplayAfter
  /** The workspace of whoever sent a request. */
  readonly session: (request: Request) => Session
}

export function studySettingsRoutes({ settings, reweigh, session }: Deps) {
  return new Elysia({ prefix: '/api/flashcards', tags: ['Flashcards'] })
    .get('/settings', async ({ request, set }) => sendResource(request, set, await settings.get(session(request))), {
      response: { 200: StudySettings, 304: NoContent },
      detail: {
        operationId: 'getStudySettings',
        summary: 'Get the study settings',
        description: 'When study days begin, and what decks do where they say nothing themselves.',
      },
    })
    .patch(
      '/settings',
      async ({ request, body, set }) =>
        send(
          set,
          await reweigh(request, session(request), {
            body,
            change: async (within, options) => changed(await settings.update(within, body, ifMatch(request), options)),
          }),
        ),
      {
        body: UpdateStudySettings,
        response: { 200: StudySettings, 202: ImportReport, 412: Problem },
        detail: {
          operationId: 'updateStudySettings',
          summary: 'Change the study settings',
          description: `Due days stay as they are in another zone, and begin when it says. ${IN_STEPS}`,
        },
      },
    )
}
