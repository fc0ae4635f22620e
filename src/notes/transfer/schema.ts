import { type Static, t } from 'elysia'
import { Action, onConflict, Totals, Warnings } from '../../http/import-schema'
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
    on_conflict: onConflict(
      'What to do with a note that was changed here as well as in the file: `skip` it (the default), `overwrite` it (its text stays as a revision), or import a `copy`.',
    ),
  },
  { additionalProperties: false },
)

const ReportItem = t.Object({
  path: t.String({ description: 'Where it stands in the file; empty for the file itself.' }),
  source: nullable(Source),
  action: Action,
  note_id: nullable(t.String({ description: 'Null where there is no note, and for one that a dry run would create.' })),
  warnings: Warnings,
})

export const ImportReport = t.Object(
  {
    dry_run: t.Boolean(),
    format: t.Union([t.Literal('markdown'), t.Literal('obsidian'), t.Literal('enex'), t.Literal('keep')]),
    totals: Totals,
    items: t.Array(ReportItem, { description: 'Every entry of the file, in its order.' }),
  },
  { examples: [importExample] },
)

export const ExportNotes = t.Object(noteFilters, { additionalProperties: false })

export type ImportNotes = Static<typeof ImportNotes>
export type ImportReport = Static<typeof ImportReport>
export type ExportNotes = Static<typeof ExportNotes>
export type ReportItem = Static<typeof ReportItem>
export type { OnConflict } from '../../http/import-schema'
