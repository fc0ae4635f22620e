/** Moves of tasks between projects, sections and parents: shown at once, and undone together. */
import type { Task } from '../api/types'
import type { Workspace } from '../data/workspace'
import { actWithUndo } from '../shell/act'
import { say } from '../words/say'
import { folds, toggleFold } from './folds'
import { isOpen } from './status'
import { nameOf } from './task-actions'
import { byPosition, isWithin, moveWrites, type Place, placeKey, type Spot, spotOf } from './tree'

/** The open tasks at a place, in their order. */
export function tasksAt({ copy }: Workspace, place: Place): Task[] {
  const key = placeKey(place)
  return [...copy.shown.task.peek().values()].filter((task) => isOpen(task) && placeKey(task) === key).sort(byPosition)
}

/** The id of the last open task at a place; null: there is none. */
export const lastAt = (workspace: Workspace, place: Place): string | null =>
  tasksAt(workspace, place).at(-1)?.id ?? null

/** The sections of a project in their order: first null, for the tasks in none. */
export function sectionsOf({ copy }: Workspace, projectId: string | null): (string | null)[] {
  const own = [...copy.shown.task_section.peek().values()].filter(({ project_id }) => project_id === projectId)
  return [null, ...own.sort(byPosition).map(({ id }) => id)]
}

/** Puts tasks, in their order, to the end of a project, a section or the parts of a task. */
export function moveToPlace(workspace: Workspace, tasks: readonly Task[], place: Place): void {
  const spot = { ...place, after: lastAt(workspace, place) }
  moveTasks(workspace, tasks, spot, (name) => say`Moved ${name} to ${placeInWords(workspace, place)}.`)
}

/**
 * Puts tasks, in their order, to a spot, and says so. Tasks that cannot go there, since the spot is below them, stay.
 * @param words the sentence, for the name of what moves
 */
export function moveTasks(
  workspace: Workspace,
  tasks: readonly Task[],
  spot: Spot,
  words: (name: string) => string,
): void {
  const all = workspace.copy.shown.task.peek()
  const parent = spot.parent_id === null ? undefined : all.get(spot.parent_id)
  const ids = new Set(tasks.map(({ id }) => id))
  // A part of a task that moves goes along with it.
  const moving = tasks.filter(
    (task) =>
      (task.parent_id === null || !ids.has(task.parent_id)) &&
      !(parent && isWithin(parent, task.id, all)) &&
      task.id !== spot.after,
  )
  if (moving.length === 0) return
  if (spot.parent_id !== null && folds.peek().has(spot.parent_id)) toggleFold(spot.parent_id)
  const back = moving.map((task) => ({ task, spot: spotOf(task, tasksAt(workspace, task)) }))
  actWithUndo(
    workspace,
    words(nameOf(moving)),
    moveWrites(moving, spot, tasksAt(workspace, spot)),
    back.flatMap(({ task, spot }) =>
      moveWrites(
        [task],
        spot,
        tasksAt(workspace, spot).filter(({ id }) => !ids.has(id) || id === spot.after),
      ),
    ),
  )
}

/** The places of a task that is no part: those of the projects that are shown, and of another one. */
export function placesOf(workspace: Workspace, projectId: string | null = null): readonly Place[] {
  const projects = [...workspace.copy.shown.task_project.value.values()]
    .filter(({ id, archived_at }) => archived_at === null || id === projectId)
    .sort(byPosition)
  return [null, ...projects.map(({ id }) => id)].flatMap((project_id) =>
    sectionsOf(workspace, project_id).map((section_id) => ({ project_id, section_id, parent_id: null })),
  )
}

/** Where a place is, as one says it: “Inbox”, “Home”, “Home / Kitchen” or the title of a parent. */
export function placeInWords({ copy }: Workspace, place: Place): string {
  const parent = place.parent_id === null ? undefined : copy.shown.task.peek().get(place.parent_id)
  if (parent) return say`“${parent.title}”`
  const project = place.project_id === null ? undefined : copy.shown.task_project.peek().get(place.project_id)
  const section = place.section_id === null ? undefined : copy.shown.task_section.peek().get(place.section_id)
  return `${project?.name ?? say`Inbox`}${section ? ` / ${section.name}` : ''}`
}
