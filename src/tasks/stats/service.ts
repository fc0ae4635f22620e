import type { Context } from '../../db/context'
import type { Session } from '../../db/database'
import { fromDay, toDay } from '../../lib/civil/day'
import { startOfDay } from '../../lib/civil/zone'
import { readAsOf } from '../filter/service'
import type { AsOf } from '../filter/store'
import { checkDayRange, type DayRange, getToday, readDay } from '../task-date'
import type { Stats, StatsQuery } from './schema'
import { countCompleted, countCreated, countDueBefore, type StatsRange } from './store'

/** The most days of a request. */
const MAX_DAYS = 366
/** Days before `to` if the request has no `from`. */
const DEFAULT_DAYS_BEFORE = 29

/** An instant after every day of a request. */
const LATEST_MS = Number.MAX_SAFE_INTEGER

type TaskStatisticsDeps = Pick<Context, 'now'>

export type TaskStatistics = ReturnType<typeof createTaskStatistics>

export function createTaskStatistics({ now }: TaskStatisticsDeps) {
  return {
    /** Returns the statistics of a range of days. Throws invalid_request. */
    async getStats(session: Session, query: StatsQuery): Promise<Stats> {
      const asOf = await readAsOf(session, query, now())
      const to = readDay(query.to, '/to', getToday(asOf))
      const days = checkDayRange({ from: readDay(query.from, '/from', to - DEFAULT_DAYS_BEFORE), to }, MAX_DAYS)
      const { db, workspace } = session
      const spans = toSpans(days, asOf)
      const created = await countCreated(db, workspace.id, spans)
      const { completed, overdue } = await countDoneAndOverdue(session, days, spans, getToday(asOf))
      return {
        from: fromDay(days.from),
        to: fromDay(days.to),
        time_zone: asOf.time_zone,
        per_day: spans.map((_, i) => ({
          date: fromDay(days.from + i),
          created: created[i] ?? 0,
          completed: completed[i] ?? 0,
          overdue: overdue[i] ?? null,
        })),
        totals: { created: sum(created), completed: sum(completed) },
      }
    },
  }
}

/** Returns the span of instants of each day. Spans end at `now`, since later ones have no completions yet. */
function toSpans({ from, to }: DayRange, { now, time_zone }: AsOf): StatsRange[] {
  const starts = Array.from({ length: to - from + 2 }, (_, i) => Math.min(startOfDay(from + i, time_zone), now + 1))
  return starts.slice(0, -1).map((start, i) => ({ from: start, to: starts[i + 1] ?? start }))
}

/**
 * Counts the completions of each day, and the tasks that were overdue at its end: due on it or before, and not done.
 * For today, which has not ended, counts tasks due before today. `overdue` has one count for each day that has begun.
 */
async function countDoneAndOverdue(
  { db, workspace }: Session,
  days: DayRange,
  spans: readonly StatsRange[],
  today: number,
) {
  const begun = Math.max(0, Math.min(days.to, today) - days.from + 1)
  const afterDays = { from: spans.at(-1)?.to ?? 0, to: LATEST_MS }
  const rows = await countCompleted(db, workspace.id, [...spans, afterDays])
  const completed = spans.map(() => 0)
  // Late completions: for each day, how many became overdue, minus how many were completed.
  const changes = completed.slice()
  for (const { span, occurrence, n } of rows) {
    if (span < spans.length) addAt(completed, span, n)
    const since = occurrence === null || toDay(occurrence) >= today ? span : toDay(occurrence) - days.from
    if (since >= span) continue
    addAt(changes, Math.max(since, 0), n)
    addAt(changes, span, -n)
  }
  const dayEnds = Array.from({ length: begun }, (_, i) => fromDay(Math.min(days.from + i + 1, today)))
  const openTasks = await countDueBefore(db, workspace.id, dayEnds)
  let late = 0
  const overdue = openTasks.map((n, i) => {
    late += changes[i] ?? 0
    return n + late
  })
  return { completed, overdue }
}

function addAt(counts: number[], at: number, n: number): void {
  counts[at] = (counts[at] ?? 0) + n
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, n) => total + n, 0)
}
