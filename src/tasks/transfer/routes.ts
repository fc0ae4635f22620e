import { Elysia, t } from 'elysia'
import type { Session } from '../../db/database'
import { FILE_BYTES, readFile } from '../../http/body'
import { send } from '../../http/reply'
import { Problem } from '../../http/schema'
import { attachment } from '../../http/streamed'
import type { Exports } from './export'
import { ExportedTasks, ExportTasks, ImportReport, ImportTasks } from './schema'

interface Deps {
  readonly exports: Exports
  /** The workspace of whoever sent a request. */
  readonly session: (request: Request) => Session
}

/** The paths that take files instead of JSON. */
export const FILE_PATHS = ['/api/tasks/import']

const FILES = {
  ics: { type: 'text/calendar; charset=utf-8', name: 'tasks.ics' },
  json: { type: 'application/json', name: 'tasks.json' },
} as const

const file = (description: string) => ({ schema: { type: 'string', format: 'binary', description } }) as const

export function transferRoutes({ exports, session }: Deps) {
  return new Elysia({ prefix: '/api/tasks', tags: ['Tasks'] })
    .get(
      '/export',
      async ({ request, query }) =>
        attachment(request, await exports.export(session(request), query), FILES[query.format ?? 'ics']),
      {
        query: ExportTasks,
        response: { 200: t.Any({ description: 'The tasks as one file.' }) },
        detail: {
          summary: 'Export tasks',
          description:
            'All tasks as of one moment, of every status unless the filter names one: a calendar of to-dos, which can be imported again, or JSON. The same tasks give the same bytes.',
          responses: {
            200: {
              description: 'The file.',
              content: {
                'text/calendar': file('To-dos with their rules, zones and alarms.'),
                'application/json': { schema: ExportedTasks },
              },
            },
          },
        } as object,
      },
    )
}
