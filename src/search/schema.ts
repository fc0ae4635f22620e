import { Type } from '@sinclair/typebox'
import { type Static, t } from 'elysia'

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
  description: 'Asks for all words, as they were typed.',
  error: 'must be true or false',
})

export const Prefix = t.Literal('last', {
  description: 'The last word is a beginning: for search as you type.',
  error: 'must be last',
})

/** What became of the words of a query: the members of every answer of search. */
export const understood = {
  relaxed: t.Union([t.Literal('none'), t.Literal('some'), t.Literal('any')], {
    description: 'How many of the words each find has at least: all of them, most, or one.',
  }),
  ignored: t.Array(t.String(), { description: 'Words that occur nowhere.' }),
  corrected: t.Array(t.Object({ from: t.String(), to: t.String() }), {
    description: 'Words that occur nowhere, and what was looked for in the place of each.',
  }),
  meaning: t.Boolean({
    description:
      'Whether the order is by meaning as well, which the server must be set up for: what is near may stand there without any of the words. `strict`, `prefix` and sorting go by words alone.',
  }),
  ranking_limited: t.Boolean({
    description:
      'Not everything could be looked at: the index is still being made, or very many texts hold most of a *piece*.',
  }),
}
