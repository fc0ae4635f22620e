import { Elysia } from 'elysia'
import type { Session } from '../../db/database'
import { sentOutcome } from '../../http/batch'
import type { Once } from '../../http/idempotency'
import { send } from '../../http/responses'
import { Problem } from '../../http/schema'
import { withLinksUpdated } from '../links-updated'
import { BatchNotes, BatchOutcome } from './schema'
import type { NoteBatches } from './service'

interface Deps {
  readonly batches: NoteBatches
  readonly once: Once
  /** The workspace of whoever sent a request. */
  readonly session: (request: Request) => Session
  /** The id that ties an answer to the log. */
  readonly requestId: (request: Request) => string
}

export function noteBatchRoutes({ batches, once, session, requestId }: Deps) {
  return new Elysia({ prefix: '/api/notes', tags: ['Notes'] }).post(
    '/batch',
    async ({ request, body, set }) =>
      send(
        set,
        await once(request, session(request), body, async (within) => {
          const { outcomes, linksUpdated } = await batches.run(within, body)
          const items = outcomes.map((one) => sentOutcome(one, requestId(request)))
          return withLinksUpdated({ status: 200, headers: {}, body: { items } }, linksUpdated)
        }),
      ),
    {
      body: BatchNotes,
      response: { 200: BatchOutcome, 404: Problem, 409: Problem, 412: Problem },
      detail: {
        operationId: 'batchNotes',
        summary: 'Change many notes',
        description:
          'Up to 100 ops in order, as one request. Atomic: all, or the problem of the first that failed, with `failed_index`. Else each answers for itself.',
      },
    },
  )
}
