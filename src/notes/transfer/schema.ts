import { type Static, t } from 'elysia'
import { Flag } from '../../http/schema'
import { onConflict } from '../../imports/schema'
import { noteFilters } from '../schema'

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

export const ExportNotes = t.Object(noteFilters, { additionalProperties: false })

export type ImportNotes = Static<typeof ImportNotes>
export type ExportNotes = Static<typeof ExportNotes>
