import { Type } from '@sinclair/typebox'
import { type Static, t } from 'elysia'
import { AS_DAY, asInteger, Flag, Id, Instant, Limit } from '../../http/schema'
import { MAX_LIMIT } from '../../http/values'
import { Card, cardExample, RenderForm } from '../card-schema'
import { CardPreview, previewExample } from '../review-schema'

const whole = Type.Integer({ minimum: 0 })

/** The default number of items in a queue. */
export const QUEUE_LIMIT = 20

export const AskQueue = t.Object(
  {
    deck_id: t.Optional(t.String({ ...Id, description: 'This deck with its subdecks; else all decks.' })),
    limit: t.Optional(
      t.String({
        ...Limit,
        ...asInteger({ minimum: 1, maximum: MAX_LIMIT, default: QUEUE_LIMIT }),
        description: `1 to 200, else ${QUEUE_LIMIT}.`,
      }),
    ),
    preview: t.Optional(Flag),
    render: t.Optional(RenderForm),
  },
  { additionalProperties: false },
)

export const Queue = t.Object(
  {
    study_day: t.String({ ...AS_DAY, description: 'Today, a civil date.' }),
    day_ends_at: Instant,
    counts: t.Object(
      { new: whole, learning: whole, review: whole },
      {
        description:
          'What is left to do today: learning cards due before the day ends, and the cards that the limits allow.',
      },
    ),
    remaining: t.Object(
      { new: whole, review: whole },
      { description: 'The remaining limits of the selected deck, or of all topmost decks together.' },
    ),
    next_learning_at: t.Union([Instant, t.Null()], {
      description: 'When the next learning card becomes due.',
    }),
    items: t.Array(
      t.Object({
        card: Card,
        preview: t.Union([CardPreview, t.Null()], { description: 'Null unless `preview=true`.' }),
      }),
    ),
  },
  {
    examples: [
      {
        study_day: '2026-03-05',
        day_ends_at: '2026-03-06T04:00:00.000Z',
        counts: { new: 1, learning: 2, review: 12 },
        remaining: { new: 1, review: 150 },
        next_learning_at: '2026-03-05T15:12:00.000Z',
        items: [{ card: cardExample, preview: previewExample }],
      },
    ],
  },
)

export type AskQueue = Static<typeof AskQueue>
export type Queue = Static<typeof Queue>
