import type { Queries, WorkspaceId } from '../../db/database'
import { elementsIn } from '../../db/dialect'
import { WHERE_ARCHIVED } from '../filter/store'

/** A span of instants in milliseconds since 1970, end exclusive. */
export interface StatsRange {
  readonly from: number
  readonly to: number
}

/**
 * Counts the tasks outside the trash that were created in each span, in the order of the spans. `closed` is named with
 * both of its values so that the index by it and by `created_at` is used.
 */
export async function countCreated(
  db: Queries,
  workspace: WorkspaceId,
  spans: readonly StatsRange[],
): Promise<number[]> {
  const rows = await db.all<{ n: number }>(
    `SELECT (SELECT count(*) FROM tasks WHERE workspace = $1 AND deleted_at IS NULL AND closed IN (0, 1)
       AND created_at >= CAST(span.value ->> 'from' AS bigint) AND created_at < CAST(span.value ->> 'to' AS bigint)) AS n
     FROM ${elementsIn('$2')} AS span ORDER BY span.key`,
    [workspace, JSON.stringify(spans)],
  )
  return rows.map(({ n }) => n)
}

/** The number of completions of one due date in one span; `span` is its index. */
export interface CompletedRow {
  readonly span: number
  readonly occurrence: string | null
  readonly n: number
}

/** Counts the completions in each span, grouped by the due date that was completed. */
export function countCompleted(
  db: Queries,
  workspace: WorkspaceId,
  spans: readonly StatsRange[],
): Promise<CompletedRow[]> {
  return db.all<CompletedRow>(
    `SELECT span.key AS span, occurrence, count(*) AS n FROM ${elementsIn('$2')} AS span CROSS JOIN task_completions
     WHERE workspace = $1 AND kind = 'done'
       AND completed_at >= CAST(span.value ->> 'from' AS bigint) AND completed_at < CAST(span.value ->> 'to' AS bigint)
     GROUP BY span.key, occurrence`,
    [workspace, JSON.stringify(spans)],
  )
}

/** Counts the open tasks outside the trash and archived projects that are due before each of these civil dates, which must ascend. */
export async function countDueBefore(db: Queries, workspace: WorkspaceId, dates: readonly string[]): Promise<number[]> {
  const rows = await db.all<{ n: number }>(
    `SELECT (SELECT count(*) FROM tasks WHERE workspace = $1 AND closed = 0 AND deleted_at IS NULL ${WHERE_ARCHIVED.false}
       AND due_key >= step.value ->> 'from' AND due_key < step.value ->> 'to') AS n
     FROM ${elementsIn('$2')} AS step ORDER BY step.key`,
    [workspace, JSON.stringify(dates.map((to, i) => ({ from: dates[i - 1] ?? '', to })))],
  )
  let sum = 0
  return rows.map(({ n }) => {
    sum += n
    return sum
  })
}
