import { Type } from '@sinclair/typebox'
import { type Static, t } from 'elysia'
import { Id } from '../../http/schema'
import { StudyFilters } from '../filter/schema'

const closed = { additionalProperties: false }

/** The most ids of one request. */
const MAX_IDS = 500
/** The most cards that a filter may match. */
export const MAX_MATCHED = 10_000

const named = <Name extends string>(name: Name, description: string) => t.Literal(name, { description })
const Action = t.Union(
  [
    named('suspend', 'Hides them until they are unsuspended.'),
    named('unsuspend', 'Shows them again.'),
    named('bury', 'Hides them until the next study day.'),
    named('unbury', 'Shows them again.'),
    named('flag', '`value` is 0 to 7.'),
    named('move', '`value` is the id of a deck. Cards of one fact move together.'),
    named('tag_add', '`value` is a tag for their facts.'),
    named('tag_remove', '`value` is a tag of their facts.'),
    named('reposition', '`value` is the position of the first; the others follow.'),
    named('reset', 'As if never answered. Can be undone.'),
    named('set_due', '`value` is a civil date: in review, due then. Can be undone.'),
  ],
  {
    error: 'must be suspend, unsuspend, bury, unbury, flag, move, tag_add, tag_remove, reposition, reset or set_due',
  },
)

const { leech: _, suspended: __, flag: ___, ...texts } = StudyFilters.properties
const CardFilter = t.Object(
  {
    ...texts,
    leech: t.Optional(t.Boolean()),
    suspended: t.Optional(t.Boolean()),
    flag: t.Optional(Type.Integer({ minimum: 0, maximum: 7 })),
  },
  { ...closed, description: 'The filters of the list of cards.' },
)

export const CardsAction = t.Object(
  {
    ids: t.Optional(
      t.Array(Id, {
        minItems: 1,
        maxItems: MAX_IDS,
        description: 'The cards. Either `ids` or `filter` must be given.',
      }),
    ),
    filter: t.Optional(CardFilter),
    action: Action,
    value: t.Optional(t.Union([t.String(), Type.Integer(), t.Null()], { error: 'must be text, an integer or null' })),
    dry_run: t.Optional(t.Boolean({ description: 'True: reports what would change, and changes nothing.' })),
  },
  {
    ...closed,
    examples: [
      { filter: { tag: 'geography', state: 'new' }, action: 'flag', value: 3, dry_run: true },
      { filter: { leech: true }, action: 'set_due', value: '2026-03-21' },
    ],
  },
)

export const CardsActionReport = t.Object(
  {
    matched: Type.Integer({ minimum: 0 }),
    changed: Type.Integer({ minimum: 0, description: 'Cards that the action changed.' }),
    dry_run: t.Boolean(),
  },
  { examples: [{ matched: 12, changed: 9, dry_run: true }] },
)

export type Action = Static<typeof Action>
export type CardFilter = Static<typeof CardFilter>
export type CardsAction = Static<typeof CardsAction>
export type CardsActionReport = Static<typeof CardsActionReport>

export const CheckAnswer = t.Object(
  { answer: t.String({ description: 'What was typed, at most 1,000 characters.' }) },
  { additionalProperties: false, examples: [{ answer: 'Lisbom' }] },
)

export const CheckedAnswer = t.Object(
  {
    correct: t.Boolean(),
    expected: t.String({ description: 'The nearest of the right answers, without Markdown.' }),
    distance: Type.Integer({ minimum: 0, description: 'Letters to insert, delete, replace or swap.' }),
    diff: t.Array(
      t.Object({ op: t.Union([t.Literal('equal'), t.Literal('insert'), t.Literal('delete')]), text: t.String() }),
      { description: 'From the answer to `expected`: `insert` was missing, `delete` was too much.' },
    ),
    suggested_rating: t.Union([t.Literal(1), t.Literal(2), t.Literal(3)], {
      description: '3 right; 2 right except for accents, or for one edit in five letters or more; else 1.',
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
