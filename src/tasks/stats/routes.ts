import { Elysia } from 'elysia'
import type { RequestPlugin } from '../../http/request'
import { nameSchemas } from '../../http/schema'
import { Stats, StatsQuery } from './schema'
import type { TaskStatistics } from './service'

nameSchemas({ Stats })

export function statsRoutes({ statistics, api }: { statistics: TaskStatistics; api: RequestPlugin }) {
  return new Elysia({ prefix: '/api/tasks', tags: ['Agenda and reminders'] })
    .use(api)
    .get('/stats', ({ session, query }) => statistics.getStats(session, query), {
      query: StatsQuery,
      response: { 200: Stats },
      detail: {
        operationId: 'getTaskStatistics',
        summary: 'Show statistics',
        description:
          'Tasks created, completed and overdue on each day, for at most 366 days. `overdue` uses the due date that a completion was for, and the current due date of open tasks: of a postponed task, only the last date is known. Skipped and cancelled tasks do not count.',
      },
    })
}
