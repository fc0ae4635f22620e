import { Type } from '@sinclair/typebox'
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

const count = Type.Integer({ minimum: 0 })
const Counts = t.Object({ created: count, updated: count, unchanged: count, refused: count })

const none = { created: 0, updated: 0, unchanged: 0, refused: 0 }
const example = {
  dry_run: false,
  resources: { note: { ...none, created: 12, unchanged: 3, refused: 1 }, note_revision: { ...none, created: 40 } },
  lines: [{ where: 'data/note.jsonl:7', code: 'too_long', detail: 'title must be at most 500 characters' }],
  lines_total: 1,
}

export const ArchiveReport = t.Object(
  {
    dry_run: t.Boolean(),
    resources: t.Record(t.String(), Counts, { description: 'What became of the resources of each type.' }),
    lines: t.Array(
      t.Object({
        where: t.String({
          description: 'The file and the line, from 1; of a scratch space, as an export would have them.',
        }),
        code: t.String(),
        detail: t.String(),
      }),
      { description: 'What was refused or could not be joined, and why: the first 200.' },
    ),
    lines_total: count,
  },
  { examples: [example] },
)

export type ExportWorkspace = Static<typeof ExportWorkspace>
export type ImportWorkspace = Static<typeof ImportWorkspace>
export type ArchiveReport = Static<typeof ArchiveReport>
