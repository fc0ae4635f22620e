import { Type } from '@sinclair/typebox'
import { type Static, t } from 'elysia'
import { Action, onConflict, Totals, Warnings } from '../../http/import-schema'
import { Flag, Id, nullable } from '../../http/schema'
import { taskExample } from '../examples'
import { asOf, filters, Source, Task } from '../schema'

const closed = { additionalProperties: false }

export const ImportTasks = t.Object(
  {
    dry_run: t.Optional(Flag),
    project_id: t.Optional(Id),
    on_conflict: onConflict(
      'What to do with a task that was changed here as well as in the file: `skip` it (the default), `overwrite` it, or import a `copy`.',
    ),
  },
  closed,
)

const ReportItem = t.Object({
  line: Type.Integer({ minimum: 0, description: 'The line of the file on which it begins; 0 for the file itself.' }),
  source: nullable(Source),
  action: Action,
  task_id: nullable(t.String({ description: 'Null where there is no task, and for one that a dry run would create.' })),
  warnings: Warnings,
})

const source = { system: 'ical', id: 'pay-rent@example.org' }

export const ImportReport = t.Object(
  {
    dry_run: t.Boolean(),
    format: t.Literal('ical'),
    totals: Totals,
    ignored: t.Array(t.Object({ component: t.String(), count: Type.Integer({ minimum: 1 }) }), {
      description: 'What the file holds beside tasks, e.g. events.',
    }),
    warnings: Warnings,
    items: t.Array(ReportItem, { description: 'Every task of the file, and every date of a series, in its order.' }),
  },
  {
    examples: [
      {
        dry_run: false,
        format: 'ical' as const,
        totals: { created: 1, updated: 0, unchanged: 0, skipped: 0, failed: 0 },
        ignored: [{ component: 'VEVENT', count: 3 }],
        warnings: [],
        items: [{ line: 4, source, action: 'created' as const, task_id: taskExample.id, warnings: [] }],
      },
    ],
  },
)

export const ExportTasks = t.Object(
  {
    format: t.Optional(
      t.Union([t.Literal('ics'), t.Literal('json')], {
        description: 'A calendar of to-dos (the default), or the tasks as the API shows them, as one list.',
        error: 'must be ics or json',
      }),
    ),
    ...filters,
    ...asOf,
  },
  closed,
)

/** The tasks as the API shows them, all in one. */
export const ExportedTasks = t.Object({ items: t.Array(Task) }, { examples: [{ items: [taskExample] }] })

export type ImportTasks = Static<typeof ImportTasks>
export type ImportReport = Static<typeof ImportReport>
export type ReportItem = Static<typeof ReportItem>
export type ExportTasks = Static<typeof ExportTasks>
export type { OnConflict } from '../../http/import-schema'
