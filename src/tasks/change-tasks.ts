import type { Session } from '../db/database'
import { ApiError } from '../http/api-error'
import { yieldTurn } from '../lib/steps'
import { createPositionBetween } from './names-and-positions'
import { listIdsInPlace, taskPositions } from './place-store'
import { listDescendants, listLeafParts } from './relation-store'
import { listTasksOfNote, type TaskDraft, type TaskRow } from './store'

export const MAX_AFFECTED_TASKS = 10_000

/** Throws too_many_affected if a request would change more than MAX_AFFECTED_TASKS. */
export function refuseTooMany(count: number): void {
  if (count > MAX_AFFECTED_TASKS)
    throw new ApiError('too_many_affected', `More than ${MAX_AFFECTED_TASKS} tasks would change. Nothing was changed.`)
}

/** For a `catch`: returns an ApiError, and throws any other error. */
export function catchApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  throw error
}

/** Tasks that one transaction changes at most, where the work can be split: about 20 ms. */
export const TASKS_PER_TRANSACTION = 50
/** Tasks that are changed before other requests get a turn of the event loop. */
const TASKS_PER_TURN = 50

/**
 * The only way to write tasks. `session.db` must be a transaction: the row, its labels, edges and notes, the counts and
 * computed members of other tasks, projects and labels, the change feed and the totals change together or not at all.
 */
export interface TaskWriter {
  /** Stores a new task. Throws conflict if its id or its source is taken. */
  insert(session: Session, draft: TaskDraft): Promise<TaskRow>
  /** Stores `next` at its own revision. Throws conflict if its source is taken. */
  replace(session: Session, old: TaskRow, next: TaskRow): Promise<TaskRow>
  /** Erases the task for good, but not its parts. Throws too_many_affected if more than 10,000 tasks wait for it. */
  erase(session: Session, task: TaskRow): Promise<void>
  /** Applies `change` to each task, one after the other, and stores it at its next revision. Skips unknown ids. */
  changeAll(
    session: Session,
    ids: readonly string[],
    change: (task: TaskRow) => Promise<Partial<TaskRow>> | Partial<TaskRow>,
  ): Promise<void>
}

/**
 * Changes the first tasks in a place, about `limit`, each followed by all its parts. A tree is not split: a part has
 * the project and the section of its parent.
 * @returns how many tasks were changed; 0 if the place is empty
 */
export async function changeTrees(
  session: Session,
  place: string,
  limit: number,
  changeAll: (session: Session, ids: readonly string[]) => Promise<void>,
): Promise<number> {
  let changed = 0
  for (const id of await listIdsInPlace(session, place, limit)) {
    if (changed >= limit) break
    const below = await listDescendants(session, id)
    await changeAll(session, [id, ...below.map((part) => part.id)])
    changed += below.length + 1
  }
  return changed
}

/** Parts go first, up to `limit` tasks. @returns how many tasks were moved, and whether that was all of them */
export async function trashTree(
  session: Session,
  id: string,
  limit: number,
  trash: (session: Session, ids: readonly string[]) => Promise<void>,
): Promise<{ readonly changed: number; readonly isAll: boolean }> {
  let changed = 0
  for (;;) {
    const left = limit - changed
    if (left <= 0) return { changed, isAll: false }
    const lowest = await listLeafParts(session, id, { ignoreTrash: true, limit: left })
    await trash(session, lowest.length > 0 ? lowest : [id])
    if (lowest.length === 0) return { changed: changed + 1, isAll: true }
    changed += lowest.length
  }
}

/** Runs `work` for each of many tasks in a transaction, and lets other requests have a turn in between. */
export async function forEachTask<T>(tasks: readonly T[], work: (task: T) => Promise<void>): Promise<void> {
  for (const [index, task] of tasks.entries()) {
    // Nobody else can use this transaction; readers have their own connection and must not wait for seconds.
    if (index % TASKS_PER_TURN === TASKS_PER_TURN - 1) await yieldTurn()
    await work(task)
  }
}

/** Returns a function that gives the next position after the last one in a place; see `toPlaceKey`. */
export async function createNextPosition(session: Session, place: string): Promise<() => string> {
  let last = await taskPositions.findNextPosition(session, { place, id: '' }, 'before', null)
  return () => {
    last = createPositionBetween(last, null)
    return last
  }
}

/** Removes an erased note from all tasks. `session.db` must be a transaction. */
export async function forgetNote({ changeAll }: TaskWriter, session: Session, note: string): Promise<void> {
  await changeAll(session, await listTasksOfNote(session, note), ({ note_ids }) => ({
    note_ids: JSON.stringify(JSON.parse(note_ids).filter((id: string) => id !== note)),
  }))
}
