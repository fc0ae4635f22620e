import { type Static, t } from 'elysia'
import { Cursor, Limit } from '../../http/schema'
import { Prefix, Snippet, Strict, understood } from '../../search/schema'
import { foundExample } from '../examples'
import { NoteSummary, noteFilters, sortBy } from '../schema'

const { trashed: _, archived, ...filters } = noteFilters

export const SearchNotes = t.Object(
  {
    q: t.String({
      description:
        'Words as people type them: those with all of them come first, then those with most, or some. Exact: "phrases", word*, *word*, -not, OR, brackets, fields such as tag: and is:, and properties: status:done (all of the value, also in quotes), status:do*, rating>=4, has:rating.',
      examples: ['zurcher -tag:done'],
    }),
    tz: t.Optional(
      t.String({ description: 'The IANA time zone that dates are read in; else UTC.', examples: ['Europe/Zurich'] }),
    ),
    sort: t.Optional(sortBy(['-updated'], 'All matches, with `-updated` newest first; else the best first.')),
    strict: t.Optional(Strict),
    prefix: t.Optional(Prefix),
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
    ...understood,
    next_cursor: t.Union([t.String(), t.Null()], { description: 'Null on the last page.' }),
  },
  { examples: [foundExample] },
)

export type SearchNotes = Static<typeof SearchNotes>
export type SearchPage = Static<typeof SearchPage>
