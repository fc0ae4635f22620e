import type { Queries, WorkspaceId } from '../../db/database'
import { type NamedRow, namedStore } from '../named/store'
import type { TaskRow } from '../store'

export interface LabelRow extends NamedRow {
  readonly computed_revision: number
  readonly color: string | null
  /** Living tasks that carry it. */
  readonly count: number
}

export const labelStore = namedStore<LabelRow>({
  table: 'task_labels',
  own: ['color'],
  computed: ['computed_revision', 'count'],
  order: ['name_key', 'id'],
  scope: null,
})

/** The living labels among these names, as names are compared. */
export function labelsOfNames(db: Queries, workspace: WorkspaceId, nameKeys: readonly string[]): Promise<LabelRow[]> {
  const sql = `SELECT ${labelStore.columns} FROM task_labels
    WHERE workspace = $1 AND name_key IN (SELECT value FROM json_each($2)) AND deleted_at IS NULL`
  return db.all<LabelRow>(sql, [workspace, JSON.stringify(nameKeys)])
}

/** A task that carries a label. */
export interface LabelledTask extends Pick<TaskRow, 'key' | 'id' | 'labels'> {
  /** JSON: the names of its labels, as names are compared. */
  readonly name_keys: string
}

/** Tasks that carry the label, living and in the trash: those behind a key, in the order of their keys. */
export function tasksOfLabel(
  db: Queries,
  workspace: WorkspaceId,
  { key }: LabelRow,
  limit: number,
  after = 0,
): Promise<LabelledTask[]> {
  const sql = `SELECT tasks.key, id, labels, (SELECT json_group_array(name_key) FROM task_label_uses AS use
      JOIN task_labels ON task_labels.key = use.label WHERE use.task = tasks.key) AS name_keys
    FROM task_label_uses JOIN tasks ON tasks.key = task
    WHERE tasks.workspace = $1 AND label = $2 AND task > $4 ORDER BY task LIMIT $3`
  return db.all(sql, [workspace, key, limit, after])
}
