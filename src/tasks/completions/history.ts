import type { Session } from '../../db/database'
import { invalid } from '../../http/api-error'
import { type Page, readCursor, toPage } from '../../http/cursor'
import { DEFAULT_LIMIT, readInstant, writeOptional } from '../../http/values'
import { fromDay, MINUTES_PER_DAY, toDay } from '../../lib/civil/day'
import { fromSlot, listSlots, toSlot } from '../../lib/recurrence/slots'
import type { Recurrence } from '../schema'
import { taskReader } from '../service'
import type { TaskRow } from '../store'
import { getDueDate, parseOccurrence, readDateInRange, toDateColumns } from '../task-date'
import { getDueOccurrence, isTimed, nameOccurrence, toRecurrence, toSeries } from '../task-recurrence'
import { toTaskCompletion } from './completion'
import type { ListCompletions, ListOccurrences, Occurrence, TaskCompletion } from './schema'
import { getLatestCompletion, listCompletedBetween, listCompletionsOfTask, listHandledOccurrences } from './store'

/** Days from `from` that a list of occurrences covers if the request has no `to`. */
const DEFAULT_DAYS = 366

/** Lists completions and skips of a task, the newest first. Throws not_found, invalid_cursor. */
export async function listTaskCompletions(
  session: Session,
  id: string,
  query: { limit?: string; cursor?: string },
): Promise<Page<TaskCompletion>> {
  const task = await taskReader.load(session, id)
  const limit = Number(query.limit ?? DEFAULT_LIMIT)
  const binding = `completions ${task.id}`
  const after = query.cursor === undefined ? [] : readCursor(query.cursor, binding, ['string'])
  const rows = await listCompletionsOfTask(session, task.key, after[0], limit + 1)
  return toPage(rows, limit, binding, ({ id }) => [id], toTaskCompletion)
}

/** The newest first, from `from` up to but not including `to`. Throws invalid_request, invalid_cursor. */
export async function listCompletedTasks(session: Session, query: ListCompletions): Promise<Page<TaskCompletion>> {
  const limit = Number(query.limit ?? DEFAULT_LIMIT)
  const window = {
    from: query.from === undefined ? 0 : readInstant(query.from, '/from'),
    to: query.to === undefined ? Number.MAX_SAFE_INTEGER : readInstant(query.to, '/to'),
    project: query.project_id ?? null,
  }
  const binding = JSON.stringify(['completed', window])
  const after = query.cursor === undefined ? null : readCursor(query.cursor, binding, ['number', 'string'])
  const rows = await listCompletedBetween(session, { ...window, after, limit: limit + 1 })
  return toPage(rows, limit, binding, ({ completed_at, id }) => [completed_at, id], toTaskCompletion)
}

/**
 * Lists the dates of a task from one civil date to another, both included: the dates of its rule, the current due date,
 * and dates that were completed or skipped. In completion mode, dates after the current one are unknown. Throws
 * not_found, invalid_request.
 */
export async function listTaskOccurrences(
  session: Session,
  id: string,
  query: ListOccurrences,
): Promise<Page<Occurrence>> {
  const task = await taskReader.load(session, id)
  const limit = Number(query.limit ?? DEFAULT_LIMIT)
  const { from, to } = readWindow(task, query)
  const binding = JSON.stringify(['occurrences', task.id, from, to])
  const [last] = query.cursor === undefined ? [] : readCursor(query.cursor, binding, ['string'])
  const after = typeof last === 'string' ? last : null
  // Times of a date sort after the date and before these.
  const [begin, end] = [after === null ? from : `${after} `, `${to}~`]
  const names = new Set(listNamesOfRule(task, { from, after, to: await findLastName(session, task, to) }, limit + 1))
  const handled = await listHandledOccurrences(session, task.key, begin, end, limit + 1)
  const kinds = new Map(handled.map(({ occurrence, kind }) => [occurrence, kind]))
  for (const name of kinds.keys()) names.add(name)
  const due = getDueOccurrence(task)
  if (due !== null && task.closed === 0 && due >= begin && due <= end) names.add(due)
  const rows = [...names].sort().slice(0, limit + 1)
  const occurrences = rows.map((name) => toOccurrence(task, name, kinds.get(name)))
  return toPage(occurrences, limit, binding, ({ occurrence }) => [occurrence])
}

function readWindow(task: TaskRow, query: ListOccurrences): { from: string; to: string } {
  const current = getDueOccurrence(task)?.slice(0, 10)
  const from = query.from === undefined ? (current ?? '1900-01-01') : readDateInRange(query.from, '/from')
  const defaultTo = fromDay(Math.min(toDay(from) + DEFAULT_DAYS, toDay('2200-12-31')))
  const to = query.to === undefined ? defaultTo : readDateInRange(query.to, '/to')
  if (to < from) throw invalid('/to', 'before_from', 'to must not be before from')
  return { from, to }
}

/** Names of occurrences: from a date on, or after one that was shown, up to a date or an occurrence, which is included. */
interface NameRange {
  readonly from: string
  readonly after: string | null
  readonly to: string
}

function listNamesOfRule(task: TaskRow, { from, after, to }: NameRange, limit: number): string[] {
  const recurrence = toRecurrence(task)
  const due = getDueDate(task)
  if (!recurrence || !due || recurrence.mode === 'completion') return []
  const timed = isTimed(recurrence.rrule)
  const endOf = (date: string) => (toDay(date) + 1) * MINUTES_PER_DAY - 1
  const slotAfter = (name: string) =>
    (timed && name.length > 10 ? toSlot(parseOccurrence(name)) : endOf(name) - (timed ? MINUTES_PER_DAY : 0)) + 1
  const slots = listSlots(toSeries(recurrence, due), {
    from: after === null ? toDay(from) * MINUTES_PER_DAY : slotAfter(after),
    to: timed && to.length > 10 ? toSlot(parseOccurrence(to)) : endOf(to),
    limit,
  })
  return slots.map((slot) => nameOccurrence(recurrence.rrule, fromSlot(slot, due.time === null)))
}

/** Returns `to`, or the last occurrence of a series that has ended: its due date, or the last one that its last completion missed. */
async function findLastName(session: Session, task: TaskRow, to: string): Promise<string> {
  const due = getDueOccurrence(task)
  if (task.closed === 0 || due === null) return to
  const latest = task.status === 'done' ? await getLatestCompletion(session, task.key) : null
  const missed: string[] = latest?.next_due === null ? JSON.parse(latest.missed) : []
  const end = missed.at(-1) ?? due
  return end.slice(0, 10) <= to ? end : to
}

function toOccurrence(task: TaskRow, name: string, kind: 'done' | 'skip' | undefined): Occurrence {
  const due = getDueDate(task)
  const moved: Recurrence['moved'] = JSON.parse(task.moved)
  const { date, time } = parseOccurrence(moved.find(({ occurrence }) => occurrence === name)?.moved_to ?? name)
  const when = due && { ...due, date, time: time ?? due.time }
  const at = toDateColumns(when).at
  return {
    occurrence: name,
    date,
    time: when?.time ?? time,
    at: writeOptional(at),
    status: getOccurrenceStatus(task, name, kind),
  }
}

function getOccurrenceStatus(task: TaskRow, name: string, kind: 'done' | 'skip' | undefined): Occurrence['status'] {
  if (kind !== undefined) return kind === 'done' ? 'done' : 'skipped'
  const due = getDueOccurrence(task)
  if (due === name && task.closed === 0) return 'current'
  if (due === name && task.status === 'done') return 'done'
  return task.closed === 1 || due === null || name < due ? 'missed' : 'future'
}
