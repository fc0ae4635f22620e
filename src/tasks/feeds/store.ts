import { Bindings, type Queries, type Reader, type Session, type WorkspaceId } from '../../db/database'
import { byteLength } from '../../db/dialect'
import { createTable, derived, fixed, int, type RowOf, STORED, text } from '../../db/table'
import type { Key } from '../../http/cursor'
import { buildTaskFilterConditions, type TaskFilter } from '../filter/store'

/** The table of feeds: instants are milliseconds, `include_done` is 0 or 1. */
export const feedTable = createTable('task_feeds', {
  ...STORED,
  created_at: fixed(int()),
  /** Feeds are erased at once: none goes to the trash. */
  deleted_at: derived<null>('NULL'),
  name: text(),
  filter: text<string | null>(),
  component: text<'vevent' | 'vtodo'>(),
  include_done: int(),
  size_bytes: int(),
  token_hash: fixed(text()),
})

export type FeedRow = RowOf<typeof feedTable>

export function getFeedByToken({ db, workspace }: Session, tokenHash: string): Promise<FeedRow | null> {
  const sql = `SELECT ${feedTable.columns} FROM task_feeds WHERE workspace = $1 AND token_hash = $2`
  return db.get<FeedRow>(sql, [workspace.id, tokenHash])
}

/** Returns the workspace of a token, or null. The only query on feeds that does not know the workspace. */
export async function findWorkspaceOfToken(db: Queries, tokenHash: string): Promise<WorkspaceId | null> {
  const sql = 'SELECT workspace FROM task_feeds WHERE token_hash = $1'
  return (await db.get<{ workspace: WorkspaceId }>(sql, [tokenHash]))?.workspace ?? null
}

export async function countFeeds({ db, workspace }: Reader): Promise<number> {
  const sql = 'SELECT count(*) AS n FROM task_feeds WHERE workspace = $1'
  return (await db.get<{ n: number }>(sql, [workspace.id]))?.n ?? 0
}

/** Lists feeds in the order of their creation; `after` is the `created_at` and the id of the last one shown. */
export function listFeeds({ db, workspace }: Session, after: readonly Key[], limit: number): Promise<FeedRow[]> {
  const [at, id] = after
  return db.all<FeedRow>(
    `SELECT ${feedTable.columns} FROM task_feeds WHERE workspace = $1 AND (created_at, id) > ($2, $3)
     ORDER BY created_at, id LIMIT $4`,
    [workspace.id, at ?? 0, id ?? '', limit],
  )
}

interface CalendarTaskRow {
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
  { db, workspace }: Session,
  filter: TaskFilter,
  { since, isUndated, limit }: ShownTasks,
): Promise<CalendarTaskRow[]> {
  const bind = new Bindings(workspace.id, since.date, limit)
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
