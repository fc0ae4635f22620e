import type { Queries, WorkspaceId } from '../../db/database'

/** Stores what a filter reads of a task beside its columns, or that there is nothing; see `textOf`. It goes with the task. */
export async function putFilterText(db: Queries, workspace: WorkspaceId, task: number, text: string | null): Promise<void> {
  if (text === null) await db.run('DELETE FROM task_texts WHERE workspace = $1 AND task = $2', [workspace, task])
  else
    await db.run(
      `INSERT INTO task_texts (workspace, task, text) VALUES ($1, $2, $3)
       ON CONFLICT (workspace, task) DO UPDATE SET text = excluded.text`,
      [workspace, task, text],
    )
}
