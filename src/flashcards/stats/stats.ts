import { Type } from '@sinclair/typebox'
import { Elysia, type Static, t } from 'elysia'
import type { Context, Session } from '../../db/database'
import type { RequestPlugin } from '../../http/api'
import { refuses } from '../../http/api-error'
import { AS_DAY, asCommaList, asInteger, closed, dayParam, Id, nameSchemas, nullable } from '../../http/schema'
import { readChoices } from '../../http/values'
import { fromDay } from '../../lib/civil/day'
import { yieldTurn } from '../../lib/steps'
import { loadDeck } from '../decks/deck'
import { listKeysOfDecks } from '../decks/deck-store'
import { readStudy, type Study } from '../decks/study'
import { requireDeckKeys } from '../filter/filter'
import { countQueue } from '../queue/queue'
import { studyDay } from '../scheduling/study-day'
import {
  FORECAST_DAYS,
  listDays,
  listOffsets,
  MAX_DAYS,
  PAST_DAYS,
  readForecastDays,
  readPastDays,
  type StudyDayRange,
} from './days'
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

export const PARTS = ['today', 'hours', 'retention', 'forecast', 'streak', 'heatmap'] as const

const count = Type.Integer({ minimum: 0 })
const StudyDay = t.String({
  ...AS_DAY,
  description: 'A study day: the civil date on which it begins.',
  examples: ['2026-03-01'],
})
const Rate = Type.Number({ minimum: 0, maximum: 1 })
const Duration = Type.Integer({
  minimum: 0,
  description: 'Milliseconds; one answer counts 60,000 of them at most.',
})

export const AskStatistics = t.Object(
  {
    parts: t.Optional(
      t.String({
        ...asCommaList({ type: 'string', enum: PARTS }, { maxItems: PARTS.length, uniqueItems: true }),
        description: 'Parts to show, separated by commas. Default: all.',
        examples: [['today', 'streak']],
      }),
    ),
    deck_id: t.Optional(t.String({ ...Id, description: 'Of this deck and its subdecks, else of all.' })),
    from: t.Optional(
      dayParam(
        `The first study day of \`hours\`, \`retention\` and \`heatmap\`, else ${PAST_DAYS - 1} days before \`to\`; at most ${MAX_DAYS} days.`,
      ),
    ),
    to: t.Optional(dayParam('Their last study day, else today.')),
    forecast_days: t.Optional(
      t.String({
        ...asInteger({ minimum: 1, maximum: MAX_DAYS, default: FORECAST_DAYS }),
        description: `The study days of \`forecast\`, from today on: 1 to ${MAX_DAYS}.`,
      }),
    ),
  },
  closed,
)

export const StudyToday = t.Object({
  answered: count,
  again: Type.Integer({ minimum: 0, description: 'How many of them were rated 1.' }),
  duration_ms: Duration,
  new_seen: Type.Integer({ minimum: 0, description: 'Cards that were answered for the first time.' }),
  left: Type.Integer({
    minimum: 0,
    description:
      'What the queue still gives by the end of the study day: its learning, review and new cards within the limits, each once.',
  }),
})

const Hour = t.Object({ hour: Type.Integer({ minimum: 0, maximum: 23 }), count, correct: count })

export const RetentionCounts = t.Object({
  count,
  correct: count,
  retention: t.Union([Rate, t.Null()], { description: 'correct ÷ count; null without data.' }),
  expected: t.Union([Rate, t.Null()], { description: 'The mean of what was predicted; null without data.' }),
})

export const Retention = t.Object(
  { young: RetentionCounts, mature: RetentionCounts, all: RetentionCounts },
  {
    description:
      'Of answers to cards with an interval of a day or more, the first of each card and day. Young are intervals below 21 days.',
  },
)

export const Forecast = t.Object(
  {
    backlog: Type.Integer({ minimum: 0, description: 'Due before today, and in none of the days.' }),
    days: t.Array(t.Object({ day: StudyDay, count }), { description: 'Every day, from today on.' }),
  },
  { description: 'Cards that are due as they are scheduled now, without new and suspended ones.' },
)

export const StudyRun = t.Object({ from: StudyDay, to: StudyDay, days: count })

export const Streak = t.Object({
  studied_today: t.Boolean(),
  days_studied: Type.Integer({ minimum: 0, description: 'Days with an answer.' }),
  current: Type.Integer({
    minimum: 0,
    description: 'Days in the run up to today, or up to yesterday if nothing was answered today yet; else 0.',
  }),
  longest: Type.Integer({ minimum: 0, description: 'Days in the longest run ever.' }),
  runs: t.Array(StudyRun, { description: 'Days in a row with an answer, the last 100 runs, oldest first.' }),
})

export const HeatmapDay = t.Object({ day: StudyDay, count, duration_ms: Duration })

export const StudyStats = t.Object(
  {
    study_day: StudyDay,
    from: StudyDay,
    to: StudyDay,
    today: nullable(StudyToday),
    hours: t.Union([t.Array(Hour), t.Null()], {
      description: 'All 24 hours of the clock in the study zone; correct is every rating but 1.',
    }),
    retention: nullable(Retention),
    forecast: nullable(Forecast),
    streak: nullable(Streak),
    heatmap: t.Union([t.Array(HeatmapDay), t.Null()], { description: 'Every day, also without an answer.' }),
  },
  {
    description: 'Parts that were not requested are null.',
    examples: [
      {
        study_day: '2026-03-02',
        from: '2026-03-01',
        to: '2026-03-02',
        today: { answered: 42, again: 5, duration_ms: 310_000, new_seen: 10, left: 27 },
        hours: Array.from({ length: 24 }, (_, hour) => ({ hour, count: hour % 12, correct: hour % 6 })),
        retention: {
          young: { count: 40, correct: 36, retention: 0.9, expected: 0.91 },
          mature: { count: 0, correct: 0, retention: null, expected: null },
          all: { count: 40, correct: 36, retention: 0.9, expected: 0.91 },
        },
        forecast: {
          backlog: 3,
          days: [
            { day: '2026-03-02', count: 14 },
            { day: '2026-03-03', count: 9 },
          ],
        },
        streak: {
          studied_today: true,
          days_studied: 4,
          current: 1,
          longest: 3,
          runs: [
            { from: '2026-02-20', to: '2026-02-22', days: 3 },
            { from: '2026-03-02', to: '2026-03-02', days: 1 },
          ],
        },
        heatmap: [
          { day: '2026-03-01', count: 0, duration_ms: 0 },
          { day: '2026-03-02', count: 42, duration_ms: 310_000 },
        ],
      },
    ],
  },
)

export type AskStatistics = Static<typeof AskStatistics>
export type StudyToday = Static<typeof StudyToday>
export type Retention = Static<typeof Retention>
export type Forecast = Static<typeof Forecast>
export type Streak = Static<typeof Streak>
export type StudyStats = Static<typeof StudyStats>

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
  const all = await listKeysOfDecks(session)
  return decks.length === all.length ? null : decks
}

async function countToday({ session, study, decks }: Scope, deckId: string | undefined) {
  const { today } = study
  const sum = { answered: 0, again: 0, duration_ms: 0, new_seen: 0 } satisfies AnswerCounts
  await forEachLogPart(session, { from: today, to: today }, decks, async (part) => {
    const counts = await countAnswers(session, part)
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
    for (const found of await countByHour(session, part, offsets)) {
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
    found.push(...(await countRetention(session, part)))
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
  const days = Array.from({ length }, (_, i) => ({ day: fromDay(today + i), count: 0 }))
  let backlog = 0
  for (const deck of decks ?? (await listKeysOfDecks(session))) {
    for (const { due_day, due_at, buried_until, count } of await countDue(session, deck)) {
      const due = due_day ?? (due_at === null ? today : studyDay(due_at, clock))
      // A buried card is not shown before it is unburied.
      const at = Math.max(due, buried_until ?? due) - today
      const day = days[at]
      if (at < 0) backlog += count
      else if (day) day.count += count
    }
    await yieldTurn()
  }
  return { backlog, days }
}

async function countDays({ session, decks }: Scope, days: StudyDayRange): Promise<ReadonlyMap<number, DayCount>> {
  const found = new Map<number, DayCount>()
  await forEachLogPart(session, days, decks, async (part) => {
    for (const { day, ...more } of await countByDay(session, part)) {
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
      response: { 200: StudyStats },
      detail: {
        operationId: 'getStudyStatistics',
        ...refuses('not_found'),
        summary: 'Show statistics of studying',
        description:
          'What was answered, when and how well, and what is due. All in the zone of the study settings, without undone answers.',
      },
    })
}
