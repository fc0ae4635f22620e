import { Type } from '@sinclair/typebox'
import { type Static, t } from 'elysia'
import {
  closed,
  Flag,
  Id,
  Instant,
  NoteIds,
  nullable,
  Problem,
  pageOf,
  Source,
  SourceInput,
  STAMPS,
} from '../../http/schema'

export const factExample = {
  id: '01980000-0000-7000-8000-0000000000f0',
  revision: 2,
  created_at: '2026-03-01T08:15:00.000Z',
  updated_at: '2026-03-02T09:30:00.000Z',
  deleted_at: null,
  deck_id: '01980000-0000-7000-8000-0000000000e0',
  type: 'basic' as const,
  front: 'What is the capital of **Portugal**?',
  back: 'Lisbon',
  text: null,
  extra: 'On the Tagus.',
  hint: null,
  note_type_id: null,
  fields: null,
  accepted: [],
  tags: ['geography::europe'],
  note_ids: ['01980000-0000-7000-8000-000000000000'],
  source: { system: 'anki', id: 'o{xyZ|q1;', url: 'https://example.org/portugal' },
  external_modified_at: null,
}

const GIVEN_TYPES = [t.Literal('basic'), t.Literal('reversed'), t.Literal('typed'), t.Literal('cloze')] as const
const GIVEN_TYPES_DESCRIPTION =
  'basic: one card. reversed: ordinal 0 asks for the back, 1 for the front. typed: the answer is typed in. cloze: a card per number in `text`.'

export const GivenFactType = t.Union([...GIVEN_TYPES], { description: GIVEN_TYPES_DESCRIPTION })
export const FactType = t.Union([...GIVEN_TYPES, t.Literal('custom')], {
  description: `${GIVEN_TYPES_DESCRIPTION} custom: imported; \`fields\` and the templates of its note type make the cards.`,
})
const Side = t.String({ description: 'Markdown, 1 to 20,000 characters.' })
const Text = t.String({
  description: 'Markdown with clozes, at most 20,000 characters.',
  examples: ['{{c1::Lisbon::city}} lies on the {{c2::Tagus}}.'],
})
const Extra = t.String({ description: 'Markdown shown with the answer, at most 20,000 characters.' })
const Hint = t.String({ description: 'At most 1,000 characters.' })
const Accepted = t.Array(t.String(), {
  maxItems: 20,
  description: 'Further right answers of a typed fact, 1 to 500 characters each.',
})
const Fields = t.Record(t.String(), t.String(), {
  description: 'The HTML of an imported note, by the name of the field; at most 256 KiB in all.',
})
const Tags = t.Array(t.String(), {
  maxItems: 50,
  description: '1 to 100 characters each, no white space; `::` nests; case makes no difference. Answered sorted.',
})

export const Fact = t.Object(
  {
    ...STAMPS,
    deleted_at: nullable(Instant),
    deck_id: Id,
    type: FactType,
    front: t.Union([Side, t.Null()], { description: 'Null for cloze and custom.' }),
    back: t.Union([Side, t.Null()], { description: 'Null for cloze and custom.' }),
    text: t.Union([Text, t.Null()], { description: 'Null for all but cloze.' }),
    extra: nullable(Extra),
    hint: nullable(Hint),
    note_type_id: t.Union([Id, t.Null()], { description: 'The note type of a note that was imported from Anki.' }),
    fields: nullable(Fields),
    accepted: Accepted,
    tags: Tags,
    note_ids: NoteIds,
    source: nullable(Source),
    external_modified_at: t.Union([Instant, t.Null()], { description: 'Decides what is newer on import.' }),
  },
  { examples: [factExample] },
)

const sides = {
  front: t.Optional(nullable(Side)),
  back: t.Optional(nullable(Side)),
  text: t.Optional(nullable(Text)),
}
const writable = {
  extra: t.Optional(nullable(Extra)),
  hint: t.Optional(nullable(Hint)),
  accepted: t.Optional(nullable(Accepted)),
  tags: t.Optional(nullable(Tags)),
  note_ids: t.Optional(nullable(NoteIds)),
  source: t.Optional(nullable(SourceInput)),
  external_modified_at: t.Optional(nullable(Instant)),
}

/** The members of a fact without its deck: drafts return them and imports read them. */
export const FactContent = t.Object({ type: GivenFactType, ...sides, ...writable }, closed)

export const CreateFact = t.Object(
  { id: t.Optional(Id), deck_id: Id, type: GivenFactType, ...sides, ...writable },
  {
    ...closed,
    examples: [
      {
        deck_id: factExample.deck_id,
        type: 'basic',
        front: factExample.front,
        back: 'Lisbon',
        tags: factExample.tags,
      },
    ],
  },
)

export const UpdateFact = t.Object(
  {
    deck_id: t.Optional(Id),
    type: t.Optional(GivenFactType),
    ...sides,
    fields: t.Optional(t.Union([t.Record(t.String(), nullable(t.String())), t.Null()])),
    ...writable,
  },
  {
    ...closed,
    description:
      'A JSON merge patch (RFC 7396): absent members stay, null clears. `type` may change but to and from cloze. Of a fact with a note type, `front`, `back`, `text` and `extra` change their field, and `fields` changes them; `fields: null` removes the note type, unless the fact is custom.',
    examples: [{ back: 'Lisbon (Lisboa)', type: 'reversed' }],
  },
)

export type FactType = Static<typeof FactType>
export type GivenFactType = Static<typeof GivenFactType>
export type Fact = Static<typeof Fact>
export type FactContent = Static<typeof FactContent>
export type CreateFact = Static<typeof CreateFact>
export type UpdateFact = Static<typeof UpdateFact>

const MAX_ITEMS = 500

export const FactPage = pageOf(Fact)

export const OnDuplicate = t.Union([t.Literal('create'), t.Literal('skip'), t.Literal('update'), t.Literal('error')], {
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
