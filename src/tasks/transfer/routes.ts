import { Elysia, t } from 'elysia'
import type { Session } from '../../db/database'
import { FILE_BYTES, readFile } from '../../http/body'
import { send } from '../../http/reply'
import { Problem } from '../../http/schema'
import { attachment } from '../../http/streamed'
import type { Exports } from './export'
import { ExportedTasks, ExportTasks, ImportReport, ImportTasks } from './schema'
import type { Imports } from './service'

interface Deps {
  readonly imports: Imports
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

export function transferRoutes({ imports, exports, session }: Deps) {
  return new Elysia({ prefix: '/api/tasks', tags: ['Tasks'] })
    .post(
      '/import',
      async ({ request, query, set, server }) => {
        const mine = session(request)
        return send(
          set,
          await imports.admit(async () => {
            const { bytes } = await readFile(request, ['text/calendar'], FILE_BYTES[mine.workspace.kind])
            // From here on it is we who are silent: a large file takes longer than an answer may.
            server?.timeout(request, 0)
            return imports.import(request, mine, query, bytes)
          }),
        )
      },
      {
        query: ImportTasks,
        response: { 200: ImportReport, 413: Problem, 415: Problem },
        detail: {
          summary: 'Import tasks',
          description:
            'Takes the to-dos of a calendar file: at most 10,000 and 64 MiB, 4 MiB without a key. Each has its own outcome in the report; a repeat knows them by their UIDs, and deletes nothing. What tasks have no member for is kept, and written back by an export. Tasks are written in groups of at most 100; after a crash, a repeat finishes the rest.',
          requestBody: { required: true, content: { 'text/calendar': file('A calendar (RFC 5545).') } },
        },
      },
    )
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
