import { Elysia, t } from 'elysia'
import type { Session } from '../../db/database'
import { ifMatch } from '../../http/conditional'
import type { RequestPlugin } from '../../http/request'
import { changed } from '../../http/responses'
import { NoContent, nameSchemas, Problem } from '../../http/schema'
import { ImportReport, IN_STEPS } from '../../imports/schema'
import type { ReplayOptions } from '../memory'
import type { ChangeSchedule } from '../rescheduling/change'
import { ReschedulePreview, RescheduleQuery } from '../rescheduling/schema'
import { DeckOverrides, EffectiveSettings, PatchOverrides, StudySettings, UpdateStudySettings } from './schema'
import type { StudySettingsService } from './service'

interface Deps {
  readonly settings: StudySettingsService
  readonly changeSchedule: ChangeSchedule
  readonly api: RequestPlugin
}

nameSchemas({
  StudySettings,
  UpdateStudySettings,
  DeckOverrides,
  PatchDeckOverrides: PatchOverrides,
  EffectiveSettings,
})

export function studySettingsRoutes({ settings, changeSchedule, api }: Deps) {
  return new Elysia({ prefix: '/api/flashcards', tags: ['Scheduling'] })
    .use(api)
    .get('/settings', async ({ session, reply }) => reply.read(await settings.get(session)), {
      response: { 200: StudySettings, 304: NoContent },
      detail: {
        operationId: 'getStudySettings',
        summary: 'Get the study settings',
        description: 'When study days begin, and the settings that decks inherit by default.',
      },
    })
    .patch(
      '/settings',
      async ({ session, request, query, body, reply }) => {
        const change = async (tx: Session, options: ReplayOptions) =>
          changed(await settings.update(tx, body, ifMatch(request), options))
        return reply.send(await changeSchedule(request, session, { deckId: null, query, body, change }))
      },
      {
        query: RescheduleQuery,
        body: UpdateStudySettings,
        response: {
          200: t.Union([StudySettings, ReschedulePreview], { examples: StudySettings.examples }),
          202: ImportReport,
          412: Problem,
        },
        detail: {
          operationId: 'updateStudySettings',
          summary: 'Change the study settings',
          description: `Due days stay as they are in another zone, and begin when it says. After a change of retention, weights or maximum interval they stay, too, unless \`reschedule\` moves them. ${IN_STEPS}`,
        },
      },
    )
}
