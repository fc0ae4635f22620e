import { Elysia } from 'elysia'
import { refuses } from '../../http/api-error'
import type { RequestPlugin } from '../../http/request'
import { nameSchemas, Problem } from '../../http/schema'
import {
  AskStatistics,
  Forecast,
  HeatmapDay,
  Retention,
  RetentionCounts,
  Streak,
  StudyRun,
  StudyStats,
  StudyToday,
} from './schema'
import type { StudyStatistics } from './service'

interface Deps {
  readonly statistics: StudyStatistics
  readonly api: RequestPlugin
}

nameSchemas({
  StudyStatistics: StudyStats,
  StudyToday,
  Retention,
  RetentionCounts,
  Forecast,
  StudyStreak: Streak,
  StudyRun,
  HeatmapDay,
})

export function studyStatsRoutes({ statistics, api }: Deps) {
  return new Elysia({ prefix: '/api/flashcards', tags: ['Statistics'] })
    .use(api)
    .get('/stats', ({ session, query }) => statistics.get(session, query), {
      query: AskStatistics,
      response: { 200: StudyStats, 404: Problem },
      detail: {
        operationId: 'getStudyStatistics',
        ...refuses('not_found'),
        summary: 'Show statistics of studying',
        description:
          'What was answered, when and how well, and what is due. All in the zone of the study settings, without undone answers.',
      },
    })
}
