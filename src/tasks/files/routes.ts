import { Elysia, t } from 'elysia'
import type { Context } from '../../db/database'
import type { RequestPlugin } from '../../http/api'
import { refuses } from '../../http/api-error'
import { sendAttachment } from '../../http/responses'
import { file, nameSchemas, Problem } from '../../http/schema'
import { ImportReport } from '../../imports/schema'
import type { Imports } from '../../imports/service'
import { ExportedTasks, ExportTasks, ImportTasks } from '../schema'
import type { TaskExports } from './export'
import { readCalendarImport } from './import'

interface Deps extends Pick<Context, 'now'> {
  readonly imports: Pick<Imports, 'receive'>
  readonly exports: TaskExports
  readonly api: RequestPlugin
}

export const TASK_FILE_PATHS = ['/api/tasks/import']

const FILES = {
  ics: { type: 'text/calendar; charset=utf-8', name: 'tasks.ics' },
  json: { type: 'application/json', name: 'tasks.json' },
} as const

nameSchemas({ ExportedTasks })

export function taskFileRoutes({ now, imports, exports, api }: Deps) {
  return new Elysia({ prefix: '/api/tasks', tags: ['Tasks in and out'] })
    .use(api)
    .post(
      '/import',
      async ({ request, session, query, reply }) =>
        reply.send(await imports.receive(request, session, await readCalendarImport(session, query, now()))),
      {
        query: ImportTasks,
        response: { 200: ImportReport, 202: ImportReport, 413: Problem, 415: Problem },
        detail: {
          operationId: 'importTasks',
          ...refuses('archive_refused'),
          summary: 'Import tasks',
          description:
            'Imports the to-dos of a calendar file, a CSV file of Todoist or a todo.txt, by its Content-Type. Each has its own outcome in the report: a `task`, or a `task_completion` for one date of a series. Projects and sections that the file names are created if they are missing. Importing again finds tasks by their UIDs, or by the texts of lines in the same file, and deletes nothing. An export that another program edited updates what has not been changed here. Properties of calendars that tasks have no member for are kept, and an export writes them back. Dates in words that are not understood are in the report and the notes.',
          requestBody: {
            required: true,
            content: {
              'text/calendar': file('A calendar (RFC 5545).'),
              'text/csv': file('A project of Todoist, as its CSV template.'),
              'text/plain': file('A todo.txt.'),
            },
          },
        },
      },
    )
    .get(
      '/export',
      async ({ request, session, query }) =>
        sendAttachment(request, await exports.export(session, query), FILES[query.format ?? 'ics']),
      {
        query: ExportTasks,
        response: { 200: t.Any({ description: 'The tasks as one file.' }) },
        detail: {
          operationId: 'exportTasks',
          ...refuses('invalid_filter'),
          summary: 'Export tasks',
          description:
            'Exports all tasks as of one instant, of every status unless the filter names one: as a calendar of to-dos, which can be imported again, or as JSON. The same tasks give the same bytes.',
          responses: {
            200: {
              description: 'The file.',
              content: {
                'text/calendar': file('To-dos with their recurrences, zones and alarms.'),
                'application/json': { schema: ExportedTasks },
              },
            },
          },
        } as object,
      },
    )
}
