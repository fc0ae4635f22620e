import type { Session } from '../db/database'
import { tasksOfNote } from './count-store'
import { tasksByKeys } from './relation-store'
import type { TaskWriter } from './writer'

interface Deps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly writer: TaskWriter
}

/** Takes a note that is erased for good off the tasks that speak of it. `session.db` must be a transaction. */
export function createForgetNote({ now, writer }: Deps) {
  return async (session: Session, note: string): Promise<void> => {
    const { db, workspace } = session
    const speaking = await tasksByKeys(db, workspace.id, await tasksOfNote(db, workspace.id, note))
    for (const task of speaking) {
      const note_ids = JSON.stringify(JSON.parse(task.note_ids).filter((id: string) => id !== note))
      await writer.save(session, task, { ...task, note_ids, revision: task.revision + 1, updated_at: now() })
    }
  }
}
