import { setImmediate } from 'node:timers/promises'
import type { Session } from '../../db/database'
import type { Tagged } from '../../http/conditional'
import { writeInstant } from '../../http/values'
import { fromDay } from '../../lib/civil/day'
import { type FeedItem, writeFeedEnd, writeFeedEvent, writeFeedHead, writeFeedTodo } from '../../lib/ical/write'
import { listLaterSlots, readDayTime } from '../day-time'
import { readAsOf, readTaskFilter } from '../filter/service'
import { getTasksByKeys } from '../relation-store'
import type { TaskDate } from '../schema'
import type { TaskRow } from '../store'
import { getDueDate, getStartDate } from '../task'
import { fromSlot, toDateColumns } from '../task-date'
import { nameOccurrence, toRecurrence } from '../task-recurrence'
import { type CalendarTaskRow, listCalendarTasks } from './store'

/** Days from today on for which later dates of recurring tasks are shown. */
const DAYS_AHEAD = 90
/** Days before today for which closed tasks are shown. */
const DAYS_BACK = 90
/** The most items of one calendar. The tasks with the latest dates are kept. */
const MAX_ITEMS = 10_000
/** The most later dates of one task, which may repeat by the minute: others must find room beside it. */
const MAX_SERIES_ITEMS = 500
/** The most bytes of the tasks in one calendar. */
const MAX_TASK_BYTES = 8 * 1024 * 1024
/** Tasks read in one turn of the event loop: expanding a hostile rule takes a millisecond. */
const READ_TASKS = 20
const DAY_MS = 86_400_000

/** The options of a calendar: which tasks it shows, and how. */
export interface CalendarOptions {
  readonly name: string
  readonly filter: string | null
  readonly component: 'vevent' | 'vtodo'
  readonly include_done: boolean
}

/**
 * Writes the tasks of a workspace as a calendar without recurrence rules: each date is a separate item. Tasks without a
 * date are left out. Throws invalid_filter, also if a name in the filter no longer exists.
 */
export async function writeFeedCalendar(
  session: Session,
  options: CalendarOptions,
  now: number,
): Promise<Tagged<string>> {
  const today = Math.floor(now / DAY_MS)
  const filter = await readTaskFilter(
    session,
    { filter: options.filter ?? undefined },
    await readAsOf(session, {}, now),
    { all: options.include_done },
  )
  const { db, workspace } = session
  const rows = takeFitting(await listCalendarTasks(db, workspace.id, filter, fromDay(today - DAYS_BACK), MAX_ITEMS))
  const write = options.component === 'vtodo' ? writeFeedTodo : writeFeedEvent
  const parts = [writeFeedHead(options.name)]
  for (let from = 0; from < rows.length && parts.length <= MAX_ITEMS; from += READ_TASKS) {
    const keys = rows.slice(from, from + READ_TASKS).map(({ key }) => key)
    for (const task of await getTasksByKeys(db, workspace.id, keys))
      for (const item of toFeedItems(task, today)) if (parts.length <= MAX_ITEMS) parts.push(write(item))
    // Lets other requests have a turn.
    await setImmediate()
  }
  parts.push(writeFeedEnd())
  const text = parts.join('')
  return { resource: text, etag: `"${new Bun.CryptoHasher('sha256').update(text).digest('base64url')}"` }
}

function takeFitting(rows: readonly CalendarTaskRow[]): readonly CalendarTaskRow[] {
  let bytes = 0
  const beyond = rows.findIndex(({ size_bytes }) => {
    bytes += size_bytes
    return bytes > MAX_TASK_BYTES
  })
  return beyond < 0 ? rows : rows.slice(0, beyond)
}

/**
 * Returns the items of a task: its current date and later ones of its rule. If they count from completions, none is
 * known.
 */
function toFeedItems(task: TaskRow, today: number): FeedItem[] {
  const due = getDueDate(task)
  const when = due ?? getStartDate(task)
  if (!when) return []
  const recurrence = due && toRecurrence(task)
  const present = toFeedItem(task, when, recurrence ? nameOccurrence(recurrence.rrule, when) : null)
  if (!recurrence || recurrence.mode === 'completion' || task.closed === 1) return [present]
  const dayTime = readDayTime(task.due_key, task.due_tz)
  const days = { from: today, to: today + DAYS_AHEAD, limit: MAX_SERIES_ITEMS }
  const slots = dayTime ? listLaterSlots(task, dayTime, days) : []
  const later = slots.map((slot) => ({ ...when, ...fromSlot(slot, when.time === null) }))
  return [present, ...later.map((date) => asOpen(toFeedItem(task, date, nameOccurrence(recurrence.rrule, date))))]
}

function asOpen(item: FeedItem): FeedItem {
  return { ...item, status: 'open' }
}

/** Returns the item of a task on one date. A time without a zone has no instant, so its item is for the whole day. */
function toFeedItem(task: TaskRow, when: TaskDate, occurrence: string | null): FeedItem {
  const { at } = toDateColumns(when)
  return {
    uid: task.source_system === 'ical' && task.source_id !== null ? task.source_id : task.id,
    occurrence,
    title: task.title,
    notes: task.notes,
    when: at === null ? { date: when.date } : { at: writeInstant(at) },
    duration_minutes: task.duration_minutes,
    status: task.status,
    completed_at: task.completed_at === null ? null : writeInstant(task.completed_at),
    updated_at: writeInstant(task.updated_at),
  }
}
