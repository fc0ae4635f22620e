import { Elysia } from 'elysia'
import type { Session } from '../../db/database'
import { Problem } from '../../http/schema'
import {
  AskDeck,
  AskDeckDays,
  AskForecast,
  Calibration,
  Distributions,
  Forecast,
  Heatmap,
  Hours,
  Retention,
  StudyToday,
} from './schema'
import type { StudyStatistics } from './service'

interface Deps {
  readonly statistics: StudyStatistics
  /** The workspace of whoever sent a request. */
  readonly session: (request: Request) => Session
}

export function studyStatsRoutes({ statistics, session }: Deps) {
  return new Elysia({ prefix: '/api/flashcards/stats', tags: ['Flashcards'] })
    .get('/today', ({ request, query }) => statistics.today(session(request), query), {
      query: AskDeck,
      response: { 200: StudyToday, 404: Problem },
      detail: {
        operationId: 'getTodayStatistics',
        summary: 'Show today',
        description: 'What was answered on this study day, and what is left of it.',
      },
    })
    .get('/hours', ({ request, query }) => statistics.hours(session(request), query), {
      query: AskDeckDays,
      response: { 200: Hours, 404: Problem },
      detail: {
        operationId: 'getHourStatistics',
        summary: 'Show the hours of study',
        description: 'When cards are answered, and how well.',
      },
    })
    .get('/retention', ({ request, query }) => statistics.retention(session(request), query), {
      query: AskDeckDays,
      response: { 200: Retention, 404: Problem },
      detail: {
        operationId: 'getRetention',
        summary: 'Show retention',
        description: 'How much was still known when it came up, beside how much was expected.',
      },
    })
    .get('/forecast', ({ request, query }) => statistics.forecast(session(request), query), {
      query: AskForecast,
      response: { 200: Forecast, 404: Problem },
      detail: {
        operationId: 'getForecast',
        summary: 'Show what will be due',
        description: 'Cards that come up on each study day.',
      },
    })
    .get('/heatmap', ({ request, query }) => statistics.heatmap(session(request), query), {
      query: AskDeckDays,
      response: { 200: Heatmap, 404: Problem },
      detail: {
        operationId: 'getHeatmap',
        summary: 'Show study days',
        description: 'How much was answered on each, and how long it took.',
      },
    })
    .get('/distributions', ({ request, query }) => statistics.distributions(session(request), query), {
      query: AskDeck,
      response: { 200: Distributions, 404: Problem },
      detail: {
        operationId: 'getCardDistributions',
        summary: 'Show how cards are spread',
        description: 'By stability, difficulty, recall and interval.',
      },
    })
    .get('/calibration', ({ request, query }) => statistics.calibration(session(request), query), {
      query: AskDeckDays,
      response: { 200: Calibration, 404: Problem },
      detail: {
        operationId: 'getCalibration',
        summary: 'Show how well recall is predicted',
        description: 'Chances of recall as they were predicted, against what came.',
      },
    })
}
