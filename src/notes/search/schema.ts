import { type Static, t } from 'elysia'
import { asInteger, Cursor, Limit } from '../../http/schema'
import { Prefix, Snippet, Strict, understood } from '../../search/schema'
import { createSortSchema, NoteSummary, noteFilters, relatedExample, searchExample } from '../schema'

const { trashed: _, archived, ...filters } = noteFilters

export const SearchNotes = t.Object(
  {
    q: t.String({
      description:
        'Words as people type them: notes with all words come first, then notes with most or some of them. Exact: "phrases", word*, *word*, -not, OR, brackets, fields such as tag: and is:, and properties: status:done (the whole value, also in quotes), status:do*, rating>=4, has:rating.',
      examples: ['zurcher -tag:done'],
    }),
    time_zone: t.Optional(
      t.String({
        description: 'The IANA time zone of dates in the query. Default: that of the workspace, else UTC.',
        examples: ['Europe/Zurich'],
      }),
    ),
    sort: t.Optional(
      createSortSchema(
        ['-updated'],
        'Lists all matches in this order; `-updated` is newest first. Default: best matches first.',
      ),
    ),
    strict: t.Optional(Strict),
    prefix: t.Optional(Prefix),
    limit: t.Optional(Limit),
    cursor: t.Optional(Cursor),
    archived: t.Optional(archived),
    ...filters,
  },
  { additionalProperties: false },
)

export const NoteSearchPage = t.Object(
  {
    items: t.Array(t.Object({ note: NoteSummary, snippets: t.Array(Snippet) })),
    ...understood,
    next_cursor: t.Union([t.String(), t.Null()], { description: 'Null on the last page.' }),
  },
  { examples: [searchExample] },
)

export const ListRelatedQuery = t.Object(
  {
    limit: t.Optional(
      t.String({
        pattern: '^([1-9]|[1-4][0-9]|50)$',
        ...asInteger({ minimum: 1, maximum: 50, default: 10 }),
        description: 'The maximum number of notes: 1 to 50. Default: 10.',
        error: 'must be a whole number from 1 to 50',
      }),
    ),
  },
  { additionalProperties: false },
)

export const RelatedNotes = t.Object(
  {
    items: t.Array(NoteSummary),
    by: t.Union([t.Literal('meaning'), t.Literal('words')], {
      description:
        'How the notes were found: by `meaning`, or by the `words` that are typical of this note if the server has no model for embeddings or has not processed this note yet.',
    }),
  },
  { examples: [relatedExample] },
)

export type ListRelatedQuery = Static<typeof ListRelatedQuery>
export type RelatedNotes = Static<typeof RelatedNotes>
export type SearchNotes = Static<typeof SearchNotes>
export type NoteSearchPage = Static<typeof NoteSearchPage>
