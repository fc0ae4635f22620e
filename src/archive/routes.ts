import { Elysia, type Static, t } from 'elysia'
import type { Session, Workspace } from '../db/database'
import type { RequestPlugin } from '../http/api'
import { invalid, refuses } from '../http/api-error'
import { sendAttachment } from '../http/responses'
import { AS_FLAG, Flag, file, nameSchemas } from '../http/schema'
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
  /** Returns the scratch space of the address that a request came from. */
  readonly scratchOf: (request: Request) => Workspace
}

/** The paths that take a file instead of JSON. */
export const ARCHIVE_FILE_PATHS = ['/api/import']

/** Time that an export may go without a byte being sent or read, in seconds: the most that Bun allows. */
const IDLE_SECONDS = 255

const ARCHIVE = { type: 'application/zip', name: 'satchel.zip' }

const ExportWorkspace = t.Object(
  {
    readable: t.Optional(
      t.Union(Flag.anyOf, {
        ...AS_FLAG,
        description:
          '`false` leaves out the files for people. An import ignores them, but they count towards its size limit.',
      }),
    ),
  },
  { additionalProperties: false },
)

const ImportWorkspace = t.Object({ dry_run: t.Optional(Flag) }, { additionalProperties: false })

type ImportWorkspace = Static<typeof ImportWorkspace>

nameSchemas({ ImportReport })

export function archiveRoutes({ imports, exports, archivedTypes, api, scratchOf }: Deps) {
  const kind = createArchiveKind(archivedTypes)
  imports.register(kind)
  const params = toArchiveParams(archivedTypes)
  const orderOf = ({ dry_run }: ImportWorkspace) => ({
    kind: kind.name,
    types: [ARCHIVE.type],
    params: () => params,
    dryRun: dry_run === 'true',
  })

  /**
   * Exports the scratch space, and imports the archive as if it had been sent.
   * @throws ApiError invalid_request without a key
   */
  async function adopt(request: Request, session: Session, query: ImportWorkspace) {
    if (session.workspace.kind !== 'key')
      throw invalid(
        '/X-API-Key',
        'required',
        'Send the key whose workspace is to adopt the scratch space of your address.',
      )
    const body = await exports.export({ workspace: scratchOf(request) }, { readable: 'false' })
    const headers = new Headers(request.headers)
    for (const name of ['Content-Length', 'Content-Encoding']) headers.delete(name)
    headers.set('Content-Type', ARCHIVE.type)
    const sent = new Request(request.url, { method: request.method, headers, body, signal: request.signal })
    try {
      // The same request sends another archive each time, so the bytes of the file do not tell a repeat.
      return await imports.receive(sent, session, { ...orderOf(query), fingerprint: null })
    } finally {
      // Releases the snapshot if the import was refused before it read the body.
      await body.cancel().catch(() => {})
    }
  }

  return new Elysia({ prefix: '/api', tags: ['Import and export'] })
    .use(api)
    .get(
      '/export',
      async ({ request, query, server, session }) => {
        // One part of an export may take longer than the usual idle timeout; but a client that stops reading is cut
        // off.
        server?.timeout(request, IDLE_SECONDS)
        return sendAttachment(request, await exports.export(session, query), ARCHIVE)
      },
      {
        query: ExportWorkspace,
        response: { 200: t.Any({ description: 'A zip archive of the whole workspace.' }) },
        detail: EXPORT,
      },
    )
    .post(
      '/import',
      async ({ request, query, session, reply }) => reply.send(await imports.receive(request, session, orderOf(query))),
      {
        query: ImportWorkspace,
        response: { 200: ImportReport, 202: ImportReport },
        detail: IMPORT,
      },
    )
    .post(
      '/workspace/adopt',
      async ({ request, query, session, reply }) => reply.send(await adopt(request, session, query)),
      { query: ImportWorkspace, response: { 200: ImportReport, 202: ImportReport }, detail: ADOPT },
    )
}

const EXPORT = {
  operationId: 'exportWorkspace',
  summary: 'Export everything',
  description:
    'Returns the whole workspace at one moment as a zip. `data/*.jsonl` has every resource, including its history and the ' +
    'trash, as one line of JSON, from which `POST /api/import` restores it; the other files are for people and other ' +
    'programs. Calendar feeds are left out: their addresses are secret.',
  responses: { 200: { description: 'The archive.', content: { 'application/zip': file('The whole workspace.') } } },
} as object

const IMPORT = {
  operationId: 'importWorkspace',
  ...refuses('archive_refused'),
  summary: 'Import everything',
  description:
    'Merges an archive of `GET /api/export` by id and revision: resources that do not exist are created, those with a lower ' +
    'revision are replaced, and all others stay as they are. Nothing is deleted, and a repeat changes nothing. A line that ' +
    'cannot be imported is reported, and the others are imported; a broken archive changes nothing. Other requests are ' +
    'served in the meantime. After 20 seconds, or at once with `Prefer: respond-async`, the response is 202 with the path ' +
    'of the import, which continues. `dry_run` reports the result without changing anything. Your imports run one at a time.',
  requestBody: { required: true, content: { 'application/zip': file('The archive.') } },
} as object

const ADOPT = {
  operationId: 'adoptScratchSpace',
  summary: 'Adopt the scratch space of your address',
  description:
    'Copies the scratch space of your address at the host name of this request into the workspace of your key, and merges ' +
    'it as an import does. The scratch space stays as it is until it expires.',
} as object
