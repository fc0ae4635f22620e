import type { Queries, WorkspaceId } from '../../db/database'

/**
 * Stores what a filter finds of a task's text. It goes with the task, however that goes.
 * @param folded title and notes as textOf gives them
 */
export async function putText(db: Queries, workspace: WorkspaceId, task: number, folded: string): Promise<void> {
  await db.run(
    `INSERT INTO task_texts (workspace, task, text) VALUES ($1, $2, $3)
     ON CONFLICT (workspace, task) DO UPDATE SET text = excluded.text`,
    [workspace, task, folded],
  )
}
