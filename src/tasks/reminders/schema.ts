import { type Static, t } from 'elysia'
import { Cursor, Id, Instant, instantParam, Limit, pageOf } from '../../http/schema'
import { taskExample } from '../examples'
import { archivedQuery, asOfQuery, Reminder } from '../schema'

const closed = { additionalProperties: false }

export const ListReminders = t.Object(
  {
    from: t.Optional(instantParam('The first instant. Default: `now`.')),
    to: t.Optional(instantParam('The instant at which the list ends, excluded. Default: seven days after `from`.')),
    limit: t.Optional(Limit),
    cursor: t.Optional(Cursor),
    archived: archivedQuery(),
    ...asOfQuery,
  },
  closed,
)

export const ReminderPage = pageOf(
  t.Object(
    {
      task_id: Id,
      at: t.String({ ...Instant, description: 'When it fires.' }),
      reminder: Reminder,
    },
    {
      examples: [{ task_id: taskExample.id, at: '2026-03-31T06:00:00.000Z', reminder: taskExample.reminders[0] }],
    },
  ),
)

export type ListReminders = Static<typeof ListReminders>
export type ReminderPage = Static<typeof ReminderPage>
