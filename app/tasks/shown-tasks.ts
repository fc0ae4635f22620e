import type { Task } from '../api/types'
import type { Copy } from '../data/copy'
import { wordsOf } from '../notes/find-notes'
import { byDue } from './order'
import { isOpen } from './status'

/** All tasks but those of archived projects. Reading it in a component subscribes to them. */
export function shownTasks({ shown }: Copy): Task[] {
  const projects = shown.task_project.value
  return [...shown.task.value.values()].filter(
    ({ project_id }) => project_id === null || (projects.get(project_id)?.archived_at ?? null) === null,
  )
}

/** Finds the tasks with all words in their titles, notes and labels: open ones first, then by when they are due. */
export function findTasks(tasks: Iterable<Task>, query: string): Task[] {
  const words = wordsOf(query)
  if (words.length === 0) return []
  const has = ({ title, notes, labels }: Task) => {
    const text = [title, notes, ...labels].join('\n').toLowerCase()
    return words.every((word) => text.includes(word))
  }
  return [...tasks].filter(has).sort((a, b) => Number(isOpen(b)) - Number(isOpen(a)) || byDue(a, b))
}
