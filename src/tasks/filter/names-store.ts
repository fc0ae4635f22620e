import type { Reader, Session } from '../../db/database'
import { byIndex, valuesIn } from '../../db/dialect'

type Kind = 'project' | 'section' | 'label'
export type GroupNames = Readonly<Record<Kind, readonly string[]>>

export interface GroupMatch {
  readonly kind: Kind
  readonly key: number
  readonly id: string
  readonly name: string
  readonly name_key: string
  /** The project of a section; null for the others. */
  readonly project_id: string | null
  /** When a project was archived; null for the others. */
  readonly archived_at: number | null
}

const COLUMNS = {
  project: 'NULL AS project_id, archived_at',
  section: 'project_id, NULL AS archived_at',
  label: 'NULL AS project_id, NULL AS archived_at',
} as const

/** Finds the projects, sections and labels outside the trash by their name keys. */
export async function findGroups({ db, workspace }: Reader, names: Partial<GroupNames>): Promise<GroupMatch[]> {
  const found: GroupMatch[] = []
  for (const kind of ['project', 'section', 'label'] as const) {
    const keys = names[kind] ?? []
    if (keys.length === 0) continue
    const sql = `SELECT '${kind}' AS kind, key, id, name, name_key, ${COLUMNS[kind]} FROM task_${kind}s ${byIndex(`task_${kind}s_by_name`)}
      WHERE workspace = $1 AND deleted_at IS NULL AND name_key IN ${valuesIn('$2')}`
    found.push(...(await db.all<GroupMatch>(sql, [workspace.id, JSON.stringify(keys)])))
  }
  return found
}

/** Returns the text and the sort of a saved filter; null if it is unknown or in the trash. */
export function getFilterText(
  { db, workspace }: Session,
  id: string,
): Promise<{ filter: string; sort: string | null } | null> {
  return db.get('SELECT filter, sort FROM task_filters WHERE workspace = $1 AND id = $2 AND deleted_at IS NULL', [
    workspace.id,
    id,
  ])
}
