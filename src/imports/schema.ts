import { Type } from '@sinclair/typebox'
import { type Static, t } from 'elysia'
import { Cursor, Id, Instant, Limit, nullable, pageOf } from '../http/schema'

/** The schemas that the imports of all features share. */

/** Makes the schema of `on_conflict`. @param description what each of the three values does */
export const onConflict = (description: string) =>
  t.Optional(
    t.Union([t.Literal('skip'), t.Literal('overwrite'), t.Literal('copy')], {
      description,
      error: 'must be one of skip, overwrite, copy',
    }),
  )
export type OnConflict = 'skip' | 'overwrite' | 'copy'

const number = Type.Integer({ minimum: 0 })
const ImportTotals = t.Object({ created: number, updated: number, unchanged: number, skipped: number, failed: number })
const Warning = t.Object({ code: t.String(), detail: t.String() })
const Warnings = t.Array(Warning)

const Action = t.Union(
  [t.Literal('created'), t.Literal('updated'), t.Literal('unchanged'), t.Literal('skipped'), t.Literal('failed')],
  { error: 'must be one of created, updated, unchanged, skipped, failed' },
)

const ImportSource = t.Object({ system: t.String(), id: t.String() })

const ImportItem = t.Object({
  where: t.String({ description: 'Its place in the file: a path, a line. Empty for the file itself.' }),
  type: t.String({ description: 'Its type, such as `note`.' }),
  action: Action,
  id: nullable(
    t.String({
      description: 'The id of the resource. Null if there is none, as for a resource that a dry run would create.',
    }),
  ),
  source: nullable(ImportSource),
  warnings: Warnings,
})

const State = t.Union(
  [
    t.Literal('waiting'),
    t.Literal('reading'),
    t.Literal('running'),
    t.Literal('done'),
    t.Literal('failed'),
    t.Literal('cancelled'),
  ],
  { description: '`done`, `failed` and `cancelled` are final; items that were imported before stay.' },
)

const ImportFailure = t.Object({ code: t.String(), detail: t.String() }, { description: 'Why it failed.' })
const IgnoredComponent = t.Object({ component: t.String(), count: number })

const members = {
  id: Id,
  kind: t.String({
    description:
      'The kind of import: `notes`, `tasks`, `flashcards` or `workspace`; or of other long work: `trash`, `training`, `note_tag`, `note_folder`, `note_links`, `attachment_links`.',
  }),
  format: nullable(t.String({ description: 'The format of the file; null until it is read.' })),
  dry_run: t.Boolean(),
  state: State,
  done: Type.Integer({ minimum: 0, description: 'Items done so far.' }),
  total: nullable(Type.Integer({ minimum: 0, description: 'Items in the file; null until it is read.' })),
  eta_seconds: nullable(Type.Integer({ minimum: 0, description: 'Estimated remaining time. Null if unknown.' })),
  created_at: Instant,
  updated_at: Instant,
  result: t.Optional(
    t.Unknown({
      description: 'The result of work without a file, once it is done: the body of the response to its request.',
    }),
  ),
  error: nullable(ImportFailure),
  totals: ImportTotals,
  resources: t.Record(t.String(), ImportTotals, {
    description: 'The same by type, including resources that were written in addition to the items.',
  }),
  warnings: Warnings,
  ignored: t.Array(IgnoredComponent, {
    description: 'Components of the file that are not imported.',
  }),
}

const summary = {
  id: '01980000-0000-7000-8000-000000000000',
  kind: 'notes',
  format: 'obsidian',
  dry_run: false,
  state: 'done',
  done: 2,
  total: 2,
  eta_seconds: null,
  created_at: '2026-03-01T08:15:00.000Z',
  updated_at: '2026-03-01T08:15:01.000Z',
  error: null,
  totals: { created: 1, updated: 0, unchanged: 1, skipped: 0, failed: 0 },
  resources: { note: { created: 1, updated: 0, unchanged: 1, skipped: 0, failed: 0 } },
  warnings: [],
  ignored: [],
  items_total: 2,
} as const

const made = {
  where: 'Garden/Beans.md',
  type: 'note',
  action: 'created',
  id: '01980000-0000-7000-8000-000000000001',
  source: null,
  warnings: [],
}
const known = { ...made, where: 'Garden/Peas.md', action: 'unchanged', id: '01980000-0000-7000-8000-000000000002' }

export const ImportReport = t.Object(
  {
    ...members,
    items: t.Array(ImportItem, { description: 'The result of each item, in the order of the file.' }),
    items_total: Type.Integer({
      minimum: 0,
      description: 'How many items the report counts; of very many, only the first are listed.',
    }),
    next_cursor: nullable(t.String({ description: 'The cursor of the next page of items; null on the last page.' })),
  },
  { examples: [{ ...summary, items: [made, known], next_cursor: null }] },
)

export type ImportReport = Static<typeof ImportReport>

/** The description of operations that may change more than one transaction does. */
export const IN_STEPS =
  'A large change is made in steps, and other requests are served in between. If it takes more than 20 seconds, follow it with `GET /api/imports/{id}`. It continues after a crash.'

const ImportSummary = t.Object({ ...members, items_total: number }, { examples: [summary] })
export type ImportSummary = Static<typeof ImportSummary>
export const ImportPage = pageOf(ImportSummary)

export const ListImports = t.Object({ limit: t.Optional(Limit), cursor: t.Optional(Cursor) })
export const ShowImport = t.Object({ ...ListImports.properties, action: t.Optional(Action) })
export type ShowImport = Static<typeof ShowImport>
export const ImportId = t.Object({ id: Id })

export const importSchemas = {
  IgnoredComponent,
  ImportFailure,
  ImportItem,
  ImportPage,
  ImportReport,
  ImportSource,
  ImportSummary,
  ImportTotals,
  ImportWarning: Warning,
}
