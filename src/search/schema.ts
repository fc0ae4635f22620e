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
