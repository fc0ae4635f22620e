import { setImmediate } from 'node:timers/promises'
import type { Session } from '../../db/database'
import type { Tagged } from '../../http/conditional'
import { writeInstant } from '../../http/values'
import { fromDay, toDay } from '../../lib/civil/day'
import { type FeedItem, writeFeedEnd, writeFeedEvent, writeFeedHead, writeFeedTodo } from '../../lib/ical/write'
import { listOccurrences } from '../../lib/recurrence/expand'
import { readTaskFilter } from '../filter/service'
import { tasksByKeys } from '../relation-store'
import type { TaskDate } from '../schema'
import { recurrenceOf, seriesOf } from '../series'
import type { TaskRow } from '../store'
import { dueOfTask, startOfTask } from '../task'
import { dateColumns } from '../when'
import { type DatedRow, listDated } from './store'

/** Days from today for which repeats are shown, and days back to which what is closed is shown. */
const DAYS_AHEAD = 90
const DAYS_BACK = 90
/** Items of one calendar, and bytes of the tasks that it is made of. The latest dates are kept. */
const ITEMS = 10_000
const BYTES = 8 * 1024 * 1024
/** Tasks that are read at a time: the dates of a hostile rule take a millisecond. */
const TASKS_READ = 20
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
export async function calendarOf(session: Session, shown: CalendarOptions, now: number): Promise<Tagged<string>> {
  const today = Math.floor(now / DAY_MS)
  const filter = await readTaskFilter(
    session,
    { filter: shown.filter ?? undefined },
    { now, time_zone: 'UTC' },
    { all: shown.include_done },
  )
  const { db, workspace } = session
  const rows = fitting(await listDated(db, workspace.id, filter, fromDay(today - DAYS_BACK), ITEMS))
  const write = shown.component === 'vtodo' ? writeFeedTodo : writeFeedEvent
  const parts = [writeFeedHead(shown.name)]
  for (let from = 0; from < rows.length && parts.length <= ITEMS; from += TASKS_READ) {
    const keys = rows.slice(from, from + TASKS_READ).map(({ key }) => key)
    for (const task of await tasksByKeys(db, workspace.id, keys))
      for (const item of itemsOf(task, today)) if (parts.length <= ITEMS) parts.push(write(item))
    // Other requests come between.
    await setImmediate()
  }
  parts.push(writeFeedEnd())
  const text = parts.join('')
  return { resource: text, etag: `"${new Bun.CryptoHasher('sha256').update(text).digest('base64url')}"` }
}

function fitting(rows: readonly DatedRow[]): readonly DatedRow[] {
  let bytes = 0
  const beyond = rows.findIndex(({ size_bytes }) => {
    bytes += size_bytes
    return bytes > BYTES
  })
  return beyond < 0 ? rows : rows.slice(0, beyond)
}

/** The present date of a task, and those of its rule that are to come. Counted from completions, none is known. */
function itemsOf(task: TaskRow, today: number): FeedItem[] {
  const due = dueOfTask(task)
  const when = due ?? startOfTask(task)
  if (!when) return []
  const recurrence = due && recurrenceOf(task)
  const present = itemOf(task, when, recurrence ? when.date : null)
  if (!recurrence || recurrence.mode === 'completion' || task.closed === 1) return [present]
  const from = Math.max(toDay(when.date) + 1, today)
  const days = listOccurrences(seriesOf(recurrence, when), { from, to: today + DAYS_AHEAD, limit: DAYS_AHEAD + 1 })
  return [present, ...days.map(fromDay).map((date) => projected(itemOf(task, { ...when, date }, date)))]
}

function projected(item: FeedItem): FeedItem {
  return { ...item, status: 'open' }
}

/** A time without a zone has no instant: the item is for the whole day. */
function itemOf(task: TaskRow, when: TaskDate, occurrence: string | null): FeedItem {
  const { at } = dateColumns(when)
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
