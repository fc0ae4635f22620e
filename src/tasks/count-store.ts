import type { Queries, WorkspaceId } from '../db/database'
import { byteLength, elementsIn, integersIn } from '../db/dialect'

/** The counts of tasks that projects and labels keep, and the tables that link tasks to labels and notes. */

/** Adds to the counts of a project. `open` and `done` may be negative. */
export async function addToProjectCounts(
  db: Queries,
  workspace: WorkspaceId,
  id: string,
  open: number,
  done: number,
): Promise<void> {
  await db.run(
    `UPDATE task_projects SET open = open + $3, done = done + $4, computed_revision = computed_revision + 1
     WHERE workspace = $1 AND id = $2`,
    [workspace, id, open, done],
  )
}

/** Adds `by`, which may be negative, to the counts of labels, given by their keys. */
export async function addToLabelCounts(
  db: Queries,
  workspace: WorkspaceId,
  labels: readonly number[],
  by: number,
): Promise<void> {
  await db.run(
    `UPDATE task_labels SET count = count + $3, computed_revision = computed_revision + 1
     WHERE +workspace = $1 AND key IN ${integersIn('$2')}`,
    [workspace, JSON.stringify(labels), by],
  )
}

export async function getLabelKeys(db: Queries, workspace: WorkspaceId, task: number): Promise<number[]> {
  const rows = await db.all<{ label: number }>('SELECT label FROM task_label_uses WHERE workspace = $1 AND task = $2', [
    workspace,
    task,
  ])
  return rows.map(({ label }) => label)
}

export async function setTaskLabels(
  db: Queries,
  workspace: WorkspaceId,
  task: number,
  labels: readonly number[],
): Promise<void> {
  await db.run('DELETE FROM task_label_uses WHERE workspace = $1 AND task = $2', [workspace, task])
  if (labels.length === 0) return
  await db.run(
    `INSERT INTO task_label_uses (workspace, label, task) SELECT $1, CAST(value AS bigint), $2 FROM ${elementsIn('$3')}`,
    [workspace, task, JSON.stringify(labels)],
  )
}

export async function setTaskNotes(
  db: Queries,
  workspace: WorkspaceId,
  task: number,
  ids: readonly string[],
): Promise<void> {
  await db.run('DELETE FROM task_note_uses WHERE task = $2 AND workspace = $1', [workspace, task])
  if (ids.length === 0) return
  await db.run(`INSERT INTO task_note_uses (workspace, note_id, task) SELECT $1, value, $2 FROM ${elementsIn('$3')}`, [
    workspace,
    task,
    JSON.stringify(ids),
  ])
}

export async function listTasksOfNote(db: Queries, workspace: WorkspaceId, note: string): Promise<string[]> {
  const sql = `SELECT id FROM task_note_uses JOIN tasks ON key = task
    WHERE task_note_uses.workspace = $1 AND note_id = $2 ORDER BY key`
  return (await db.all<{ id: string }>(sql, [workspace, note])).map(({ id }) => id)
}

/** Returns the bytes of a task's completions and of the lines kept from a calendar file, which erasing it frees. */
export async function getAttachedBytes(db: Queries, workspace: WorkspaceId, task: number): Promise<number> {
  const sql = `SELECT coalesce(sum(size_bytes), 0)
      + coalesce((SELECT ${byteLength('rest')} FROM task_calendar_rests WHERE workspace = $1 AND task = $2), 0) AS n
    FROM task_completions WHERE task = $2 AND +workspace = $1`
  return (await db.get<{ n: number }>(sql, [workspace, task]))?.n ?? 0
}
