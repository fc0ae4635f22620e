import { Elysia, t } from 'elysia'
import type { Session } from '../../db/database'
import { attachment, send } from '../../http/responses'
import { Problem } from '../../http/schema'
import { ImportReport } from '../../imports/schema'
import type { Imports } from '../../imports/service'
import type { StudyExports } from './export/service'
import { importOrder } from './import/kind'
import { ExportedFile, ExportQuery, ImportQuery } from './schema'

interface Deps {
  readonly imports: Pick<Imports, 'receive'>
  readonly exports: StudyExports
  /** The workspace of whoever sent a request. */
  readonly session: (request: Request) => Session
}

/** The path that takes files instead of JSON. */
export const IMPORT_PATH = '/api/flashcards/import'

const FILES = {
  apkg: { type: 'application/octet-stream', name: 'flashcards.apkg' },
  csv: { type: 'text/csv; charset=utf-8', name: 'flashcards.csv' },
  json: { type: 'application/json', name: 'flashcards.json' },
} as const

const file = { type: 'string', format: 'binary', description: 'The file as it is.' } as const

export function studyTransferRoutes({ imports, exports, session }: Deps) {
  return new Elysia({ prefix: '/api/flashcards', tags: ['Flashcards'] })
    .post(
      '/import',
      async ({ request, query, set, server }) => {
        // Its silence is told apart from ours by whoever takes the file.
        server?.timeout(request, 0)
        const mine = session(request)
        return send(set, await imports.receive(request, mine, await importOrder(mine, query)))
      },
      {
        query: ImportQuery,
        response: { 200: ImportReport, 202: ImportReport, 409: Problem, 413: Problem, 415: Problem },
        detail: {
          operationId: 'importFlashcards',
          summary: 'Import flashcards',
          description:
            'Takes the file as the body, of any Content-Type, or as the one part `file` of multipart/form-data: an Anki package, CSV, tabs, Markdown, or our own JSON. Decks, media and facts have each an outcome of their own in the report, which counts `card` and `review` beside; `dry_run` tells what it would come to. Cards that are here keep their schedule and their log. Our own JSON is merged by id and revision, as `POST /api/import` does: each card and each review has an outcome of its own, too. What the quota has no room for is told as failed.',
          requestBody: {
            required: true,
            content: {
              'application/octet-stream': { schema: file },
              'multipart/form-data': {
                schema: { type: 'object', required: ['file'], properties: { file } },
              },
            },
          },
        },
      },
    )
    .get(
      '/export',
      async ({ request, query, server }) => {
        // The largest package takes longer than an answer may stay silent.
        server?.timeout(request, 0)
        return attachment(request, await exports.export(session(request), query), FILES[query.format])
      },
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
            'All facts outside the trash as of one moment: an Anki package that every version reads, CSV (content alone), or JSON, which has what the archive of `GET /api/export` has of them, but for the bytes of media; of one deck, the decks that it stands in as well. Each can be imported again. At most 128 MiB.',
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
