import { Elysia } from 'elysia'
import { refuses } from '../../http/api-error'
import type { RequestPlugin } from '../../http/request'
import { Problem } from '../../http/schema'
import { ImportReport } from '../../imports/schema'
import type { Imports } from '../../imports/service'
import { createStudyImportOrder } from './kind'
import { ImportQuery } from './schema'

interface Deps {
  readonly imports: Pick<Imports, 'receive'>
  readonly api: RequestPlugin
}

/** The path whose bodies are files, and are not parsed as JSON; see apiBasics. */
export const IMPORT_PATH = '/api/flashcards/import'

const file = { type: 'string', format: 'binary', description: 'The file as it is.' } as const

export function importFlashcardsRoutes({ imports, api }: Deps) {
  return new Elysia({ prefix: '/api/flashcards', tags: ['Flashcards in and out'] })
    .use(api)
    .post(
      '/import',
      async ({ request, query, session, reply }) =>
        reply.send(await imports.receive(request, session, await createStudyImportOrder(session, query))),
      {
        query: ImportQuery,
        response: { 200: ImportReport, 202: ImportReport, 409: Problem, 413: Problem, 415: Problem },
        detail: {
          operationId: 'importFlashcards',
          ...refuses('archive_refused', 'invalid_package', 'unsupported_package'),
          summary: 'Import flashcards',
          description:
            'Takes the file as the body, of any Content-Type, or as the one part `file` of multipart/form-data: an Anki package, CSV or tabs. Each deck, medium and fact has an outcome in the report, which also counts `card` and `review`; `dry_run` reports what would change. Existing cards keep their schedule and their log; answers in a package that they lack are put into the log at their time, and the card is recomputed (not with `scheduling=drop`: use that for packages of other people). A file may be gzip. Items beyond the quota fail.',
          requestBody: {
            required: true,
            content: {
              'application/octet-stream': { schema: file },
            },
          },
        },
      },
    )
}
