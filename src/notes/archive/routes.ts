import { Elysia, t } from 'elysia'
import type { Session } from '../../db/database'
import { attachment, send } from '../../http/responses'
import { file, Problem } from '../../http/schema'
import { ImportReport } from '../../imports/schema'
import type { Imports } from '../../imports/service'
import { notesImportOrder } from '../import/import'
import { ExportNotesQuery, ImportNotesQuery } from '../schema'
import type { NoteExports } from './export'

interface Deps {
  readonly imports: Pick<Imports, 'receive'>
  readonly exports: NoteExports
  /** The workspace of whoever sent a request. */
  readonly session: (request: Request) => Session
}

/** The paths that take files instead of JSON. */
export const NOTE_FILE_PATHS = ['/api/notes/import']

const ARCHIVE = { type: 'application/zip', name: 'notes.zip' }

export function noteFileRoutes({ imports, exports, session }: Deps) {
  return new Elysia({ prefix: '/api/notes', tags: ['Notes'] })
    .post(
      '/import',
      async ({ request, query, set, server }) => {
        // Its silence is told apart from ours by whoever takes the file.
        server?.timeout(request, 0)
        return send(set, await imports.receive(request, session(request), notesImportOrder(query)))
      },
      {
        query: ImportNotesQuery,
        response: { 200: ImportReport, 202: ImportReport, 413: Problem, 415: Problem },
        detail: {
          operationId: 'importNotes',
          summary: 'Import notes',
          description:
            'Takes a zip archive of Markdown files (a folder, an Obsidian vault, our own export) or of Google Keep, an Evernote export, or one Markdown file. Each entry has its own outcome in the report.',
          requestBody: {
            required: true,
            content: {
              'application/zip': file('Markdown files, an Obsidian vault, or Google Keep from Takeout.'),
              'application/enex+xml': file('An Evernote export.'),
              'text/markdown': file('One note; front matter counts.'),
            },
          },
        },
      },
    )
    .get(
      '/export',
      async ({ request, query }) => attachment(request, await exports.export(session(request), query), ARCHIVE),
      {
        query: ExportNotesQuery,
        response: { 200: t.Any({ description: 'A zip archive of Markdown files.' }) },
        detail: {
          operationId: 'exportNotes',
          summary: 'Export notes',
          description:
            'A zip archive with a Markdown file for each note, its members as front matter, all as of one moment. Takes the filters of the list; archived notes are in it unless `archived=false`. It can be imported again, up to 65,534 notes at a time; the filter `folder` divides what is more.',
          responses: { 200: { description: 'The archive.', content: { 'application/zip': file('Markdown files.') } } },
        },
      },
    )
}
