import { setImmediate } from 'node:timers/promises'
import type { Context } from '../../db/context'
import type { Session } from '../../db/database'
import { ApiError, invalid } from '../../http/api-error'
import { type Key, type Page, readCursor, toPage } from '../../http/cursor'
import { DEFAULT_LIMIT, readInstant, writeInstant } from '../../http/values'
import { civilOf } from '../../lib/civil/zone'
import { readAsOf } from '../filter/service'
import { DATES_APART, instantIn, laterDates, type Moment, momentOf } from '../moment'
import type { Reminder } from '../schema'
import type { ListReminders, ReminderPage } from './schema'
import { type RemindingRow, remindingTasks } from './store'

/** When the reminders of a task fire. */

const MINUTE = 60_000

/** Instants in milliseconds since 1970; the end is not in it. */
interface InstantRange {
  readonly from: number
  readonly to: number
}

interface Firing {
  readonly at: number
  /** Place of the reminder among those of its task. */
  readonly place: number
  /** The day (src/civil/day.ts) of the due date that it is for, without one of the start; 0 for an instant. */
  readonly due: number
}

/**
 * What a task fires in a window, in no order. What counts from a date fires for each later date of a series as well;
 * whole days begin at 00:00 and floating times are on the clock of `zone`. An instant fires once.
 */
function firingsOf(row: RemindingRow, reminders: readonly Reminder[], window: InstantRange, zone: string): Firing[] {
  const found: Firing[] = []
  const due = momentOf(row.due_key, row.due_tz)
  const add = (at: number, place: number, day: number) => {
    if (at >= window.from && at < window.to) found.push({ at, place, due: day })
  }
  for (const [place, reminder] of reminders.entries()) {
    const moment = reminder.from === 'start' ? momentOf(row.start_key, row.start_tz) : due
    if (reminder.at !== null) add(Date.parse(reminder.at), place, 0)
    else if (moment) {
      const offset = (reminder.offset_minutes ?? 0) * MINUTE
      // A task that only starts is counted by that day.
      const last = due ?? moment
      const lead = last.day - moment.day
      const { from, to } = daysAround(window, offset, moment, zone)
      for (const day of [last.day, ...laterDates(row, last, from + lead, to + lead)])
        add(instantIn(moment, day - lead, zone) + offset, place, day)
    }
  }
  return found
}

/** The dates of a moment at which an offset from it can fall into a window. */
function daysAround(
  { from, to }: InstantRange,
  offset: number,
  { time_zone }: Moment,
  zone: string,
): { from: number; to: number } {
  const dayAt = (at: number) => civilOf(at - offset, time_zone ?? zone).day
  return { from: dayAt(from) - DATES_APART, to: dayAt(to) + DATES_APART }
}

const DAY = 86_400_000
/** The longest window of a request, and the window without `to`; in milliseconds. */
const LONGEST = 92 * DAY
const NEXT = 7 * DAY
/** The end of the year 9999: instants are written with four digits of a year. */
const LAST_INSTANT = 253_402_300_799_999
/** Rows read at a time. */
const CHUNK = 1000
/** Tasks that are expanded in one turn of the event loop. */
const TURN = 100

type TaskFiring = Firing & { readonly row: RemindingRow; readonly reminder: Reminder }

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
      const [now = asOf.now, ...after] = query.cursor === undefined ? [] : readCursor(query.cursor, binding, KINDS)
      // Later pages are of the window of the first, whatever the clock says by then.
      const window = windowOf(query, instantOf(now))
      const first = await firstFirings(session, window, asOf.time_zone, after, limit + 1)
      const keysOf = (one: TaskFiring) => [now, ...orderOf(one)]
      return toPage(first, limit, binding, keysOf, ({ row, at, reminder }) => ({
        task_id: row.id,
        at: writeInstant(at),
        reminder,
      }))
    },
  }
}

const KINDS = ['number', 'number', 'string', 'number', 'number'] as const

/** The instant that a cursor holds. */
function instantOf(key: Key): number {
  if (typeof key === 'number' && Number.isInteger(key) && Math.abs(key) <= LAST_INSTANT) return key
  throw new ApiError('invalid_cursor', 'This cursor is not one of this list.')
}

/** What firings are ordered by. */
function orderOf({ at, row, place, due }: TaskFiring): [number, string, number, number] {
  return [at, row.id, place, due]
}

function windowOf(query: ListReminders, now: number): InstantRange {
  const from = query.from === undefined ? now : readInstant(query.from, '/from')
  const to = query.to === undefined ? Math.min(from + NEXT, LAST_INSTANT) : readInstant(query.to, '/to')
  if (to < from) throw invalid('/to', 'before_from', 'to must not be before from')
  if (to - from > LONGEST) throw invalid('/to', 'too_many_days', 'from and to must be at most 92 days apart')
  return { from, to }
}

/** The first firings after others, in order. Keeps in memory at most twice the limit and one task's own. */
async function firstFirings(
  { db, workspace }: Session,
  window: InstantRange,
  time_zone: string,
  after: readonly Key[],
  limit: number,
): Promise<TaskFiring[]> {
  let found: TaskFiring[] = []
  let { to } = window
  for (let last = 0; ; ) {
    const rows = await remindingTasks(db, workspace.id, last, CHUNK)
    for (const [i, row] of rows.entries()) {
      // A rule can be slow to expand: others get their turn in between.
      if (i % TURN === TURN - 1) await setImmediate()
      const reminders: Reminder[] = remindersOf(row.reminders)
      for (const firing of firingsOf(row, reminders, { ...window, to }, time_zone)) {
        const reminder = reminders[firing.place]
        const shown = reminder && { ...firing, row, reminder }
        if (shown && (after.length === 0 || compare(orderOf(shown), after) > 0)) found.push(shown)
      }
      if (found.length <= 2 * limit) continue
      found = found.sort(inOrder).slice(0, limit)
      // What fires after the last of them is not needed any more.
      to = Math.min(to, (found.at(-1)?.at ?? to) + 1)
    }
    last = rows.at(-1)?.key ?? last
    if (rows.length < CHUNK) return found.sort(inOrder).slice(0, limit)
  }
}

/** Most tasks remind alike: what is read is kept. */
const read = new Map<string, Reminder[]>()
const REMEMBERED = 1000

function remindersOf(json: string): Reminder[] {
  let reminders = read.get(json)
  if (!reminders) {
    reminders = JSON.parse(json) as Reminder[]
    if (read.size >= REMEMBERED) read.clear()
    read.set(json, reminders)
  }
  return reminders
}

function inOrder(one: TaskFiring, other: TaskFiring): number {
  return compare(orderOf(one), orderOf(other))
}

function compare(one: readonly Key[], other: readonly Key[]): number {
  const i = one.findIndex((value, at) => value !== other[at])
  return i < 0 ? 0 : (one[i] ?? 0) < (other[i] ?? 0) ? -1 : 1
}
