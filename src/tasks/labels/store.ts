import type { Queries, WorkspaceId } from '../../db/database'
import { byteLength, elementsIn, jsonArray, valuesIn } from '../../db/dialect'
import { addToLabelCounts } from '../count-store'
import { createGroupStore, type GroupRow } from '../groups/store'
import type { TaskRow } from '../store'

/** A row of `task_labels`: instants are milliseconds. */
export interface LabelRow extends GroupRow {
  readonly computed_revision: number
  readonly color: string | null
  /** The number of its tasks outside the trash. */
  readonly count: number
}

export const labelStore = createGroupStore<LabelRow>({
  table: 'task_labels',
  columns: ['color'],
  computed: ['computed_revision', 'count'],
  order: ['name_key', 'id'],
  scope: null,
})

/** Finds the labels outside the trash with these name keys. */
export function findLabelsByName(
  db: Queries,
  workspace: WorkspaceId,
  nameKeys: readonly string[],
): Promise<LabelRow[]> {
  const sql = `SELECT ${labelStore.columns} FROM task_labels
    WHERE workspace = $1 AND name_key IN ${valuesIn('$2')} AND deleted_at IS NULL`
  return db.all<LabelRow>(sql, [workspace, JSON.stringify(nameKeys)])
}

export interface LabelledTask extends Pick<TaskRow, 'key' | 'id' | 'labels'> {
  /** JSON: the name keys of its labels. */
  readonly name_keys: string
}

/** Lists the tasks with the label, in the trash or not, after the key `after`, in the order of their keys. */
export function listTasksOfLabel(
  db: Queries,
  workspace: WorkspaceId,
  { key }: LabelRow,
  limit: number,
  after = 0,
): Promise<LabelledTask[]> {
  const sql = `SELECT tasks.key, id, labels, (SELECT ${jsonArray('name_key')} FROM task_label_uses AS use
      JOIN task_labels ON task_labels.key = use.label WHERE use.task = tasks.key) AS name_keys
    FROM task_label_uses JOIN tasks ON tasks.key = task
    WHERE tasks.workspace = $1 AND label = $2 AND task > $4 ORDER BY task LIMIT $3`
  return db.all(sql, [workspace, key, limit, after])
}

/** Lists ids and revisions of the tasks with the label, in the trash or not. */
export async function listRevisionsOfLabel(
  db: Queries,
  workspace: WorkspaceId,
  { key }: LabelRow,
  limit: number,
): Promise<(readonly [id: string, revision: number])[]> {
  const sql = `SELECT id, revision FROM task_label_uses JOIN tasks ON tasks.key = task
    WHERE tasks.workspace = $1 AND label = $2 ORDER BY task LIMIT $3`
  const rows = await db.all<{ id: string; revision: number }>(sql, [workspace, key, limit])
  return rows.map(({ id, revision }) => [id, revision])
}

/**
 * Renames a label in its tasks, or removes it from them if `next` is null, without changing their revisions or the
 * change feed. Takes about 15 ms for 1,000 tasks, where writing each by itself takes half a second.
 * @returns by how many bytes the tasks grew
 */
export async function renameLabelInTasks(
  db: Queries,
  workspace: WorkspaceId,
  { key, name, count }: LabelRow,
  next: string | null,
): Promise<number> {
  const size = async () => {
    const sql = `SELECT coalesce(sum(size_bytes), 0) AS n FROM task_label_uses JOIN tasks ON key = task
      WHERE label = $2 AND tasks.workspace = $1`
    return (await db.get<{ n: number }>(sql, [workspace, key]))?.n ?? 0
  }
  const before = await size()
  await db.run(
    `UPDATE tasks SET labels = names, size_bytes = size_bytes + ${byteLength('names')} - ${byteLength('labels')}
     FROM (
       SELECT key AS task, (SELECT ${jsonArray('coalesce(nullif(value, $3), $4) ORDER BY name.key')}
         FROM ${elementsIn('labels')} AS name WHERE value <> $3 OR $4 IS NOT NULL) AS names
       FROM task_label_uses JOIN tasks ON key = task WHERE label = $2 AND tasks.workspace = $1
     ) AS listed WHERE key = task AND workspace = $1`,
    [workspace, key, name, next],
  )
  const more = (await size()) - before
  if (next !== null) return more
  await db.run('DELETE FROM task_label_uses WHERE workspace = $1 AND label = $2', [workspace, key])
  await addToLabelCounts(db, workspace, [key], -count)
  return more
}
