import { Type } from '@sinclair/typebox'
import { type Static, t } from 'elysia'
import { Cursor, closed, Flag, Id, Instant, Limit, nullable, Problem, pageOf, STAMPS } from '../../http/schema'
import { Card, cardExample, SnapshotBody, StudyDate, snapshotExample } from '../cards/card-schema'

const MAX_ANSWERS = 500
/** The longest time of an answer: an hour. */
export const MAX_DURATION_MS = 3_600_000

const Kind = t.Union(
  [t.Literal('learning'), t.Literal('review'), t.Literal('relearning'), t.Literal('manual'), t.Literal('import')],
  {
    description: 'The state before (`learning` for new), `manual` for a schedule that was set, or `import`.',
    error: 'must be learning, review, relearning, manual or import',
  },
)
const Rating = t.Union([t.Literal(1), t.Literal(2), t.Literal(3), t.Literal(4)], {
  description: '1 again, 2 hard, 3 good, 4 easy.',
  error: 'must be 1, 2, 3 or 4',
})
const Duration = Type.Integer({ minimum: 0, maximum: MAX_DURATION_MS, description: 'How long the answer took.' })
const whole = Type.Integer({ minimum: 0 })

const reviewExample = {
  id: '01980000-0000-7000-8000-0000000000a0',
  revision: 1,
  created_at: '2026-03-05T13:15:02.000Z',
  updated_at: '2026-03-05T13:15:02.000Z',
  card_id: cardExample.id,
  kind: 'review' as const,
  rating: 3 as const,
  reviewed_at: '2026-03-05T13:15:00.000Z',
  study_day: '2026-03-05',
  duration_ms: 4200,
  elapsed_days: 4,
  predicted_retrievability: 0.85798579,
  params_id: '4f6a1c09be27d358.a1b2c3d4e5f60718',
  before: {
    ...snapshotExample,
    due_at: '2026-03-03T04:00:00.000Z',
    due_day: '2026-03-03',
    stability: 2.3065,
    difficulty: 2.11121424,
    scheduled_days: 2,
    reps: 2,
    last_reviewed_at: '2026-03-01T13:15:00.000Z',
  },
  after: snapshotExample,
  undone_at: null,
}

export const Review = t.Object(
  {
    ...STAMPS,
    card_id: Id,
    kind: Kind,
    rating: t.Union([Rating, t.Null()], { description: 'Null for manual.' }),
    reviewed_at: Instant,
    study_day: StudyDate,
    duration_ms: whole,
    elapsed_days: Type.Integer({ minimum: 0, description: 'Study days since the answer before.' }),
    predicted_retrievability: nullable(Type.Number({ description: 'At the answer. Null for a new card.' })),
    params_id: t.Union([t.String(), t.Null()], { description: 'Which settings the schedule was made with.' }),
    before: SnapshotBody,
    after: SnapshotBody,
    undone_at: nullable(Instant),
  },
  { examples: [reviewExample] },
)
export const ReviewPage = pageOf(Review)

export const ReviewedCard = t.Object(
  { review: Review, card: Card },
  { examples: [{ review: reviewExample, card: cardExample }] },
)

const merged = t.Boolean({
  description: 'Whether later answers of the card had come before: it was put at its place, and the card recomputed.',
})
export const AnsweredReview = t.Object(
  { review: Review, card: Card, merged },
  { examples: [{ review: reviewExample, card: cardExample, merged: false }] },
)

export const AnswerCard = t.Object(
  {
    rating: Rating,
    id: t.Optional(t.String({ ...Id, description: 'Of the review: its repeat changes nothing, for ever.' })),
    reviewed_at: t.Optional(t.String({ ...Instant, description: 'At most five minutes ahead; else now.' })),
    duration_ms: t.Optional(Duration),
  },
  { ...closed, examples: [{ rating: 3, reviewed_at: '2026-03-01T13:15:00.000Z', duration_ms: 4200 }] },
)

export const UndoLastReviewBody = t.Object(
  {
    review_id: t.Optional(
      t.String({ ...Id, description: 'The review that must be the last one; 409 if another one is.' }),
    ),
  },
  closed,
)
export const UndoLastReview = t.Union([UndoLastReviewBody, t.Null()], {
  examples: [{ review_id: reviewExample.id }],
  error: 'must be an object or empty',
})

const BatchItem = t.Object(
  { id: Id, card_id: Id, rating: Rating, reviewed_at: Instant, duration_ms: t.Optional(Duration) },
  closed,
)

export const BatchAnswers = t.Object(
  { items: t.Array(BatchItem, { minItems: 1, maxItems: MAX_ANSWERS }) },
  {
    ...closed,
    examples: [
      {
        items: [{ id: reviewExample.id, card_id: cardExample.id, rating: 3, reviewed_at: '2026-03-05T13:15:00.000Z' }],
      },
    ],
  },
)

const { state, due_at, due_day, scheduled_days } = SnapshotBody.properties
export const RatingOutcome = t.Object({
  ...{ state, due_at, due_day, scheduled_days },
  interval_seconds: t.Union([Type.Number(), t.Null()], { description: 'Null in review.' }),
})

const inReview = (day: number) => ({
  state: 'review' as const,
  due_at: `2026-03-${day}T04:00:00.000Z`,
  due_day: `2026-03-${day}`,
  scheduled_days: day - 5,
  interval_seconds: null,
})
export const previewExample = {
  again: {
    state: 'relearning' as const,
    due_at: '2026-03-05T13:25:00.000Z',
    due_day: '2026-03-05',
    scheduled_days: 0,
    interval_seconds: 600,
  },
  hard: inReview(16),
  good: inReview(21),
  easy: inReview(31),
}

export const CardPreview = t.Object(
  { again: RatingOutcome, hard: RatingOutcome, good: RatingOutcome, easy: RatingOutcome },
  {
    description: 'The result of each rating. The intervals are valid for the rest of the study day.',
    examples: [previewExample],
  },
)

export const AskBatchOutcome = t.Object({ preview: t.Optional(Flag) }, closed)

export const BatchAnswersOutcome = t.Object(
  {
    items: t.Array(
      t.Object({
        index: whole,
        status: Type.Integer({ description: '201 for a review that was made, 200 for one that was there.' }),
        review: nullable(Review),
        card: t.Union([Card, t.Null()], { description: 'As this answer left it.' }),
        preview: t.Union([CardPreview, t.Null()], { description: 'Of the card now; null unless `preview=true`.' }),
        merged,
        error: t.Union([Problem, t.Null()]),
      }),
    ),
  },
  {
    examples: [
      {
        items: [
          {
            index: 0,
            status: 201,
            review: reviewExample,
            card: cardExample,
            preview: null,
            merged: false,
            error: null,
          },
        ],
      },
    ],
  },
)

const paging = { limit: t.Optional(Limit), cursor: t.Optional(Cursor) }
const optionalId = (description: string) => t.Optional(t.String({ ...Id, description }))

export const ListOfCard = t.Object(paging, closed)
export const ListReviews = t.Object(
  {
    card_id: optionalId('Of this card.'),
    deck_id: optionalId('Of cards in this deck or one of its subdecks.'),
    from: t.Optional(t.String({ ...Instant, description: 'Answered at this instant or later.' })),
    to: t.Optional(t.String({ ...Instant, description: 'Answered before this instant.' })),
    kind: t.Optional(Kind),
    undone: t.Optional(Flag),
    ...paging,
  },
  closed,
)

export type Review = Static<typeof Review>
export type ReviewedCard = Static<typeof ReviewedCard>
export type AnsweredReview = Static<typeof AnsweredReview>
export type AnswerCard = Static<typeof AnswerCard>
export type BatchAnswers = Static<typeof BatchAnswers>
export type AskBatchOutcome = Static<typeof AskBatchOutcome>
export type BatchAnswersOutcome = Static<typeof BatchAnswersOutcome>
export type CardPreview = Static<typeof CardPreview>
export type ListReviews = Static<typeof ListReviews>
