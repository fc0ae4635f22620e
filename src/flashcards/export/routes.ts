import { Elysia, t } from 'elysia'
import type { RequestPlugin } from '../../http/request'
import { sendAttachment } from '../../http/responses'
import { nameSchemas, Problem } from '../../http/schema'
import { SnapshotLine } from '../archive/lines'
import { ExportedFile, ExportQuery } from './schema'
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
  json: { type: 'application/json', name: 'flashcards.json', compressible: true },
} as const

const file = { type: 'string', format: 'binary', description: 'The file as it is.' } as const

nameSchemas({ ExportedFlashcards: ExportedFile, ExportedSnapshot: SnapshotLine })

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
            'All facts outside the trash as of one moment: an Anki package that every version reads, a whole collection for Anki, CSV (content alone), or JSON, which has what the archive of `GET /api/export` has of them, but for the bytes of media; of one deck, the decks above it as well. Each can be imported again. At most 128 MiB. CSV and JSON come with `Content-Encoding: gzip` to those who accept it; imports take it, too.',
          responses: {
            200: {
              description: 'The file.',
              content: {
                'application/octet-stream': { schema: file },
                'text/csv': { schema: file },
                'application/json': { schema: ExportedFile },
              },
            },
            404: {},
            409: {},
          },
        } as object,
      },
    )
}
