import { Elysia, t } from 'elysia'
import { sendFileBytes } from '../../blobs/send-bytes'
import type { SignedAddresses } from '../../blobs/signed'
import { invalid, refuses } from '../../http/api-error'
import { readBytes, refuseEncoded } from '../../http/body'
import { ifMatch, isUnchanged } from '../../http/conditional'
import type { RequestPlugin } from '../../http/request'
import { changed } from '../../http/responses'
import { NoContent, nameSchemas, Problem } from '../../http/schema'
import { ListMedia, Media, MediaName, MediaPage } from './schema'
import type { MediaService } from './service'
import { MEDIA_LIMITS } from './writer'

interface Deps {
  readonly media: MediaService
  readonly addresses: Pick<SignedAddresses, 'read'>
  readonly api: RequestPlugin
}

const COLLECTION = '/api/flashcards/media'

/** The prefix of signed addresses, and of names. A name of the form of a token is none that this server signed. */
export const SIGNED_MEDIA_PATH = `${COLLECTION}/`

/** The path whose bodies are bytes, and are not parsed as JSON. */
export const MEDIA_PATH = `${COLLECTION}/:name`

const BYTES = { schema: { type: 'string', format: 'binary', description: 'The file as it is.' } } as const

nameSchemas({ Media, MediaPage })

export function mediaRoutes({ media, addresses, api }: Deps) {
  return new Elysia({ prefix: COLLECTION, tags: ['Flashcards in and out'] })
    .use(api)
    .get('', ({ session, query }) => media.list(session, query), {
      query: ListMedia,
      response: { 200: MediaPage },
      detail: {
        operationId: 'listMedia',
        ...refuses('invalid_cursor'),
        summary: 'List media',
        description: 'Lists media by name. Facts refer to them as `media:name`.',
      },
    })
    .get(
      '/:name',
      async ({ session, request, params: { name } }) => {
        // The gate made the owner of a signed address the caller.
        const signed = addresses.read(name)
        const found = await (signed ? media.getById(session, signed.id) : media.get(session, name))
        return (await sendFileBytes(request, session, found)) as never
      },
      {
        params: MediaName,
        response: {
          200: t.Any({ description: 'The bytes.' }),
          206: t.Any(),
          304: NoContent,
          404: Problem,
          416: Problem,
        },
        detail: {
          operationId: 'getMedia',
          summary: 'Get a medium',
          description:
            'Its bytes, or those of one `Range`. The type is that of the bytes, whatever the name says; what is no picture, sound or film that browsers show is answered as a file to save. The ETag changes with the bytes. HTML of cards carries addresses with a token instead of the name, for anybody who has them: they are valid on their day (UTC) and the next, and each accepts 60 requests per hour, which count towards its owner’s limit.',
          responses: {
            200: { description: 'The bytes.', content: { 'application/octet-stream': BYTES } },
            206: { description: 'The bytes of the range.', content: { 'application/octet-stream': BYTES } },
            304: {},
            404: {},
            416: {},
          },
        } as object,
      },
    )
    .put(
      '/:name',
      async ({ session, request, params, reply }) => {
        refuseEncoded(request, 'file')
        const onlyNew = request.headers.get('if-none-match') !== null && isUnchanged(request, '""')
        const bytes = await readBytes(request, MEDIA_LIMITS[session.workspace.kind].file)
        if (bytes.length === 0) throw invalid('', 'required', 'the body must be a file')
        const { isNew, media: stored } = await media.put(session, params.name, bytes, ifMatch(request), onlyNew)
        const outcome = changed(stored)
        const Location = `${COLLECTION}/${encodeURIComponent(stored.resource.name)}`
        return reply.send(isNew ? { ...outcome, status: 201, headers: { ...outcome.headers, Location } } : outcome)
      },
      {
        params: MediaName,
        response: { 200: Media, 201: Media, 412: Problem, 413: Problem, 415: Problem },
        detail: {
          operationId: 'putMedia',
          summary: 'Store a medium',
          description:
            'The body is the file, of any Content-Type, which is not looked at. At most 8 MiB, which count to the bytes of the workspace; without a key 256 KiB, and 512 KiB for all. Bytes that are there under another name are stored once. `If-None-Match: *` takes no name that is there.',
          requestBody: { required: true, content: { 'application/octet-stream': BYTES } },
        },
      },
    )
    .delete(
      '/:name',
      async ({ session, request, params, reply }) => {
        await media.erase(session, params.name, ifMatch(request))
        reply.deleted()
      },
      {
        params: MediaName,
        response: { 204: NoContent, 404: Problem, 412: Problem },
        detail: {
          operationId: 'deleteMedia',
          summary: 'Delete a medium',
          description: 'Erases it: media have no trash. Facts that refer to it stay unchanged.',
        },
      },
    )
}
