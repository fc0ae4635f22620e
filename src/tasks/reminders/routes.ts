import { Elysia } from 'elysia'
import type { RequestPlugin } from '../../http/request'
import { nameSchemas } from '../../http/schema'
import { ListReminders, ReminderPage } from './schema'
import type { Reminders } from './service'

interface Deps {
  readonly reminders: Reminders
  readonly api: RequestPlugin
}

nameSchemas({ ReminderPage })

export function remindersRoutes({ reminders, api }: Deps) {
  return new Elysia({ prefix: '/api/tasks', tags: ['Tasks'] })
    .use(api)
    .get('/reminders', ({ session, query }) => reminders.list(session, query), {
      query: ListReminders,
      response: { 200: ReminderPage },
      detail: {
        operationId: 'listReminders',
        summary: 'List what reminds when',
        description:
          'In the order of time, at most 92 days, of tasks that are still to be done; with the dates to come of what repeats. Whole days count from 00:00 and floating times on the clock of `time_zone`. A reminder at an instant fires then alone.',
      },
    })
}
