import { Elysia } from 'elysia'
import type { RequestPlugin } from '../http/request'
import { nameSchemas } from '../http/schema'
import { DEFAULT_LIMIT } from '../http/values'
import { ImportId, ImportPage, ImportReport, importSchemas, ListImports, ShowImport } from './schema'
import type { Imports } from './service'

interface Deps {
  readonly imports: Pick<Imports, 'list' | 'show' | 'cancel'>
  readonly api: RequestPlugin
}

nameSchemas(importSchemas)

/** What every kind of import shares; each feature has the route that takes its files. */
export function importRoutes({ imports, api }: Deps) {
  return new Elysia({ prefix: '/api/imports', tags: ['System'] })
    .use(api)
    .get('', ({ session, query }) => imports.list(session, Number(query.limit ?? DEFAULT_LIMIT), query.cursor), {
      query: ListImports,
      response: { 200: ImportPage },
      detail: {
        operationId: 'listImports',
        summary: 'List imports',
        description:
          'The imports of your workspace that are under way, and the last 5 that ended in the past 24 hours; the newest first.',
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
          summary: 'Show an import',
          description:
            'How far an import is, and what became of its items, page by page in the order of the file; `action` lists only the ' +
            'items with that action. An import goes on when its sender hangs up, and when the server is stopped or killed. ' +
            'Of a report, the first 8 MiB of items are kept, for 24 hours.',
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
          'What was imported by then stays, and is in the report. An import that has ended does not change, so that a repeat is harmless.',
      },
    })
}
