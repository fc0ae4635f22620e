import { type Static, t } from 'elysia'
import { Cursor, Limit } from '../../http/schema'
import { Snippet } from '../../search/schema'
import { foundExample } from '../examples'
import { NoteSummary, noteFilters } from '../schema'

const { trashed: _, archived, ...filters } = noteFilters

export const SearchNotes = t.Object(
  {
    q: t.String({
      description:
        'The query: words, "phrases", word*, *word*, -not, OR, brackets, and fields such as tag: and is:. At most 1,000 characters, 32 parts and 8 brackets within each other.',
      examples: ['zurcher -tag:done'],
    }),
    tz: t.Optional(
      t.String({ description: 'The IANA time zone that dates are read in; else UTC.', examples: ['Europe/Zurich'] }),
    ),
    sort: t.Optional(
      t.Literal('-updated', {
        description: 'All matches, newest first; else the best first.',
        error: 'must be -updated',
      }),
    ),
    limit: t.Optional(Limit),
    cursor: t.Optional(Cursor),
    archived: t.Optional(archived),
    ...filters,
  },
  { additionalProperties: false },
)

export const SearchPage = t.Object(
  {
    items: t.Array(t.Object({ note: NoteSummary, snippets: t.Array(Snippet) })),
    ranking_limited: t.Boolean({
      description: 'More notes match than the 2,000 that were ranked, those written last.',
    }),
    next_cursor: t.Union([t.String(), t.Null()], { description: 'Null on the last page.' }),
  },
  { examples: [foundExample] },
)

export type SearchNotes = Static<typeof SearchNotes>
export type SearchPage = Static<typeof SearchPage>
