import { Elysia, t } from 'elysia'
import { sendFileBytes } from '../../blobs/send-bytes'
import { isToken, type SignedAddresses } from '../../blobs/signed'
import type { BlobStaging } from '../../blobs/staging'
import type { Session } from '../../db/database'
import type { RequestPlugin } from '../../http/api'
import { ApiError, invalid, refuses } from '../../http/api-error'
import { readBoundary, readFormFile } from '../../http/multipart'
import { readMediaType, receiveChunks, refuseEncoded } from '../../http/request'
import { created, ifMatch, type Outcome, preferredType, type RunOnce, readIdempotencyKey } from '../../http/responses'
import { file, NoContent, nameSchemas } from '../../http/schema'
import { ImportReport } from '../../imports/schema'
import type { Imports } from '../../imports/service'
import { answerRelinked, type LinksUpdated, relinkedResponses } from '../links-updated'
import { NoteParams, updateLinksQuery } from '../schema'
import {
  Attachment,
  AttachmentOrToken,
  AttachmentPage,
  type Attachments,
  CreateAttachmentQuery,
  ListAttachments,
  SavedAttachment,
  UpdateAttachment,
} from './attachments'
import { ATTACHMENT_LIMITS } from './writer'

interface Deps {
  readonly attachments: Attachments
  readonly addresses: Pick<SignedAddresses, 'read'>
  readonly blobs: BlobStaging
  readonly imports: Pick<Imports, 'waitForOutcome'>
  readonly runOnce: RunOnce
  readonly api: RequestPlugin
}

export const ATTACHMENTS_PATH = '/api/notes/attachments'

const BYTES = { 'application/octet-stream': file('The file as it is.') }
const FORMS = ['application/octet-stream', 'application/json'] as const

nameSchemas({ Attachment, AttachmentPage, SavedAttachment, UpdateAttachment })

export function attachmentRoutes({ attachments, addresses, blobs, imports, runOnce, api }: Deps) {
  async function receive(
    request: Request,
    session: Session,
    query: CreateAttachmentQuery,
  ): Promise<Outcome<SavedAttachment>> {
    const { id, folder = null } = query
    // Refuses an invalid key before the file arrives.
    readIdempotencyKey(request, null)
    const limit = ATTACHMENT_LIMITS[session.workspace.kind].file
    const upload = openUpload(request, query.name ?? null, limit)
    const content = await blobs.stage(session, upload.chunks, limit)
    try {
      const name = query.name ?? upload.sentName()
      if (content.size_bytes === 0) throw invalid('', 'required', 'the body must be a file')
      if (name === null) throw nameless()
      return await runOnce(request, session, { sha256: content.sha256, name, folder }, async (once) =>
        created(ATTACHMENTS_PATH, await attachments.create(once, { id, name, folder, content })),
      )
    } finally {
      // Of a content that was not needed, or is there already, nothing must stay.
      await blobs.discard(session, content)
    }
  }

  return new Elysia({ prefix: ATTACHMENTS_PATH, tags: ['Attachments'] })
    .use(api)
    .get('', ({ session, query }) => attachments.list(session, query), {
      query: ListAttachments,
      response: { 200: AttachmentPage },
      detail: {
        operationId: 'listAttachments',
        ...refuses('invalid_cursor'),
        summary: 'List attachments',
        description: 'Lists the files of notes by folder and name.',
      },
    })
    .post('', async ({ request, session, query, reply }) => reply.send(await receive(request, session, query)), {
      query: CreateAttachmentQuery,
      response: { 201: SavedAttachment },
      detail: {
        operationId: 'createAttachment',
        summary: 'Add an attachment',
        description:
          'The body is the file, of any Content-Type, with its `name` in the query; or `multipart/form-data` with one part called `file`, whose `filename` counts if there is no `name`. Notes show it as `![[name]]` or `![](path)`. At most 32 MiB, which count to the bytes of the workspace; without a key 256 KiB, and 512 KiB for all. The same bytes under two names are stored once.',
        requestBody: {
          required: true,
          content: BYTES,
        },
      },
    })
    .get(
      '/:id',
      async ({ request, session, params, reply, set }) => {
        // The gate made the owner of a signed address the caller.
        const id = isToken(params.id) ? addresses.read(params.id)?.id : params.id
        if (id === undefined) throw noSuchFile()
        const attachment = await attachments.get(session, id)
        if (preferredType(request.headers.get('accept'), FORMS) === 'application/json') {
          set.headers.Vary = 'Accept'
          return reply.read(attachment)
        }
        return (await sendFileBytes(request, session, attachment)) as never
      },
      {
        params: AttachmentOrToken,
        response: { 200: Attachment, 206: t.Any(), 304: NoContent },
        detail: {
          operationId: 'getAttachment',
          summary: 'Get an attachment',
          description:
            'Its bytes, or those of one `Range`; by `Accept: application/json` what is known of it. The type is that of the bytes, whatever the name says: pictures, sounds, films and PDF that browsers show are shown, anything else is saved. Nothing in it can run. HTML of notes carries addresses with a token instead of the id, for anybody who has them: they are valid on their day (UTC) and the next, and each accepts 60 requests per hour, which count towards its owner’s limit.',
          responses: {
            200: {
              description: 'The bytes, or what is known of them.',
              content: { ...BYTES, 'application/json': { schema: Attachment } },
            },
            206: { description: 'The bytes of the range.', content: BYTES },
            304: {},
            404: {},
            416: {},
          },
        } as object,
      },
    )
    .patch(
      '/:id',
      async ({ request, session, params, query, body, reply }) => {
        const updateLinks = query.update_links !== 'false'
        const { run, linksUpdated, ...saved } = await attachments.update(
          session,
          params.id,
          body,
          ifMatch(request),
          updateLinks,
        )
        const read = (updated: LinksUpdated) => attachments.getRelinked(session, params.id, updated)
        return reply.send(await answerRelinked({ imports, request, session }, { run, linksUpdated, now: saved, read }))
      },
      {
        params: NoteParams,
        query: updateLinksQuery('attachment'),
        body: UpdateAttachment,
        response: { 200: SavedAttachment, 202: ImportReport },
        detail: {
          operationId: 'updateAttachment',
          ...refuses('conflict', 'rewrite_impossible'),
          summary: 'Rename or move an attachment',
          description:
            'The address by its id stays the same. The links and embeds of notes that led to it lead to it afterwards, and those to other files of its new name still lead there; the header `X-Links-Updated` counts the rewritten notes. Notes with links that cannot be written with the new name are named in `warnings`. If more than 200 notes link to files of its names, they are rewritten in the background: if that takes more than 20 seconds, `GET /api/imports/{id}` shows the progress. The work continues after a crash.',
          responses: relinkedResponses(SavedAttachment, 404, 409, 412),
        } as object,
      },
    )
    .delete(
      '/:id',
      async ({ request, session, params, reply }) => {
        await attachments.erase(session, params.id, ifMatch(request))
        reply.deleted()
      },
      {
        params: NoteParams,
        response: { 204: NoContent },
        detail: {
          operationId: 'deleteAttachment',
          summary: 'Delete an attachment',
          description: 'Erases it: attachments have no trash. Notes that show it stay as they are.',
        },
      },
    )
}

/** Opens the body: a form, or the file itself, whose name must be known before it arrives. */
function openUpload(request: Request, name: string | null, limit: number) {
  refuseEncoded(request, 'file')
  const chunks = receiveChunks(request, limit)
  if (readMediaType(request) !== 'multipart/form-data') {
    if (name === null) throw nameless()
    return { chunks, sentName: () => name }
  }
  const boundary = readBoundary(request.headers.get('content-type') ?? '')
  if (boundary === null) throw new ApiError('unsupported_media_type', 'The Content-Type of the form has no boundary.')
  let sent: string | null = null
  const content = readFormFile(chunks, boundary, (filename) => {
    sent = filename
  })
  return { chunks: content, sentName: () => sent }
}

function noSuchFile(): ApiError {
  return new ApiError('not_found', 'There is no such file, or its address is no longer valid.')
}

function nameless(): ApiError {
  return invalid('/name', 'required', 'name must be the name of the file')
}
