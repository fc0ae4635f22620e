import { type Static, t } from 'elysia'
import { Flag, Id } from '../../http/schema'
import { onConflict } from '../../imports/schema'
import { taskExample } from '../examples'
import { asOf, filters, Task } from '../schema'

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
export type ExportTasks = Static<typeof ExportTasks>
export type { OnConflict } from '../../imports/schema'
