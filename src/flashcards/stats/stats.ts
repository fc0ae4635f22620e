import { setImmediate } from 'node:timers/promises'
import { Elysia } from 'elysia'
import type { Context } from '../../db/context'
import type { Session } from '../../db/database'
import { refuses } from '../../http/api-error'
import type { RequestPlugin } from '../../http/request'
import { nameSchemas, Problem } from '../../http/schema'
import { readChoices } from '../../http/values'
import { fromDay } from '../../lib/civil/day'
import { loadDeck } from '../decks/deck'
import { listKeysOfDecks } from '../decks/deck-store'
import { readStudy, type Study } from '../decks/study'
import { requireDeckKeys } from '../filter/filter'
import { countQueue } from '../queue/queue'
import { studyDay } from '../scheduling/study-day'
import { listDays, listOffsets, readForecastDays, readPastDays, type StudyDayRange } from './days'
import {
  AskStatistics,
  Forecast,
  HeatmapDay,
  PARTS,
  Retention,
  RetentionCounts,
  Streak,
  StudyRun,
  StudyStats,
  StudyToday,
} from './schema'
import {
  type AnswerCounts,
  countAnswers,
  countByDay,
  countByHour,
  countDue,
  countRetention,
  type DayCount,
  forEachLogPart,
  type RetentionCount,
} from './store'

/** The most runs of a streak that are shown, the latest. */
const MAX_RUNS = 100

interface Scope {
  readonly session: Session
  readonly study: Study
  /** The keys of the deck and its subdecks; null: all decks. */
  readonly decks: readonly number[] | null
}

type StudyStatistics = ReturnType<typeof createStudyStatistics>

/** They only read. */
export function createStudyStatistics({ now }: Pick<Context, 'now'>) {
  return {
    /** Returns the parts of a request; the others are null. Throws not_found for a deck, invalid_request. */
    async get(session: Session, query: AskStatistics): Promise<StudyStats> {
      const parts = query.parts === undefined ? PARTS : readChoices(query.parts, PARTS, '/parts')
      const study = await readStudy(session, now())
      const scope = { session, study, decks: await selectDecks(session, query.deck_id) }
      const days = readPastDays(query, study.today)
      const forecastDays = readForecastDays(query.forecast_days)
      const when = <T>(part: (typeof PARTS)[number], count: () => Promise<T>) => (parts.includes(part) ? count() : null)
      // A streak is of all days: where both are wanted, the log is read once.
      const streakDays = { from: Math.min(0, days.from), to: Math.max(study.today, days.to) }
      const byDay = parts.includes('streak')
        ? await countDays(scope, parts.includes('heatmap') ? streakDays : { from: 0, to: study.today })
        : await when('heatmap', () => countDays(scope, days))
      return {
        study_day: fromDay(study.today),
        from: fromDay(days.from),
        to: fromDay(days.to),
        today: await when('today', () => countToday(scope, query.deck_id)),
        hours: await when('hours', () => countHours(scope, days)),
        retention: await when('retention', () => readRetention(scope, days)),
        forecast: await when('forecast', () => countForecast(scope, forecastDays)),
        streak: byDay && parts.includes('streak') ? streakOf(byDay, study.today) : null,
        heatmap: byDay && parts.includes('heatmap') ? heatmapOf(byDay, days) : null,
      }
    },
  }
}

/** Returns the keys of a deck and its subdecks; null for all decks. Throws not_found. */
async function selectDecks(session: Session, id: string | undefined): Promise<readonly number[] | null> {
  if (id === undefined) return null
  const decks = await requireDeckKeys(session, id)
  // If the deck contains all others, reading the log of all decks is fastest.
  const all = await listKeysOfDecks(session.db, session.workspace.id)
  return decks.length === all.length ? null : decks
}

async function countToday({ session, study, decks }: Scope, deckId: string | undefined) {
  const { today } = study
  const sum = { answered: 0, again: 0, duration_ms: 0, new_seen: 0 } satisfies AnswerCounts
  await forEachLogPart(session, { from: today, to: today }, decks, async (part) => {
    const counts = await countAnswers(session.db, session.workspace.id, part)
    for (const name of ['answered', 'again', 'duration_ms', 'new_seen'] as const) sum[name] += counts[name]
  })
  const left = await countQueue(session, study, deckId === undefined ? null : (await loadDeck(session, deckId)).key)
  return { ...sum, left: left.new + left.learning + left.review }
}

async function countHours({ session, study, decks }: Scope, days: StudyDayRange) {
  const hours = Array.from({ length: 24 }, (_, hour) => ({ hour, count: 0, correct: 0 }))
  await forEachLogPart(session, days, decks, async (part) => {
    const own = 'days' in part ? part.days : { from: part.from.day, to: part.to.day }
    const offsets = listOffsets(own, study.clock.time_zone)
    for (const found of await countByHour(session.db, session.workspace.id, part, offsets)) {
      const hour = hours[found.hour]
      if (hour) Object.assign(hour, { count: hour.count + found.count, correct: hour.correct + found.correct })
    }
  })
  return hours
}

/** Returns the actual and the expected recall of cards that came up for review. */
async function readRetention({ session, decks }: Scope, days: StudyDayRange): Promise<Retention> {
  const found: RetentionCount[] = []
  await forEachLogPart(session, days, decks, async (part) => {
    found.push(...(await countRetention(session.db, session.workspace.id, part)))
  })
  return {
    young: retentionOf(found.filter(({ mature }) => mature === 0)),
    mature: retentionOf(found.filter(({ mature }) => mature === 1)),
    all: retentionOf(found),
  }
}

function retentionOf(found: readonly RetentionCount[]) {
  const sum = (name: 'count' | 'correct' | 'predicted' | 'predicted_sum') =>
    found.reduce((total, row) => total + row[name], 0)
  const rate = (part: number, whole: number) => (whole === 0 ? null : part / whole)
  const [count, correct] = [sum('count'), sum('correct')]
  return { count, correct, retention: rate(correct, count), expected: rate(sum('predicted_sum'), sum('predicted')) }
}

async function countForecast({ session, study, decks }: Scope, length: number): Promise<Forecast> {
  const { today, clock } = study
  const { db, workspace } = session
  const days = Array.from({ length }, (_, i) => ({ day: fromDay(today + i), count: 0 }))
  let backlog = 0
  for (const deck of decks ?? (await listKeysOfDecks(db, workspace.id))) {
    for (const { due_day, due_at, buried_until, count } of await countDue(db, workspace.id, deck)) {
      const due = due_day ?? (due_at === null ? today : studyDay(due_at, clock))
      // A buried card is not shown before it is unburied.
      const at = Math.max(due, buried_until ?? due) - today
      const day = days[at]
      if (at < 0) backlog += count
      else if (day) day.count += count
    }
    await setImmediate()
  }
  return { backlog, days }
}

async function countDays({ session, decks }: Scope, days: StudyDayRange): Promise<ReadonlyMap<number, DayCount>> {
  const found = new Map<number, DayCount>()
  await forEachLogPart(session, days, decks, async (part) => {
    for (const { day, ...more } of await countByDay(session.db, session.workspace.id, part)) {
      const { count, duration_ms } = found.get(day) ?? { count: 0, duration_ms: 0 }
      found.set(day, { day, count: count + more.count, duration_ms: duration_ms + more.duration_ms })
    }
  })
  return found
}

function heatmapOf(byDay: ReadonlyMap<number, DayCount>, days: StudyDayRange) {
  return listDays(days).map((day) => {
    const { count, duration_ms } = byDay.get(day) ?? { count: 0, duration_ms: 0 }
    return { day: fromDay(day), count, duration_ms }
  })
}

interface Run {
  readonly from: number
  to: number
}

/** A run that ended yesterday is still the current one: today is not over. */
function streakOf(byDay: ReadonlyMap<number, DayCount>, today: number): Streak {
  const runs: Run[] = []
  const studied = [...byDay.keys()].filter((day) => day >= 0 && day <= today).sort((one, other) => one - other)
  for (const day of studied) {
    const last = runs.at(-1)
    if (last?.to === day - 1) last.to = day
    else runs.push({ from: day, to: day })
  }
  const last = runs.at(-1)
  return {
    studied_today: last?.to === today,
    days_studied: studied.length,
    current: last && last.to >= today - 1 ? lengthOf(last) : 0,
    longest: runs.reduce((longest, run) => Math.max(longest, lengthOf(run)), 0),
    runs: runs.slice(-MAX_RUNS).map((run) => ({ from: fromDay(run.from), to: fromDay(run.to), days: lengthOf(run) })),
  }
}

function lengthOf({ from, to }: Run): number {
  return to - from + 1
}

nameSchemas({
  StudyStatistics: StudyStats,
  StudyToday,
  Retention,
  RetentionCounts,
  Forecast,
  StudyStreak: Streak,
  StudyRun,
  HeatmapDay,
})

export function studyStatsRoutes({ statistics, api }: { statistics: StudyStatistics; api: RequestPlugin }) {
  return new Elysia({ prefix: '/api/flashcards', tags: ['Statistics'] })
    .use(api)
    .get('/stats', ({ session, query }) => statistics.get(session, query), {
      query: AskStatistics,
      response: { 200: StudyStats, 404: Problem },
      detail: {
        operationId: 'getStudyStatistics',
        ...refuses('not_found'),
        summary: 'Show statistics of studying',
        description:
          'What was answered, when and how well, and what is due. All in the zone of the study settings, without undone answers.',
      },
    })
}
