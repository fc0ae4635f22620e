import { Type } from '@sinclair/typebox'
import { type Static, t } from 'elysia'
import { AS_DAY, asCommaList, asInteger, dayParam, Id, nullable } from '../../http/schema'
import { FORECAST_DAYS, MAX_DAYS, PAST_DAYS } from './days'

export const PARTS = ['today', 'hours', 'retention', 'forecast', 'streak', 'heatmap'] as const

const closed = { additionalProperties: false }
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

/** Of one group of answers. */
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
