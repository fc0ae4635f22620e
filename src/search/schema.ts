import { Type } from '@sinclair/typebox'
import { type Static, t } from 'elysia'
import { Cursor, Id, Instant, Limit, Revision } from '../http/schema'

export const Snippet = t.Object({
  field: t.Union([t.Literal('title'), t.Literal('tags'), t.Literal('body')]),
  text: t.String({
    description: 'A piece of the field, at most 240 characters, as stored but for line ends, which are blanks.',
  }),
  ranges: t.Array(t.Tuple([Type.Integer({ minimum: 0 }), Type.Integer({ minimum: 0 })]), {
    description: 'What was found: half-open ranges in code points of `text`.',
  }),
})

export type Snippet = Static<typeof Snippet>

export const Strict = t.Union([t.Literal('true'), t.Literal('false')], {
  description: 'Requires all words, as they were typed.',
  error: 'must be true or false',
})

export const Prefix = t.Literal('last', {
  description: 'The last word is a beginning: for search as you type.',
  error: 'must be last',
})

const SearchCorrection = t.Object({ from: t.String(), to: t.String() })

/** What became of the words of a query: the members of every answer of search. */
export const understood = {
  relaxed: t.Union([t.Literal('none'), t.Literal('some'), t.Literal('any')], {
    description: 'How many of the words each result has at least: all of them, most, or one.',
  }),
  ignored: t.Array(t.String(), { description: 'Words that occur nowhere.' }),
  corrected: t.Array(SearchCorrection, {
    description: 'Words that occur nowhere, and what was searched for instead of each.',
  }),
  meaning: t.Boolean({
    description:
      'Whether the order is by meaning as well, which the server must be set up for: what is near may be among the results without any of the words. `strict`, `prefix` and sorting go by words alone.',
  }),
  ranking_limited: t.Boolean({
    description:
      'Not everything could be looked at: the index is still being made, or very many texts hold most of a *piece*.',
  }),
}

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
    time_zone: t.Optional(
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

/** The schemas that the API document has by name. */
export const searchSchemas = { Snippet, SearchCorrection, SearchResult, SearchPage }

export type SearchQuery = Static<typeof SearchQuery>
export type SearchPage = Static<typeof SearchPage>
