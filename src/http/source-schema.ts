import { type Static, Type as t } from '@sinclair/typebox'
import { nullable } from './schema'
import { MAX_SOURCE_CHARS } from './values'

/** The schemas of where a resource came from. */

const System = t.String({
  description: `The program or file that it came from, at most ${MAX_SOURCE_CHARS.system} characters.`,
})
const SourceId = t.String({ description: `Its id there, at most ${MAX_SOURCE_CHARS.id} characters.` })
const SourceUrl = t.String({ description: `An http or https address of at most ${MAX_SOURCE_CHARS.url} characters.` })
const closed = { additionalProperties: false }

export const Source = t.Object(
  { system: nullable(System), id: nullable(SourceId), url: nullable(SourceUrl) },
  {
    ...closed,
    description:
      'Where the resource came from. `system` and `id` come together, and are unique among resources of the kind.',
  },
)
export const SourceInput = t.Object(
  { system: t.Optional(nullable(System)), id: t.Optional(nullable(SourceId)), url: t.Optional(nullable(SourceUrl)) },
  { ...closed, description: 'Where the resource came from: `system` with `id`, `url`, or both.' },
)
export type Source = Static<typeof Source>
export type SourceInput = Static<typeof SourceInput>
