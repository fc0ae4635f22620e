import type { ResourceType } from './change-feed'
import type { Queries, Session, WorkspaceId } from './database'

/** What the cleanup of the whole server needs of each feature. */

/** A resource, and its workspace. */
export interface TrashItem {
  readonly workspace: WorkspaceId
  readonly id: string
}

/** Which resources of the trash. */
export interface TrashFilter {
  /** Null: of all workspaces. */
  readonly workspace: WorkspaceId | null
  /** When it went to the trash: before this instant, in milliseconds since 1970. */
  readonly before: number
  /** Ids of what is left out. */
  readonly skipped: readonly string[]
}

/** The resources of one kind that wait in the trash until they are erased. */
export interface Trash {
  readonly type: ResourceType
  /** Some of what is in the trash. */
  some(db: Queries, among: TrashFilter, limit: number): Promise<readonly TrashItem[]>
  /** How much of a workspace went to the trash before an instant (ms since 1970). */
  count(db: Queries, workspace: WorkspaceId, before: number): Promise<number>
  /** Erases one for good, with all that went along with it; what is gone already may be refused as not_found. */
  erase(session: Session, id: string): Promise<void>
  /** Erases up to `limit` of what goes along with one, so that little is left to `erase`. False: there is none. */
  eraseAhead?(session: Session, id: string, limit: number): Promise<boolean>
}

/**
 * Erases up to about `limit` rows of what a feature keeps of a workspace, whatever they are, without a record in
 * the feed or the totals: the workspace itself is going. True while there may be more. `db` must be a transaction.
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

/** What of a table is in the trash; see Trash. @param which what else a row of it must be, as SQL */
export function inTrash(table: string, which = 'TRUE'): Pick<Trash, 'some' | 'count'> {
  const trashed = `deleted_at IS NOT NULL AND deleted_at < $1 AND ${which}`
  return {
    some(db, { workspace, before, skipped }, limit) {
      const there = workspace === null ? trashed : `workspace = $4 AND ${trashed}`
      return db.all<TrashItem>(
        `SELECT workspace, id FROM ${table} WHERE ${there} AND id NOT IN (SELECT value FROM json_each($2)) LIMIT $3`,
        [before, JSON.stringify(skipped), limit, ...(workspace === null ? [] : [workspace])],
      )
    },
    async count(db, workspace, before) {
      const sql = `SELECT count(*) AS count FROM ${table} WHERE workspace = $2 AND ${trashed}`
      return (await db.get<{ count: number }>(sql, [before, workspace]))?.count ?? 0
    },
  }
}
