import { valuesIn } from '../db/dialect'
import type { ResourceType } from './change-feed'
import type { Queries, Session, WorkspaceId } from './database'

/** The contracts through which each feature lets the server empty the trash and erase whole workspaces. */

interface TrashItem {
  readonly workspace: WorkspaceId
  readonly id: string
}

export interface TrashFilter {
  /** Only those of this workspace; null: those of all workspaces. */
  readonly workspace: WorkspaceId | null
  /** Only those that went to the trash before this instant, in milliseconds since 1970. */
  readonly before: number
  /** Ids of resources to leave out. */
  readonly skipped: readonly string[]
}

export interface Trash {
  readonly type: ResourceType
  list(db: Queries, filter: TrashFilter, limit: number): Promise<readonly TrashItem[]>
  /** Counts the resources of a workspace that went to the trash before an instant (ms since 1970). */
  count(db: Queries, workspace: WorkspaceId, before: number): Promise<number>
  /** Erases a resource and everything that was trashed with it. May throw not_found if it is already erased. */
  erase(session: Session, id: string): Promise<void>
  /** Erases up to `limit` of the contents, so that `erase` has little to do. Returns false if there were none. */
  eraseContents?(session: Session, id: string, limit: number): Promise<boolean>
}

/**
 * Erases up to about `limit` rows of a feature in a workspace. It does not update the feed or the totals, since the
 * whole workspace is being erased. Returns whether there may be more. `db` must be a transaction.
 */
export type Wipe = (db: Queries, workspace: WorkspaceId, limit: number) => Promise<boolean>

/** Table by table, constants of the feature: one that others refer to comes after them. Each has a column `key`. */
export function wipeTables(tables: readonly string[]): Wipe {
  return async (db, workspace, limit) => {
    for (const table of tables) {
      const sql = `DELETE FROM ${table} WHERE key IN (SELECT key FROM ${table} WHERE workspace = $1 LIMIT $2)`
      if ((await db.run(sql, [workspace, limit])) === limit) return true
    }
    return false
  }
}

/** Makes the queries of Trash for one table. @param condition a further SQL condition that its rows must fulfil */
export function trashQueries(table: string, condition = 'TRUE'): Pick<Trash, 'list' | 'count'> {
  const trashed = `deleted_at IS NOT NULL AND deleted_at < $1 AND ${condition}`
  return {
    list(db, { workspace, before, skipped }, limit) {
      const where = workspace === null ? trashed : `workspace = $4 AND ${trashed}`
      return db.all<TrashItem>(
        `SELECT workspace, id FROM ${table} WHERE ${where} AND id NOT IN ${valuesIn('$2')} LIMIT $3`,
        [before, JSON.stringify(skipped), limit, ...(workspace === null ? [] : [workspace])],
      )
    },
    async count(db, workspace, before) {
      const sql = `SELECT count(*) AS count FROM ${table} WHERE workspace = $2 AND ${trashed}`
      return (await db.get<{ count: number }>(sql, [before, workspace]))?.count ?? 0
    },
  }
}
