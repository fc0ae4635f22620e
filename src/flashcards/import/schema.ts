import { type Static, t } from 'elysia'
import type { Workspace } from '../../db/database'
import { closed, Flag, Id } from '../../http/schema'

export const ImportQuery = t.Object(
  {
    format: t.Union([t.Literal('apkg'), t.Literal('csv'), t.Literal('tsv')], {
      description: 'The format of the file; a .colpkg is read as apkg.',
      error: 'must be apkg (also for a .colpkg), csv or tsv',
    }),
    deck_id: t.Optional(
      t.String({
        ...Id,
        description:
          'The deck that decks of the file go into, and facts without one. Without it decks go to the top, and such facts to a deck named Imported.',
      }),
    ),
    scheduling: t.Optional(
      t.Union([t.Literal('keep'), t.Literal('drop')], {
        description:
          'Whether new cards get the schedule and log of the file, and existing ones the answers that they lack (`keep`, the default); or new ones begin as new (`drop`).',
        error: 'must be keep or drop',
      }),
    ),
    on_duplicate: t.Optional(
      t.Union([t.Literal('update'), t.Literal('skip'), t.Literal('create')], {
        description:
          'What to do with a fact that is here already, by its source or its front (or text): `update` it if the file is not older, `skip` it, or `create` another. Without it one with the same source is updated; one with only the same front stays.',
        error: 'must be update, skip or create',
      }),
    ),
    dry_run: t.Optional(Flag),
  },
  closed,
)

export type ImportQuery = Static<typeof ImportQuery>
export type ImportFormat = ImportQuery['format']

/** The parameters of an import, which are stored with its run. */
export interface ImportParams extends Omit<ImportQuery, 'dry_run'> {
  readonly workspace: Workspace['kind']
  /** The position of the last card before the import. Positions in the file are added to it. */
  readonly behind: number
}
