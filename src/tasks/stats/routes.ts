import { Elysia } from 'elysia'
import type { RequestPlugin } from '../../http/request'
import { nameSchemas } from '../../http/schema'
import { Stats, StatsQuery } from './schema'
import type { TaskStatistics } from './service'

interface Deps {
  readonly statistics: TaskStatistics
  readonly api: RequestPlugin
}

nameSchemas({ Stats })

export function statsRoutes({ statistics, api }: Deps) {
  return new Elysia({ prefix: '/api/tasks', tags: ['Tasks'] })
    .use(api)
    .get('/stats', ({ session, query }) => statistics.getStats(session, query), {
      query: StatsQuery,
      response: { 200: Stats },
      detail: {
        operationId: 'getTaskStatistics',
        summary: 'Show statistics',
        description:
          'What was created, done and overdue on each day, at most 366 days. Overdue counts what was done by the due date it was for, and what is still to be done by its present one: of a task that was put off, the last date alone is known. What was skipped or cancelled does not count.',
      },
    })
}
