import { Elysia, t } from 'elysia'
import { refuses } from '../../http/api-error'
import type { RequestPlugin } from '../../http/request'
import { sendAttachment } from '../../http/responses'
import { file, Problem } from '../../http/schema'
import { ImportReport } from '../../imports/schema'
import type { Imports } from '../../imports/service'
import { createNotesImportOrder } from '../import/import-notes'
import { ExportNotesQuery, ImportNotesQuery } from '../schema'
import type { NoteExports } from './export'

interface Deps {
  readonly imports: Pick<Imports, 'receive'>
  readonly exports: NoteExports
  readonly api: RequestPlugin
}

/** The paths whose requests are files instead of JSON. */
export const NOTE_FILE_PATHS = ['/api/notes/import']

const ARCHIVE = { type: 'application/zip', name: 'notes.zip' }

export function noteFileRoutes({ imports, exports, api }: Deps) {
  return new Elysia({ prefix: '/api/notes', tags: ['Notes in and out'] })
    .use(api)
    .post(
      '/import',
      async ({ request, query, session, reply }) =>
        reply.send(await imports.receive(request, session, createNotesImportOrder(query))),
      {
        query: ImportNotesQuery,
        response: { 200: ImportReport, 202: ImportReport, 413: Problem, 415: Problem },
        detail: {
          operationId: 'importNotes',
          ...refuses('archive_refused'),
          summary: 'Import notes',
          description:
            'Accepts a zip archive of Markdown files (a folder, an Obsidian vault, a Satchel export) or of Google Keep, an Evernote export, or one Markdown file. The report lists the outcome of each entry.',
          requestBody: {
            required: true,
            content: {
              'application/zip': file('Markdown files, an Obsidian vault, or Google Keep from Takeout.'),
              'application/enex+xml': file('An Evernote export.'),
              'text/markdown': file('One note, with or without front matter.'),
            },
          },
        },
      },
    )
    .get(
      '/export',
      async ({ request, session, query }) => sendAttachment(request, await exports.export(session, query), ARCHIVE),
      {
        query: ExportNotesQuery,
        response: { 200: t.Any({ description: 'A zip archive of Markdown files.' }) },
        detail: {
          operationId: 'exportNotes',
          summary: 'Export notes',
          description:
            'Returns a zip archive with a Markdown file for each note, its members as front matter, from one snapshot, and with the attachments: all of them, or with a filter those that its notes show or link to, and those in `folder`. Accepts the filters of the list; archived notes are included unless `archived=false`. It can be imported again, up to 200,000 notes at a time; use the filter `folder` to export more notes in parts.',
          responses: { 200: { description: 'The archive.', content: { 'application/zip': file('Markdown files.') } } },
        },
      },
    )
}
