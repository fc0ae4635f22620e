import type { Session } from '../db/database'
import { ApiError, invalid } from '../http/api-error'
import { refuseTooMany, type TaskWriter } from './change-tasks'
import {
  createPositionBetween,
  createPositions,
  findGap,
  isInGap,
  MAX_POSITION_CHARS,
  type SiblingMove,
} from './names-and-positions'
import { getProjectOfSection, hasProject, listIdsInPlace, taskPositions } from './place-store'
import { countParts, listAncestors, listDescendants } from './relation-store'
import type { MoveTask } from './schema'
import { getTask, NO_FORMER_PLACE, type TaskDraft, type TaskRow } from './store'

/** The place of a task: the inbox, a project, a section or a parent task, and the position there. */

export const MAX_TASK_LEVELS = 8
/** The most direct parts of a task outside the trash. */
const MAX_SUBTASKS = 500

export type TaskPlace = Pick<TaskRow, 'parent_id' | 'project_id' | 'section_id'>
export type PlacePatch = Pick<MoveTask, 'parent_id' | 'project_id' | 'section_id'>

/**
 * Returns the task in the place of the request. It becomes the last one there unless the request gives an order.
 * @param stored whether the task has a row already
 * @throws ApiError invalid_request, parent_cycle
 */
export async function placeTask<Draft extends TaskDraft>(
  session: Session,
  draft: Draft,
  request: PlacePatch & SiblingMove,
  stored: boolean,
): Promise<Draft> {
  const where = await findPlace(session, draft, request)
  const place = toPlaceKey(where)
  if (where.parent_id !== null && where.parent_id !== draft.parent_id)
    await requireRoomForSubtask(session, draft.id, where.parent_id, stored)
  const isOrdered = request.after !== undefined || request.before !== undefined
  if (stored && place === draft.place && !isOrdered) return { ...draft, ...where }
  const gap = await findGap(taskPositions, session, { ...draft, place }, request, async (id) => {
    const sibling = await getTask(session, id)
    return sibling?.place === place ? sibling.position : null
  })
  const fits = stored && place === draft.place && isInGap(gap, draft.position)
  const former = place === draft.place ? {} : NO_FORMER_PLACE
  return { ...draft, ...where, ...former, place, position: fits ? draft.position : createPositionBetween(...gap) }
}

/** Returns the key of the list in which a task is ordered; it is the column `place`. */
export function toPlaceKey({ parent_id, section_id, project_id }: TaskPlace): string {
  if (parent_id !== null) return `t:${parent_id}`
  if (section_id !== null) return `s:${section_id}`
  return project_id === null ? '' : `p:${project_id}`
}

/** Returns the place after a request. Absent members stay, unless another member determines them. */
async function findPlace(session: Session, old: TaskPlace, request: PlacePatch): Promise<TaskPlace> {
  const { project_id: into = old.project_id } = request
  if (request.parent_id === undefined && request.section_id === undefined && into === old.project_id)
    return pickPlace(old)
  const parent_id = request.parent_id === undefined ? old.parent_id : request.parent_id
  if (parent_id !== null) return findPlaceBelow(session, old, parent_id, request)
  const section_id = request.section_id === undefined ? getKeptSection(old, request) : request.section_id
  const home = section_id === null ? null : await requireSection(session, section_id)
  const project_id = request.project_id === undefined ? (home ?? old.project_id) : request.project_id
  if (home !== null && home !== project_id)
    throw invalid('/section_id', 'other_project', 'section_id must be a section of the project')
  if (project_id !== null && project_id !== old.project_id && project_id !== home)
    await requireProject(session, project_id)
  return { parent_id, project_id, section_id }
}

const pickPlace = ({ parent_id, project_id, section_id }: TaskPlace): TaskPlace => ({
  parent_id,
  project_id,
  section_id,
})

/** Returns the old section, or null if the task leaves its project. */
function getKeptSection(old: TaskPlace, request: PlacePatch): string | null {
  return request.project_id === undefined || request.project_id === old.project_id ? old.section_id : null
}

async function findPlaceBelow(
  session: Session,
  old: TaskPlace,
  parent_id: string,
  request: PlacePatch,
): Promise<TaskPlace> {
  if (parent_id === old.parent_id) {
    requireSamePlace(old, request)
    return { parent_id, project_id: old.project_id, section_id: old.section_id }
  }
  const parent = await getTask(session, parent_id)
  if (parent?.deleted_at !== null)
    throw invalid('/parent_id', 'unknown_task', 'parent_id must be the id of a task that is not in the trash')
  requireSamePlace(parent, request)
  return { parent_id, project_id: parent.project_id, section_id: parent.section_id }
}

/** Refuses another project or section than that of the parent. Throws invalid_request. */
function requireSamePlace(whole: TaskPlace, request: PlacePatch): void {
  for (const member of ['project_id', 'section_id'] as const)
    if (request[member] !== undefined && request[member] !== whole[member])
      throw invalid(`/${member}`, 'differs_from_parent', `a part has the ${member} of its parent`)
}

export async function requireProject(session: Session, id: string): Promise<void> {
  if (!(await hasProject(session, id)))
    throw invalid('/project_id', 'unknown_project', 'project_id must be the id of a project that is not in the trash')
}

async function requireSection(session: Session, id: string): Promise<string> {
  const project = await getProjectOfSection(session, id)
  if (project === null)
    throw invalid('/section_id', 'unknown_section', 'section_id must be the id of a section that is not in the trash')
  return project
}

/** Refuses to restore a part while its parent already has the most parts it can have. Throws conflict. */
export async function requireRoomToRestore(session: Session, { parent_id }: TaskRow): Promise<void> {
  if (parent_id !== null && (await countParts(session, parent_id)) >= MAX_SUBTASKS)
    throw new ApiError('conflict', `Its parent task already has ${MAX_SUBTASKS} parts.`)
}

/**
 * Refuses a cycle, a ninth level and too many parts.
 * @param stored whether the task has a row already
 * @param counts whether the task counts as a part, since it is outside the trash
 * @throws ApiError invalid_request, parent_cycle
 */
export async function requireRoomForSubtask(
  session: Session,
  id: string,
  parent: string,
  stored: boolean,
  counts = true,
): Promise<void> {
  const above = await listAncestors(session, parent, MAX_TASK_LEVELS)
  if (parent === id || above.some((task) => task.id === id))
    throw new ApiError('parent_cycle', 'A task cannot be a part of itself or of one of its parts.')
  const below = stored ? await listDescendants(session, id) : []
  if (above.length + 2 + (below.at(-1)?.depth ?? 0) > MAX_TASK_LEVELS)
    throw invalid('/parent_id', 'too_deep', `tasks nest at most ${MAX_TASK_LEVELS} levels deep`)
  if (counts && (await countParts(session, parent)) >= MAX_SUBTASKS)
    throw invalid('/parent_id', 'too_many_parts', `a task has at most ${MAX_SUBTASKS} parts`)
}

/** Returns the change of place that restoring a task needs: null for a parent, project or section that is gone. */
export async function getRestorePatch(session: Session, task: TaskRow): Promise<PlacePatch> {
  if (task.parent_id !== null) {
    const parent = await getTask(session, task.parent_id)
    if (parent?.deleted_at === null) return {}
  }
  const project = task.project_id !== null && (await hasProject(session, task.project_id))
  const section = task.section_id !== null && (await getProjectOfSection(session, task.section_id)) !== null
  return {
    ...(task.parent_id !== null && { parent_id: null }),
    ...(!project && task.project_id !== null && { project_id: null }),
    ...(!section && task.section_id !== null && { section_id: null }),
  }
}

/** Moves the parts of a task into its project and section, in a transaction. Throws too_many_affected. */
export async function moveParts(
  { changeAll }: TaskWriter,
  session: Session,
  { id, project_id, section_id }: TaskRow,
): Promise<void> {
  const below = (await listDescendants(session, id)).map((part) => part.id)
  refuseTooMany(below.length)
  await changeAll(session, below, () => ({ project_id, section_id }))
}

/** Gives all tasks in the place short positions if that of this task is too long. Returns the task after that. */
export async function renumberSiblings({ changeAll }: TaskWriter, session: Session, task: TaskRow): Promise<TaskRow> {
  if (task.position.length <= MAX_POSITION_CHARS) return task
  const siblings = await listIdsInPlace(session, task.place)
  const positions = new Map(createPositions(siblings.length).map((position, i) => [siblings[i], position]))
  await changeAll(session, siblings, ({ id, position }) => ({ position: positions.get(id) ?? position }))
  return (await getTask(session, task.id)) ?? task
}
