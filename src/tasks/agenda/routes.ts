import { Elysia } from 'elysia'
import type { RequestPlugin } from '../../http/request'
import { nameSchemas } from '../../http/schema'
import { Agenda, AgendaQuery } from './schema'
import type { Agendas } from './service'

interface Deps {
  readonly agendas: Agendas
  readonly api: RequestPlugin
}

nameSchemas({ Agenda })

export function agendaRoutes({ agendas, api }: Deps) {
  return new Elysia({ prefix: '/api/tasks', tags: ['Tasks'] })
    .use(api)
    .get('/agenda', ({ session, query }) => agendas.getAgenda(session, query), {
      query: AgendaQuery,
      response: { 200: Agenda },
      detail: {
        operationId: 'getAgenda',
        summary: 'Show the agenda',
        description:
          'What is due and what starts, day by day, at most 92 days, with the dates to come of what repeats. A time in a zone is shown on the day that `time_zone` has then; whole days and floating times keep their date. Where dates are counted from completions, only the present one is known.',
      },
    })
}
