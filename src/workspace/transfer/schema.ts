import { type Static, t } from 'elysia'
import { Flag } from '../../http/schema'

export const ExportWorkspace = t.Object(
  {
    readable: t.Optional(
      t.Union([t.Literal('true'), t.Literal('false')], {
        description:
          '`false` leaves out the files for people, which an import passes over anyway but counts to what it takes.',
      }),
    ),
  },
  { additionalProperties: false },
)

export const ImportWorkspace = t.Object({ dry_run: t.Optional(Flag) }, { additionalProperties: false })

export type ExportWorkspace = Static<typeof ExportWorkspace>
export type ImportWorkspace = Static<typeof ImportWorkspace>
