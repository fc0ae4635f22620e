import type { Session } from '../../db/database'
import { invalid } from '../../http/api-error'
import { type Page, readCursor, toPage } from '../../http/cursor'
import { DEFAULT_LIMIT, readInstant, writeInstant } from '../../http/values'
import { fromDay, toDay } from '../../lib/civil/day'
import { listOccurrences } from '../../lib/recurrence/expand'
import type { TaskRow } from '../store'
import { getDueDate } from '../task'
import { readDateInRange, toDateColumns } from '../task-date'
import { toRecurrence, toSeries } from '../task-recurrence'
import { toTaskCompletion } from './completion'
import type { ListCompletions, ListOccurrences, Occurrence, TaskCompletion } from './schema'
import { getLatestCompletion, listCompletedBetween, listCompletionsOfTask, listHandledOccurrences } from './store'

/** Days from `from` that a list of occurrences covers if the request has no `to`. */
const DEFAULT_DAYS = 366

/** Lists completions and skips of a task, the newest first. Throws invalid_cursor. */
export async function listTaskCompletions(
  { db, workspace }: Session,
  task: TaskRow,
  query: { limit?: string; cursor?: string },
): Promise<Page<TaskCompletion>> {
  const limit = Number(query.limit ?? DEFAULT_LIMIT)
  const binding = `completions ${task.id}`
  const after = query.cursor === undefined ? [] : readCursor(query.cursor, binding, ['string'])
  const rows = await listCompletionsOfTask(db, workspace.id, task.key, after[0], limit + 1)
  return toPage(rows, limit, binding, ({ id }) => [id], toTaskCompletion)
}

/**
 * Lists completions of all tasks, the newest first, from `from` up to but not including `to`. Throws invalid_request,
 * invalid_cursor.
 */
export async function listCompletedTasks(
  { db, workspace }: Session,
  query: ListCompletions,
): Promise<Page<TaskCompletion>> {
  const limit = Number(query.limit ?? DEFAULT_LIMIT)
  const window = {
    from: query.from === undefined ? 0 : readInstant(query.from, '/from'),
    to: query.to === undefined ? Number.MAX_SAFE_INTEGER : readInstant(query.to, '/to'),
    project: query.project_id ?? null,
  }
  const binding = JSON.stringify(['completed', window])
  const after = query.cursor === undefined ? null : readCursor(query.cursor, binding, ['number', 'string'])
  const rows = await listCompletedBetween(db, workspace.id, { ...window, after, limit: limit + 1 })
  return toPage(rows, limit, binding, ({ completed_at, id }) => [completed_at, id], toTaskCompletion)
}

/**
 * Lists the dates of a task from one civil date to another, both included: the dates of its rule, the current due date,
 * and dates that were completed or skipped. If dates count from completions, later ones are not known. Throws
 * invalid_request.
 */
export async function listTaskOccurrences(
  session: Session,
  task: TaskRow,
  query: ListOccurrences,
): Promise<Page<Occurrence>> {
  const { db, workspace } = session
  const limit = Number(query.limit ?? DEFAULT_LIMIT)
  const { from, to } = readWindow(task, query)
  const binding = JSON.stringify(['occurrences', task.id, from, to])
  const [last] = query.cursor === undefined ? [] : readCursor(query.cursor, binding, ['string'])
  const begin = typeof last === 'string' ? fromDay(toDay(last) + 1) : from
  const dates = new Set(listDatesOfRule(task, begin, await findLastDate(session, task, to), limit + 1))
  const handled = await listHandledOccurrences(db, workspace.id, task.key, begin, to, limit + 1)
  const kinds = new Map(handled.map(({ occurrence, kind }) => [occurrence, kind]))
  for (const date of kinds.keys()) dates.add(date)
  if (task.due_date !== null && task.closed === 0 && task.due_date >= begin && task.due_date <= to)
    dates.add(task.due_date)
  const rows = [...dates].sort().slice(0, limit + 1)
  return toPage(
    rows,
    limit,
    binding,
    (date) => [date],
    (date) => toOccurrence(task, date, kinds.get(date)),
  )
}

function readWindow(task: TaskRow, query: ListOccurrences): { from: string; to: string } {
  const from = query.from === undefined ? (task.due_date ?? '1900-01-01') : readDateInRange(query.from, '/from')
  const year = fromDay(Math.min(toDay(from) + DEFAULT_DAYS, toDay('2200-12-31')))
  const to = query.to === undefined ? year : readDateInRange(query.to, '/to')
  if (to < from) throw invalid('/to', 'before_from', 'to must not be before from')
  return { from, to }
}

function listDatesOfRule(task: TaskRow, from: string, to: string, limit: number): string[] {
  const recurrence = toRecurrence(task)
  const due = getDueDate(task)
  if (!recurrence || !due || recurrence.mode === 'completion') return []
  if (to < from) return []
  return listOccurrences(toSeries(recurrence, due), { from: toDay(from), to: toDay(to), limit }).map(fromDay)
}

/** Returns `to`, or the last date of a series that has ended: its due date, or the last date missed at its end. */
async function findLastDate({ db, workspace }: Session, task: TaskRow, to: string): Promise<string> {
  if (task.closed === 0 || task.due_date === null) return to
  const latest = task.status === 'done' ? await getLatestCompletion(db, workspace.id, task.key) : null
  const missed: string[] = latest?.next_due === null ? JSON.parse(latest.missed) : []
  const end = missed.at(-1) ?? task.due_date
  return end < to ? end : to
}

function toOccurrence(task: TaskRow, date: string, kind: 'done' | 'skip' | undefined): Occurrence {
  const due = getDueDate(task)
  const at = due === null ? null : toDateColumns({ ...due, date }).at
  return { date, at: at === null ? null : writeInstant(at), status: getOccurrenceStatus(task, date, kind) }
}

function getOccurrenceStatus(task: TaskRow, date: string, kind: 'done' | 'skip' | undefined): Occurrence['status'] {
  if (kind !== undefined) return kind === 'done' ? 'done' : 'skipped'
  if (task.due_date === date && task.closed === 0) return 'current'
  if (task.due_date === date && task.status === 'done') return 'done'
  return task.closed === 1 || task.due_date === null || date < task.due_date ? 'missed' : 'future'
}
