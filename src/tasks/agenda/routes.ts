import { Elysia } from 'elysia'
import type { RequestPlugin } from '../../http/request'
import { nameSchemas } from '../../http/schema'
import { Agenda, AgendaQuery } from './schema'
import type { Agendas } from './service'

nameSchemas({ Agenda })

export function agendaRoutes({ agendas, api }: { agendas: Agendas; api: RequestPlugin }) {
  return new Elysia({ prefix: '/api/tasks', tags: ['Agenda and reminders'] })
    .use(api)
    .get('/agenda', ({ session, query }) => agendas.getAgenda(session, query), {
      query: AgendaQuery,
      response: { 200: Agenda },
      detail: {
        operationId: 'getAgenda',
        summary: 'Show the agenda',
        description:
          'Due dates and starts, day by day, for at most 92 days, including later dates of recurring tasks. A time in a zone is shown on its day in `time_zone`; whole days and floating times keep their date. If dates count from completions, only the current date is known.',
      },
    })
}
