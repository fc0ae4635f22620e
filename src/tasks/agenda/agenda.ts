import { Elysia, type Static, t } from 'elysia'
import type { Context, Session } from '../../db/database'
import type { RequestPlugin } from '../../http/api'
import { takeWithin } from '../../http/cursor'
import { closed, dayParam, Id, Instant, nameSchemas } from '../../http/schema'
import { writeInstant } from '../../http/values'
import { FIRST_DATE, fromDay, MINUTES_PER_DAY } from '../../lib/civil/day'
import { civilOf, clockTime } from '../../lib/civil/zone'
import { yieldTurn } from '../../lib/steps'
import { type DayTime, listLaterSlots, MAX_ZONE_GAP_DAYS, moveToSlot, readDayTime, toInstantIn } from '../day-time'
import { taskExample } from '../examples'
import { readAsOf } from '../filter/service'
import type { AsOf, TaskFilter } from '../filter/store'
import { archivedQuery, asOfQuery, CivilDate, Task, Zone } from '../schema'
import { toTask } from '../task'
import { checkDayRange, type DayRange, getToday, readDay } from '../task-date'
import {
  listDatedTasks,
  listOverdueTasks,
  listRepeatingDue,
  listRepeatingStarted,
  type RepeatingRow,
  type TaskTitle,
} from './store'

const AgendaQuery = t.Object(
  {
    from: t.Optional(dayParam('The first day: a civil date. Default: today.')),
    to: t.Optional(dayParam('The last day: a civil date. Default: six days after `from`.')),
    archived: archivedQuery(),
    ...asOfQuery,
  },
  closed,
)

const AgendaItem = t.Object({
  task_id: Id,
  title: t.String(),
  kind: t.Union([t.Literal('due'), t.Literal('start')]),
  time: t.Union([t.String({ examples: ['09:00'] }), t.Null()], {
    description: 'The time of day in `time_zone`; null is all day.',
  }),
  at: t.Union([Instant, t.Null()], { description: 'Null is all day.' }),
  projected: t.Boolean({ description: 'A later date of a recurring task, calculated from its rule.' }),
})

export const Agenda = t.Object(
  {
    from: CivilDate,
    to: CivilDate,
    time_zone: Zone,
    overdue: t.Array(Task, {
      description: 'The oldest open tasks that are past at `now`, regardless of the days: at most 200 tasks or 8 MiB.',
    }),
    overdue_more: t.Boolean({ description: 'There are more overdue tasks: list them with the filter `overdue`.' }),
    days: t.Array(
      t.Object({
        date: CivilDate,
        items: t.Array(AgendaItem, { description: 'Sorted by time, whole days first.' }),
        more: t.Boolean({
          description:
            'This day alone has more than 2,000 items, of which the first are shown. List the tasks of the day instead.',
        }),
      }),
      { description: 'Each day up to `to`, or before `next_from`; a day is never split.' },
    ),
    next_from: t.Union([CivilDate, t.Null()], {
      description: 'If there are more than 2,000 items, the `from` of the next request; otherwise null.',
    }),
  },
  {
    examples: [
      {
        from: '2026-03-31',
        to: '2026-04-30',
        time_zone: 'Europe/Lisbon',
        overdue: [],
        overdue_more: false,
        days: [
          {
            date: '2026-03-31',
            items: [
              {
                task_id: taskExample.id,
                title: taskExample.title,
                kind: 'due' as const,
                time: '08:00',
                at: '2026-03-31T07:00:00.000Z',
                projected: false,
              },
            ],
            more: false,
          },
        ],
        next_from: '2026-04-01',
      },
    ],
  },
)

type AgendaQuery = Static<typeof AgendaQuery>
type AgendaItem = Static<typeof AgendaItem>
export type Agenda = Static<typeof Agenda>

interface AgendaEntry {
  readonly task: TaskTitle
  readonly kind: 'due' | 'start'
  readonly projected: boolean
  /** Milliseconds since 1970; null is all day. */
  readonly at: number | null
}

/**
 * Collects the entries of an agenda, in any order. When more than `limit` entries are added, whole days are dropped
 * from the end; of the first day the first entries are kept, so no more than twice the limit is held. The result does not depend on the order of insertion, since a dropped day never
 * comes back.
 */
export class BoundedAgenda {
  #last: number
  #count = 0
  readonly #days: AgendaEntry[][]

  constructor(
    readonly days: DayRange,
    readonly limit: number,
  ) {
    this.#last = days.to
    this.#days = Array.from({ length: days.to - days.from + 1 }, () => [])
  }

  get last(): number {
    return this.#last
  }

  /** Adds an entry, unless its day is outside the request or was dropped. */
  add(day: number, entry: AgendaEntry): void {
    if (day < this.days.from || day > this.#last) return
    this.#days[day - this.days.from]?.push(entry)
    this.#count += 1
    while (this.#count > this.limit && this.#last > this.days.from) {
      this.#count -= this.#days.pop()?.length ?? 0
      this.#last -= 1
    }
    const [first = []] = this.#days
    if (first.length > 2 * this.limit) this.#count -= first.sort(compareByTime).splice(this.limit + 1).length
  }

  /** Returns the remaining days, each sorted by time: whole days first, starts before due dates, older tasks first. */
  sorted(): { day: number; entries: AgendaEntry[]; more: boolean }[] {
    return this.#days.map((entries, i) => ({
      day: this.days.from + i,
      entries: entries.sort(compareByTime).slice(0, this.limit),
      more: entries.length > this.limit,
    }))
  }
}

function compareByTime(a: AgendaEntry, b: AgendaEntry): number {
  if (a.at !== b.at) return (a.at ?? Number.NEGATIVE_INFINITY) - (b.at ?? Number.NEGATIVE_INFINITY)
  if (a.kind !== b.kind) return a.kind === 'start' ? -1 : 1
  return a.task.key - b.task.key
}

const MAX_DAYS = 92
/** Days after `from` if the request has no `to`. */
const DEFAULT_DAYS_AFTER = 6
const MAX_ITEMS = 2000
const MAX_OVERDUE = 200
/** The most bytes of overdue tasks in one response. */
const MAX_OVERDUE_BYTES = 8 * 1024 * 1024
const READ_ROWS = 500
/** Days of due dates read at a time. */
const READ_DAYS = 7
/** Tasks that are expanded in one turn of the event loop. */
const TASKS_PER_TURN = 100
/**
 * The most dates of one series, which may repeat by the minute: those of the days around the first one, which are out
 * of the request or out of order where clocks change, and then as many as a response has.
 */
const MAX_SERIES_DATES = MAX_ITEMS + 1 + (MAX_ZONE_GAP_DAYS + 2) * MINUTES_PER_DAY

type Shown = AsOf & Pick<TaskFilter, 'archived'>

export type Agendas = ReturnType<typeof createAgendas>

export function createAgendas({ now }: Pick<Context, 'now'>) {
  return {
    /** Returns the agenda of a range of days. Throws invalid_request. */
    async getAgenda(session: Session, query: AgendaQuery): Promise<Agenda> {
      const asOf = { ...(await readAsOf(session, query, now())), archived: query.archived ?? ('false' as const) }
      const from = readDay(query.from, '/from', getToday(asOf))
      const days = checkDayRange({ from, to: readDay(query.to, '/to', from + DEFAULT_DAYS_AFTER) }, MAX_DAYS)
      const agenda = new BoundedAgenda(days, MAX_ITEMS)
      // Series due before the days come first: all of them are read anyway, and once the days are full, the rest need not be.
      await addSeriesBefore(session, agenda, asOf)
      await addDates(session, agenda, 'due', asOf)
      await addDates(session, agenda, 'start', asOf)
      await addSeriesWithin(session, agenda, asOf)
      return {
        from: fromDay(days.from),
        to: fromDay(days.to),
        time_zone: asOf.time_zone,
        ...(await listOverdue(session, asOf)),
        days: toDays(agenda, asOf),
        next_from: agenda.last < days.to ? fromDay(agenda.last + 1) : null,
      }
    },
  }
}

/** Adds the stored due dates or starts. Reads only up to the last day that has not been dropped. */
async function addDates(
  session: Session,
  agenda: BoundedAgenda,
  kind: 'due' | 'start',
  { time_zone, archived }: Shown,
) {
  let after: [string, string] = [fromDay(agenda.days.from - MAX_ZONE_GAP_DAYS), '']
  for (;;) {
    const before = fromDay(agenda.last + MAX_ZONE_GAP_DAYS + 1)
    const floating = { from: fromDay(agenda.days.from), before: fromDay(agenda.last + 1) }
    const rows = await listDatedTasks(session, kind, { archived, after, before, floating, limit: READ_ROWS })
    for (const row of rows) {
      const dayTime = readDayTime(row.sorted, row.time_zone)
      if (dayTime) addEntry(agenda, dayTime, time_zone, { task: row, kind, projected: false })
    }
    const last = rows.at(-1)
    if (!last || rows.length < READ_ROWS) return
    after = [last.sorted, last.id]
  }
}

/** Adds later dates of recurring tasks that are due before the requested days. A start moves by as many days as its due date. */
async function addSeriesBefore(session: Session, agenda: BoundedAgenda, { time_zone, archived }: Shown): Promise<void> {
  const rows = await listRepeatingDue(session, archived, FIRST_DATE, fromDay(agenda.days.from))
  await projectRows(agenda, rows, time_zone)
}

/** Adds later dates of the other recurring tasks, the earliest first: once the days are full, the rest is not read. */
async function addSeriesWithin(session: Session, agenda: BoundedAgenda, { time_zone, archived }: Shown): Promise<void> {
  const end = () => agenda.last + MAX_ZONE_GAP_DAYS + 1
  let from = agenda.days.from
  while (from < end()) {
    const to = Math.min(from + READ_DAYS, end())
    await projectRows(agenda, await listRepeatingDue(session, archived, fromDay(from), fromDay(to)), time_zone)
    from = to
  }
  await projectRows(agenda, await listRepeatingStarted(session, archived, fromDay(from)), time_zone)
}

/** Adds later dates of tasks. A rule can be slow to expand, so other requests get a turn in between. */
async function projectRows(agenda: BoundedAgenda, rows: readonly RepeatingRow[], time_zone: string): Promise<void> {
  let work = 0
  for (const row of rows) {
    work += 1 / TASKS_PER_TURN + projectRow(agenda, row, time_zone) / MAX_SERIES_DATES
    if (work < 1) continue
    await yieldTurn()
    work = 0
  }
}

/** Returns how many dates there were. */
function projectRow(agenda: BoundedAgenda, row: RepeatingRow, time_zone: string): number {
  const due = readDayTime(row.due_key, row.due_tz)
  const start = readDayTime(row.start_key, row.start_tz)
  const dates = due ? addLaterDates(agenda, row, due, due, time_zone, 'due') : 0
  return due && start ? dates + addLaterDates(agenda, row, due, start, time_zone, 'start') : dates
}

function addLaterDates(
  agenda: BoundedAgenda,
  row: RepeatingRow,
  due: DayTime,
  dayTime: DayTime,
  time_zone: string,
  kind: AgendaEntry['kind'],
): number {
  const lead = due.day - dayTime.day
  // A start that is some hours before the due date may be on either day.
  const apart = dayTime.time_zone === null ? 1 : MAX_ZONE_GAP_DAYS
  const entry = { task: row, kind, projected: true }
  const days = { from: agenda.days.from + lead - apart, to: agenda.last + lead + apart, limit: MAX_SERIES_DATES }
  const slots = listLaterSlots(row, due, days)
  for (const slot of slots) addEntry(agenda, moveToSlot(dayTime, due, slot), time_zone, entry)
  return slots.length
}

/** Adds an entry. A time in a zone falls on its day in `time_zone`; other dates stay as they are. */
function addEntry(agenda: BoundedAgenda, dayTime: DayTime, time_zone: string, entry: Omit<AgendaEntry, 'at'>): void {
  const at = dayTime.minutes === null ? null : toInstantIn(dayTime, time_zone)
  const day = at === null || dayTime.time_zone === null ? dayTime.day : civilOf(at, time_zone).day
  agenda.add(day, { task: entry.task, kind: entry.kind, projected: entry.projected, at })
}

function toDays(agenda: BoundedAgenda, { time_zone }: AsOf): Agenda['days'] {
  return agenda.sorted().map(({ day, entries, more }) => ({
    date: fromDay(day),
    items: entries.map((entry) => toItem(entry, time_zone)),
    more,
  }))
}

function toItem({ task, kind, at, projected }: AgendaEntry, time_zone: string): AgendaItem {
  return {
    task_id: task.id,
    title: task.title,
    kind,
    time: at === null ? null : clockTime(civilOf(at, time_zone).minutes),
    at: at === null ? null : writeInstant(at),
    projected,
  }
}

async function listOverdue(session: Session, asOf: Shown): Promise<Pick<Agenda, 'overdue' | 'overdue_more'>> {
  const rows = await listOverdueTasks(session, asOf, MAX_OVERDUE + 1)
  const fitting = takeWithin(rows.slice(0, MAX_OVERDUE), MAX_OVERDUE_BYTES, ({ size_bytes }) => size_bytes)
  return { overdue: fitting.map((row) => toTask(row).resource), overdue_more: fitting.length < rows.length }
}

nameSchemas({ Agenda })

export function agendaRoutes({ agendas, api }: { agendas: Agendas; api: RequestPlugin }) {
  return new Elysia({ prefix: '/api/tasks', tags: ['Agenda and reminders'] })
    .use(api)
    .get('/agenda', ({ session, query }) => agendas.getAgenda(session, query), {
      query: AgendaQuery,
      response: { 200: Agenda },
      detail: {
        operationId: 'getAgenda',
        summary: 'Show the agenda',
        description:
          'Due dates and starts, day by day, for at most 92 days, including later dates of recurring tasks. A time in a zone is shown on its day in `time_zone`; whole days and floating times keep their date. If dates count from completions, only the current date is known.',
      },
    })
}
