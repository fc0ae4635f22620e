import { Elysia, t } from 'elysia'
import type { Session, Workspace } from '../../db/database'
import { FILE_BYTES, readFile } from '../../http/body'
import { send } from '../../http/reply'
import { Problem } from '../../http/schema'
import { attachment } from '../../http/streamed'
import type { WorkspaceExports } from './export'
import { ArchiveReport, ExportWorkspace, ImportWorkspace } from './schema'

interface Deps {
  readonly exports: WorkspaceExports
  /** The workspace of whoever sent a request. */
  readonly session: (request: Request) => Session
  /** The scratch space of the address that a request came from. */
  readonly scratch: (request: Request) => Workspace
}

/** The path that takes a file instead of JSON. */
export const FILE_PATHS = ['/api/import']

/** How long an export may be silent, or unread. Bun takes no more. */
const SILENT_SECONDS = 255

const ARCHIVE = { type: 'application/zip', name: 'satchel.zip' }

const file = (description: string) => ({ schema: { type: 'string', format: 'binary', description } }) as const

export function workspaceTransferRoutes({ exports, session }: Deps) {
  return new Elysia({ prefix: '/api', tags: ['System'] }).get(
    '/export',
    async ({ request, query, server }) => {
      // A part of it can take longer than an answer may stay silent; but who does not read on is cut off.
      server?.timeout(request, SILENT_SECONDS)
      return attachment(request, await exports.export(session(request), query), ARCHIVE)
    },
    {
      query: ExportWorkspace,
      response: { 200: t.Any({ description: 'A zip archive of all there is.' }) },
      detail: EXPORT,
    },
  )
}

const EXPORT = {
  summary: 'Export everything',
  description:
    'All of the workspace as one zip, as of one moment: `data/*.jsonl` has every resource with its history, the trash too, a ' +
    'line of JSON for each, so that `POST /api/import` makes the same of it again; the rest is for people and other programs. ' +
    'Calendar feeds are not in it: their addresses are secret.',
  responses: { 200: { description: 'The archive.', content: { 'application/zip': file('All there is.') } } },
} as object

const IMPORT = {
  summary: 'Import everything',
  description:
    'Takes what `GET /api/export` gave, at most 64 MiB, 4 MiB without a key, and merges it by id and revision: what is not ' +
    'here is made, what is here with a lower revision becomes as in the archive, all else stays; nothing is deleted, so a ' +
    'repeat changes nothing. A line that cannot be taken is told of, and the others are imported; an archive that is broken, ' +
    'or of which more than 10,000 lines cannot be taken, changes nothing at all. `dry_run` tells what ' +
    'it would come to. One import of a workspace at a time.',
  requestBody: { required: true, content: { 'application/zip': file('The archive.') } },
} as object

const ADOPT = {
  summary: 'Adopt the scratch space of your address',
  description:
    'Copies what was stored from your address without a key, at the host name that you ask, into the workspace of your key, ' +
    'merging it as an import does. ' +
    'The scratch space stays as it is until it expires.',
} as object
