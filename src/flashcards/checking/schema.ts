import { Type } from '@sinclair/typebox'
import { type Static, t } from 'elysia'

export const CheckAnswer = t.Object(
  { answer: t.String({ description: 'What was typed, at most 1,000 characters.' }) },
  { additionalProperties: false, examples: [{ answer: 'Lisbom' }] },
)

export const CheckedAnswer = t.Object(
  {
    correct: t.Boolean(),
    expected: t.String({ description: 'Of the right answers the one that comes nearest, without Markdown.' }),
    distance: Type.Integer({ minimum: 0, description: 'Letters to insert, delete, replace or swap.' }),
    diff: t.Array(
      t.Object({ op: t.Union([t.Literal('equal'), t.Literal('insert'), t.Literal('delete')]), text: t.String() }),
      { description: 'From the answer to `expected`: `insert` was missing, `delete` was too much.' },
    ),
    suggested_rating: t.Union([t.Literal(1), t.Literal(2), t.Literal(3)], {
      description: '3 right; 2 right but for accents, or for one edit in five letters or more; else 1.',
    }),
  },
  {
    examples: [
      {
        correct: false,
        expected: 'Lisbon',
        distance: 1,
        diff: [
          { op: 'equal', text: 'Lisbo' },
          { op: 'delete', text: 'm' },
          { op: 'insert', text: 'n' },
        ],
        suggested_rating: 2,
      },
    ],
  },
)

export type CheckedAnswer = Static<typeof CheckedAnswer>
