import { Elysia } from 'elysia'
import type { RequestPlugin } from '../../http/request'
import { nameSchemas, Problem } from '../../http/schema'
import { ImportReport, IN_STEPS } from '../../imports/schema'
import { ReschedulePreview, RescheduleUndone } from './schema'
import type { RescheduleUndo } from './undo'

interface Deps {
  readonly undoReschedule: RescheduleUndo
  readonly api: RequestPlugin
}

nameSchemas({ ReschedulePreview, RescheduleUndone })

export function rescheduleRoutes({ undoReschedule, api }: Deps) {
  return new Elysia({ prefix: '/api/flashcards', tags: ['Scheduling'] })
    .use(api)
    .post(
      '/reschedule/undo',
      async ({ session, request, body, reply }) => reply.send(await undoReschedule(request, session, body)),
      {
        response: { 200: RescheduleUndone, 202: ImportReport, 404: Problem },
        detail: {
          operationId: 'undoReschedule',
          summary: 'Undo the last rescheduling',
          description: `Puts back the settings of the last change with \`reschedule\`, and the due days that it moved. Cards that were answered or moved since stay as they are, and so do settings that were changed again. ${IN_STEPS}`,
        },
      },
    )
}
