import type { Session } from '../../db/database'
import { valuesIn } from '../../db/dialect'

export interface GroupNames {
  readonly project: readonly string[]
  readonly section: readonly string[]
  readonly label: readonly string[]
}

export interface GroupMatch {
  readonly kind: keyof GroupNames
  readonly key: number
  readonly id: string
  readonly name_key: string
}

const KINDS = ['project', 'section', 'label'] as const

/** Finds the projects, sections and labels outside the trash with these names. */
export async function findGroups({ db, workspace }: Session, names: GroupNames): Promise<GroupMatch[]> {
  const found: GroupMatch[] = []
  for (const kind of KINDS)
    if (names[kind].length > 0)
      found.push(
        ...(await db.all<GroupMatch>(
          `SELECT '${kind}' AS kind, key, id, name_key FROM task_${kind}s
           WHERE workspace = $1 AND deleted_at IS NULL AND name_key IN ${valuesIn('$2')}`,
          [workspace.id, JSON.stringify(names[kind])],
        )),
      )
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
