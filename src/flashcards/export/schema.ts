import { type Static, t } from 'elysia'
import { AS_FLAG, Flag, Id } from '../../http/schema'

const closed = { additionalProperties: false }

export const ExportQuery = t.Object(
  {
    format: t.Union([t.Literal('apkg'), t.Literal('colpkg'), t.Literal('csv')], {
      description:
        'apkg: what Anki adds to a collection, and updates in it; its cards that exist keep their schedule. colpkg: a whole collection, which **replaces** the one that it is imported into, so it takes neither `deck_id` nor `scheduling=false`.',
      error: 'must be apkg, colpkg or csv',
    }),
    deck_id: t.Optional(
      t.String({
        ...Id,
        description: 'Exports only this deck and its subdecks.',
        error: 'must be a UUIDv7 in lower case',
      }),
    ),
    scheduling: t.Optional(
      t.Union(Flag.anyOf, {
        ...AS_FLAG,
        description: 'Includes schedules and the log, unless `false`.',
      }),
    ),
    media: t.Optional(
      t.Union(Flag.anyOf, {
        ...AS_FLAG,
        description: 'Includes media, unless `false`.',
      }),
    ),
  },
  closed,
)

export type ExportQuery = Static<typeof ExportQuery>
