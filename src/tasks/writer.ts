import type { Session } from '../db/database'
import type { TaskDraft, TaskRow } from './store'

/**
 * The one way in which tasks are written. `session.db` must be a transaction: the row, its labels, edges and notes, what
 * other tasks, projects and labels count of it, the change feed and the totals change together or not at all.
 */
export interface TaskWriter {
  /** Stores a new task. Throws conflict if its id or its source is taken. */
  insert(session: Session, draft: TaskDraft): Promise<TaskRow>
  /** Stores `next`, whose revision is one more than that of `old`. Throws conflict if its source is taken. */
  save(session: Session, old: TaskRow, next: TaskRow): Promise<TaskRow>
  /** Erases the task for good; not its parts. */
  erase(session: Session, task: TaskRow): Promise<void>
}
