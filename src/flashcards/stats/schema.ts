import { Type } from '@sinclair/typebox'
import { type Static, t } from 'elysia'
import { AS_DAY, asCommaList, dayParam, Id, nullable } from '../../http/schema'
import { COMING_DAYS, MAX_DAYS, MAX_RETENTIONS, PAST_DAYS, SIMULATED_DAYS } from './days'

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

const asked = {
  deck_id: t.Optional(
    t.String({
      ...Id,
      description: 'Of this deck and its subdecks, else of all.',
      error: 'must be a UUIDv7 in lower case',
    }),
  ),
}

export const AskDeck = t.Object(asked, closed)

/** Days in the past. */
export const AskDeckDays = t.Object(
  {
    ...asked,
    from: t.Optional(dayParam(`The first study day, else ${PAST_DAYS - 1} days before \`to\`; at most ${MAX_DAYS}.`)),
    to: t.Optional(dayParam('The last study day, else today.')),
  },
  closed,
)

/** Days to come. */
export const AskForecast = t.Object(
  {
    ...asked,
    from: t.Optional(dayParam('The first study day, else today.')),
    to: t.Optional(dayParam(`The last study day, else ${COMING_DAYS - 1} days after \`from\`; at most ${MAX_DAYS}.`)),
  },
  closed,
)

export const StudyToday = t.Object(
  {
    study_day: StudyDay,
    answered: count,
    again: Type.Integer({ minimum: 0, description: 'How many of them were rated 1.' }),
    duration_ms: Duration,
    new_seen: Type.Integer({ minimum: 0, description: 'Cards that were answered for the first time.' }),
    left: Type.Integer({
      minimum: 0,
      description:
        'What the queue still gives by the end of the study day: its learning, review and new cards within the limits, each once.',
    }),
  },
  {
    examples: [{ study_day: '2026-03-01', answered: 42, again: 5, duration_ms: 310_000, new_seen: 10, left: 27 }],
  },
)

const days = { from: StudyDay, to: StudyDay }
const span = { from: '2026-03-01', to: '2026-03-02' }

export const Hours = t.Object(
  {
    ...days,
    hours: t.Array(t.Object({ hour: Type.Integer({ minimum: 0, maximum: 23 }), count, correct: count }), {
      description: 'All 24 hours of the clock in the study zone; correct is every rating but 1.',
    }),
  },
  {
    examples: [
      {
        ...span,
        hours: Array.from({ length: 24 }, (_, hour) => ({ hour, count: hour % 12, correct: hour % 6 })),
      },
    ],
  },
)

/** Of one group of answers. */
export const RetentionCounts = t.Object({
  count,
  correct: count,
  retention: t.Union([Rate, t.Null()], { description: 'correct ÷ count; null without data.' }),
  expected: t.Union([Rate, t.Null()], { description: 'The mean of what was predicted; null without data.' }),
})

export const Retention = t.Object(
  { ...days, young: RetentionCounts, mature: RetentionCounts, all: RetentionCounts },
  {
    description:
      'Of answers to cards with an interval of a day or more, the first of each card and day. Young are intervals below 21 days.',
    examples: [
      {
        ...span,
        young: { count: 40, correct: 36, retention: 0.9, expected: 0.91 },
        mature: { count: 0, correct: 0, retention: null, expected: null },
        all: { count: 40, correct: 36, retention: 0.9, expected: 0.91 },
      },
    ],
  },
)

/** Members of days that are not simulated are null. */
const forecastWork = (description: string) => t.Union([Type.Number({ minimum: 0 }), t.Null()], { description })

export const ForecastDay = t.Object({
  day: StudyDay,
  count: Type.Integer({ minimum: 0, description: 'Cards that are due on this day as they are scheduled now.' }),
  reviews: forecastWork('Answers to cards in review.'),
  new: forecastWork('First answers to new cards.'),
  learning: forecastWork('Answers in the steps of learning and relearning.'),
  total: forecastWork('Of all three.'),
  minutes: forecastWork('How long they take.'),
})

export const Forecast = t.Object(
  {
    ...days,
    backlog: Type.Integer({ minimum: 0, description: 'Due before today, and in none of the days.' }),
    daily_load: Type.Number({ minimum: 0, description: 'Reviews a day in the long run: Σ 1 / interval.' }),
    days: t.Array(ForecastDay, { description: 'Every day; what is suspended never comes up.' }),
  },
  {
    description: `What is due as it is scheduled now, and the answers to come if all that the queue gives is answered: a simulation of the scheduler, the daily limits, new cards, the backlog, repeats and one’s own habits. Expected values, the same all day while nothing changes; of today what is left; null before today and from ${SIMULATED_DAYS} days after it on.`,
    examples: [
      {
        ...span,
        backlog: 3,
        daily_load: 12.5,
        days: [
          { day: '2026-03-01', count: 14, reviews: 17, new: 20, learning: 34.1, total: 71.1, minutes: 15.8 },
          { day: '2026-03-02', count: 0, reviews: 3.4, new: 20, learning: 31, total: 54.4, minutes: 12.7 },
        ],
      },
    ],
  },
)

export const StudyRun = t.Object({ from: StudyDay, to: StudyDay, days: count })

export const Streak = t.Object(
  {
    study_day: StudyDay,
    studied_today: t.Boolean(),
    days_studied: Type.Integer({ minimum: 0, description: 'Days with an answer.' }),
    current: Type.Integer({
      minimum: 0,
      description: 'Days in the run up to today, or up to yesterday if nothing was answered today yet; else 0.',
    }),
    longest: Type.Integer({ minimum: 0, description: 'Days in the longest run ever.' }),
    runs: t.Array(StudyRun, { description: 'Days in a row with an answer, the last 100 runs, oldest first.' }),
  },
  {
    examples: [
      {
        study_day: '2026-03-03',
        studied_today: false,
        days_studied: 5,
        current: 2,
        longest: 3,
        runs: [
          { from: '2026-02-20', to: '2026-02-22', days: 3 },
          { from: '2026-03-01', to: '2026-03-02', days: 2 },
        ],
      },
    ],
  },
)

export const AskWorkload = t.Object(
  {
    ...asked,
    retentions: t.Optional(
      t.String({
        ...asCommaList({ type: 'number', minimum: 0.7, maximum: 0.99 }, { maxItems: MAX_RETENTIONS }),
        description: `Up to ${MAX_RETENTIONS} numbers from 0.70 to 0.99, with commas between them; else 0.70, 0.71, … 0.95.`,
        examples: [[0.8, 0.85, 0.9]],
      }),
    ),
  },
  closed,
)

export const WorkloadRow = t.Object({
  retention: Rate,
  minutes_per_day: Type.Number({ minimum: 0 }),
  answers_per_day: Type.Number({ minimum: 0 }),
  memorized_cards: Type.Number({ minimum: 0, description: 'Cards remembered at the end: the sum of their chances.' }),
  memorized: t.Number({ minimum: 0, maximum: 1, description: 'Their share of `cards`.' }),
  seconds_per_card: t.Union([Type.Number({ minimum: 0 }), t.Null()], {
    description: 'Seconds of study in all for each card remembered at the end; null if there is none.',
  }),
})

export const Workload = t.Object(
  {
    days: Type.Integer({ minimum: 1, description: 'How many are simulated.' }),
    cards: Type.Integer({
      minimum: 0,
      description: 'Cards that are not suspended; new ones as far as the limits allow within the days.',
    }),
    best_retention: t.Union([Rate, t.Null()], {
      description:
        'Of the retentions up to 0.95 the one with the least `seconds_per_card`, as fsrs-rs finds the least retention worth choosing; null without any work.',
    }),
    retentions: t.Array(WorkloadRow, { description: 'Ascending.' }),
  },
  {
    description:
      'The coming year, simulated as the forecast is, for each desired retention in place of that of the decks. Large collections are sampled.',
    examples: [
      {
        days: 365,
        cards: 2000,
        best_retention: 0.8,
        retentions: [
          {
            retention: 0.8,
            minutes_per_day: 11.2,
            answers_per_day: 48.1,
            memorized_cards: 1740.5,
            memorized: 0.87,
            seconds_per_card: 140.9,
          },
          {
            retention: 0.9,
            minutes_per_day: 15.9,
            answers_per_day: 71.4,
            memorized_cards: 1866.2,
            memorized: 0.933,
            seconds_per_card: 186.6,
          },
        ],
      },
    ],
  },
)

export const Heatmap = t.Object(
  {
    ...days,
    days: t.Array(t.Object({ day: StudyDay, count, duration_ms: Duration }), {
      description: 'Every day, also without an answer.',
    }),
  },
  {
    examples: [
      {
        ...span,
        days: [
          { day: '2026-03-01', count: 42, duration_ms: 310_000 },
          { day: '2026-03-02', count: 0, duration_ms: 0 },
        ],
      },
    ],
  },
)

export const SpreadBin = t.Object({
  from: Type.Number(),
  to: t.Union([Type.Number(), t.Null()], { description: 'Not in it; null: without end.' }),
  count,
})

/** How one value is spread over cards. */
export const ValueSpread = t.Object({
  count,
  mean: t.Union([Type.Number(), t.Null()], { description: 'Null without cards.' }),
  bins: t.Array(SpreadBin),
})

const spread = (mean: number, from: number, to: number) => ({ count: 2, mean, bins: [{ from, to, count: 2 }] })

export const Distributions = t.Object(
  { stability: ValueSpread, difficulty: ValueSpread, retrievability: ValueSpread, interval: ValueSpread },
  {
    description:
      'Of living cards that were answered: stability and interval in days, difficulty 1..10, today’s chance of recall 0..1. Intervals are of cards in review.',
    examples: [
      {
        stability: spread(16.2, 14, 21),
        difficulty: spread(2.1, 2, 3),
        retrievability: spread(0.93, 0.9, 0.95),
        interval: spread(16, 14, 21),
      },
    ],
  },
)

export const Calibration = t.Object(
  {
    ...days,
    count,
    log_loss: t.Union([Type.Number(), t.Null()], {
      description: 'The mean of −ln of the chance given to what came; null without data.',
    }),
    rmse_bins: t.Union([Type.Number(), t.Null()], {
      description:
        'RMSE(bins), by which FSRS is compared everywhere: how far predicted and observed lie apart in bins of alike answers, which are others than those below. Null without data. Large collections are sampled.',
    }),
    bins: t.Array(t.Object({ from: Type.Number(), count, predicted: nullable(Rate), observed: nullable(Rate) }), {
      description: '20 bins of predictions, each 0.05 wide; both means are null where there are none.',
    }),
  },
  {
    description: 'What was predicted when it was answered, over answers a day or more after the one before.',
    examples: [
      {
        ...span,
        count: 20,
        log_loss: 0.33,
        rmse_bins: 0.04,
        bins: [{ from: 0.9, count: 20, predicted: 0.91, observed: 0.95 }],
      },
    ],
  },
)

export type AskDeck = Static<typeof AskDeck>
export type AskWorkload = Static<typeof AskWorkload>
export type AskDeckDays = Static<typeof AskDeckDays>
export type StudyToday = Static<typeof StudyToday>
export type Hours = Static<typeof Hours>
export type Retention = Static<typeof Retention>
export type Forecast = Static<typeof Forecast>
export type Streak = Static<typeof Streak>
export type Workload = Static<typeof Workload>
export type Heatmap = Static<typeof Heatmap>
export type Distributions = Static<typeof Distributions>
export type Calibration = Static<typeof Calibration>
