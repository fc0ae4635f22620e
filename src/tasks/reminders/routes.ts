import { Elysia } from 'elysia'
import { refuses } from '../../http/api-error'
import type { RequestPlugin } from '../../http/request'
import { nameSchemas } from '../../http/schema'
import { ListReminders, ReminderPage } from './schema'
import type { Reminders } from './service'

nameSchemas({ ReminderPage })

export function remindersRoutes({ reminders, api }: { reminders: Reminders; api: RequestPlugin }) {
  return new Elysia({ prefix: '/api/tasks', tags: ['Agenda and reminders'] })
    .use(api)
    .get('/reminders', ({ session, query }) => reminders.list(session, query), {
      query: ListReminders,
      response: { 200: ReminderPage },
      detail: {
        operationId: 'listReminders',
        ...refuses('invalid_cursor'),
        summary: 'List reminders by time',
        description:
          'Reminders of open tasks by the time when they fire, for at most 92 days, including later dates of recurring tasks. Whole days start at 00:00 and floating times are in `time_zone`. A reminder at an instant fires only once.',
      },
    })
}
