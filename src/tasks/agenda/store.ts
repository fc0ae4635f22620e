import type { Queries, WorkspaceId } from '../../db/database'
import { byIndex } from '../../db/dialect'
import { TASK_COLUMNS, type TaskRow } from '../store'

/** What an agenda is made of. Only tasks that are still to be done and not in the trash. */

/** What an agenda shows of a task, beside its dates. */
export type TaskTitle = Pick<TaskRow, 'key' | 'id' | 'title'>

/** A due date or a start. */
export interface AgendaRow extends TaskTitle {
  /** Date and time as they are sorted. */
  readonly sorted: string
  readonly time_zone: string | null
}

/** Civil dates from one up to another, which is left out. */
export interface CivilDateRange {
  readonly from: string
  readonly before: string
}

/**
 * What is due, or starts, in civil order: behind `after` up to `before`, which is left out; what has no zone
 * only within `floating`, since it falls on its own date in every zone.
 */
export function listDatedTasks(
  db: Queries,
  workspace: WorkspaceId,
  kind: 'due' | 'start',
  {
    after,
    before,
    floating,
    limit,
  }: {
    readonly after: readonly [string, string]
    readonly before: string
    readonly floating: CivilDateRange
    readonly limit: number
  },
): Promise<AgendaRow[]> {
  return db.all<AgendaRow>(
    `SELECT key, id, title, ${kind}_key AS sorted, ${kind}_tz AS time_zone FROM tasks
     WHERE workspace = $1 AND closed = 0 AND deleted_at IS NULL
       AND (${kind}_key, id) > ($2, $3) AND ${kind}_key < $4
       AND (${kind}_tz IS NOT NULL OR ${kind}_key >= $5 AND ${kind}_key < $6)
     ORDER BY ${kind}_key, id LIMIT $7`,
    [workspace, ...after, before, floating.from, floating.before, limit],
  )
}

/** A task that repeats, as far as its dates go. */
export type RepeatingRow = Pick<
  TaskRow,
  | keyof TaskTitle
  | 'due_key'
  | 'due_tz'
  | 'start_key'
  | 'start_tz'
  | 'rrule'
  | 'recurrence_mode'
  | 'recurrence_skip'
  | 'anchor'
  | 'exdates'
>

const REPEATING = `SELECT key, id, title, due_key, due_tz, start_key, start_tz, rrule, recurrence_mode, recurrence_skip,
    anchor, exdates
  FROM tasks ${byIndex('tasks_repeating')}
  WHERE workspace = $1 AND rrule IS NOT NULL AND deleted_at IS NULL AND closed = 0 AND recurrence_mode = 'schedule'`

/** The tasks that repeat by schedule and are due from one civil date up to another, which is left out. */
export function listRepeatingDue(
  db: Queries,
  workspace: WorkspaceId,
  from: string,
  before: string,
): Promise<RepeatingRow[]> {
  return db.all<RepeatingRow>(`${REPEATING} AND due_key >= $2 AND due_key < $3`, [workspace, from, before])
}

/** The tasks that repeat by schedule, start before a civil date, and are not due before it. */
export function listRepeatingStarted(db: Queries, workspace: WorkspaceId, before: string): Promise<RepeatingRow[]> {
  return db.all<RepeatingRow>(`${REPEATING} AND due_key >= $2 AND start_key < $2`, [workspace, before])
}

export interface OverdueBounds {
  /** Milliseconds since 1970. */
  readonly now: number
  /** The civil date, and it with the time of day, that the asker's clock shows. */
  readonly date: string
  readonly clock: string
  /** A civil date behind which nothing can be past yet, in whatever zone. */
  readonly before: string
}

/** Tasks whose time of a zone, whose floating time on the asker's clock, or whose whole day is past: the oldest first. */
export function listOverdueTasks(
  db: Queries,
  workspace: WorkspaceId,
  past: OverdueBounds,
  limit: number,
): Promise<TaskRow[]> {
  return db.all<TaskRow>(
    `SELECT ${TASK_COLUMNS} FROM tasks
     WHERE workspace = $1 AND closed = 0 AND deleted_at IS NULL AND due_key < $5 AND CASE
       WHEN due_at IS NOT NULL THEN due_at < $2
       WHEN due_time IS NOT NULL THEN due_key < $4
       ELSE due_date < $3 END
     ORDER BY due_key, id LIMIT $6`,
    [workspace, past.now, past.date, past.clock, past.before, limit],
  )
}
