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
import { completedTasks, completionsOf, occurrencesOf } from './history'
import type {
  CompletedBetween,
  CompletedTask,
  CompleteTask,
  ListOccurrences,
  Occurrence,
  SkipTask,
  TaskCompletion,
} from './schema'
import type { CompletionResult, Completions } from './service'
import { hasCompletion, latestCompletion } from './store'

export type CompletionActions = ReturnType<typeof createCompletionActions>

/** What callers may do about completions. Every write is one transaction. */
export function createCompletionActions(completions: Completions) {
  /** Runs `work` on a living task, in a transaction. */
  function onLiving<T>(
    session: Session,
    id: string,
    precondition: Precondition,
    work: (task: TaskRow, within: Session) => Promise<T>,
  ): Promise<T> {
    return taskReader.withRow(session, id, precondition, async (within, task) => {
      refuseTrashed(task, 'task')
      return work(task, within)
    })
  }

  return {
    /** Throws conflict, occurrence_passed, invalid_request. */
    complete: (session: Session, id: string, asked: CompleteTask, precondition: Precondition = null) =>
      onLiving(session, id, precondition, async (task, within) =>
        answered(await completions.completed(within, task, asked)),
      ),

    /** Throws conflict, occurrence_passed, invalid_request. */
    skip: (session: Session, id: string, asked: SkipTask, precondition: Precondition = null) =>
      onLiving(session, id, precondition, async (task, within) =>
        answered(await completions.skipped(within, task, asked)),
      ),

    reopen: (session: Session, id: string, precondition: Precondition = null): Promise<Tagged<Task>> =>
      onLiving(session, id, precondition, async (task, within) => toTask(await completions.reopened(within, task))),

    /** Throws not_latest, changed_since. */
    undo: (
      session: Session,
      { id, cid }: { id: string; cid: string },
      force: boolean,
      precondition: Precondition = null,
    ): Promise<Tagged<Task>> =>
      onLiving(session, id, precondition, async (task, within) => {
        const latest = await latestCompletion(within.db, within.workspace.id, task.key)
        if (latest?.id === cid) return toTask(await completions.undo(within, task, latest, force))
        if (!(await hasCompletion(within.db, within.workspace.id, task.key, cid)))
          throw new ApiError('not_found', 'The task has no completion with this id.')
        throw new ApiError('not_latest', 'A newer completion must be undone first.', { latest_id: latest?.id })
      }),

    async occurrences(session: Session, id: string, query: ListOccurrences): Promise<Page<Occurrence>> {
      return occurrencesOf(session, await taskReader.load(session, id), query)
    },

    async ofTask(
      session: Session,
      id: string,
      query: { limit?: string; cursor?: string },
    ): Promise<Page<TaskCompletion>> {
      return completionsOf(session, await taskReader.load(session, id), query)
    },

    completed: (session: Session, query: CompletedBetween): Promise<Page<TaskCompletion>> =>
      completedTasks(session, query),
  }
}

function answered({ task, completion }: CompletionResult): Tagged<CompletedTask> {
  const { resource, etag } = toTask(task)
  return { etag, resource: { task: resource, completion: completion && toTaskCompletion(completion) } }
}
