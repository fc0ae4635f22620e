import { Elysia, t } from 'elysia'
import type { RequestPlugin } from '../../http/request'
import { sendAttachment } from '../../http/responses'
import { Problem } from '../../http/schema'
import { ExportQuery } from './schema'
import type { StudyExports } from './service'

interface Deps {
  readonly exports: StudyExports
  readonly api: RequestPlugin
}

/** May take longer than other paths: the largest package is built before its first byte is sent. */
export const STUDY_EXPORT_PATH = '/api/flashcards/export'

const FILES = {
  apkg: { type: 'application/octet-stream', name: 'flashcards.apkg' },
  colpkg: { type: 'application/octet-stream', name: 'flashcards.colpkg' },
  csv: { type: 'text/csv; charset=utf-8', name: 'flashcards.csv', compressible: true },
} as const

const file = { type: 'string', format: 'binary', description: 'The file as it is.' } as const

export function exportFlashcardsRoutes({ exports, api }: Deps) {
  return new Elysia({ prefix: '/api/flashcards', tags: ['Flashcards in and out'] })
    .use(api)
    .get(
      '/export',
      async ({ request, query, session }) =>
        sendAttachment(request, await exports.export(session, query), FILES[query.format]),
      {
        query: ExportQuery,
        response: {
          200: t.Any({ description: 'The flashcards as one file.' }),
          404: Problem,
          409: Problem,
          413: Problem,
        },
        detail: {
          operationId: 'exportFlashcards',
          summary: 'Export flashcards',
          description:
            'All facts outside the trash as of one moment: an Anki package that every version reads, a whole collection for Anki, or CSV (content alone). Each can be imported again. At most 128 MiB. CSV comes with `Content-Encoding: gzip` to those who accept it; imports take it, too. `GET /api/export` has all of them as JSON.',
          responses: {
            200: {
              description: 'The file.',
              content: {
                'application/octet-stream': { schema: file },
                'text/csv': { schema: file },
              },
            },
            404: {},
            409: {},
          },
        } as object,
      },
    )
}
