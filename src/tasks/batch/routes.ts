import { Elysia } from 'elysia'
import type { Session } from '../../db/database'
import { sentOutcome } from '../../http/batch'
import type { Once } from '../../http/idempotency'
import { send } from '../../http/responses'
import { Problem } from '../../http/schema'
import { BatchTasks, TaskBatchResult } from './schema'
import type { TaskBatches } from './service'

interface Deps {
  readonly batches: TaskBatches
  readonly once: Once
  /** The workspace of whoever sent a request. */
  readonly session: (request: Request) => Session
  /** The id that ties an answer to the log. */
  readonly requestId: (request: Request) => string
}

export function taskBatchRoutes({ batches, once, session, requestId }: Deps) {
  return new Elysia({ prefix: '/api/tasks', tags: ['Tasks'] }).post(
    '/batch',
    async ({ request, body, set }) =>
      send(
        set,
        await once(request, session(request), body, async (within) => {
          const items = (await batches.run(within, body)).map((one) => sentOutcome(one, requestId(request)))
          return { status: 200, headers: {}, body: { items } }
        }),
      ),
    {
      body: BatchTasks,
      response: { 200: TaskBatchResult, 404: Problem, 409: Problem, 412: Problem },
      detail: {
        operationId: 'batchTasks',
        summary: 'Change many tasks',
        description:
          'Up to 100 ops in order, as one request. Atomic: all, or the problem of the first that failed, with `failed_index`. Else each answers for itself.',
      },
    },
  )
}
