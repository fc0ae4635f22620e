import { Type } from '@sinclair/typebox'
import { Elysia, type Static, t } from 'elysia'
import type { Context, Session } from '../db/database'
import { elementsIn } from '../db/dialect'
import type { RequestPlugin } from '../http/api'
import { closed, dayParam, nameSchemas } from '../http/schema'
import { fromDay, toDay } from '../lib/civil/day'
import { startOfDay } from '../lib/civil/zone'
import { readAsOf } from './filter/service'
import { type AsOf, WHERE_ARCHIVED } from './filter/store'
import { asOfQuery, CivilDate, Zone } from './schema'
import { checkDayRange, type DayRange, getToday, readDay } from './task-date'

const count = Type.Integer({ minimum: 0 })

const StatsQuery = t.Object(
  {
    from: t.Optional(dayParam('The first day: a civil date. Default: 29 days before `to`.')),
    to: t.Optional(dayParam('The last day: a civil date. Default: today.')),
    ...asOfQuery,
  },
  closed,
)

const Stats = t.Object(
  {
    from: CivilDate,
    to: CivilDate,
    time_zone: Zone,
    per_day: t.Array(
      t.Object({
        date: CivilDate,
        created: count,
        completed: count,
        overdue: t.Union([count, t.Null()], {
          description:
            'Tasks that were overdue at the end of the day; for today, tasks due before today that are still open. Null for future days.',
        }),
      }),
    ),
    totals: t.Object({ created: count, completed: count }),
  },
  {
    examples: [
      {
        from: '2026-03-01',
        to: '2026-03-02',
        time_zone: 'Europe/Lisbon',
        per_day: [
          { date: '2026-03-01', created: 2, completed: 1, overdue: 1 },
          { date: '2026-03-02', created: 0, completed: 2, overdue: 0 },
        ],
        totals: { created: 2, completed: 3 },
      },
    ],
  },
)

type StatsQuery = Static<typeof StatsQuery>
type Stats = Static<typeof Stats>

/** A span of instants in milliseconds since 1970, end exclusive. */
interface StatsRange {
  readonly from: number
  readonly to: number
}

/** `closed` is named with both of its values so that the index by it and by `created_at` is used. */
async function countCreated({ db, workspace }: Session, spans: readonly StatsRange[]): Promise<number[]> {
  const rows = await db.all<{ n: number }>(
    `SELECT (SELECT count(*) FROM tasks WHERE workspace = $1 AND deleted_at IS NULL AND closed IN (0, 1)
       AND created_at >= CAST(span.value ->> 'from' AS bigint) AND created_at < CAST(span.value ->> 'to' AS bigint)) AS n
     FROM ${elementsIn('$2')} AS span ORDER BY span.key`,
    [workspace.id, JSON.stringify(spans)],
  )
  return rows.map(({ n }) => n)
}

/** The number of completions of one due date in one span; `span` is its index. */
interface CompletedRow {
  readonly span: number
  readonly occurrence: string | null
  readonly n: number
}

/** Counts the completions in each span, grouped by the due date that was completed. */
function countCompleted({ db, workspace }: Session, spans: readonly StatsRange[]): Promise<CompletedRow[]> {
  return db.all<CompletedRow>(
    `SELECT span.key AS span, occurrence, count(*) AS n FROM ${elementsIn('$2')} AS span CROSS JOIN task_completions
     WHERE workspace = $1 AND kind = 'done'
       AND completed_at >= CAST(span.value ->> 'from' AS bigint) AND completed_at < CAST(span.value ->> 'to' AS bigint)
     GROUP BY span.key, occurrence`,
    [workspace.id, JSON.stringify(spans)],
  )
}

/** Counts the open tasks outside the trash and archived projects that are due before each of these civil dates, which must ascend. */
async function countDueBefore({ db, workspace }: Session, dates: readonly string[]): Promise<number[]> {
  const rows = await db.all<{ n: number }>(
    `SELECT (SELECT count(*) FROM tasks WHERE workspace = $1 AND closed = 0 AND deleted_at IS NULL ${WHERE_ARCHIVED.false}
       AND due_key >= step.value ->> 'from' AND due_key < step.value ->> 'to') AS n
     FROM ${elementsIn('$2')} AS step ORDER BY step.key`,
    [workspace.id, JSON.stringify(dates.map((to, i) => ({ from: dates[i - 1] ?? '', to })))],
  )
  let sum = 0
  return rows.map(({ n }) => {
    sum += n
    return sum
  })
}

const MAX_DAYS = 366
/** Days before `to` if the request has no `from`. */
const DEFAULT_DAYS_BEFORE = 29

/** An instant after every day of a request. */
const LATEST_MS = Number.MAX_SAFE_INTEGER

type TaskStatistics = ReturnType<typeof createTaskStatistics>

export function createTaskStatistics({ now }: Pick<Context, 'now'>) {
  return {
    /** Returns the statistics of a range of days. Throws invalid_request. */
    async getStats(session: Session, query: StatsQuery): Promise<Stats> {
      const asOf = await readAsOf(session, query, now())
      const to = readDay(query.to, '/to', getToday(asOf))
      const days = checkDayRange({ from: readDay(query.from, '/from', to - DEFAULT_DAYS_BEFORE), to }, MAX_DAYS)
      const spans = toSpans(days, asOf)
      const created = await countCreated(session, spans)
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
async function countDoneAndOverdue(session: Session, days: DayRange, spans: readonly StatsRange[], today: number) {
  const begun = Math.max(0, Math.min(days.to, today) - days.from + 1)
  const afterDays = { from: spans.at(-1)?.to ?? 0, to: LATEST_MS }
  const rows = await countCompleted(session, [...spans, afterDays])
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
  const openTasks = await countDueBefore(session, dayEnds)
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

nameSchemas({ Stats })

export function statsRoutes({ statistics, api }: { statistics: TaskStatistics; api: RequestPlugin }) {
  return new Elysia({ prefix: '/api/tasks', tags: ['Agenda and reminders'] })
    .use(api)
    .get('/stats', ({ session, query }) => statistics.getStats(session, query), {
      query: StatsQuery,
      response: { 200: Stats },
      detail: {
        operationId: 'getTaskStatistics',
        summary: 'Show statistics',
        description:
          'Tasks created, completed and overdue on each day, for at most 366 days. `overdue` uses the due date that a completion was for, and the current due date of open tasks: of a postponed task, only the last date is known. Skipped and cancelled tasks do not count.',
      },
    })
}
