import { Elysia } from 'elysia'
import { refuses } from '../../http/api-error'
import { toOutcomeBody } from '../../http/batch'
import type { RequestPlugin } from '../../http/request'
import { nameSchemas, Problem } from '../../http/schema'
import { BatchTasks, DeleteOp, RestoreOp, TaskBatchResult, UpdateTaskInBatch } from './schema'
import type { TaskBatches } from './service'

nameSchemas({ DeleteOp, RestoreOp, UpdateTaskInBatch, BatchTasks, TaskBatchResult })

export function taskBatchRoutes({ batches, api }: { batches: TaskBatches; api: RequestPlugin }) {
  return new Elysia({ prefix: '/api/tasks', tags: ['Tasks'] }).use(api).post(
    '/batch',
    async ({ session: outside, body, once, reply: { requestId } }) => {
      const batch = await batches.readWords(outside, body)
      return once(async (session) => {
        const items = (await batches.run(session, batch)).map((outcome) => toOutcomeBody(outcome, requestId))
        return { status: 200, headers: {}, body: { items } }
      })
    },
    {
      idempotent: true,
      body: BatchTasks,
      response: { 200: TaskBatchResult, 404: Problem, 409: Problem },
      detail: {
        operationId: 'batchTasks',
        ...refuses(
          'dependency_cycle',
          'not_found',
          'occurrence_passed',
          'parent_cycle',
          'precondition_failed',
          'recurrence_never_occurs',
          'too_many_affected',
          'unsupported_recurrence',
        ),
        summary: 'Change many tasks',
        description:
          'Runs up to 100 ops in order. By default all of them succeed, or the response is the problem of the first that failed, with `failed_index`. With `atomic: false` each op has its own result.',
      },
    },
  )
}
