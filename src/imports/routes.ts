import { Elysia } from 'elysia'
import type { Session } from '../db/database'
import { DEFAULT_LIMIT } from '../http/values'
import { ImportId, ImportList, ImportReport, ListImports, ShowImport } from './schema'
import type { Imports } from './service'

interface Deps {
  readonly imports: Pick<Imports, 'list' | 'show' | 'cancel'>
  /** The workspace of whoever sent a request. */
  readonly session: (request: Request) => Session
}

/** What every kind of import shares; each feature has the route that takes its files. */
export function importRoutes({ imports, session }: Deps) {
  return new Elysia({ prefix: '/api/imports', tags: ['System'] })
    .get(
      '',
      ({ request, query }) => imports.list(session(request), Number(query.limit ?? DEFAULT_LIMIT), query.cursor),
      { query: ListImports, response: { 200: ImportList }, detail: LIST },
    )
    .get(
      '/:id',
      ({ request, params, query }) =>
        imports.show(session(request), params.id, Number(query.limit ?? DEFAULT_LIMIT), query),
      { params: ImportId, query: ShowImport, response: { 200: ImportReport }, detail: SHOW },
    )
    .delete('/:id', ({ request, params }) => imports.cancel(session(request), params.id), {
      params: ImportId,
      response: { 200: ImportReport },
      detail: CANCEL,
    })
}

const LIST = {
  operationId: 'listImports',
  summary: 'List imports',
  description:
    'The imports of your workspace that are under way, and the last 5 that ended in the past 24 hours; the newest first.',
}

const SHOW = {
  operationId: 'getImport',
  summary: 'Show an import',
  description:
    'How far an import is, and what became of its items, page by page in the order of the file; `action` gives those alone that came to it. An import goes on when its ' +
    'sender hangs up, and when the server is stopped or killed. Of a report, the first 8 MiB of items are kept, for 24 hours.',
}

const CANCEL = {
  operationId: 'cancelImport',
  summary: 'Stop an import',
  description:
    'What was imported by then stays, and the report tells it. An import that has ended stays as it is, so that a repeat is harmless.',
}
