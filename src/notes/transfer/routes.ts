import { Elysia, t } from 'elysia'
import type { Session } from '../../db/database'
import { FILE_BYTES, readFile } from '../../http/body'
import { send } from '../../http/reply'
import { Problem } from '../../http/schema'
import { attachment } from '../../http/streamed'
import type { Exports } from './export'
import { ExportNotes, ImportNotes, ImportReport } from './schema'

interface Deps {
  readonly exports: Exports
  /** The workspace of whoever sent a request. */
  readonly session: (request: Request) => Session
}

/** The paths that take files instead of JSON. */
export const FILE_PATHS = ['/api/notes/import']

const KINDS = { 'application/zip': 'zip', 'application/enex+xml': 'enex', 'text/markdown': 'markdown' } as const
const TYPES = ['application/zip', 'application/enex+xml', 'text/markdown'] as const

const ARCHIVE = { type: 'application/zip', name: 'notes.zip' }

const file = (description: string) => ({ schema: { type: 'string', format: 'binary', description } }) as const

export function transferRoutes({ exports, session }: Deps) {
  return new Elysia({ prefix: '/api/notes', tags: ['Notes'] })
    .get(
      '/export',
      async ({ request, query }) => attachment(request, await exports.export(session(request), query), ARCHIVE),
      {
        query: ExportNotes,
        response: { 200: t.Any({ description: 'A zip archive of Markdown files.' }) },
        detail: {
          summary: 'Export notes',
          description:
            'A zip archive with a Markdown file for each note, its members as front matter, all as of one moment. Takes the filters of the list; archived notes are in it unless `archived=false`. It can be imported again, up to 20,000 notes and 64 MiB at a time; the filter `folder` divides what is more.',
          responses: { 200: { description: 'The archive.', content: { 'application/zip': file('Markdown files.') } } },
        },
      },
    )
}
