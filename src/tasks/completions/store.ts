import type { Reader, Session } from '../../db/database'
import { valuesIn } from '../../db/dialect'
import { createTable, derived, fixed, int, type RowOf, text } from '../../db/table'
import type { Key } from '../../http/cursor'
import type { TaskRow } from '../store'
import { getDueOccurrence } from '../task-recurrence'

/** The table of completions: instants are milliseconds; `missed`, `before` and `after` are JSON. */
export const completionTable = createTable('task_completions', {
  key: derived<number>(),
  id: fixed(text()),
  task: fixed(int()),
  task_id: fixed(text()),
  kind: fixed(text<'done' | 'skip'>()),
  occurrence: fixed(text<string | null>()),
  completed_at: fixed(int()),
  next_due: fixed(text<string | null>()),
  missed: fixed(text()),
  title: fixed(text()),
  project_id: fixed(text<string | null>()),
  before: fixed(text()),
  after: fixed(text()),
  size_bytes: fixed(int()),
})

export type CompletionRow = RowOf<typeof completionTable>

// Cursors contain ids: `key` would reveal to a workspace how many completions others have.
const COLUMNS = 'id, task_id, kind, occurrence, completed_at, next_due, missed, title, project_id'

/** Returns the newest completion or skip of a task, with all columns. */
export function getLatestCompletion({ db, workspace }: Session, task: number): Promise<CompletionRow | null> {
  return db.get<CompletionRow>(
    `SELECT ${completionTable.columns} FROM task_completions
     WHERE task = $2 AND +workspace = $1 ORDER BY key DESC LIMIT 1`,
    [workspace.id, task],
  )
}

export type ShownCompletion = Omit<CompletionRow, 'key' | 'task' | 'before' | 'after' | 'size_bytes'>

/**
 * Lists completions and skips of a task, the newest first; `after` is the id of the last one shown. If that one has
 * been undone since, it was the newest, so all others are older.
 */
export function listCompletionsOfTask(
  { db, workspace }: Session,
  task: number,
  after: Key | undefined,
  limit: number,
): Promise<ShownCompletion[]> {
  return db.all<ShownCompletion>(
    `SELECT ${COLUMNS} FROM task_completions
     WHERE task = $2 AND +workspace = $1
       AND key < coalesce((SELECT key FROM task_completions WHERE workspace = $1 AND id = $3), $4)
     ORDER BY key DESC LIMIT $5`,
    [workspace.id, task, after ?? null, Number.MAX_SAFE_INTEGER, limit],
  )
}

/** Lists the first occurrences of a task that were completed or skipped, from one name to another, both included. */
export function listHandledOccurrences(
  { db, workspace }: Session,
  task: number,
  from: string,
  to: string,
  limit: number,
): Promise<{ occurrence: string; kind: 'done' | 'skip' }[]> {
  return db.all(
    `SELECT occurrence, min(kind) AS kind FROM task_completions
     WHERE task = $2 AND +workspace = $1 AND occurrence BETWEEN $3 AND $4
     GROUP BY occurrence ORDER BY occurrence LIMIT $5`,
    [workspace.id, task, from, to, limit],
  )
}

/** The most later occurrences that are looked at: only an import completes occurrences ahead of the due date. */
const MAX_HANDLED_AHEAD = 1000

export async function listHandledAfterDue(
  session: Session,
  task: Pick<TaskRow, 'key' | 'rrule' | 'due_date' | 'due_time' | 'moved'>,
): Promise<ReadonlySet<string>> {
  const due = task.rrule === null ? null : getDueOccurrence(task)
  if (due === null) return new Set()
  const rows = await listHandledOccurrences(session, task.key, `${due} `, '~', MAX_HANDLED_AHEAD)
  return new Set(rows.map(({ occurrence }) => occurrence))
}

interface HistoryWindow {
  /** Milliseconds since 1970; `to` is not included. */
  readonly from: number
  readonly to: number
  readonly project: string | null
  /** `completed_at` and id of the last one shown. */
  readonly after: readonly Key[] | null
  readonly limit: number
}

/** Lists completions of all tasks, the newest first, without skips. */
export function listCompletedBetween(
  { db, workspace }: Session,
  { from, to, project, after, limit }: HistoryWindow,
): Promise<ShownCompletion[]> {
  const [at, id] = after ?? [Number.MAX_SAFE_INTEGER, '']
  return db.all<ShownCompletion>(
    `SELECT ${COLUMNS} FROM task_completions
     WHERE workspace = $1 AND kind = 'done' AND completed_at >= $2 AND completed_at < $3
       AND (CAST($4 AS text) IS NULL OR project_id = $4) AND (completed_at, id) < ($5, $6)
     ORDER BY completed_at DESC, id DESC LIMIT $7`,
    [workspace.id, from, to, project, at ?? 0, id ?? '', limit],
  )
}

export async function hasCompletion({ db, workspace }: Session, task: number, id: string): Promise<boolean> {
  const sql = 'SELECT 1 FROM task_completions WHERE workspace = $1 AND id = $3 AND task = $2'
  return (await db.get(sql, [workspace.id, task, id])) !== null
}

export async function getCompletionKeysByIds(
  { db, workspace }: Reader,
  ids: readonly string[],
): Promise<Map<string, { readonly key: number; readonly task: number }>> {
  const sql = `SELECT id, key, task FROM task_completions WHERE workspace = $1 AND id IN ${valuesIn('$2')}`
  const rows = await db.all<{ id: string; key: number; task: number }>(sql, [workspace.id, JSON.stringify(ids)])
  return new Map(rows.map(({ id, key, task }) => [id, { key, task }]))
}

/** Lists keys of completions in the order in which they were recorded, after the key `after`. */
export async function listCompletionKeys({ db, workspace }: Reader, after: number, limit: number): Promise<number[]> {
  const sql = 'SELECT key FROM task_completions WHERE workspace = $1 AND key > $2 ORDER BY key LIMIT $3'
  return (await db.all<{ key: number }>(sql, [workspace.id, after, limit])).map(({ key }) => key)
}
