import { setImmediate } from 'node:timers/promises'
import type { Session } from '../../db/database'
import type { Tagged } from '../../http/conditional'
import { writeInstant } from '../../http/values'
import { fromDay, toDay } from '../../lib/civil/day'
import { type FeedItem, feedEnd, feedEvent, feedHead, feedTodo } from '../../lib/ical/write'
import { listOccurrences } from '../../lib/recurrence/expand'
import { readTaskFilter } from '../filter/service'
import { getTasksByKeys } from '../relation-store'
import type { TaskDate } from '../schema'
import type { TaskRow } from '../store'
import { getDueDate, getStartDate } from '../task'
import { toDateColumns } from '../task-date'
import { toRecurrence, toSeries } from '../task-recurrence'
import { type CalendarTaskRow, listCalendarTasks } from './store'

/** Days from today for which repeats are shown, and days back to which what is closed is shown. */
const DAYS_AHEAD = 90
const DAYS_BACK = 90
/** Items of one calendar, and bytes of the tasks that it is made of. The latest dates are kept. */
const MAX_ITEMS = 10_000
const MAX_TASK_BYTES = 8 * 1024 * 1024
/** Tasks that are read at a time: the dates of a hostile rule take a millisecond. */
const READ_TASKS = 20
const DAY_MS = 86_400_000

/** Which tasks a calendar shows, and how. */
export interface CalendarOptions {
  readonly name: string
  readonly filter: string | null
  readonly component: 'vevent' | 'vtodo'
  readonly include_done: boolean
}

/**
 * The tasks of a workspace as a calendar that needs no reckoning: each date is an item of its own. What has no date is
 * not in it. Throws invalid_filter, also where a name in the filter is gone by now.
 */
export async function writeFeedCalendar(
  session: Session,
  shown: CalendarOptions,
  now: number,
): Promise<Tagged<string>> {
  const today = Math.floor(now / DAY_MS)
  const filter = await readTaskFilter(
    session,
    { filter: shown.filter ?? undefined },
    { now, time_zone: 'UTC' },
    { all: shown.include_done },
  )
  const { db, workspace } = session
  const rows = takeFitting(await listCalendarTasks(db, workspace.id, filter, fromDay(today - DAYS_BACK), MAX_ITEMS))
  const write = shown.component === 'vtodo' ? feedTodo : feedEvent
  const parts = [feedHead(shown.name)]
  for (let from = 0; from < rows.length && parts.length <= MAX_ITEMS; from += READ_TASKS) {
    const keys = rows.slice(from, from + READ_TASKS).map(({ key }) => key)
    for (const task of await getTasksByKeys(db, workspace.id, keys))
      for (const item of toFeedItems(task, today)) if (parts.length <= MAX_ITEMS) parts.push(write(item))
    // Other requests come between.
    await setImmediate()
  }
  parts.push(feedEnd())
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

/** The present date of a task, and those of its rule that are to come. Counted from completions, none is known. */
function toFeedItems(task: TaskRow, today: number): FeedItem[] {
  const due = getDueDate(task)
  const when = due ?? getStartDate(task)
  if (!when) return []
  const recurrence = due && toRecurrence(task)
  const present = toFeedItem(task, when, recurrence ? when.date : null)
  if (!recurrence || recurrence.mode === 'completion' || task.closed === 1) return [present]
  const from = Math.max(toDay(when.date) + 1, today)
  const days = listOccurrences(toSeries(recurrence, when), { from, to: today + DAYS_AHEAD, limit: DAYS_AHEAD + 1 })
  return [present, ...days.map(fromDay).map((date) => asOpen(toFeedItem(task, { ...when, date }, date)))]
}

function asOpen(item: FeedItem): FeedItem {
  return { ...item, status: 'open' }
}

/** A time without a zone has no instant: the item is for the whole day. */
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
