import { Type } from '@sinclair/typebox'
import { type Static, t } from 'elysia'
import { Cursor, Id, Instant, Limit, nullable, pageOf } from '../http/schema'

/** Shapes that the imports of all features share. */

/** `on_conflict` of an import; the description says what is meant by each. */
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
  where: t.String({ description: 'Where it is in the file: a path, a line. Empty for the file itself.' }),
  type: t.String({ description: 'What it is, such as `note`.' }),
  action: Action,
  id: nullable(
    t.String({ description: 'Of the resource. Null where there is none, as for what a dry run would create.' }),
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
  { description: '`done`, `failed` and `cancelled` are the end; what was imported by then stays.' },
)

const ImportFailure = t.Object({ code: t.String(), detail: t.String() }, { description: 'Why it failed.' })
const IgnoredComponent = t.Object({ component: t.String(), count: number })

const members = {
  id: Id,
  kind: t.String({
    description:
      'What is imported: `notes`, `tasks`, `flashcards` or `workspace`; or what else is done: `trash`, `training`, `note_tag`, `note_folder`, `note_links`.',
  }),
  format: nullable(t.String({ description: 'Of the file; null until it is read.' })),
  dry_run: t.Boolean(),
  state: State,
  done: Type.Integer({ minimum: 0, description: 'Items that are done.' }),
  total: nullable(Type.Integer({ minimum: 0, description: 'Items of the file; null until it is read.' })),
  eta_seconds: nullable(Type.Integer({ minimum: 0, description: 'How long it takes yet, about. Null if unknown.' })),
  created_at: Instant,
  updated_at: Instant,
  result: t.Optional(
    t.Unknown({ description: 'Of work that has no file and is done: what its request is answered with.' }),
  ),
  error: nullable(ImportFailure),
  totals: ImportTotals,
  resources: t.Record(t.String(), ImportTotals, {
    description: 'The same by type, and what was made along with items.',
  }),
  warnings: Warnings,
  ignored: t.Array(IgnoredComponent, {
    description: 'What of the file the import passes over.',
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

/** The one report of every import. */
export const ImportReport = t.Object(
  {
    ...members,
    items: t.Array(ImportItem, { description: 'What became of each item, in the order of the file.' }),
    items_total: Type.Integer({
      minimum: 0,
      description: 'How many items have a line; of very many, the first are kept.',
    }),
    next_cursor: nullable(t.String({ description: 'For the items that follow; null where none do.' })),
  },
  { examples: [{ ...summary, items: [made, known], next_cursor: null }] },
)

export type ImportReport = Static<typeof ImportReport>

/** Of what may change more than one transaction does. */
export const IN_STEPS =
  'Where much changes, it does so in steps, with others in between; for what takes more than 20 seconds ask `GET /api/imports/{id}`; it goes on after a crash.'

const ImportSummary = t.Object({ ...members, items_total: number }, { examples: [summary] })
export type ImportSummary = Static<typeof ImportSummary>
export const ImportPage = pageOf(ImportSummary)

export const ListImports = t.Object({ limit: t.Optional(Limit), cursor: t.Optional(Cursor) })
export const ShowImport = t.Object({ ...ListImports.properties, action: t.Optional(Action) })
export type ShowImport = Static<typeof ShowImport>
export const ImportId = t.Object({ id: Id })

/** The schemas that the API document has by name. */
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
