import { Bindings, type Session } from '../../db/database'
import { byIndex } from '../../db/dialect'
import type { SeriesRow } from '../day-time'
import {
  type Archived,
  type AsOf,
  buildDateKeyCondition,
  buildTaskFilterConditions,
  getDaysOfState,
  type TaskFilter,
  WHERE_ARCHIVED,
} from '../filter/store'
import { TASK_COLUMNS, type TaskRow } from '../store'

/** The queries of the agenda. They return only open tasks outside the trash, by default not those of archived projects. */

/** The columns of a task that an agenda shows, apart from its dates. */
export type TaskTitle = Pick<TaskRow, 'key' | 'id' | 'title'>

interface AgendaRow extends TaskTitle {
  /** Date and time as they are sorted. */
  readonly sorted: string
  readonly time_zone: string | null
}

/** A range of civil dates; `before` is excluded. */
interface CivilDateRange {
  readonly from: string
  readonly before: string
}

/**
 * Lists due dates or starts in civil order, after the sort keys `after` and before the date `before`. Dates without a
 * zone must be in the range `floating`, since they are the same in every zone.
 */
export function listDatedTasks(
  { db, workspace }: Session,
  kind: 'due' | 'start',
  {
    archived,
    after,
    before,
    floating,
    limit,
  }: {
    readonly archived: Archived
    readonly after: readonly [string, string]
    readonly before: string
    readonly floating: CivilDateRange
    readonly limit: number
  },
): Promise<AgendaRow[]> {
  return db.all<AgendaRow>(
    `SELECT key, id, title, ${kind}_key AS sorted, ${kind}_tz AS time_zone FROM tasks
     WHERE workspace = $1 AND closed = 0 AND deleted_at IS NULL ${WHERE_ARCHIVED[archived]}
       AND (${kind}_key, id) > ($2, $3) AND ${kind}_key < $4
       AND (${kind}_tz IS NOT NULL OR ${kind}_key >= $5 AND ${kind}_key < $6)
     ORDER BY ${kind}_key, id LIMIT $7`,
    [workspace.id, ...after, before, floating.from, floating.before, limit],
  )
}

/** A recurring task: the columns of its dates. */
export type RepeatingRow = SeriesRow & Pick<TaskRow, keyof TaskTitle | 'due_key' | 'due_tz' | 'start_key' | 'start_tz'>

const REPEATING = `SELECT key, id, title, due_key, due_tz, start_key, start_tz, rrule, recurrence_mode, recurrence_skip,
    anchor, exdates, rdates, moved
  FROM tasks ${byIndex('tasks_repeating')}
  WHERE workspace = $1 AND rrule IS NOT NULL AND deleted_at IS NULL AND closed = 0 AND recurrence_mode = 'schedule'`

/** Lists the tasks that repeat by schedule and are due from one civil date up to another, which is excluded. */
export function listRepeatingDue(
  { db, workspace }: Session,
  archived: Archived,
  from: string,
  before: string,
): Promise<RepeatingRow[]> {
  return db.all<RepeatingRow>(`${REPEATING} ${WHERE_ARCHIVED[archived]} AND due_key >= $2 AND due_key < $3`, [
    workspace.id,
    from,
    before,
  ])
}

/** Lists the tasks that repeat by schedule, start before a civil date, and are not due before it. */
export function listRepeatingStarted(
  { db, workspace }: Session,
  archived: Archived,
  before: string,
): Promise<RepeatingRow[]> {
  return db.all<RepeatingRow>(`${REPEATING} ${WHERE_ARCHIVED[archived]} AND due_key >= $2 AND start_key < $2`, [
    workspace.id,
    before,
  ])
}

/** Lists the tasks that the filter `overdue` finds, the oldest first. */
export function listOverdueTasks(
  { db, workspace }: Session,
  { archived, ...asOf }: AsOf & Pick<TaskFilter, 'archived'>,
  limit: number,
): Promise<TaskRow[]> {
  const bind = new Bindings(workspace.id)
  const filter: TaskFilter = { ...asOf, archived, text: null, filter: { kind: 'state', state: 'overdue' }, closed: [0] }
  return db.all<TaskRow>(
    `SELECT ${TASK_COLUMNS} FROM tasks
     WHERE workspace = $1 AND deleted_at IS NULL AND ${buildDateKeyCondition('due', getDaysOfState('overdue', asOf), bind)}
       ${buildTaskFilterConditions(filter, bind)}
     ORDER BY due_key, id LIMIT ${bind.add(limit)}`,
    bind.values,
  )
}
