import { setImmediate } from 'node:timers/promises'
import type { Context } from '../../db/context'
import type { Session } from '../../db/database'
import { writeInstant } from '../../http/values'
import { fromDay } from '../../lib/civil/day'
import { civilOf, clockTime } from '../../lib/civil/zone'
import { FIRST_DAY } from '../../lib/recurrence/expand'
import { readAsOf } from '../filter/service'
import type { AsOf } from '../filter/store'
import { DATES_APART, instantIn, laterDates, type Moment, momentOf } from '../moment'
import { toTask } from '../task'
import { clampDay, readDay, requireDays, todayOf } from '../when'
import { type AgendaEntry, Filling } from './filling'
import type { Agenda, AgendaItem, GetAgenda } from './schema'
import { datedTasks, overdueTasks, type RepeatingRow, repeatingDue, repeatingStarted } from './store'

/** The most days of a request, and the days after `from` without `to`. */
const MAX_DAYS = 92
const NEXT_DAYS = 6
/** Items of one answer. */
const MAX_ITEMS = 2000
/** Overdue tasks of one answer, and bytes of them. */
const MAX_OVERDUE = 200
const OVERDUE_BYTES = 8 * 1024 * 1024
/** Rows read at a time. */
const CHUNK = 500
/** Days of due dates that are read at a time. */
const STEP = 7
/** Tasks that are expanded in one turn of the event loop. */
const TURN = 100

export type AgendaDeps = Pick<Context, 'now'>

export type Agendas = ReturnType<typeof createAgendas>

/** What is to be done on which day. */
export function createAgendas({ now }: AgendaDeps) {
  return {
    /** Throws invalid_request. */
    async agenda(session: Session, query: GetAgenda): Promise<Agenda> {
      const asOf = readAsOf(query, now())
      const from = readDay(query.from, '/from', todayOf(asOf))
      const days = requireDays({ from, to: readDay(query.to, '/to', from + NEXT_DAYS) }, MAX_DAYS)
      const filling = new Filling(days, MAX_ITEMS)
      // Series that are due already come first: all of them are read anyway, and the days they fill spare the rest.
      await addSeriesBefore(session, filling, asOf)
      await addDates(session, filling, 'due', asOf)
      await addDates(session, filling, 'start', asOf)
      await addSeriesWithin(session, filling, asOf)
      return {
        from: fromDay(days.from),
        to: fromDay(days.to),
        time_zone: asOf.time_zone,
        ...(await overdue(session, asOf)),
        days: shown(filling, asOf),
        next_from: filling.last < days.to ? fromDay(filling.last + 1) : null,
      }
    },
  }
}

/** Adds what is due, or starts, as it is stored; reads no further than the days that are not given up. */
async function addDates({ db, workspace }: Session, filling: Filling, kind: 'due' | 'start', { time_zone }: AsOf) {
  let after: [string, string] = [fromDay(filling.days.from - DATES_APART), '']
  for (;;) {
    const before = fromDay(filling.last + DATES_APART + 1)
    const floating = { from: fromDay(filling.days.from), before: fromDay(filling.last + 1) }
    const rows = await datedTasks(db, workspace.id, kind, { after, before, floating, limit: CHUNK })
    for (const row of rows) {
      const moment = momentOf(row.sorted, row.time_zone)
      if (moment) place(filling, moment, moment.day, time_zone, { task: row, kind, projected: false })
    }
    const last = rows.at(-1)
    if (!last || rows.length < CHUNK) return
    after = [last.sorted, last.id]
  }
}

/** Adds the later dates of what repeats and is due before the days of the request; a start moves along by the same days. */
async function addSeriesBefore({ db, workspace }: Session, filling: Filling, { time_zone }: AsOf): Promise<void> {
  const rows = await repeatingDue(db, workspace.id, fromDay(FIRST_DAY), fromDay(filling.days.from))
  await projectRows(filling, rows, time_zone)
}

/** The same for what is due later. What is due first comes first: it fills the days, and what is due after them need not be read. */
async function addSeriesWithin({ db, workspace }: Session, filling: Filling, { time_zone }: AsOf): Promise<void> {
  const end = () => filling.last + DATES_APART + 1
  let from = filling.days.from
  while (from < end()) {
    const to = Math.min(from + STEP, end())
    await projectRows(filling, await repeatingDue(db, workspace.id, fromDay(from), fromDay(to)), time_zone)
    from = to
  }
  await projectRows(filling, await repeatingStarted(db, workspace.id, fromDay(from)), time_zone)
}

/** A rule can be slow to expand: others get their turn in between. */
async function projectRows(filling: Filling, rows: readonly RepeatingRow[], time_zone: string): Promise<void> {
  for (const [i, row] of rows.entries()) {
    if (i % TURN === TURN - 1) await setImmediate()
    projectRow(filling, row, time_zone)
  }
}

function projectRow(filling: Filling, row: RepeatingRow, time_zone: string): void {
  const due = momentOf(row.due_key, row.due_tz)
  const start = momentOf(row.start_key, row.start_tz)
  if (due) project(filling, row, due, due, time_zone, 'due')
  if (due && start) project(filling, row, due, start, time_zone, 'start')
}

function project(
  filling: Filling,
  row: RepeatingRow,
  due: Moment,
  moment: Moment,
  time_zone: string,
  kind: AgendaEntry['kind'],
) {
  const lead = due.day - moment.day
  const apart = moment.time_zone === null ? 0 : DATES_APART
  const entry = { task: row, kind, projected: true }
  for (const day of laterDates(row, due, filling.days.from + lead - apart, filling.last + lead + apart))
    place(filling, moment, day - lead, time_zone, entry)
}

/** Times of a zone fall on the day that the asker has then; all else keeps its date. */
function place(filling: Filling, moment: Moment, on: number, time_zone: string, entry: Omit<AgendaEntry, 'at'>): void {
  const at = moment.minutes === null ? null : instantIn(moment, on, time_zone)
  const day = at === null || moment.time_zone === null ? on : civilOf(at, time_zone).day
  filling.add(day, { task: entry.task, kind: entry.kind, projected: entry.projected, at })
}

function shown(filling: Filling, { time_zone }: AsOf): Agenda['days'] {
  return filling.sorted().map(({ day, entries, more }) => ({
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

/** What is past and still to be done, oldest first. */
async function overdue({ db, workspace }: Session, asOf: AsOf): Promise<Pick<Agenda, 'overdue' | 'overdue_more'>> {
  const today = todayOf(asOf)
  // A time of day is past once the clock shows more than it: within its minute, some seconds more.
  const clock = civilOf(Math.ceil(asOf.now / 60_000) * 60_000, asOf.time_zone)
  const past = {
    now: asOf.now,
    date: fromDay(today),
    clock: `${fromDay(clampDay(clock.day))}T${clockTime(clock.minutes)}`,
    before: fromDay(today + DATES_APART),
  }
  const rows = await overdueTasks(db, workspace.id, past, MAX_OVERDUE + 1)
  let bytes = 0
  const fitting = rows.slice(0, MAX_OVERDUE).filter((row, i) => {
    bytes += row.size_bytes
    return i === 0 || bytes <= OVERDUE_BYTES
  })
  return { overdue: fitting.map((row) => toTask(row).resource), overdue_more: fitting.length < rows.length }
}
