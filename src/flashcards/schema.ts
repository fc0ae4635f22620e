import { type Static, t } from 'elysia'
import { Id, Instant, nullable, Revision } from '../http/schema'
import { factExample } from './examples'

const closed = { additionalProperties: false }

export const FactType = t.Union([t.Literal('basic'), t.Literal('reversed'), t.Literal('typed'), t.Literal('cloze')], {
  description:
    'basic: one card. reversed: ordinal 0 asks for the back, 1 for the front. typed: the answer is typed in. cloze: a card per number in `text`.',
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
const Tags = t.Array(t.String(), {
  maxItems: 50,
  description: '1 to 100 characters each, no white space; `::` nests; case makes no difference. Answered sorted.',
})
const SourceUrl = t.String({ description: 'An http or https address of at most 2,000 characters.' })
const ExternalId = t.String({ description: '1 to 255 characters, unique in the workspace.' })

export const Fact = t.Object(
  {
    id: Id,
    revision: Revision,
    created_at: Instant,
    updated_at: Instant,
    trashed_at: nullable(Instant),
    deck_id: Id,
    type: FactType,
    front: t.Union([Side, t.Null()], { description: 'Null for cloze only.' }),
    back: t.Union([Side, t.Null()], { description: 'Null for cloze only.' }),
    text: t.Union([Text, t.Null()], { description: 'Null for all but cloze.' }),
    extra: nullable(Extra),
    hint: nullable(Hint),
    accepted: Accepted,
    tags: Tags,
    source_note_id: nullable(Id),
    source_url: nullable(SourceUrl),
    external_id: nullable(ExternalId),
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
  source_note_id: t.Optional(nullable(Id)),
  source_url: t.Optional(nullable(SourceUrl)),
  external_id: t.Optional(nullable(ExternalId)),
  external_modified_at: t.Optional(nullable(Instant)),
}

/** What of a fact does not depend on its place: what drafts give and imports read. */
export const FactContent = t.Object({ type: FactType, ...sides, ...writable }, closed)

export const CreateFact = t.Object(
  { id: t.Optional(Id), deck_id: Id, type: FactType, ...sides, ...writable },
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
  { deck_id: t.Optional(Id), type: t.Optional(FactType), ...sides, ...writable },
  {
    ...closed,
    description:
      'A JSON merge patch (RFC 7396): absent members stay, null clears. `type` may change but to and from cloze.',
    examples: [{ back: 'Lisbon (Lisboa)', type: 'reversed' }],
  },
)

export type FactType = Static<typeof FactType>
export type Fact = Static<typeof Fact>
export type FactContent = Static<typeof FactContent>
export type CreateFact = Static<typeof CreateFact>
export type UpdateFact = Static<typeof UpdateFact>
