import { Elysia } from 'elysia'
import type { RequestPlugin } from '../../http/request'
import { nameSchemas, Problem } from '../../http/schema'
import {
  AskDeck,
  AskDeckDays,
  AskForecast,
  AskWorkload,
  Calibration,
  Distributions,
  Forecast,
  ForecastDay,
  Heatmap,
  Hours,
  Retention,
  RetentionCounts,
  SpreadBin,
  Streak,
  StudyRun,
  StudyToday,
  ValueSpread,
  Workload,
  WorkloadRow,
} from './schema'
import type { StudyStatistics } from './service'

interface Deps {
  readonly statistics: StudyStatistics
  readonly api: RequestPlugin
}

nameSchemas({
  StudyToday,
  StudyHours: Hours,
  Retention,
  RetentionCounts,
  SpreadBin,
  ValueSpread,
  Forecast,
  ForecastDay,
  StudyStreak: Streak,
  StudyRun,
  Workload,
  WorkloadRow,
  Heatmap,
  CardDistributions: Distributions,
  Calibration,
})

export function studyStatsRoutes({ statistics, api }: Deps) {
  return new Elysia({ prefix: '/api/flashcards/stats', tags: ['Statistics'] })
    .use(api)
    .get('/today', ({ session, query }) => statistics.today(session, query), {
      query: AskDeck,
      response: { 200: StudyToday, 404: Problem },
      detail: {
        operationId: 'getTodayStatistics',
        summary: 'Show today',
        description: 'What was answered on this study day, and what is left of it.',
      },
    })
    .get('/hours', ({ session, query }) => statistics.hours(session, query), {
      query: AskDeckDays,
      response: { 200: Hours, 404: Problem },
      detail: {
        operationId: 'getHourStatistics',
        summary: 'Show the hours of study',
        description: 'When cards are answered, and how well.',
      },
    })
    .get('/retention', ({ session, query }) => statistics.retention(session, query), {
      query: AskDeckDays,
      response: { 200: Retention, 404: Problem },
      detail: {
        operationId: 'getRetention',
        summary: 'Show retention',
        description: 'The actual and the expected recall of cards that came up for review.',
      },
    })
    .get('/forecast', ({ session, query }) => statistics.forecast(session, query), {
      query: AskForecast,
      response: { 200: Forecast, 404: Problem },
      detail: {
        operationId: 'getForecast',
        summary: 'Show what will be due',
        description: 'Cards that come up on each study day, and the answers and minutes that they will take.',
      },
    })
    .get('/streak', ({ session, query }) => statistics.streak(session, query), {
      query: AskDeck,
      response: { 200: Streak, 404: Problem },
      detail: {
        operationId: 'getStudyStreak',
        summary: 'Show the streak',
        description: 'Study days in a row, in the zone of the study settings.',
      },
    })
    .get('/workload', ({ session, query }) => statistics.workload(session, query), {
      query: AskWorkload,
      response: { 200: Workload, 404: Problem },
      detail: {
        operationId: 'getWorkload',
        summary: 'Compare desired retentions',
        description: 'What each costs in the coming year, what is remembered then, and which costs the least for it.',
      },
    })
    .get('/heatmap', ({ session, query }) => statistics.heatmap(session, query), {
      query: AskDeckDays,
      response: { 200: Heatmap, 404: Problem },
      detail: {
        operationId: 'getHeatmap',
        summary: 'Show study days',
        description: 'How much was answered on each, and how long it took.',
      },
    })
    .get('/distributions', ({ session, query }) => statistics.distributions(session, query), {
      query: AskDeck,
      response: { 200: Distributions, 404: Problem },
      detail: {
        operationId: 'getCardDistributions',
        summary: 'Show how cards are spread',
        description: 'By stability, difficulty, recall and interval.',
      },
    })
    .get('/calibration', ({ session, query }) => statistics.calibration(session, query), {
      query: AskDeckDays,
      response: { 200: Calibration, 404: Problem },
      detail: {
        operationId: 'getCalibration',
        summary: 'Show how well recall is predicted',
        description: 'Chances of recall as they were predicted, against what came.',
      },
    })
}
