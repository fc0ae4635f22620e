import type { Session } from '../../db/database'
import { ApiError } from '../../http/api-error'
import type { Precondition, Tagged } from '../../http/conditional'
import type { Page } from '../../http/cursor'
import { refuseTrashed } from '../../http/resource'
import type { Task } from '../schema'
import { taskReader } from '../service'
import type { TaskRow } from '../store'
import { toTask } from '../task'
import { toTaskCompletion } from './completion'
import { listCompletedTasks, listTaskCompletions, listTaskOccurrences } from './history'
import type {
  CompletedTask,
  CompleteTask,
  ListCompletions,
  ListOccurrences,
  Occurrence,
  SkipTask,
  TaskCompletion,
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
        const latest = await getLatestCompletion(inside.db, inside.workspace.id, task.key)
        if (latest?.id === completionId) return toTask(await completions.undo(inside, task, latest, force))
        if (!(await hasCompletion(inside.db, inside.workspace.id, task.key, completionId)))
          throw new ApiError('not_found', 'The task has no completion with this id.')
        throw new ApiError('not_latest', 'A newer completion must be undone first.', { latest_id: latest?.id })
      }),

    async listOccurrences(session: Session, id: string, query: ListOccurrences): Promise<Page<Occurrence>> {
      return listTaskOccurrences(session, await taskReader.load(session, id), query)
    },

    async listForTask(
      session: Session,
      id: string,
      query: { limit?: string; cursor?: string },
    ): Promise<Page<TaskCompletion>> {
      return listTaskCompletions(session, await taskReader.load(session, id), query)
    },

    listCompleted: (session: Session, query: ListCompletions): Promise<Page<TaskCompletion>> =>
      listCompletedTasks(session, query),
  }
}

function toCompletedTask({ task, completion }: RecordedCompletion): Tagged<CompletedTask> {
  const { resource, etag } = toTask(task)
  return { etag, resource: { task: resource, completion: completion && toTaskCompletion(completion) } }
}
