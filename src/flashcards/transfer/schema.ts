import { Type } from '@sinclair/typebox'
import { type Static, t } from 'elysia'
import { Flag, Id } from '../../http/schema'

const closed = { additionalProperties: false }

export const ImportQuery = t.Object(
  {
    format: t.Union([t.Literal('apkg'), t.Literal('csv'), t.Literal('tsv'), t.Literal('markdown'), t.Literal('json')], {
      description: 'What the file is; a .colpkg is read as apkg.',
      error: 'must be apkg, csv, tsv, markdown or json',
    }),
    deck_id: t.Optional(
      t.String({
        pattern: Id.pattern ?? '',
        description:
          'The deck that decks of the file go into, and facts without one. Without it decks go to the top, and such facts to a deck named Imported.',
        error: 'must be a UUIDv7 in lower case',
      }),
    ),
    scheduling: t.Optional(
      t.Union([t.Literal('keep'), t.Literal('drop')], {
        description: 'Whether new cards get the schedule and log of the file (`keep`, the default) or begin as new.',
        error: 'must be keep or drop',
      }),
    ),
    on_duplicate: t.Optional(
      t.Union([t.Literal('update'), t.Literal('skip'), t.Literal('create')], {
        description:
          'What to do with a fact that is here already, by its external_id, its id in our own export, or its front (or text): `update` it if the file is not older (default), `skip` it, or `create` another.',
        error: 'must be update, skip or create',
      }),
    ),
    dry_run: t.Optional(Flag),
  },
  closed,
)

const count = Type.Integer({ minimum: 0 })

export const ImportReport = t.Object(
  {
    dry_run: t.Boolean(),
    decks: Type.Integer({ minimum: 0, description: 'Decks that were made.' }),
    facts: t.Object({
      new: count,
      updated: count,
      duplicate: Type.Integer({ minimum: 0, description: 'Were here, and stay as they are.' }),
      skipped: Type.Integer({ minimum: 0, description: 'Can be no fact; a line says why.' }),
      split: Type.Integer({ minimum: 0, description: 'Notes of Anki that became several facts.' }),
    }),
    cards: Type.Integer({ minimum: 0, description: 'Cards that were made.' }),
    reviews: Type.Integer({ minimum: 0, description: 'Rows of the log that were stored.' }),
    media: t.Object({
      stored: count,
      shared: Type.Integer({ minimum: 0, description: 'Were here already.' }),
      renamed: Type.Integer({ minimum: 0, description: 'The name had other bytes; references were rewritten.' }),
      dropped: count,
    }),
    lines: t.Array(t.Object({ where: t.String(), code: t.String(), detail: t.String() }), {
      description: 'What there is to tell of parts of the file: the first 200.',
    }),
    lines_total: count,
  },
  {
    examples: [
      {
        dry_run: false,
        decks: 1,
        facts: { new: 2, updated: 0, duplicate: 1, skipped: 1, split: 0 },
        cards: 3,
        reviews: 12,
        media: { stored: 1, shared: 0, renamed: 0, dropped: 0 },
        lines: [{ where: 'line 4', code: 'required', detail: 'back is required for basic' }],
        lines_total: 1,
      },
    ],
  },
)

export const ExportQuery = t.Object(
  {
    format: t.Union([t.Literal('apkg'), t.Literal('csv'), t.Literal('json')], { error: 'must be apkg, csv or json' }),
    deck_id: t.Optional(
      t.String({
        pattern: Id.pattern ?? '',
        description: 'Only this deck with its subdecks.',
        error: 'must be a UUIDv7 in lower case',
      }),
    ),
    scheduling: t.Optional(
      t.Union([t.Literal('true'), t.Literal('false')], { description: 'With schedules and the log, unless `false`.' }),
    ),
    media: t.Optional(
      t.Union([t.Literal('true'), t.Literal('false')], { description: 'With the media, unless `false`.' }),
    ),
  },
  closed,
)

export type ImportQuery = Static<typeof ImportQuery>
export type ImportReport = Static<typeof ImportReport>
export type ExportQuery = Static<typeof ExportQuery>
export type Format = ImportQuery['format']
