import type { Session } from '../db/database'
import { tasksOfNote } from './count-store'
import { createChangeTasks } from './named/affected'
import { type TaskWriter } from './named/affected'

interface Deps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly writer: TaskWriter
}

/** Takes a note that is erased for good off the tasks that speak of it. `session.db` must be a transaction. */
export function createForgetNote(deps: Deps) {
  const changeTasks = createChangeTasks(deps)
  return async (session: Session, note: string): Promise<void> =>
    changeTasks(session, await tasksOfNote(session.db, session.workspace.id, note), ({ note_ids }) => ({
      note_ids: JSON.stringify(JSON.parse(note_ids).filter((id: string) => id !== note)),
    }))
}
