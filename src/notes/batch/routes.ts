import { Elysia } from 'elysia'
import { refuses } from '../../http/api-error'
import { toOutcomeBody } from '../../http/batch'
import type { RequestPlugin } from '../../http/request'
import { nameSchemas, Problem } from '../../http/schema'
import { withLinksUpdated } from '../rename-port'
import { BatchNotes, NoteBatchOutcome, UpdateNoteInBatch } from './schema'
import type { NoteBatches } from './service'

nameSchemas({ UpdateNoteInBatch, BatchNotes, NoteBatchOutcome })

export function noteBatchRoutes({ batches, api }: { batches: NoteBatches; api: RequestPlugin }) {
  return new Elysia({ prefix: '/api/notes', tags: ['Notes'] }).use(api).post(
    '/batch',
    ({ body, once, reply }) =>
      once(async (session) => {
        const { outcomes, linksUpdated } = await batches.run(session, body)
        const items = outcomes.map((outcome) => toOutcomeBody(outcome, reply.requestId))
        return withLinksUpdated({ status: 200, headers: {}, body: { items } }, linksUpdated)
      }),
    {
      idempotent: true,
      body: BatchNotes,
      response: { 200: NoteBatchOutcome, 404: Problem, 409: Problem },
      detail: {
        operationId: 'batchNotes',
        ...refuses(
          'edit_target_ambiguous',
          'edit_target_missing',
          'not_found',
          'precondition_failed',
          'too_many_links',
        ),
        summary: 'Change many notes',
        description:
          'Runs up to 100 ops in order. Atomic: all ops succeed, or none is done and the problem of the first failed op is returned, with `failed_index`. Not atomic: each op succeeds or fails by itself.',
      },
    },
  )
}
