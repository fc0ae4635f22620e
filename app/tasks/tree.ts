/** Where tasks are: their project, section and parent, their order there, and what a move writes. */
import { generateKeyBetween } from 'fractional-indexing'
import type { Task } from '../api/types'
import type { Write } from '../data/writes'

/** The list that a task is ordered in. Below a parent, project and section are those of the parent. */
export interface Place {
  readonly project_id: string | null
  readonly section_id: string | null
  readonly parent_id: string | null
}

/** A place, and the sibling that the task comes after; null: it becomes the first. */
export interface Spot extends Place {
  readonly after: string | null
}

/** A task in a list, with how deep it lies. */
export interface Row {
  /** Names the row: a task can be in several groups of a list. */
  readonly key: string
  readonly task: Task
  /** 1 for a task that is not shown below another. */
  readonly level: number
  /** Whether its open parts are folded away; null: it has none. */
  readonly folded: boolean | null
  /** YYYY-MM-DD: the row is a later date of a task that repeats, which can only be opened. */
  readonly later?: string
}

/** Names the list that a task is ordered in, as the server does. */
export function placeKey({ parent_id, section_id, project_id }: Place): string {
  if (parent_id !== null) return `t:${parent_id}`
  if (section_id !== null) return `s:${section_id}`
  return project_id === null ? '' : `p:${project_id}`
}

export const byPosition = (a: { position: string; id: string }, b: { position: string; id: string }) =>
  a.position < b.position || (a.position === b.position && a.id < b.id) ? -1 : 1

/** Tasks by the list that they are ordered in, each in its order. */
export function groupByPlace(tasks: Iterable<Task>): ReadonlyMap<string, readonly Task[]> {
  const lists = Map.groupBy(tasks, placeKey)
  for (const list of lists.values()) list.sort(byPosition)
  return lists
}

/**
 * Rows of tasks with their parts below them. Parts of parts go as deep as they are.
 * @param group begins the keys of the rows
 */
export function rowsOf(
  group: string,
  tasks: readonly Task[],
  lists: ReadonlyMap<string, readonly Task[]>,
  folded: ReadonlySet<string>,
  level = 1,
): Row[] {
  return tasks.flatMap((task) => {
    const parts = lists.get(`t:${task.id}`) ?? []
    const isFolded = folded.has(task.id)
    const row = { key: `${group} ${task.id}`, task, level, folded: parts.length > 0 ? isFolded : null }
    return isFolded ? [row] : [row, ...rowsOf(group, parts, lists, folded, level + 1)]
  })
}

/** Rows of a list whose order is not that of positions: no parts below tasks. */
export const flatRows = (group: string, tasks: readonly Task[]): Row[] =>
  tasks.map((task) => ({ key: `${group} ${task.id}`, task, level: 1, folded: null }))

/** Where a task is now, among the tasks of its list. */
export function spotOf(task: Task, siblings: readonly Task[]): Spot {
  const at = siblings.findIndex(({ id }) => id === task.id)
  return { ...placeOf(task), after: siblings[at - 1]?.id ?? null }
}

/**
 * The spot one step up or down: among the siblings, and beyond them in the section before or after.
 * @param siblings the tasks of its list, in order
 * @param sections the lists of the project in their order: first that without a section; only for tasks without a parent
 * @param lastIn the id of the last task of a list, by its key; null: it is empty
 * @returns null: there is no such place
 */
export function stepSpot(
  task: Task,
  by: -1 | 1,
  siblings: readonly Task[],
  sections: readonly (string | null)[],
  lastIn: (place: Place) => string | null,
): Spot | null {
  const at = siblings.findIndex(({ id }) => id === task.id)
  const { project_id, section_id, parent_id } = task
  const to = at + by
  if (to >= 0 && to < siblings.length)
    return { ...placeOf(task), after: (by < 0 ? siblings[at - 2] : siblings[at + 1])?.id ?? null }
  if (parent_id !== null) return null
  const section = sections[sections.indexOf(section_id) + by]
  if (section === undefined || !sections.includes(section_id)) return null
  const place = { project_id, section_id: section, parent_id: null }
  return { ...place, after: by < 0 ? lastIn(place) : null }
}

/** The spot that makes a task the last part of the sibling before it; null: it is the first. */
export function indentSpot(
  task: Task,
  siblings: readonly Task[],
  lastIn: (place: Place) => string | null,
): Spot | null {
  const parent = siblings[siblings.findIndex(({ id }) => id === task.id) - 1]
  if (!parent) return null
  const place = { ...placeOf(parent), parent_id: parent.id }
  return { ...place, after: lastIn(place) }
}

/**
 * The spot between two rows of a list, for a task let go there at a level, and the level that it gets: at most a
 * part of the row above, and as deep as the row below at least.
 * @param place of the tasks at level 1
 */
export function gapSpot(
  above: Row | undefined,
  below: Row | undefined,
  wanted: number,
  place: Place,
  tasks: ReadonlyMap<string, Task>,
  lastIn: (place: Place) => string | null,
): { spot: Spot; level: number } {
  if (!above) return { spot: { ...place, after: null }, level: 1 }
  const level = Math.min(Math.max(wanted, below?.level ?? 1), above.level + 1)
  if (level > above.level) {
    const parent = { ...placeOf(above.task), parent_id: above.task.id }
    return { spot: { ...parent, after: above.folded ? lastIn(parent) : null }, level }
  }
  let sibling = above.task
  for (let at = above.level; at > level; at--) sibling = tasks.get(sibling.parent_id ?? '') ?? sibling
  return { spot: { ...placeOf(sibling), after: sibling.id }, level }
}

const placeOf = ({ project_id, section_id, parent_id }: Place): Place => ({ project_id, section_id, parent_id })

/** The spot right after the parent of a task; null: it has none. */
export function outdentSpot(task: Task, tasks: ReadonlyMap<string, Task>): Spot | null {
  const parent = task.parent_id === null ? undefined : tasks.get(task.parent_id)
  if (!parent) return null
  return { ...placeOf(parent), after: parent.id }
}

/** Whether a task lies below another, or is that other. */
export function isWithin(task: Task, ancestor: string, tasks: ReadonlyMap<string, Task>): boolean {
  for (let at: Task | undefined = task; at; at = at.parent_id === null ? undefined : tasks.get(at.parent_id))
    if (at.id === ancestor) return true
  return false
}

/**
 * Writes that put tasks, in their order, to a spot.
 * @param siblings the tasks that are at the place, in order
 */
export function moveWrites(tasks: readonly Task[], spot: Spot, siblings: readonly Task[]): Write[] {
  const moving = new Set(tasks.map(({ id }) => id))
  const others = siblings.filter(({ id }) => !moving.has(id))
  const at = others.findIndex(({ id }) => id === spot.after)
  const next = others[at + 1]?.position ?? null
  let last = others[at]?.position ?? null
  let after = spot.after
  return tasks.map(({ id }) => {
    last = positionBetween(last, next)
    const place =
      spot.parent_id === null
        ? { parent_id: null, project_id: spot.project_id, section_id: spot.section_id }
        : { parent_id: spot.parent_id }
    const move: Write = { type: 'task', op: { op: 'move', id, data: { ...place, after } }, position: last }
    after = id
    return move
  })
}

/** A position between two others, null at the ends; behind all where one of them has not been placed by the server. */
function positionBetween(before: string | null, after: string | null): string {
  if (before?.startsWith('~')) return `${before}~`
  // Two that were placed at the same time elsewhere may be equal until the server tells them apart.
  const end = after === null || after.startsWith('~') || (before !== null && before >= after) ? null : after
  return generateKeyBetween(before, end)
}
