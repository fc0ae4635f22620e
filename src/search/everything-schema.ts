import { type Static, t } from 'elysia'
import { Cursor, Id, Instant, Limit, Revision } from '../http/schema'
import { Prefix, Snippet, Strict, understood } from './schema'

export const SearchQuery = t.Object(
  {
    q: t.String({
      description:
        'Words as people type them: what has all of them comes first, then what has most, or some. Exact: "phrases", word*, *word*, -not, OR, brackets, and fields such as title: and tag:. The fields folder:, is: and has: match notes alone.',
      examples: ['zurcher -tag:done'],
    }),
    types: t.Optional(
      t.String({
        description: 'What to look for: note, task, fact, with commas between; else all.',
        examples: ['task,fact'],
      }),
    ),
    tz: t.Optional(
      t.String({ description: 'The IANA time zone that dates are read in; else UTC.', examples: ['Europe/Zurich'] }),
    ),
    strict: t.Optional(Strict),
    prefix: t.Optional(Prefix),
    limit: t.Optional(Limit),
    cursor: t.Optional(Cursor),
  },
  { additionalProperties: false },
)

const type = t.Union([t.Literal('note'), t.Literal('task'), t.Literal('fact')])

const SearchResult = t.Object({
  type,
  id: Id,
  title: t.String({ description: 'Of a fact, what asks: its front or its text, at most 240 characters.' }),
  url: t.String({ description: 'Where the whole of it is.' }),
  revision: Revision,
  updated_at: Instant,
  snippets: t.Array(Snippet, {
    description: 'Labels of a task are its `tags`, its notes the `body`; the `body` of a fact is all but what asks.',
  }),
})

const example = {
  type: 'task',
  id: '01980000-0000-7000-8000-000000000000',
  title: 'Buy tickets to Lisbon',
  url: '/api/tasks/01980000-0000-7000-8000-000000000000',
  revision: 2,
  updated_at: '2026-03-01T09:30:00.000Z',
  snippets: [{ field: 'title', text: 'Buy tickets to Lisbon', ranges: [[15, 21]] }],
}

export const SearchPage = t.Object(
  {
    items: t.Array(SearchResult),
    ...understood,
    next_cursor: t.Union([t.String(), t.Null()], { description: 'Null on the last page.' }),
  },
  {
    examples: [
      {
        items: [example],
        relaxed: 'none',
        ignored: [],
        corrected: [],
        meaning: false,
        ranking_limited: false,
        next_cursor: null,
      },
    ],
  },
)

export type SearchQuery = Static<typeof SearchQuery>
export type SearchPage = Static<typeof SearchPage>
