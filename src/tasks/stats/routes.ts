import { Elysia } from 'elysia'
import type { Session } from '../../db/database'
import { GetStats, Stats } from './schema'
import type { TaskStatistics } from './service'

interface Deps {
  readonly statistics: TaskStatistics
  /** The workspace of whoever sent a request. */
  readonly session: (request: Request) => Session
}

export function statsRoutes({ statistics, session }: Deps) {
  return new Elysia({ prefix: '/api/tasks', tags: ['Tasks'] }).get(
    '/stats',
    ({ request, query }) => statistics.stats(session(request), query),
    {
      query: GetStats,
      response: { 200: Stats },
      detail: {
        operationId: 'getTaskStatistics',
        summary: 'Show statistics',
        description:
          'What was created, done and overdue on each day, at most 366 days. Overdue counts what was done by the due date it was for, and what is still to be done by its present one: of a task that was put off, the last date alone is known. What was skipped or cancelled does not count.',
      },
    },
  )
}
