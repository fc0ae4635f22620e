import { Type } from '@sinclair/typebox'
import { type Static, t } from 'elysia'
import { AS_FLAG, Flag, Id } from '../../http/schema'

const count = (description: string) => Type.Integer({ minimum: 0, description })

/** The query of a change of settings. */
export const RescheduleQuery = t.Object(
  {
    reschedule: t.Optional(
      t.Union(Flag.anyOf, {
        ...AS_FLAG,
        description:
          'Whether due days of cards in review move to what the new retention, weights or maximum interval give since the last answer. Suspended cards stay. `POST /api/flashcards/reschedule/undo` undoes it.',
      }),
    ),
    dry_run: t.Optional(
      t.Union(Flag.anyOf, {
        ...AS_FLAG,
        description: 'With `reschedule`: answers how many cards would move, and changes nothing.',
      }),
    ),
  },
  { additionalProperties: false },
)

export const ReschedulePreview = t.Object(
  {
    dry_run: t.Literal(true),
    cards: count('Cards in review that can move.'),
    moved_earlier: count('Those that would be due earlier.'),
    moved_later: count('Those that would be due later.'),
    due_today_before: count('Those that are due today or overdue.'),
    due_today_after: count('Those that would be.'),
  },
  {
    examples: [
      { dry_run: true, cards: 120, moved_earlier: 0, moved_later: 96, due_today_before: 30, due_today_after: 12 },
    ],
  },
)

export const RescheduleUndone = t.Object(
  {
    deck_id: t.Union([Id, t.Null()], { description: 'The deck whose settings had changed; null: `deck_defaults`.' }),
    settings_restored: t.Boolean({ description: 'False if they were changed again since, or the deck is gone.' }),
    cards: count('Cards that had moved. Those that were answered or moved again since stay.'),
  },
  { examples: [{ deck_id: null, settings_restored: true, cards: 96 }] },
)

export type ReschedulePreview = Static<typeof ReschedulePreview>
export type RescheduleQuery = Static<typeof RescheduleQuery>
export type RescheduleUndone = Static<typeof RescheduleUndone>
