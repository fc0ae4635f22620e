import { type Static, t } from 'elysia'
import { AS_FLAG, Flag, Id } from '../../http/schema'
import { CardLine, DeckLine, FactLine, MediaLine, NoteTypeLine, ReviewLine, SettingsLine } from '../archive/lines'
import { EXPORT_FORMAT, EXPORT_VERSION } from '../formats/json'

const closed = { additionalProperties: false }

export const ExportQuery = t.Object(
  {
    format: t.Union([t.Literal('apkg'), t.Literal('colpkg'), t.Literal('csv'), t.Literal('json')], {
      description:
        'apkg: what Anki adds to a collection, and updates in it; its cards that exist keep their schedule. colpkg: a whole collection, which **replaces** the one that it is imported into, so it takes neither `deck_id` nor `scheduling=false`.',
      error: 'must be apkg, colpkg, csv or json',
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

/** Our own JSON export, for the documentation only: the merge validates each of its resources. */
export const ExportedFile = t.Object(
  {
    format: t.Literal(EXPORT_FORMAT),
    version: t.Literal(EXPORT_VERSION),
    resources: t.Array(
      t.Union([
        t.Object({ study_settings: SettingsLine }),
        t.Object({ deck: DeckLine }),
        t.Object({ note_type: NoteTypeLine }),
        t.Object({ fact: FactLine }),
        t.Object({ card: CardLine }),
        t.Object({ review: ReviewLine }),
        t.Object({ media: MediaLine }),
      ]),
      { description: 'The resources, each under its type, as in the archive of the workspace.' },
    ),
  },
  { examples: [{ format: EXPORT_FORMAT, version: EXPORT_VERSION, resources: [] }] },
)

export type ExportQuery = Static<typeof ExportQuery>
