import { Elysia, t } from 'elysia'
import { ifMatch } from '../../http/conditional'
import type { RequestPlugin } from '../../http/request'
import { changed } from '../../http/responses'
import { Id, nameSchemas, Problem } from '../../http/schema'
import { Task } from '../schema'
import type { CompletionActions } from './actions'
import {
  CompletedTask,
  CompleteTask,
  CompleteTaskBody,
  ListCompletions,
  ListOccurrences,
  ListTaskCompletions,
  OccurrencePage,
  SkipTask,
  SkipTaskBody,
  TaskCompletion,
  TaskCompletionPage,
  UndoCompletion,
} from './schema'

interface Deps {
  readonly completions: CompletionActions
  readonly api: RequestPlugin
}

const OneTask = t.Object({ id: Id })
const OneCompletion = t.Object({ id: Id, cid: Id })
const completionRoute = { params: OneTask, response: { 200: CompletedTask, 409: Problem, 412: Problem } }

nameSchemas({
  CompleteTask: CompleteTaskBody,
  SkipTaskOccurrence: SkipTaskBody,
  TaskCompletion,
  TaskCompletionPage,
  CompletedTask,
  OccurrencePage,
})

export function completionRoutes({ completions, api }: Deps) {
  return new Elysia({ prefix: '/api/tasks', tags: ['Tasks'] })
    .use(api)
    .post(
      '/:id/complete',
      ({ request, params, body, once }) =>
        once(async (session) => changed(await completions.complete(session, params.id, body ?? {}, ifMatch(request)))),
      {
        idempotent: true,
        ...completionRoute,
        body: CompleteTask,
        detail: {
          operationId: 'completeTask',
          summary: 'Complete a task',
          description:
            'A task that repeats goes on to the first date of its rule that is not past; what was passed over is `missed`. Name the `occurrence` you mean, and it is not done twice. A done task stays as it is.',
        },
      },
    )
    .post(
      '/:id/skip',
      ({ request, params, body, once }) =>
        once(async (session) => changed(await completions.skip(session, params.id, body ?? {}, ifMatch(request)))),
      {
        idempotent: true,
        ...completionRoute,
        body: SkipTask,
        detail: {
          operationId: 'skipTaskOccurrence',
          summary: 'Skip an occurrence',
          description: 'Goes on to the next date without a completion.',
        },
      },
    )
    .post(
      '/:id/reopen',
      ({ request, params, once }) =>
        once(async (session) => changed(await completions.reopen(session, params.id, ifMatch(request)))),
      {
        idempotent: true,
        params: OneTask,
        response: { 200: Task, 409: Problem, 412: Problem },
        detail: {
          operationId: 'reopenTask',
          summary: 'Reopen a task',
          description: 'Undoes the completion that made it done, or its cancelling. An open task stays as it is.',
        },
      },
    )
    .get('/:id/occurrences', ({ session, params, query }) => completions.listOccurrences(session, params.id, query), {
      params: OneTask,
      query: ListOccurrences,
      response: { 200: OccurrencePage },
      detail: {
        operationId: 'listTaskOccurrences',
        summary: 'List the dates of a task',
        description:
          'From one day to another, both included: what was done, skipped or missed, the present due date, and what is to come.',
      },
    })
    .get('/:id/completions', ({ session, params, query }) => completions.listForTask(session, params.id, query), {
      params: OneTask,
      query: ListTaskCompletions,
      response: { 200: TaskCompletionPage },
      detail: {
        operationId: 'listTaskCompletions',
        summary: 'List the completions of a task',
        description: 'Newest first, with what was skipped.',
      },
    })
    .delete(
      '/:id/completions/:cid',
      async ({ request, session, params, query, reply }) =>
        reply.changed(await completions.undo(session, params, query.force === 'true', ifMatch(request))),
      {
        params: OneCompletion,
        query: UndoCompletion,
        response: { 200: Task, 409: Problem, 412: Problem },
        detail: {
          operationId: 'undoTaskCompletion',
          summary: 'Undo a completion',
          description:
            'Puts back exactly what completing or skipping changed, and answers with the task. Only the newest can be undone; `force=true` does it even where one of those members was edited since.',
        },
      },
    )
    .get('/completed', ({ session, query }) => completions.listCompleted(session, query), {
      query: ListCompletions,
      response: { 200: TaskCompletionPage },
      detail: {
        operationId: 'listCompletions',
        summary: 'List what was done',
        description: 'Across all tasks, newest first, with the titles as they were.',
      },
    })
}
