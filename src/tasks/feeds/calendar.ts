import type { Session } from '../../db/database'
import { takeWithin } from '../../http/cursor'
import type { Tagged } from '../../http/responses'
import { writeInstant } from '../../http/values'
import { fromDay } from '../../lib/civil/day'
import { clockTime } from '../../lib/civil/zone'
import { type FeedEvent, writeFeedEnd, writeFeedEvent, writeFeedHead } from '../../lib/ical/events'
import type { ItemMoment } from '../../lib/ical/item'
import { createCalendarWriter } from '../../lib/ical/write'
import { yieldTurn } from '../../lib/steps'
import { type DayTime, listLaterSlots, moveToSlot, readDayTime } from '../day-time'
import { toExportTasks } from '../files/export'
import { listCalendarTasks, listExportedByKeys } from '../files/store'
import { type FindByText, readAsOf, readTaskFilter } from '../filter/service'
import { getTasksByKeys } from '../relation-store'
import type { TaskRow } from '../store'
import { nameOccurrence } from '../task-recurrence'

/** Days from today on for which later dates of recurring tasks are shown as events. */
const DAYS_AHEAD = 90
/** Days before today for which closed tasks are shown. */
const DAYS_BACK = 90
/** The most items of one calendar. The tasks with the latest dates are kept, then those without a date. */
const MAX_ITEMS = 10_000
/** The most later dates of one task, which may repeat by the hour: others must find room beside it. */
const MAX_SERIES_ITEMS = 500
/** The most bytes of the tasks in one calendar. */
const MAX_TASK_BYTES = 8 * 1024 * 1024
/** Tasks read in one turn of the event loop: expanding a hostile rule takes a millisecond. */
const READ_TASKS = 20
const DAY_MS = 86_400_000

/**
 * Writes the tasks of a workspace as a calendar: of events, one for each date of a task, without recurrence rules; or of
 * to-dos as an export has them, also without a date. Throws invalid_filter, also if a name in the filter no longer
 * exists.
 */
export async function writeFeedCalendar(
  session: Session,
  options: { name: string; filter: string | null; component: 'vevent' | 'vtodo'; include_done: boolean },
  now: number,
  findByText: FindByText,
): Promise<Tagged<string>> {
  const today = Math.floor(now / DAY_MS)
  const filter = await readTaskFilter(
    session,
    { filter: options.filter ?? undefined },
    await readAsOf(session, {}, now),
    findByText,
    { all: options.include_done },
  )
  const since = { date: fromDay(today - DAYS_BACK), at: (today - DAYS_BACK) * DAY_MS }
  const isUndated = options.component === 'vtodo'
  const rows = await listCalendarTasks(session, filter, { since, isUndated, limit: MAX_ITEMS })
  const keys = takeWithin(rows, MAX_TASK_BYTES, ({ size_bytes }) => size_bytes).map(({ key }) => key)
  const pieces = isUndated ? writeTodos(session, keys) : writeEvents(session, keys, today)
  let text = writeFeedHead(options.name)
  for await (const piece of pieces) {
    text += piece
    // Lets other requests have a turn.
    await yieldTurn()
  }
  return { resource: text, etag: `"${new Bun.CryptoHasher('sha256').update(text).digest('base64url')}"` }
}

function* inGroups(keys: readonly number[]): Generator<readonly number[]> {
  for (let from = 0; from < keys.length; from += READ_TASKS) yield keys.slice(from, from + READ_TASKS)
}

async function* writeTodos(session: Session, keys: readonly number[]): AsyncGenerator<string> {
  const writer = createCalendarWriter()
  for (const group of inGroups(keys)) {
    const rows = await listExportedByKeys(session, group)
    yield (await toExportTasks(session, rows)).map(writer.todo).join('')
  }
  yield* writer.end()
}

async function* writeEvents(session: Session, keys: readonly number[], today: number) {
  let left = MAX_ITEMS
  for (const group of inGroups(keys)) {
    if (left === 0) break
    const tasks = await getTasksByKeys(session, group)
    const events = tasks.flatMap((task) => toEvents(task, today)).slice(0, left)
    left -= events.length
    yield events.map(writeFeedEvent).join('')
  }
  yield writeFeedEnd()
}

/** A task's current date and later ones of its rule. If they count from completions, none is known. */
function toEvents(task: TaskRow, today: number): FeedEvent[] {
  const due = readDayTime(task.due_key, task.due_tz)
  const start = readDayTime(task.start_key, task.start_tz)
  const when = due ?? start
  if (!when) return []
  const { rrule } = task
  const toEvent = (date: DayTime, from: DayTime | null): FeedEvent => ({
    uid: task.source_system === 'ical' && task.source_id !== null ? task.source_id : task.id,
    occurrence: due && rrule !== null ? nameOccurrence(rrule, toMoment(date)) : null,
    title: task.title,
    notes: task.notes,
    when: toMoment(date),
    start: from && toMoment(from),
    duration_minutes: task.duration_minutes,
    updated_at: writeInstant(task.updated_at),
  })
  const present = toEvent(when, due && start)
  if (!due || task.closed === 1) return [present]
  const days = { from: today, to: today + DAYS_AHEAD, limit: MAX_SERIES_ITEMS }
  const later = listLaterSlots(task, due, days)
  return [present, ...later.map((slot) => toEvent(moveToSlot(due, due, slot), start && moveToSlot(start, due, slot)))]
}

function toMoment({ day, minutes, time_zone }: DayTime): ItemMoment {
  return { date: fromDay(day), time: minutes === null ? null : clockTime(minutes), tz: time_zone }
}
