import { setImmediate } from 'node:timers/promises'
import type { Context } from '../../db/context'
import type { Session } from '../../db/database'
import { ApiError, invalid } from '../../http/api-error'
import { type Key, type Page, readCursor, toPage } from '../../http/cursor'
import { DEFAULT_LIMIT, readInstant, writeInstant } from '../../http/values'
import { civilOf } from '../../lib/civil/zone'
import { type DayTime, listLaterDays, MAX_ZONE_GAP_DAYS, readDayTime, toInstantOnDay } from '../day-time'
import { readAsOf } from '../filter/service'
import type { Reminder } from '../schema'
import type { ListReminders, ReminderPage } from './schema'
import { listTasksWithReminders, type ReminderTaskRow } from './store'

/** When the reminders of a task fire. */

const MINUTE_MS = 60_000

/** Instants in milliseconds since 1970; the end is not in it. */
interface InstantRange {
  readonly from: number
  readonly to: number
}

interface Firing {
  readonly at: number
  /** Place of the reminder among those of its task. */
  readonly index: number
  /** The day (src/civil/day.ts) of the due date that it is for, without one of the start; 0 for an instant. */
  readonly dueDay: number
}

/**
 * What a task fires in a window, in no order. What counts from a date fires for each later date of a series as well;
 * whole days begin at 00:00 and floating times are on the clock of `zone`. An instant fires once.
 */
function listFirings(
  row: ReminderTaskRow,
  reminders: readonly Reminder[],
  window: InstantRange,
  zone: string,
): Firing[] {
  const found: Firing[] = []
  const due = readDayTime(row.due_key, row.due_tz)
  const add = (at: number, index: number, day: number) => {
    if (at >= window.from && at < window.to) found.push({ at, index, dueDay: day })
  }
  for (const [index, reminder] of reminders.entries()) {
    const dayTime = reminder.from === 'start' ? readDayTime(row.start_key, row.start_tz) : due
    if (reminder.at !== null) add(Date.parse(reminder.at), index, 0)
    else if (dayTime) {
      const offset = (reminder.offset_minutes ?? 0) * MINUTE_MS
      // A task that only starts is counted by that day.
      const last = due ?? dayTime
      const lead = last.day - dayTime.day
      const { from, to } = getDaysAround(window, offset, dayTime, zone)
      for (const day of [last.day, ...listLaterDays(row, last, from + lead, to + lead)])
        add(toInstantOnDay(dayTime, day - lead, zone) + offset, index, day)
    }
  }
  return found
}

/** The dates of a moment at which an offset from it can fall into a window. */
function getDaysAround(
  { from, to }: InstantRange,
  offset: number,
  { time_zone }: DayTime,
  zone: string,
): { from: number; to: number } {
  const dayAt = (at: number) => civilOf(at - offset, time_zone ?? zone).day
  return { from: dayAt(from) - MAX_ZONE_GAP_DAYS, to: dayAt(to) + MAX_ZONE_GAP_DAYS }
}

const DAY_MS = 86_400_000
/** The longest window of a request, and the window without `to`; in milliseconds. */
const MAX_WINDOW_MS = 92 * DAY_MS
const DEFAULT_WINDOW_MS = 7 * DAY_MS
/** The end of the year 9999: instants are written with four digits of a year. */
const LAST_INSTANT_MS = 253_402_300_799_999
/** Rows read at a time. */
const READ_ROWS = 1000
/** Tasks that are expanded in one turn of the event loop. */
const TASKS_PER_TURN = 100

type TaskFiring = Firing & { readonly row: ReminderTaskRow; readonly reminder: Reminder }

type RemindersDeps = Pick<Context, 'now'>

export type Reminders = ReturnType<typeof createReminders>

/** What fires when. */
export function createReminders({ now: clock }: RemindersDeps) {
  return {
    /** A page of what fires from one instant up to another, in the order of time. Throws invalid_request, invalid_cursor. */
    async list(session: Session, query: ListReminders): Promise<Page<ReminderPage['items'][number]>> {
      const limit = Number(query.limit ?? DEFAULT_LIMIT)
      const asOf = readAsOf(query, clock())
      const binding = JSON.stringify(['reminders', query.from, query.to, query.now, asOf.time_zone])
      const [now = asOf.now, ...after] =
        query.cursor === undefined ? [] : readCursor(query.cursor, binding, CURSOR_KEY_KINDS)
      // Later pages are of the window of the first, whatever the clock says by then.
      const window = readWindow(query, readCursorInstant(now))
      const first = await findFirstFirings(session, window, asOf.time_zone, after, limit + 1)
      const keysOf = (one: TaskFiring) => [now, ...toOrderKeys(one)]
      return toPage(first, limit, binding, keysOf, ({ row, at, reminder }) => ({
        task_id: row.id,
        at: writeInstant(at),
        reminder,
      }))
    },
  }
}

const CURSOR_KEY_KINDS = ['number', 'number', 'string', 'number', 'number'] as const

/** The instant that a cursor holds. */
function readCursorInstant(key: Key): number {
  if (typeof key === 'number' && Number.isInteger(key) && Math.abs(key) <= LAST_INSTANT_MS) return key
  throw new ApiError('invalid_cursor', 'This cursor is not one of this list.')
}

/** What firings are ordered by. */
function toOrderKeys({ at, row, index, dueDay }: TaskFiring): [number, string, number, number] {
  return [at, row.id, index, dueDay]
}

function readWindow(query: ListReminders, now: number): InstantRange {
  const from = query.from === undefined ? now : readInstant(query.from, '/from')
  const to = query.to === undefined ? Math.min(from + DEFAULT_WINDOW_MS, LAST_INSTANT_MS) : readInstant(query.to, '/to')
  if (to < from) throw invalid('/to', 'before_from', 'to must not be before from')
  if (to - from > MAX_WINDOW_MS) throw invalid('/to', 'too_many_days', 'from and to must be at most 92 days apart')
  return { from, to }
}

/** The first firings after others, in order. Keeps in memory at most twice the limit and one task's own. */
async function findFirstFirings(
  { db, workspace }: Session,
  window: InstantRange,
  time_zone: string,
  after: readonly Key[],
  limit: number,
): Promise<TaskFiring[]> {
  let found: TaskFiring[] = []
  let { to } = window
  for (let last = 0; ; ) {
    const rows = await listTasksWithReminders(db, workspace.id, last, READ_ROWS)
    for (const [i, row] of rows.entries()) {
      // A rule can be slow to expand: others get their turn in between.
      if (i % TASKS_PER_TURN === TASKS_PER_TURN - 1) await setImmediate()
      const reminders: Reminder[] = parseRemindersCached(row.reminders)
      for (const firing of listFirings(row, reminders, { ...window, to }, time_zone)) {
        const reminder = reminders[firing.index]
        const shown = reminder && { ...firing, row, reminder }
        if (shown && (after.length === 0 || compareKeys(toOrderKeys(shown), after) > 0)) found.push(shown)
      }
      if (found.length <= 2 * limit) continue
      found = found.sort(compareFirings).slice(0, limit)
      // What fires after the last of them is not needed any more.
      to = Math.min(to, (found.at(-1)?.at ?? to) + 1)
    }
    last = rows.at(-1)?.key ?? last
    if (rows.length < READ_ROWS) return found.sort(compareFirings).slice(0, limit)
  }
}

/** Most tasks remind alike: what is read is kept. */
const reminderCache = new Map<string, Reminder[]>()
const MAX_CACHED_REMINDERS = 1000

function parseRemindersCached(json: string): Reminder[] {
  let reminders = reminderCache.get(json)
  if (!reminders) {
    reminders = JSON.parse(json) as Reminder[]
    if (reminderCache.size >= MAX_CACHED_REMINDERS) reminderCache.clear()
    reminderCache.set(json, reminders)
  }
  return reminders
}

function compareFirings(one: TaskFiring, other: TaskFiring): number {
  return compareKeys(toOrderKeys(one), toOrderKeys(other))
}

function compareKeys(one: readonly Key[], other: readonly Key[]): number {
  const i = one.findIndex((value, at) => value !== other[at])
  return i < 0 ? 0 : (one[i] ?? 0) < (other[i] ?? 0) ? -1 : 1
}
