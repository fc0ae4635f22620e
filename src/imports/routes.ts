import { Elysia } from 'elysia'
import type { RequestPlugin } from '../http/api'
import { refuses } from '../http/api-error'
import { nameSchemas } from '../http/schema'
import { DEFAULT_LIMIT } from '../http/values'
import { ImportId, ImportPage, ImportReport, importSchemas, ListImports, ShowImport } from './schema'
import type { Imports } from './service'

interface Deps {
  readonly imports: Pick<Imports, 'list' | 'show' | 'cancel'>
  readonly api: RequestPlugin
}

nameSchemas(importSchemas)

/** The routes that all kinds of import share. Each feature has the route that takes its own files. */
export function importRoutes({ imports, api }: Deps) {
  return new Elysia({ prefix: '/api/imports', tags: ['Import and export'] })
    .use(api)
    .get('', ({ session, query }) => imports.list(session, Number(query.limit ?? DEFAULT_LIMIT), query.cursor), {
      query: ListImports,
      response: { 200: ImportPage },
      detail: {
        operationId: 'listImports',
        ...refuses('invalid_cursor'),
        summary: 'List imports',
        description:
          'Lists the imports of your workspace that are running or waiting, and the last 5 that ended in the past 24 hours, newest first.',
      },
    })
    .get(
      '/:id',
      ({ session, params, query }) => imports.show(session, params.id, Number(query.limit ?? DEFAULT_LIMIT), query),
      {
        params: ImportId,
        query: ShowImport,
        response: { 200: ImportReport },
        detail: {
          operationId: 'getImport',
          ...refuses('invalid_cursor'),
          summary: 'Show an import',
          description:
            'Returns the progress of an import, and the result of each item in the order of the file, page by page; `action` ' +
            'selects the items with that action. An import continues when its sender hangs up, and when the server is stopped ' +
            'or killed. The report is kept for 24 hours, with the first 8 MiB of items.',
        },
      },
    )
    .delete('/:id', ({ session, params }) => imports.cancel(session, params.id), {
      params: ImportId,
      response: { 200: ImportReport },
      detail: {
        operationId: 'cancelImport',
        summary: 'Stop an import',
        description:
          'Items that were imported before stay, and are in the report. An import that has ended does not change, so a repeat is harmless.',
      },
    })
}
