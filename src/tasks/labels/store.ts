import type { Queries, WorkspaceId } from '../../db/database'
import { type NamedRow, namedStore } from '../named/store'

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

/** Ids of the tasks that carry the label, living and in the trash. */
export async function tasksOfLabel(
  db: Queries,
  workspace: WorkspaceId,
  { key }: LabelRow,
  limit: number,
): Promise<string[]> {
  const sql = `SELECT id FROM task_label_uses JOIN tasks ON tasks.key = task
    WHERE tasks.workspace = $1 AND label = $2 ORDER BY task LIMIT $3`
  return (await db.all<{ id: string }>(sql, [workspace, key, limit])).map(({ id }) => id)
}
