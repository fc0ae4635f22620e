import type { Task } from '../api/types'
import type { Copy } from '../data/copy'

/** All tasks but those of archived projects. Reading it in a component subscribes to them. */
export function shownTasks({ shown }: Copy): Task[] {
  const projects = shown.task_project.value
  return [...shown.task.value.values()].filter(
    ({ project_id }) => project_id === null || (projects.get(project_id)?.archived_at ?? null) === null,
  )
}
