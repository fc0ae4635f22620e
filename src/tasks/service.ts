import type { Context, Session } from '../db/database'
import { keysOf } from '../db/table'
import { ApiError, invalid } from '../http/api-error'
import { createResourceReader, refuseTrashed, revise } from '../http/resource'
import { changed, type Precondition, type Tagged } from '../http/responses'
import { NO_CONTENT, type RequestedChange, runInline } from '../imports/stepped-change'
import { forEachTask, TASKS_PER_TRANSACTION, type TaskWriter } from './change-tasks'
import { readAhead, type WithDates } from './date-words'
import { type SiblingMove, toDistinctNames } from './names-and-positions'
import { getRestorePatch, moveParts, type PlacePatch, placeTask, renumberSiblings, requireRoomToRestore } from './place'
import {
  countDescendants,
  countTrashedWith,
  findWaitingPath,
  getTasksByKeys,
  listDescendants,
  listLeafParts,
  listTrashedWith,
} from './relation-store'
import type { CreateTask, MoveTask, Task, TaskWithSubtasks, UpdateTask } from './schema'
import { getTask, getTasks, type TaskDraft, type TaskRow } from './store'
import { applyTaskPatch, createTaskDraft, isSameTask, showWithSubtasks, toTask } from './task'
import { toStatusColumns } from './task-date'

/** The changes of status that write completions; see `createCompletionWriter`. The session must be a transaction. */
interface StatusChanges {
  /** Completes a task. `edited` is the task with the other changes of the same request. */
  complete(session: Session, task: TaskRow, input: object, edited: TaskRow): Promise<{ readonly task: TaskRow }>
  /** Opens a closed task again, and undoes the completion that closed it. */
  reopen(session: Session, task: TaskRow, edited: TaskRow, status: 'open' | 'in_progress'): Promise<TaskRow>
}

interface TasksDeps extends Pick<Context, 'now' | 'ids'> {
  readonly writer: TaskWriter
  readonly completions: StatusChanges
  readonly missingNotes: (session: Session, ids: readonly string[]) => Promise<string[]>
}

export interface DeleteOrRestoreTask {
  readonly id: string
  readonly what: 'trash' | 'erase' | 'restore'
}

export type Tasks = ReturnType<typeof createTasks>

/** Every write is one transaction. */
export function createTasks({ now, ids, writer, completions, missingNotes }: TasksDeps) {
  /** Reads the words of a request before a transaction; see readAhead. */
  function readWords<Input extends CreateTask | UpdateTask>(session: Session, request: Input) {
    return readAhead(session, request, now())
  }

  async function withRelations<Draft extends TaskDraft>(
    session: Session,
    draft: Draft,
    key: number | null,
    { labels, blocked_by, note_ids }: Pick<UpdateTask, 'labels' | 'blocked_by' | 'note_ids'>,
  ): Promise<Draft> {
    return {
      ...draft,
      ...(labels && !hasLabels(draft, labels) && { labels: JSON.stringify(labels) }),
      ...(blocked_by && { blocked_by: await readBlockers(session, { id: draft.id, key }, blocked_by) }),
      ...(note_ids && { note_ids: await readNoteIds(session, note_ids) }),
    }
  }

  async function readNoteIds(session: Session, input: readonly string[]): Promise<string> {
    const distinct = [...new Set(input)]
    const [missing] = await missingNotes(session, distinct)
    if (missing === undefined) return JSON.stringify(distinct)
    throw invalid(`/note_ids/${input.indexOf(missing)}`, 'unknown_note', 'note_ids must be ids of notes')
  }

  async function saveInPlace(session: Session, old: TaskRow, next: TaskRow, input: PlacePatch & SiblingMove) {
    const moved = await placeTask(session, next, input, true)
    return applyMoveEffects(session, old, await saveChanged(session, old, moved))
  }

  async function saveChanged(session: Session, old: TaskRow, next: TaskRow): Promise<TaskRow> {
    if (isSameTask(old, next)) return old
    return writer.replace(session, old, revise(old, next, now()))
  }

  /** Moves the parts of a task along with it, and renumbers its siblings if needed. */
  async function applyMoveEffects(session: Session, old: TaskRow, saved: TaskRow): Promise<TaskRow> {
    if (saved.project_id !== old.project_id || saved.section_id !== old.section_id)
      await moveParts(writer, session, saved)
    return renumberSiblings(writer, session, saved)
  }

  /** One change: a status has the same effects as the endpoints that complete and reopen tasks. */
  async function saveWithStatus(
    session: Session,
    old: TaskRow,
    edited: TaskRow,
    { status = old.status, time_zone }: Pick<UpdateTask, 'status' | 'time_zone'>,
  ): Promise<TaskRow> {
    if (status === old.status) return saveChanged(session, old, edited)
    if (status === 'done') {
      const input = time_zone === undefined ? {} : { time_zone: time_zone ?? 'UTC' }
      return (await completions.complete(session, old, input, edited)).task
    }
    if (status !== 'cancelled' && old.closed === 1) return completions.reopen(session, old, edited, status)
    if (old.status === 'done') throw new ApiError('conflict', 'The task is done. Reopen it first.')
    return saveChanged(session, old, { ...edited, ...toStatusColumns(status, now()) })
  }

  /** Lists the parts that went into the trash together with the task, and have the same mark. */
  async function listPartsTrashedAlong(session: Session, task: TaskRow): Promise<string[]> {
    if (task.trashed_with === null) return []
    const below = await listDescendants(session, task.id)
    const parts = await getTasksByKeys(session, keysOf(below))
    return parts.filter((part) => part.trashed_with === task.trashed_with).map(({ id }) => id)
  }

  /** Restores the task, in what is left of its place. The parts that went into the trash with it follow later. */
  async function restoreTask(session: Session, task: TaskRow): Promise<void> {
    const along = await listPartsTrashedAlong(session, task)
    const home = await getRestorePatch(session, task)
    if (home.parent_id === undefined) await requireRoomToRestore(session, task)
    await saveInPlace(session, task, { ...task, deleted_at: null, trashed_with: null }, home)
    await writer.changeAll(session, along, () => RESTORED)
  }

  /** Deletes or restores a task: its parts are deleted before it, and restored after it. */
  const deleteOrRestore: RequestedChange<DeleteOrRestoreTask, Task | undefined> = {
    name: 'task',

    async begin(session, { id, what }, precondition) {
      const task = await taskReader.loadAt(session, id, precondition)
      if (what !== 'restore')
        return (await countDescendants(session, id, TASKS_PER_TRANSACTION)) === TASKS_PER_TRANSACTION
      if (task.deleted_at !== null) await restoreTask(session, task)
      return (await countTrashedWith(session, id, TASKS_PER_TRANSACTION)) === TASKS_PER_TRANSACTION
    },

    async step(session, { id, what }, limit) {
      const task = await getTask(session, id)
      // A task in the trash stays there, even if it was deleted again while it was being restored.
      if (!task || (what !== 'erase' && task.deleted_at !== null)) return null
      const ids =
        what === 'restore'
          ? await listTrashedWith(session, id, limit)
          : await listLeafParts(session, id, { ignoreTrash: what === 'trash', limit })
      if (what === 'erase')
        await forEachTask(ids, async (part) => writer.erase(session, await taskReader.load(session, part)))
      else
        await writer.changeAll(session, ids, () =>
          what === 'trash' ? { deleted_at: now(), trashed_with: id } : RESTORED,
        )
      return ids.length > 0 ? { changed: ids.length, cursor: null } : null
    },

    async end(session, { id, what }) {
      const task = await taskReader.load(session, id)
      if (what === 'restore') return changed(toTask(task))
      if (what === 'erase') await writer.erase(session, task)
      else if (task.deleted_at === null)
        await writer.changeAll(session, [id], () => ({ deleted_at: now(), trashed_with: null }))
      return NO_CONTENT
    },
  }

  return {
    readWords,

    /**
     * Creates a task. Throws conflict if the id or the source is taken, invalid_request, and as recurrences do.
     * @param read the request with its dates, if its words were read before
     */
    async create(session: Session, request: CreateTask, read?: () => WithDates<CreateTask>): Promise<Tagged<Task>> {
      const input = (read ?? (await readWords(session, request)))()
      const draft = createTaskDraft({ id: input.id ?? ids(), at: now(), input })
      return session.db.transaction(async (db) => {
        const inside = { ...session, db }
        const inPlace = await placeTask(inside, await withRelations(inside, draft, null, input), input, false)
        return toTask(await renumberSiblings(writer, inside, await writer.insert(inside, inPlace)))
      })
    },

    get: taskReader.get,

    /** Returns the task with its parts. Throws not_found. */
    async getWithSubtasks(session: Session, id: string): Promise<Tagged<TaskWithSubtasks>> {
      const [task] = await showWithSubtasks(session, [await taskReader.load(session, id)])
      if (!task) throw new ApiError('not_found', 'There is no task with this id.')
      return task
    },

    /**
     * Applies a merge patch. Throws conflict while the task is in the trash, precondition_failed if it has changed.
     * @param read the patch with its dates, if its words were read before
     */
    async update(
      session: Session,
      id: string,
      patch: UpdateTask,
      precondition: Precondition = null,
      read?: () => WithDates<UpdateTask>,
    ): Promise<Tagged<Task>> {
      const words = read ?? (await readWords(session, patch))
      return taskReader.withRow(session, id, precondition, async (inside, old) => {
        refuseTrashed(old, 'task')
        const { status: _, ...members } = words()
        const next = await withRelations(inside, applyTaskPatch(old, members), old.key, members)
        const edited = await placeTask(inside, next, members, true)
        return toTask(await applyMoveEffects(inside, old, await saveWithStatus(inside, old, edited, patch)))
      })
    },

    /** Moves the task with all its parts to another place or position. Throws like update. */
    move(session: Session, id: string, input: MoveTask, precondition: Precondition = null): Promise<Tagged<Task>> {
      return taskReader.withRow(session, id, precondition, async (inside, old) => {
        refuseTrashed(old, 'task')
        return toTask(await saveInPlace(inside, old, old, input))
      })
    },

    deleteOrRestore,

    /** Moves the task and its parts to the trash in one transaction; parts already there stay as they are. */
    async trash(session: Session, id: string, precondition: Precondition = null): Promise<void> {
      await runInline(deleteOrRestore, session, { id, what: 'trash' }, precondition)
    },

    /**
     * Restores the task from the trash in one transaction, with the parts that were deleted with it. If its parent,
     * project or section has been deleted since, it comes back without.
     */
    restore(session: Session, id: string, precondition: Precondition = null): Promise<Tagged<Task>> {
      return session.db.transaction(async (db) => {
        const inside = { ...session, db }
        await runInline(deleteOrRestore, inside, { id, what: 'restore' }, precondition)
        return toTask(await taskReader.load(inside, id))
      })
    },
  }
}

const RESTORED = { deleted_at: null, trashed_with: null }

export const taskReader = createResourceReader({ noun: 'task', show: toTask, get: getTask })

/** Whether the task already has these labels, compared without case. Throws invalid_request. */
function hasLabels(draft: TaskDraft, names: readonly string[]): boolean {
  const keys = (list: readonly string[]) => [...toDistinctNames(list).keys()].join('\n')
  return keys(names) === keys(JSON.parse(draft.labels))
}

/**
 * Checks that a task may wait for other tasks: they exist and do not wait for it. Returns their distinct ids as JSON.
 * @param task the task; its key is null while it is new, when nothing can wait for it yet
 * @throws ApiError invalid_request, dependency_cycle
 */
export async function readBlockers(
  session: Session,
  task: { readonly id: string; readonly key: number | null },
  input: readonly string[],
): Promise<string> {
  const ids = [...new Set(input)]
  const blockers = new Map((await getTasks(session, ids)).map(({ id, key }) => [id, key]))
  const keys = ids.map((id) => {
    if (id === task.id) throw createCycleError([id, id])
    const key = blockers.get(id)
    if (key === undefined)
      throw invalid(`/blocked_by/${input.indexOf(id)}`, 'unknown_task', 'blocked_by must be ids of tasks')
    return key
  })
  const path = task.key === null ? [] : await findWaitingPath(session, keys, task.key)
  if (path.length > 0) throw createCycleError([task.id, ...path])
  return JSON.stringify(ids)
}

/** Creates the error for a cycle of tasks. `path`: ids, each waiting for the next; empty if it was not searched. */
export function createCycleError(path: readonly string[]): ApiError {
  return new ApiError('dependency_cycle', 'Tasks would wait for each other in a cycle.', { path })
}
