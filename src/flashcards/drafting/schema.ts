import { Type } from '@sinclair/typebox'
import { type Static, t } from 'elysia'
import { Id } from '../../http/schema'
import { FactContent } from '../fact-schema'

export const DraftFacts = t.Object(
  {
    note_id: t.Optional(t.Union([Id, t.Null()], { description: 'The note to read.' })),
    text: t.Optional(
      t.Union([t.String(), t.Null()], { description: 'Markdown of at most 200,000 characters, instead of a note.' }),
    ),
    limit: t.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'The most drafts; 50 by default.' })),
  },
  { additionalProperties: false, examples: [{ text: 'Q: What is the capital of Spain?\nA: Madrid', limit: 20 }] },
)

const Pattern = t.Union([
  t.Literal('question'),
  t.Literal('term'),
  t.Literal('reversed_term'),
  t.Literal('cloze'),
  t.Literal('mark'),
  t.Literal('heading'),
  t.Literal('definition'),
  t.Literal('table'),
])

export const Drafts = t.Object(
  {
    drafts: t.Array(
      t.Object({
        fact: FactContent,
        pattern: Pattern,
        line: Type.Integer({ minimum: 1, description: 'The line of the text where it begins.' }),
        duplicate_of: t.Union([Id, t.Null()], {
          description: 'The id of a fact with the same type and front (or text).',
        }),
      }),
    ),
    truncated: t.Boolean({ description: 'There are more than `limit`.' }),
  },
  {
    examples: [
      {
        drafts: [
          {
            fact: { type: 'basic', front: 'What is the capital of Spain?', back: 'Madrid' },
            pattern: 'question',
            line: 1,
            duplicate_of: null,
          },
        ],
        truncated: false,
      },
    ],
  },
)

export type DraftFacts = Static<typeof DraftFacts>
export type Drafts = Static<typeof Drafts>
