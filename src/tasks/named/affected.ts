import { setImmediate } from 'node:timers/promises'
import type { Session } from '../../db/database'
import { Refusal } from '../../http/problem'
import { edge } from '../place-store'
import { between } from '../position'
import { getTask, type TaskRow } from '../store'
import type { TaskWriter } from '../writer'

/** No task has this id. */
const NOBODY = ''
/** Tasks (and sections) that one request may change. */
export const MAX_AFFECTED = 10_000
/** After so many tasks a change lets other requests have their turn. */
const TASKS_PER_TURN = 50

/** Throws too_many_affected. */
export function refuseTooMany(count: number): void {
  if (count > MAX_AFFECTED)
    throw new Refusal('too_many_affected', `More than ${MAX_AFFECTED} tasks would change. Nothing was changed.`)
}

interface Deps {
  /** Milliseconds since 1970. */
  readonly now: () => number
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
    for (const [index, id] of ids.entries()) {
      // The transaction is ours alone; readers have a connection of their own and need not stand still for seconds.
      if (index % TASKS_PER_TURN === TASKS_PER_TURN - 1) await setImmediate()
      const old = await getTask(session.db, session.workspace.id, id)
      if (old)
        await writer.save(session, old, {
          ...old,
          ...(await change(old)),
          revision: old.revision + 1,
          updated_at: at,
        })
    }
  }
}

/** Hands out positions behind all that is in a place; see `placeOf`. */
export async function positionsBehind({ db, workspace }: Session, place: string): Promise<() => string> {
  let last = await edge(db, workspace.id, place, NOBODY, 'last')
  return () => {
    last = between(last, null)
    return last
  }
}
