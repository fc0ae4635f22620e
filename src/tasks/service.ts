import type { Context } from '../db/context'
import type { Session } from '../db/database'
import { ApiError, invalid } from '../http/api-error'
import type { Precondition, Tagged } from '../http/conditional'
import { createResourceReader, refuseTrashed, revise } from '../http/resource'
import { changed } from '../http/responses'
import { NO_CONTENT, type RequestedChange, runInline } from '../imports/stepped-change'
import { createChangeTasks, MANY_TASKS, oneByOne, type TaskWriter } from './change-tasks'
import { distinctNames } from './groups/records'
import { createShifts, type PlacePatch, placeLeft, placeTask, requireRoomToReturn, type SiblingMove } from './place'
import {
  countBelow,
  countTrashedWith,
  descendants,
  lowestParts,
  tasksByKeys,
  trashedWith,
  waitingPath,
} from './relation-store'
import type { CreateTask, MoveTask, Task, UpdateTask } from './schema'
import { getTask, getTasks, type TaskDraft, type TaskRow } from './store'
import { applyTaskPatch, isSameTask, newTaskDraft, statusColumns, toTask } from './task'

/** What a change of the status does beyond it: see `createCompletions`. The session must be a transaction. */
interface StatusChanges {
  /** Records a completion of the task, which the same request may have edited. */
  completed(session: Session, task: TaskRow, asked: object, edited: TaskRow): Promise<{ readonly task: TaskRow }>
  /** Opens a closed task again, and takes its last completion back. */
  reopened(session: Session, task: TaskRow, edited: TaskRow, status: 'open' | 'in_progress'): Promise<TaskRow>
}

interface TasksDeps extends Pick<Context, 'now' | 'ids'> {
  readonly writer: TaskWriter
  readonly completions: StatusChanges
  /** Which of these ids are no notes of the workspace. */
  readonly missingNotes: (session: Session, ids: readonly string[]) => Promise<string[]>
}

/** How a task is deleted or restored. */
export interface LeaveTask {
  readonly id: string
  readonly what: 'trash' | 'erase' | 'restore'
}

export type Tasks = ReturnType<typeof createTasks>

/** What callers may do with tasks. Every write is one transaction. */
export function createTasks({ now, ids, writer, completions, missingNotes }: TasksDeps) {
  const changeTasks = createChangeTasks({ now, writer })
  const shifts = createShifts(changeTasks)

  /** The draft with labels, blockers and notes as a request sets them. */
  async function related<Draft extends TaskDraft>(
    session: Session,
    draft: Draft,
    key: number | null,
    { labels, blocked_by, note_ids }: Pick<UpdateTask, 'labels' | 'blocked_by' | 'note_ids'>,
  ): Promise<Draft> {
    return {
      ...draft,
      ...(labels && !areTheirs(draft, labels) && { labels: JSON.stringify(labels) }),
      ...(blocked_by && { blocked_by: await checkedBlockers(session, { id: draft.id, key }, blocked_by) }),
      ...(note_ids && { note_ids: await checkedNotes(session, note_ids) }),
    }
  }

  async function checkedNotes(session: Session, asked: readonly string[]): Promise<string> {
    const distinct = [...new Set(asked)]
    const [missing] = await missingNotes(session, distinct)
    if (missing === undefined) return JSON.stringify(distinct)
    throw invalid(`/note_ids/${asked.indexOf(missing)}`, 'unknown_note', 'note_ids must be ids of notes')
  }

  /** Stores a task in the place that the request names. */
  async function saveIn(session: Session, old: TaskRow, next: TaskRow, asked: PlacePatch & SiblingMove) {
    const moved = await placeTask(session, next, asked, true)
    return followed(session, old, await saved(session, old, moved))
  }

  async function saved(session: Session, old: TaskRow, next: TaskRow): Promise<TaskRow> {
    if (isSameTask(old, next)) return old
    return writer.replace(session, old, revise(old, next, now()))
  }

  /** Moves what goes with a task: its parts, and its siblings when they must be renumbered. */
  async function followed(session: Session, old: TaskRow, saved: TaskRow): Promise<TaskRow> {
    if (saved.project_id !== old.project_id || saved.section_id !== old.section_id)
      await shifts.bringParts(session, saved)
    return shifts.renumber(session, saved)
  }

  /**
   * Stores an edited task with the status of the same patch, by the same ways as the endpoints of that name:
   * one change.
   */
  async function savedAs(session: Session, old: TaskRow, edited: TaskRow, status: Task['status'] = old.status) {
    if (status === old.status) return saved(session, old, edited)
    if (status === 'done') return (await completions.completed(session, old, {}, edited)).task
    if (status !== 'cancelled' && old.closed === 1) return completions.reopened(session, old, edited, status)
    if (old.status === 'done') throw new ApiError('conflict', 'The task is done. Reopen it first.')
    return saved(session, old, { ...edited, ...statusColumns(status, now()) })
  }

  /** What something above took into the trash along with the task: its parts that carry the same mark. */
  async function takenAlong({ db, workspace }: Session, task: TaskRow): Promise<string[]> {
    if (task.trashed_with === null) return []
    const below = await descendants(db, workspace.id, task.id)
    const parts = await tasksByKeys(
      db,
      workspace.id,
      below.map(({ key }) => key),
    )
    return parts.filter((part) => part.trashed_with === task.trashed_with).map(({ id }) => id)
  }

  /** Brings the task back, where there is a place for it; all that it took along is to follow. */
  async function restoreAlone(session: Session, task: TaskRow): Promise<void> {
    const along = await takenAlong(session, task)
    const home = await placeLeft(session, task)
    if (home.parent_id === undefined) await requireRoomToReturn(session, task)
    await saveIn(session, task, { ...task, deleted_at: null, trashed_with: null }, home)
    await changeTasks(session, along, () => BACK)
  }

  /** Sends a task away, or brings it back: its parts go before it, and come back behind it. */
  const leave: RequestedChange<LeaveTask, Task | undefined> = {
    name: 'task',

    async begin(session, { id, what }, precondition) {
      const { db, workspace } = session
      const task = await taskReader.loadAt(session, id, precondition)
      if (what !== 'restore') return (await countBelow(db, workspace.id, id, MANY_TASKS)) === MANY_TASKS
      if (task.deleted_at !== null) await restoreAlone(session, task)
      return (await countTrashedWith(db, workspace.id, id, MANY_TASKS)) === MANY_TASKS
    },

    async step(session, { id, what }, limit) {
      const { db, workspace } = session
      const task = await getTask(db, workspace.id, id)
      // One that is in the trash stays as it is, also where it went there again while it was brought back.
      if (!task || (what !== 'erase' && task.deleted_at !== null)) return null
      const ids =
        what === 'restore'
          ? await trashedWith(db, workspace.id, id, limit)
          : await lowestParts(db, workspace.id, id, { living: what === 'trash', limit })
      if (what === 'erase')
        await oneByOne(ids, async (part) => writer.erase(session, await taskReader.load(session, part)))
      else await changeTasks(session, ids, () => (what === 'trash' ? { deleted_at: now(), trashed_with: id } : BACK))
      return ids.length > 0 ? { changed: ids.length, cursor: null } : null
    },

    async end(session, { id, what }) {
      const task = await taskReader.load(session, id)
      if (what === 'restore') return changed(toTask(task))
      if (what === 'erase') await writer.erase(session, task)
      else if (task.deleted_at === null)
        await changeTasks(session, [id], () => ({ deleted_at: now(), trashed_with: null }))
      return NO_CONTENT
    },
  }

  return {
    /** Throws conflict if the id or the source is taken in the workspace, and what checks a task. */
    create(session: Session, input: CreateTask): Promise<Tagged<Task>> {
      const draft = newTaskDraft({ id: input.id ?? ids(), at: now(), input })
      return session.db.transaction(async (db) => {
        const within = { ...session, db }
        const inPlace = await placeTask(within, await related(within, draft, null, input), input, false)
        return toTask(await shifts.renumber(within, await writer.insert(within, inPlace)))
      })
    },

    get: taskReader.get,

    /** Applies a merge patch. Throws conflict while the task is in the trash, precondition_failed if it moved on. */
    update(session: Session, id: string, patch: UpdateTask, precondition: Precondition = null): Promise<Tagged<Task>> {
      return taskReader.withRow(session, id, precondition, async (within, old) => {
        refuseTrashed(old, 'task')
        const { status, ...members } = patch
        const next = await related(within, applyTaskPatch(old, members), old.key, members)
        const edited = await placeTask(within, next, members, true)
        return toTask(await followed(within, old, await savedAs(within, old, edited, status)))
      })
    },

    /** Puts the task elsewhere, or elsewhere among its siblings, with all its parts. Throws like update. */
    move(session: Session, id: string, asked: MoveTask, precondition: Precondition = null): Promise<Tagged<Task>> {
      return taskReader.withRow(session, id, precondition, async (within, old) => {
        refuseTrashed(old, 'task')
        return toTask(await saveIn(within, old, old, asked))
      })
    },

    leave,

    /** Moves the task to the trash with all its parts, in one transaction; what is there already stays as it is. */
    async trash(session: Session, id: string, precondition: Precondition = null): Promise<void> {
      await runInline(leave, session, { id, what: 'trash' }, precondition)
    },

    /**
     * Brings the task back from the trash, and what went along with it, in one transaction. Where its whole, its project or
     * its section is gone meanwhile, it comes back without.
     */
    restore(session: Session, id: string, precondition: Precondition = null): Promise<Tagged<Task>> {
      return session.db.transaction(async (db) => {
        const within = { ...session, db }
        await runInline(leave, within, { id, what: 'restore' }, precondition)
        return toTask(await taskReader.load(within, id))
      })
    },
  }
}

const BACK = { deleted_at: null, trashed_with: null }

/** Reads single tasks. */
export const taskReader = createResourceReader({ noun: 'task', show: toTask, get: getTask })

/** Whether these are the labels that the task has already, however they are spelled. Throws invalid_request. */
function areTheirs(draft: TaskDraft, names: readonly string[]): boolean {
  const keys = (list: readonly string[]) => [...distinctNames(list).keys()].join('\n')
  return keys(names) === keys(JSON.parse(draft.labels))
}

/**
 * What a task may wait for: tasks of the workspace that do not wait for it in turn. Answers the ids, each once, as JSON.
 * @param task the task as it is stored; null while it is new, when nothing can wait for it yet
 * @throws ApiError invalid_request, dependency_cycle
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
