import { Type } from '@sinclair/typebox'
import { type Static, t } from 'elysia'
import { Flag, nullable } from '../../http/schema'
import { importExample } from '../examples'
import { noteFilters, Source } from '../schema'

export const ImportNotes = t.Object(
  {
    format: t.Optional(
      t.Union([t.Literal('auto'), t.Literal('markdown'), t.Literal('obsidian'), t.Literal('enex'), t.Literal('keep')], {
        description: 'What the file is; `auto`, the default, looks.',
        error: 'must be one of auto, markdown, obsidian, enex, keep',
      }),
    ),
    dry_run: t.Optional(Flag),
    folder: t.Optional(t.String({ description: 'A folder to put everything under.' })),
    on_conflict: t.Optional(
      t.Union([t.Literal('skip'), t.Literal('overwrite'), t.Literal('copy')], {
        description:
          'What to do with a note that was changed here as well as in the file: `skip` it (the default), `overwrite` it (its text stays as a revision), or import a `copy`.',
        error: 'must be one of skip, overwrite, copy',
      }),
    ),
  },
  { additionalProperties: false },
)

const count = Type.Integer({ minimum: 0 })

const ReportItem = t.Object({
  path: t.String({ description: 'Where it stands in the file; empty for the file itself.' }),
  source: nullable(Source),
  action: t.Union([
    t.Literal('created'),
    t.Literal('updated'),
    t.Literal('unchanged'),
    t.Literal('skipped'),
    t.Literal('failed'),
  ]),
  note_id: nullable(t.String({ description: 'Null where there is no note, and for one that a dry run would create.' })),
  warnings: t.Array(t.Object({ code: t.String(), detail: t.String() })),
})

export const ImportReport = t.Object(
  {
    dry_run: t.Boolean(),
    format: t.Union([t.Literal('markdown'), t.Literal('obsidian'), t.Literal('enex'), t.Literal('keep')]),
    totals: t.Object({ created: count, updated: count, unchanged: count, skipped: count, failed: count }),
    items: t.Array(ReportItem, { description: 'Every entry of the file, in its order.' }),
  },
  { examples: [importExample] },
)

export const ExportNotes = t.Object(noteFilters, { additionalProperties: false })

export type ImportNotes = Static<typeof ImportNotes>
export type ImportReport = Static<typeof ImportReport>
export type ExportNotes = Static<typeof ExportNotes>
export type ReportItem = Static<typeof ReportItem>
export type OnConflict = NonNullable<ImportNotes['on_conflict']>
