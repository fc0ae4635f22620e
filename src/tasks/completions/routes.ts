import { Elysia, t } from 'elysia'
import { refuses } from '../../http/api-error'
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

export function completionRoutes({ completions, api }: { completions: CompletionActions; api: RequestPlugin }) {
  return new Elysia({ prefix: '/api/tasks', tags: ['Completing and repeating'] })
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
          ...refuses('occurrence_passed', 'too_many_affected'),
          summary: 'Complete a task',
          description:
            'A recurring task moves to its next date that is not in the past; dates in between are recorded as `missed`. Send the `occurrence` that you mean, so that a repeated request does not complete the next one. A done task stays as it is.',
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
          ...refuses('occurrence_passed', 'too_many_affected'),
          summary: 'Skip an occurrence',
          description: 'Moves the task to its next date without completing it.',
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
          description: 'Undoes the completion of the task, or opens a cancelled task. An open task stays as it is.',
        },
      },
    )
    .get('/:id/occurrences', ({ session, params, query }) => completions.listOccurrences(session, params.id, query), {
      params: OneTask,
      query: ListOccurrences,
      response: { 200: OccurrencePage },
      detail: {
        operationId: 'listTaskOccurrences',
        ...refuses('invalid_cursor'),
        summary: 'List the dates of a task',
        description:
          'Dates from one day to another, both included: completed, skipped and missed ones, the current due date, and later ones.',
      },
    })
    .get('/:id/completions', ({ session, params, query }) => completions.listForTask(session, params.id, query), {
      params: OneTask,
      query: ListTaskCompletions,
      response: { 200: TaskCompletionPage },
      detail: {
        operationId: 'listTaskCompletions',
        ...refuses('invalid_cursor'),
        summary: 'List the completions of a task',
        description: 'Completions and skips, the newest first.',
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
          ...refuses('changed_since', 'conflict', 'not_latest'),
          summary: 'Undo a completion',
          description:
            'Restores exactly what completing or skipping changed, and returns the task. Only the newest completion can be undone. `force=true` undoes it even if one of the changed members was edited since.',
        },
      },
    )
    .get('/completed', ({ session, query }) => completions.listCompleted(session, query), {
      query: ListCompletions,
      response: { 200: TaskCompletionPage },
      detail: {
        operationId: 'listCompletions',
        ...refuses('invalid_cursor'),
        summary: 'List completions',
        description: 'Completions of all tasks, the newest first, with the titles at that time.',
      },
    })
}
