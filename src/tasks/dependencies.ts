import type { Session } from '../db/database'
import { ApiError, invalid } from '../http/api-error'
import { waitingPath } from './relation-store'
import { getTasks } from './store'

/**
 * What a task may wait for: tasks of the workspace that do not wait for it in turn. Answers the ids, each once, as JSON.
 * @param task the task as it is stored; null while it is new, when nothing can wait for it yet
 * @throws Refusal invalid_request, dependency_cycle
 */
export async function checkedBlockers(
  { db, workspace }: Session,
  task: { readonly id: string; readonly key: number | null },
  asked: readonly string[],
): Promise<string> {
  const ids = [...new Set(asked)]
  const blockers = new Map((await getTasks(db, workspace.id, ids)).map(({ id, key }) => [id, key]))
  const keys = ids.map((id) => {
    if (id === task.id) throw circle([id, id])
    const key = blockers.get(id)
    if (key === undefined)
      throw invalid(`/blocked_by/${asked.indexOf(id)}`, 'unknown_task', 'blocked_by must be ids of tasks')
    return key
  })
  const path = task.key === null ? [] : await waitingPath(db, workspace.id, keys, task.key)
  if (path.length > 0) throw circle([task.id, ...path])
  return JSON.stringify(ids)
}

/** Refuses what would close a circle. `path`: ids, each waiting for the next; empty where nobody looks for it. */
export function circle(path: readonly string[]): ApiError {
  return new ApiError('dependency_cycle', 'Tasks would wait for each other in a circle.', { path })
}
