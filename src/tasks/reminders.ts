import { Elysia, type Static, t } from 'elysia'
import type { Context, Session } from '../db/database'
import type { RequestPlugin } from '../http/api'
import { invalid, refuses } from '../http/api-error'
import { type Key, LAST_INSTANT_MS, type Page, readCursor, readCursorInstant, toPage } from '../http/cursor'
import { Cursor, closed, Id, Instant, instantParam, Limit, nameSchemas, pageOf } from '../http/schema'
import { DEFAULT_LIMIT, readInstant, writeInstant } from '../http/values'
import { MINUTES_PER_DAY } from '../lib/civil/day'
import { civilOf } from '../lib/civil/zone'
import { yieldTurn } from '../lib/steps'
import {
  type DayTime,
  getSlot,
  listLaterSlots,
  MAX_ZONE_GAP_DAYS,
  moveToSlot,
  readDayTime,
  type SeriesRow,
  toInstantIn,
} from './day-time'
import { taskExample } from './examples'
import { readAsOf } from './filter/service'
import { type Archived, type TaskFilter, WHERE_ARCHIVED } from './filter/store'
import { archivedQuery, asOfQuery, Reminder } from './schema'
import type { TaskRow } from './store'

const ListReminders = t.Object(
  {
    from: t.Optional(instantParam('The first instant. Default: `now`.')),
    to: t.Optional(instantParam('The instant at which the list ends, excluded. Default: seven days after `from`.')),
    limit: t.Optional(Limit),
    cursor: t.Optional(Cursor),
    archived: archivedQuery(),
    ...asOfQuery,
  },
  closed,
)

const ReminderPage = pageOf(
  t.Object(
    {
      task_id: Id,
      at: t.String({ ...Instant, description: 'When it fires.' }),
      reminder: Reminder,
    },
    {
      examples: [{ task_id: taskExample.id, at: '2026-03-31T06:00:00.000Z', reminder: taskExample.reminders[0] }],
    },
  ),
)

type ListReminders = Static<typeof ListReminders>
type ReminderPage = Static<typeof ReminderPage>

type ReminderTaskRow = SeriesRow &
  Pick<TaskRow, 'key' | 'id' | 'reminders' | 'due_key' | 'due_tz' | 'start_key' | 'start_tz'>

/** Lists open tasks with reminders outside the trash, after the key `after`; older ones first. */
function listTasksWithReminders(
  { db, workspace }: Session,
  archived: Archived,
  after: number,
  limit: number,
): Promise<ReminderTaskRow[]> {
  return db.all<ReminderTaskRow>(
    `SELECT key, id, reminders, due_key, due_tz, start_key, start_tz, rrule, recurrence_mode, recurrence_skip, anchor, exdates, rdates, moved
     FROM tasks WHERE workspace = $1 AND reminders <> '[]' AND deleted_at IS NULL AND closed = 0 AND key > $2 ${WHERE_ARCHIVED[archived]}
     ORDER BY key LIMIT $3`,
    [workspace.id, after, limit],
  )
}

const MINUTE_MS = 60_000

/** A range of instants in milliseconds since 1970, end exclusive. */
interface InstantRange {
  readonly from: number
  readonly to: number
}

interface Firing {
  readonly at: number
  readonly index: number
  /** The slot (src/lib/recurrence/slots.ts) of the due date it is for, or of the start without one; 0 for an instant. */
  readonly dueSlot: number
}

/**
 * Lists the firings of a task in a window, in no order. Reminders relative to a date fire for each later date of a
 * series, too; whole days begin at 00:00, and floating times are in `zone`. A reminder at an instant fires once.
 * @param limit how many are wanted: of a series that repeats by the minute not all are looked for
 */
function listFirings(
  row: ReminderTaskRow,
  reminders: readonly Reminder[],
  window: InstantRange,
  zone: string,
  limit: number,
): Firing[] {
  const found: Firing[] = []
  const due = readDayTime(row.due_key, row.due_tz)
  const add = (at: number, index: number, dueSlot: number) => {
    if (at >= window.from && at < window.to) found.push({ at, index, dueSlot })
  }
  for (const [index, reminder] of reminders.entries()) {
    const dayTime = reminder.from === 'start' ? readDayTime(row.start_key, row.start_tz) : due
    if (reminder.at !== null) add(Date.parse(reminder.at), index, 0)
    else if (dayTime) {
      const offset = (reminder.offset_minutes ?? 0) * MINUTE_MS
      // A task without a due date is identified by its start.
      const last = due ?? dayTime
      const lead = last.day - dayTime.day
      const { from, to } = getDaysAround(window, offset, dayTime, zone)
      const days = { from: from + lead, to: to + lead, limit: limit + MAX_SLOTS_AROUND }
      for (const slot of [getSlot(last), ...listLaterSlots(row, last, days)])
        add(toInstantIn(moveToSlot(dayTime, last, slot), zone) + offset, index, slot)
    }
  }
  return found
}

/** The most slots that are looked at though they fire before a window, or out of order where clocks change. */
const MAX_SLOTS_AROUND = (2 * MAX_ZONE_GAP_DAYS + 1) * MINUTES_PER_DAY

/** Returns the days of a date for which an offset from it can fall into a window. */
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
const MAX_WINDOW_MS = 92 * DAY_MS
/** The window of a request without `to`. */
const DEFAULT_WINDOW_MS = 7 * DAY_MS
const READ_ROWS = 1000
/** Tasks that are expanded in one turn of the event loop. */
const TASKS_PER_TURN = 100

type TaskFiring = Firing & { readonly row: ReminderTaskRow; readonly reminder: Reminder }

export type Reminders = ReturnType<typeof createReminders>

export function createReminders({ now: clock }: Pick<Context, 'now'>) {
  return {
    /** Lists a page of the firings in a window, in the order of time. Throws invalid_request, invalid_cursor. */
    async list(session: Session, query: ListReminders): Promise<Page<ReminderPage['items'][number]>> {
      const limit = Number(query.limit ?? DEFAULT_LIMIT)
      const asOf = await readAsOf(session, query, clock())
      const { archived = 'false' } = query
      const binding = JSON.stringify(['reminders', query.from, query.to, query.now, asOf.time_zone, archived])
      const [now = asOf.now, ...after] =
        query.cursor === undefined ? [] : readCursor(query.cursor, binding, CURSOR_KEY_KINDS)
      // Later pages use the window of the first page, not the current time.
      const window = readWindow(query, readCursorInstant(now))
      const first = await findFirstFirings(session, {
        window,
        archived,
        time_zone: asOf.time_zone,
        after,
        limit: limit + 1,
      })
      const toKeys = (firing: TaskFiring) => [now, ...toOrderKeys(firing)]
      return toPage(first, limit, binding, toKeys, ({ row, at, reminder }) => ({
        task_id: row.id,
        at: writeInstant(at),
        reminder,
      }))
    },
  }
}

const CURSOR_KEY_KINDS = ['number', 'number', 'string', 'number', 'number'] as const

function toOrderKeys({ at, row, index, dueSlot }: TaskFiring): [number, string, number, number] {
  return [at, row.id, index, dueSlot]
}

function readWindow(query: ListReminders, now: number): InstantRange {
  const from = query.from === undefined ? now : readInstant(query.from, '/from')
  const to = query.to === undefined ? Math.min(from + DEFAULT_WINDOW_MS, LAST_INSTANT_MS) : readInstant(query.to, '/to')
  if (to < from) throw invalid('/to', 'before_from', 'to must not be before from')
  if (to - from > MAX_WINDOW_MS) throw invalid('/to', 'too_many_days', 'from and to must be at most 92 days apart')
  return { from, to }
}

interface Wanted extends Pick<TaskFilter, 'archived'> {
  readonly window: InstantRange
  readonly time_zone: string
  /** The keys in the cursor; empty for the first page. */
  readonly after: readonly Key[]
  readonly limit: number
}

/** Finds the first firings after a cursor, in order. Holds at most 2 * `limit` firings plus those of one task. */
async function findFirstFirings(
  session: Session,
  { window, archived, time_zone, after, limit }: Wanted,
): Promise<TaskFiring[]> {
  let found: TaskFiring[] = []
  let { to } = window
  // Whatever fires before the last one shown was shown.
  const from = Math.max(window.from, typeof after[0] === 'number' ? after[0] : window.from)
  for (let last = 0; ; ) {
    const rows = await listTasksWithReminders(session, archived, last, READ_ROWS)
    for (const [i, row] of rows.entries()) {
      // A rule can be slow to expand, so other requests get a turn in between.
      if (i % TASKS_PER_TURN === TASKS_PER_TURN - 1) await yieldTurn()
      const reminders: Reminder[] = JSON.parse(row.reminders)
      for (const firing of listFirings(row, reminders, { from, to }, time_zone, limit)) {
        const reminder = reminders[firing.index]
        const candidate = reminder && { ...firing, row, reminder }
        if (candidate && (after.length === 0 || compareKeys(toOrderKeys(candidate), after) > 0)) found.push(candidate)
      }
      if (found.length <= 2 * limit) continue
      found = found.sort(compareFirings).slice(0, limit)
      // Later firings are not needed any more.
      to = Math.min(to, (found.at(-1)?.at ?? to) + 1)
    }
    last = rows.at(-1)?.key ?? last
    if (rows.length < READ_ROWS) return found.sort(compareFirings).slice(0, limit)
  }
}

function compareFirings(a: TaskFiring, b: TaskFiring): number {
  return compareKeys(toOrderKeys(a), toOrderKeys(b))
}

function compareKeys(a: readonly Key[], b: readonly Key[]): number {
  const i = a.findIndex((value, at) => value !== b[at])
  return i < 0 ? 0 : (a[i] ?? 0) < (b[i] ?? 0) ? -1 : 1
}

nameSchemas({ ReminderPage })

export function remindersRoutes({ reminders, api }: { reminders: Reminders; api: RequestPlugin }) {
  return new Elysia({ prefix: '/api/tasks', tags: ['Agenda and reminders'] })
    .use(api)
    .get('/reminders', ({ session, query }) => reminders.list(session, query), {
      query: ListReminders,
      response: { 200: ReminderPage },
      detail: {
        operationId: 'listReminders',
        ...refuses('invalid_cursor'),
        summary: 'List reminders by time',
        description:
          'Reminders of open tasks by the time when they fire, for at most 92 days, including later dates of recurring tasks. Whole days start at 00:00 and floating times are in `time_zone`. A reminder at an instant fires only once.',
      },
    })
}
