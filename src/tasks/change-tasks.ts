import { setImmediate } from 'node:timers/promises'
import type { Context } from '../db/context'
import type { Session } from '../db/database'
import { revise } from '../http/resource'
import { listTasksOfNote } from './count-store'
import { createPositionBetween } from './groups/order'
import { getEdgePosition, listIdsInPlace } from './place-store'
import { listDescendants, listLeafParts } from './relation-store'
import { getTask, type TaskDraft, type TaskRow } from './store'

/** Tasks that the transaction of one request changes at most, where it can do with less: some 20 ms. */
export const TASKS_PER_TRANSACTION = 50
/** After so many tasks a change lets other requests have their turn. */
const TASKS_PER_TURN = 50

/**
 * The one way in which tasks are written. `session.db` must be a transaction: the row, its labels, edges and notes, what
 * other tasks, projects and labels count of it, the change feed and the totals change together or not at all.
 */
export interface TaskWriter {
  /** Stores a new task. Throws conflict if its id or its source is taken. */
  insert(session: Session, draft: TaskDraft): Promise<TaskRow>
  /** Stores `next` at the revision that it has. Throws conflict if its source is taken. */
  replace(session: Session, old: TaskRow, next: TaskRow): Promise<TaskRow>
  /** Erases the task for good; not its parts. Throws too_many_affected if more than 10,000 wait for it. */
  erase(session: Session, task: TaskRow): Promise<void>
}

interface Deps extends Pick<Context, 'now'> {
  readonly writer: TaskWriter
}

/** Stores what `change` makes of each task, one after the other, each at its next revision. */
export type ChangeTasks = (
  session: Session,
  ids: readonly string[],
  change: (task: TaskRow) => Promise<Partial<TaskRow>> | Partial<TaskRow>,
) => Promise<void>

/** Changes many tasks in one transaction (`session.db`), as a project, section or label that goes away needs it. */
export function createChangeTasks({ now, writer }: Deps): ChangeTasks {
  return async (session, ids, change) => {
    const at = now()
    await forEachTask(ids, async (id) => {
      const old = await getTask(session.db, session.workspace.id, id)
      if (old) await writer.replace(session, old, revise(old, await change(old), at))
    })
  }
}

/**
 * Changes the tasks that are first in a place, about `limit`, each with all its parts and before these. A tree is not
 * divided: a part has the project and the section of its whole.
 * @returns how many; 0: the place is empty
 */
export async function changeTrees(
  session: Session,
  place: string,
  limit: number,
  changeAll: (session: Session, ids: readonly string[]) => Promise<void>,
): Promise<number> {
  const { db, workspace } = session
  let changed = 0
  for (const id of await listIdsInPlace(db, workspace.id, place, limit)) {
    if (changed >= limit) break
    const below = await listDescendants(db, workspace.id, id)
    await changeAll(session, [id, ...below.map((part) => part.id)])
    changed += below.length + 1
  }
  return changed
}

/**
 * Moves a task to the trash behind all its parts, or as much of it as `limit` tasks.
 * @returns how many, and whether that was all
 */
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
    const lowest = await listLeafParts(session.db, session.workspace.id, id, { living: true, limit: left })
    await trash(session, lowest.length > 0 ? lowest : [id])
    if (lowest.length === 0) return { changed: changed + 1, isAll: true }
    changed += lowest.length
  }
}

/** Does something with each of many tasks, in a transaction. */
export async function forEachTask<T>(tasks: readonly T[], work: (task: T) => Promise<void>): Promise<void> {
  for (const [index, task] of tasks.entries()) {
    // The transaction is ours alone; readers have a connection of their own and need not wait for seconds.
    if (index % TASKS_PER_TURN === TASKS_PER_TURN - 1) await setImmediate()
    await work(task)
  }
}

/** Hands out positions behind all that is in a place; see `placeOf`. */
export async function createNextPosition({ db, workspace }: Session, place: string): Promise<() => string> {
  let last = await getEdgePosition(db, workspace.id, place, null, 'last')
  return () => {
    last = createPositionBetween(last, null)
    return last
  }
}

/** Takes a note that is erased for good off the tasks that speak of it. `session.db` must be a transaction. */
export function createForgetNote(deps: Deps) {
  const changeTasks = createChangeTasks(deps)
  return async (session: Session, note: string): Promise<void> =>
    changeTasks(session, await listTasksOfNote(session.db, session.workspace.id, note), ({ note_ids }) => ({
      note_ids: JSON.stringify(JSON.parse(note_ids).filter((id: string) => id !== note)),
    }))
}
