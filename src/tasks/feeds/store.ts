import { Bindings, type Queries, type WorkspaceId } from '../../db/database'
import { byteLength } from '../../db/dialect'
import type { Key } from '../../http/cursor'
import { buildTaskFilterConditions, type TaskFilter } from '../filter/store'

/** A row of `task_feeds`: instants are milliseconds, `include_done` is 0 or 1. */
export interface FeedRow {
  readonly key: number
  readonly id: string
  readonly revision: number
  readonly created_at: number
  readonly updated_at: number
  readonly name: string
  readonly filter: string | null
  readonly component: 'vevent' | 'vtodo'
  readonly include_done: number
  readonly size_bytes: number
}

const COLUMNS = 'key, id, revision, created_at, updated_at, name, filter, component, include_done, size_bytes'

/** Stores a new feed; false if its id is taken in this workspace. */
export async function insertFeed(
  db: Queries,
  workspace: WorkspaceId,
  row: Omit<FeedRow, 'key'>,
  tokenHash: string,
): Promise<boolean> {
  const changed = await db.run(
    `INSERT INTO task_feeds (workspace, id, revision, created_at, updated_at, name, filter, component, include_done,
       size_bytes, token_hash)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT (workspace, id) DO NOTHING`,
    [
      workspace,
      row.id,
      row.revision,
      row.created_at,
      row.updated_at,
      row.name,
      row.filter,
      row.component,
      row.include_done,
      row.size_bytes,
      tokenHash,
    ],
  )
  return changed > 0
}

export async function updateFeed(db: Queries, workspace: WorkspaceId, row: FeedRow): Promise<void> {
  await db.run(
    `UPDATE task_feeds SET revision = $3, updated_at = $4, name = $5, filter = $6, component = $7, include_done = $8,
       size_bytes = $9 WHERE workspace = $1 AND id = $2`,
    [
      workspace,
      row.id,
      row.revision,
      row.updated_at,
      row.name,
      row.filter,
      row.component,
      row.include_done,
      row.size_bytes,
    ],
  )
}

export async function eraseFeed(db: Queries, workspace: WorkspaceId, id: string): Promise<void> {
  await db.run('DELETE FROM task_feeds WHERE workspace = $1 AND id = $2', [workspace, id])
}

export function getFeed(db: Queries, workspace: WorkspaceId, id: string): Promise<FeedRow | null> {
  return db.get<FeedRow>(`SELECT ${COLUMNS} FROM task_feeds WHERE workspace = $1 AND id = $2`, [workspace, id])
}

export function getFeedByToken(db: Queries, workspace: WorkspaceId, tokenHash: string): Promise<FeedRow | null> {
  const sql = `SELECT ${COLUMNS} FROM task_feeds WHERE workspace = $1 AND token_hash = $2`
  return db.get<FeedRow>(sql, [workspace, tokenHash])
}

/** Returns the workspace of a token, or null. The only query on feeds that does not know the workspace. */
export async function findWorkspaceOfToken(db: Queries, tokenHash: string): Promise<WorkspaceId | null> {
  const sql = 'SELECT workspace FROM task_feeds WHERE token_hash = $1'
  return (await db.get<{ workspace: WorkspaceId }>(sql, [tokenHash]))?.workspace ?? null
}

export async function countFeeds(db: Queries, workspace: WorkspaceId): Promise<number> {
  const sql = 'SELECT count(*) AS n FROM task_feeds WHERE workspace = $1'
  return (await db.get<{ n: number }>(sql, [workspace]))?.n ?? 0
}

/** Lists feeds in the order of their creation; `after` is the `created_at` and the id of the last one shown. */
export function listFeeds(
  db: Queries,
  workspace: WorkspaceId,
  after: readonly Key[],
  limit: number,
): Promise<FeedRow[]> {
  const [at, id] = after
  return db.all<FeedRow>(
    `SELECT ${COLUMNS} FROM task_feeds WHERE workspace = $1 AND (created_at, id) > ($2, $3)
     ORDER BY created_at, id LIMIT $4`,
    [workspace, at ?? 0, id ?? '', limit],
  )
}

export interface CalendarTaskRow {
  readonly key: number
  readonly size_bytes: number
}

interface ShownTasks {
  /** The day, and its first instant, from which on closed tasks are shown: by their date, else by when they were closed. */
  readonly since: { readonly date: string; readonly at: number }
  readonly isUndated: boolean
  readonly limit: number
}

/** Lists tasks, those with the latest date first and those without one last. `size_bytes` includes the lines of a file. */
export function listCalendarTasks(
  db: Queries,
  workspace: WorkspaceId,
  filter: TaskFilter,
  { since, isUndated, limit }: ShownTasks,
): Promise<CalendarTaskRow[]> {
  const bind = new Bindings(workspace, since.date, limit)
  const date = 'coalesce(due_date, start_date)'
  const closed = `(${date} >= $2 OR (${date} IS NULL AND coalesce(completed_at, cancelled_at) >= ${bind.add(since.at)}))`
  return db.all<CalendarTaskRow>(
    `SELECT tasks.key, tasks.size_bytes + coalesce(${byteLength('rest')}, 0) AS size_bytes
     FROM tasks LEFT JOIN task_calendar_rests ON task_calendar_rests.task = tasks.key
     WHERE tasks.workspace = $1 AND tasks.deleted_at IS NULL ${isUndated ? '' : `AND ${date} IS NOT NULL`}
       AND (tasks.closed = 0 OR ${closed}) ${buildTaskFilterConditions(filter, bind)}
     ORDER BY ${date} DESC NULLS LAST, tasks.id LIMIT $3`,
    bind.values,
  )
}
