import { Elysia } from 'elysia'
import type { Session } from '../../db/database'
import { Agenda, GetAgenda } from './schema'
import type { Agendas } from './service'

interface Deps {
  readonly agendas: Agendas
  /** The workspace of whoever sent a request. */
  readonly session: (request: Request) => Session
}

export function agendaRoutes({ agendas, session }: Deps) {
  return new Elysia({ prefix: '/api/tasks', tags: ['Tasks'] }).get(
    '/agenda',
    ({ request, query }) => agendas.agenda(session(request), query),
    {
      query: GetAgenda,
      response: { 200: Agenda },
      detail: {
        operationId: 'getAgenda',
        summary: 'Show the agenda',
        description:
          'What is due and what starts, day by day, at most 92 days, with the dates to come of what repeats. A time of a zone stands on the day that `tz` has then; whole days and floating times keep their date. Where dates are counted from completions, only the present one is known.',
      },
    },
  )
}
