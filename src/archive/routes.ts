import { Elysia, type Static, t } from 'elysia'
import type { Session, Workspace } from '../db/database'
import { invalid } from '../http/api-error'
import type { RequestPlugin } from '../http/request'
import { sendAttachment } from '../http/responses'
import { Flag, file, nameSchemas, Problem } from '../http/schema'
import { ImportReport } from '../imports/schema'
import type { Imports } from '../imports/service'
import { createArchiveKind, toArchiveParams } from './archive'
import type { ArchivedType } from './archived-type'
import type { ArchiveExports } from './export'

interface Deps {
  readonly imports: Pick<Imports, 'register' | 'receive'>
  readonly exports: ArchiveExports
  readonly archivedTypes: readonly ArchivedType[]
  readonly api: RequestPlugin
  /** The scratch space of the address that a request came from. */
  readonly scratch: (request: Request) => Workspace
}

/** The path that takes a file instead of JSON. */
export const ARCHIVE_FILE_PATHS = ['/api/import']

/** How long an export may be silent, or unread. Bun takes no more. */
const SILENT_SECONDS = 255

const ARCHIVE = { type: 'application/zip', name: 'satchel.zip' }

const ExportWorkspace = t.Object(
  {
    readable: t.Optional(
      t.Union([t.Literal('true'), t.Literal('false')], {
        description:
          '`false` leaves out the files for people, which an import passes over anyway but counts to what it takes.',
      }),
    ),
  },
  { additionalProperties: false },
)

const ImportWorkspace = t.Object({ dry_run: t.Optional(Flag) }, { additionalProperties: false })

type ImportWorkspace = Static<typeof ImportWorkspace>

nameSchemas({ ImportReport })

export function archiveRoutes({ imports, exports, archivedTypes, api, scratch }: Deps) {
  const kind = createArchiveKind(archivedTypes)
  imports.register(kind)
  const params = toArchiveParams(archivedTypes)
  const orderOf = ({ dry_run }: ImportWorkspace) => ({
    kind: kind.name,
    types: [ARCHIVE.type],
    params: () => params,
    dryRun: dry_run === 'true',
  })

  /** What is there is exported, and arrives like a file that somebody sends. */
  async function adopt(request: Request, session: Session, query: ImportWorkspace) {
    if (session.workspace.kind !== 'key')
      throw invalid(
        '/X-API-Key',
        'required',
        'Send the key whose workspace is to adopt the scratch space of your address.',
      )
    const body = await exports.export({ workspace: scratch(request) }, { readable: 'false' })
    const headers = new Headers(request.headers)
    for (const name of ['Content-Length', 'Content-Encoding']) headers.delete(name)
    headers.set('Content-Type', ARCHIVE.type)
    const sent = new Request(request.url, { method: request.method, headers, body, signal: request.signal })
    try {
      // No two exports are the same, though two requests are.
      return await imports.receive(sent, session, { ...orderOf(query), fingerprint: null })
    } finally {
      // What was refused before it was read lets go of its snapshot.
      await body.cancel().catch(() => {})
    }
  }

  return new Elysia({ prefix: '/api', tags: ['System'] })
    .use(api)
    .get(
      '/export',
      async ({ request, query, server, session }) => {
        // A part of it can take longer than an answer may stay silent; but who does not read on is cut off.
        server?.timeout(request, SILENT_SECONDS)
        return sendAttachment(request, await exports.export(session, query), ARCHIVE)
      },
      {
        query: ExportWorkspace,
        response: { 200: t.Any({ description: 'A zip archive of all there is.' }) },
        detail: EXPORT,
      },
    )
    .post(
      '/import',
      async ({ request, query, server, session, reply }) => {
        // Whoever is silent is cut off by the one who receives the file.
        server?.timeout(request, 0)
        return reply.send(await imports.receive(request, session, orderOf(query)))
      },
      {
        query: ImportWorkspace,
        response: { 200: ImportReport, 202: ImportReport, 409: Problem, 413: Problem, 415: Problem },
        detail: IMPORT,
      },
    )
    .post(
      '/workspace/adopt',
      async ({ request, query, server, session, reply }) => {
        server?.timeout(request, 0)
        return reply.send(await adopt(request, session, query))
      },
      { query: ImportWorkspace, response: { 200: ImportReport, 202: ImportReport, 409: Problem }, detail: ADOPT },
    )
}

const EXPORT = {
  operationId: 'exportWorkspace',
  summary: 'Export everything',
  description:
    'All of the workspace as one zip, as of one moment: `data/*.jsonl` has every resource with its history, the trash too, a ' +
    'line of JSON for each, so that `POST /api/import` makes the same of it again; the rest is for people and other programs. ' +
    'Calendar feeds are not in it: their addresses are secret.',
  responses: { 200: { description: 'The archive.', content: { 'application/zip': file('All there is.') } } },
} as object

const IMPORT = {
  operationId: 'importWorkspace',
  summary: 'Import everything',
  description:
    'Takes what `GET /api/export` gave and merges it by id and revision: what is not here is made, what is here with a lower ' +
    'revision becomes as in the archive, all else stays; nothing is deleted, so a repeat changes nothing. A line that ' +
    'cannot be taken is reported, and the others are imported; an archive that is broken changes nothing at all. Others ' +
    'read and write meanwhile. What takes longer than 20 seconds goes on: 202 says where to ask, and so does ' +
    '`Prefer: respond-async` at once. `dry_run` tells what it would come to. One import of yours at a time; others wait.',
  requestBody: { required: true, content: { 'application/zip': file('The archive.') } },
} as object

const ADOPT = {
  operationId: 'adoptScratchSpace',
  summary: 'Adopt the scratch space of your address',
  description:
    'Copies what was stored from your address without a key, at the host name that you ask, into the workspace of your key, ' +
    'merging it as an import does. ' +
    'The scratch space stays as it is until it expires.',
} as object
