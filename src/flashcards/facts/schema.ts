import { Type } from '@sinclair/typebox'
import { type Static, t } from 'elysia'
import { Flag, Id, Problem, pageOf } from '../../http/schema'
import { factExample } from '../examples'
import { CreateFact, Fact } from '../schema'

const closed = { additionalProperties: false }

/** Facts of one batch at most. */
export const MAX_ITEMS = 500

export const FactPage = pageOf(Fact)

const OnDuplicate = t.Union([t.Literal('create'), t.Literal('skip'), t.Literal('update'), t.Literal('error')], {
  description:
    'What to do where a fact of the same type has the same front (or text): `create` another (default), `skip` and answer that, `update` that with what was sent (it stays in its deck), or refuse with an `error`.',
  error: 'must be create, skip, update or error',
})

export const CreateFactQuery = t.Object({ on_duplicate: t.Optional(OnDuplicate) }, closed)
export const DeleteFact = t.Object({ permanent: t.Optional(Flag) }, closed)

export const BatchFacts = t.Object(
  {
    atomic: t.Optional(t.Boolean({ description: 'True: all of them or none. Else each by itself.' })),
    on_duplicate: t.Optional(OnDuplicate),
    items: t.Array(CreateFact, { minItems: 1, maxItems: MAX_ITEMS }),
  },
  {
    ...closed,
    examples: [
      {
        on_duplicate: 'skip',
        items: [{ deck_id: factExample.deck_id, type: 'basic', front: 'Capital of Spain?', back: 'Madrid' }],
      },
    ],
  },
)

export const BatchFactsOutcome = t.Object(
  {
    items: t.Array(
      t.Object({
        index: Type.Integer({ minimum: 0 }),
        status: Type.Integer({ description: '201 for a fact that was made, 200 for one that was there.' }),
        id: t.Union([Id, t.Null()], { description: 'Of the fact; null for one that was refused without an id.' }),
        duplicate_of: t.Union([Id, t.Null()], { description: 'The fact that was there before.' }),
        error: t.Union([Problem, t.Null()]),
      }),
    ),
  },
  { examples: [{ items: [{ index: 0, status: 201, id: factExample.id, duplicate_of: null, error: null }] }] },
)

export type OnDuplicate = Static<typeof OnDuplicate>
export type BatchFacts = Static<typeof BatchFacts>
export type BatchFactsOutcome = Static<typeof BatchFactsOutcome>
