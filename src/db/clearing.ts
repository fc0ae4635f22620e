import type { Queries, Session, WorkspaceId } from './database'
import type { ResourceType } from './journal'

/** What the clearing up of the whole server asks of each feature. */

/** A resource, and where it is. */
export interface Placed {
  readonly workspace: WorkspaceId
  readonly id: string
}

/** The resources of one kind that wait in the trash until they are erased. */
export interface Trash {
  readonly type: ResourceType
  /** Of all workspaces, some of those that went to the trash before an instant (ms since 1970), less those skipped. */
  old(db: Queries, before: number, skipped: readonly string[], limit: number): Promise<readonly Placed[]>
  /** Erases one for good, with all that went along with it; what is gone already may be refused as not_found. */
  erase(session: Session, id: string): Promise<void>
}

/**
 * Erases up to about `limit` rows of what a feature keeps of a workspace, whatever they are, without telling the feed or
 * the totals: the workspace itself is going. True while there may be more. `db` must be a transaction.
 */
export type Wipe = (db: Queries, workspace: WorkspaceId, limit: number) => Promise<boolean>

/**
 * Deletes rows of the workspace table by table, in their order: what others refer to comes last. The names are the
 * feature's own, never a caller's; each table has a `key`.
 */
export function wipeTables(tables: readonly string[]): Wipe {
  return async (db, workspace, limit) => {
    for (const table of tables) {
      const sql = `DELETE FROM ${table} WHERE key IN (SELECT key FROM ${table} WHERE workspace = $1 LIMIT $2)`
      if ((await db.run(sql, [workspace, limit])) === limit) return true
    }
    return false
  }
}

/** What of a table went to the trash before an instant; see Trash. */
export function oldTrash(table: string, trashedAt: 'deleted_at' | 'trashed_at'): Trash['old'] {
  return (db, before, skipped, limit) =>
    db.all<Placed>(
      `SELECT workspace, id FROM ${table} WHERE ${trashedAt} IS NOT NULL AND ${trashedAt} < $1
       AND id NOT IN (SELECT value FROM json_each($2)) LIMIT $3`,
      [before, JSON.stringify(skipped), limit],
    )
}
