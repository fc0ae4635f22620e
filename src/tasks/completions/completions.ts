import { Elysia, t } from 'elysia'
import type { Session } from '../../db/database'
import type { RequestPlugin } from '../../http/api'
import { ApiError, refuses } from '../../http/api-error'
import { refuseTrashed } from '../../http/resource'
import { changed, ifMatch, type Precondition, type Tagged } from '../../http/responses'
import { Id, nameSchemas, Problem } from '../../http/schema'
import { Task } from '../schema'
import { taskReader } from '../service'
import type { TaskRow } from '../store'
import { toTask } from '../task'
import { toTaskCompletion } from './completion'
import { listCompletedTasks, listTaskCompletions, listTaskOccurrences } from './history'
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
import { getLatestCompletion, hasCompletion } from './store'
import type { CompletionWriter, RecordedCompletion } from './writer'

export type CompletionActions = ReturnType<typeof createCompletionActions>

/** Every write is one transaction. */
export function createCompletionActions(completions: CompletionWriter) {
  /** Runs `work` on a task outside the trash, in a transaction. Throws not_found, precondition_failed, conflict. */
  function withActiveTask<T>(
    session: Session,
    id: string,
    precondition: Precondition,
    work: (task: TaskRow, inside: Session) => Promise<T>,
  ): Promise<T> {
    return taskReader.withRow(session, id, precondition, async (inside, task) => {
      refuseTrashed(task, 'task')
      return work(task, inside)
    })
  }

  return {
    /** Completes a task or its current occurrence. Throws conflict, occurrence_passed, invalid_request. */
    complete: (session: Session, id: string, input: CompleteTask, precondition: Precondition = null) =>
      withActiveTask(session, id, precondition, async (task, inside) =>
        toCompletedTask(await completions.complete(inside, task, input)),
      ),

    /** Skips the current occurrence of a task. Throws conflict, occurrence_passed, invalid_request. */
    skip: (session: Session, id: string, input: SkipTask, precondition: Precondition = null) =>
      withActiveTask(session, id, precondition, async (task, inside) =>
        toCompletedTask(await completions.skip(inside, task, input)),
      ),

    reopen: (session: Session, id: string, precondition: Precondition = null): Promise<Tagged<Task>> =>
      withActiveTask(session, id, precondition, async (task, inside) => toTask(await completions.reopen(inside, task))),

    /** Undoes the latest completion of a task. Throws not_latest, changed_since. */
    undo: (
      session: Session,
      { id, cid: completionId }: { id: string; cid: string },
      force: boolean,
      precondition: Precondition = null,
    ): Promise<Tagged<Task>> =>
      withActiveTask(session, id, precondition, async (task, inside) => {
        const latest = await getLatestCompletion(inside, task.key)
        if (latest?.id === completionId) return toTask(await completions.undo(inside, task, latest, force))
        if (!(await hasCompletion(inside, task.key, completionId)))
          throw new ApiError('not_found', 'The task has no completion with this id.')
        throw new ApiError('not_latest', 'A newer completion must be undone first.', { latest_id: latest?.id })
      }),

    listOccurrences: listTaskOccurrences,
    listForTask: listTaskCompletions,
    listCompleted: listCompletedTasks,
  }
}

function toCompletedTask({ task, completion }: RecordedCompletion): Tagged<CompletedTask> {
  const { resource, etag } = toTask(task)
  return { etag, resource: { task: resource, completion: completion && toTaskCompletion(completion) } }
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
