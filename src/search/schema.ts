import { Type } from '@sinclair/typebox'
import { type Static, t } from 'elysia'
import { AS_DAY, AS_FLAG, asCommaList, Cursor, Flag, Id, Instant, Limit, nullable, Revision } from '../http/schema'

export const Snippet = t.Object({
  field: t.Union([t.Literal('title'), t.Literal('tags'), t.Literal('body')]),
  text: t.String({
    description: 'A piece of the field, at most 240 characters, as stored, but with spaces for line ends and tabs.',
  }),
  ranges: t.Array(t.Tuple([Type.Integer({ minimum: 0 }), Type.Integer({ minimum: 0 })]), {
    description: 'The matches: half-open ranges in code points of `text`.',
  }),
})

export type Snippet = Static<typeof Snippet>

export const Strict = t.Union(Flag.anyOf, {
  ...AS_FLAG,
  description: 'Requires all words, as they were typed.',
  error: 'must be true or false',
})

export const Prefix = t.Literal('last', {
  description: 'Treats the last word as a beginning, for search as you type.',
  error: 'must be last',
})

const SearchCorrection = t.Object({ from: t.String(), to: t.String() })

/** The members of every search answer that say how the query was understood. */
export const understood = {
  relaxed: t.Union([t.Literal('none'), t.Literal('some'), t.Literal('any')], {
    description:
      'How many of the words the best results have: all of them (`none` relaxed), most (`some`), or at least one (`any`). Results with fewer words come after them; see `words` of each.',
  }),
  ignored: t.Array(t.String(), { description: 'Words that occur nowhere.' }),
  corrected: t.Array(SearchCorrection, {
    description: 'Words that occur nowhere, each with the word that was searched instead.',
  }),
  meaning: t.Boolean({
    description:
      'Whether the order is by meaning as well, if the server is set up for it: then results may have none of the words. With `strict`, `prefix` or sorting, words alone count.',
  }),
  ranking_limited: t.Boolean({
    description:
      'Whether the results may be incomplete: indexing is not finished, or too many texts would have to be read for a *piece*.',
  }),
}

export const SearchQuery = t.Object(
  {
    q: t.String({
      description:
        'Words as people type them: results with all of them come first, then those with most, or some. Exact: "phrases", word*, *word*, -not, OR, brackets, and fields such as title: and tag:. The fields folder:, is: and has: match only notes.',
      examples: ['zurcher -tag:done'],
    }),
    types: t.Optional(
      t.String({
        ...asCommaList({ type: 'string', enum: ['note', 'task', 'fact'] }, { maxItems: 3, uniqueItems: true }),
        description: 'Types to search, separated by commas. Default: all.',
        examples: [['task', 'fact']],
      }),
    ),
    time_zone: t.Optional(
      t.String({
        description: 'The IANA time zone of dates in the query. Default: that of the workspace, else UTC.',
        examples: ['Europe/Zurich'],
      }),
    ),
    strict: t.Optional(Strict),
    prefix: t.Optional(Prefix),
    limit: t.Optional(Limit),
    cursor: t.Optional(Cursor),
  },
  { additionalProperties: false },
)

const found = {
  id: Id,
  title: t.String({ description: 'For a fact, its question: the front or the text, at most 240 characters.' }),
  url: t.String({ description: 'The path of the whole resource.' }),
  revision: Revision,
  updated_at: Instant,
  tags: t.Array(t.String(), { description: 'For a task, its labels; for a note, without those in its text.' }),
  words: Type.Integer({
    minimum: 0,
    description: 'How many different words of the query it has; 0 if it was found by an operator or by meaning.',
  }),
  snippets: t.Array(Snippet, {
    description: 'For a task, `tags` are its labels and `body` its notes; for a fact, `body` is all but its question.',
  }),
}

/** The members that only results of one type have. */
const shown = {
  note: { folder: nullable(t.String()), excerpt: t.String({ description: 'The beginning of the text.' }) },
  task: {
    status: t.Union([t.Literal('open'), t.Literal('in_progress'), t.Literal('done'), t.Literal('cancelled')]),
    due: nullable(
      t.Object({
        date: t.String({ ...AS_DAY }),
        time: nullable(t.String({ description: 'The time of day, HH:MM; null for a whole day.' })),
        time_zone: nullable(
          t.String({ description: 'The IANA zone of the time; null where the reader is, or for a whole day.' }),
        ),
      }),
    ),
  },
  fact: {
    deck: t.Object({ id: Id, name: t.String() }),
    cards: t.Array(
      t.Object({
        id: Id,
        state: t.Union([t.Literal('new'), t.Literal('learning'), t.Literal('review'), t.Literal('relearning')]),
      }),
      { description: 'The cards of the fact, in their order.' },
    ),
  },
}

const FoundNote = t.Object({ type: t.Literal('note'), ...found, ...shown.note })
const FoundTask = t.Object({ type: t.Literal('task'), ...found, ...shown.task })
const FoundFact = t.Object({ type: t.Literal('fact'), ...found, ...shown.fact })
const SearchResult = t.Union([FoundNote, FoundTask, FoundFact])

const example = {
  type: 'task',
  id: '01980000-0000-7000-8000-000000000000',
  title: 'Buy tickets to Lisbon',
  url: '/api/tasks/01980000-0000-7000-8000-000000000000',
  revision: 2,
  updated_at: '2026-03-01T09:30:00.000Z',
  tags: ['travel'],
  words: 1,
  snippets: [{ field: 'title', text: 'Buy tickets to Lisbon', ranges: [[15, 21]] }],
  status: 'open',
  due: { date: '2026-03-05', time: '09:00', time_zone: 'Europe/Lisbon' },
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

/** The schemas that have a name in the API document. */
export const searchSchemas = { Snippet, SearchCorrection, FoundNote, FoundTask, FoundFact, SearchPage }

export type SearchQuery = Static<typeof SearchQuery>
export type SearchPage = Static<typeof SearchPage>
export type SearchResult = SearchPage['items'][number]

/** The members of a result that depend on its type. */
export type Shown = {
  readonly [Of in SearchResult['type']]: Omit<Extract<SearchResult, { type: Of }>, 'type' | keyof typeof found>
}
