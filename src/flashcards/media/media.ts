import { Type } from '@sinclair/typebox'
import { Elysia, type Static, t } from 'elysia'
import { type NewBlob, releaseBlob, useBlob } from '../../blobs/blob'
import { detectMediaType } from '../../blobs/media-type'
import { sendFileBytes } from '../../blobs/send-bytes'
import type { SignedAddresses } from '../../blobs/signed'
import type { BlobStaging } from '../../blobs/staging'
import type { RecordChange } from '../../db/change-feed'
import type { Context, Session, Workspace } from '../../db/database'
import type { RequestPlugin } from '../../http/api'
import { ApiError, invalid, refuses } from '../../http/api-error'
import { type Page, readCursor, toPage } from '../../http/cursor'
import { readBytes, refuseEncoded } from '../../http/request'
import { changeOf, changeOfErased, writeStamps } from '../../http/resource'
import {
  changed,
  ifMatch,
  isUnchanged,
  type Precondition,
  requireRevision,
  type Tagged,
  writeEtag,
} from '../../http/responses'
import { Cursor, Limit, NoContent, nameSchemas, Problem, pageOf, STAMPS, type WorkspaceUsage } from '../../http/schema'
import { DEFAULT_LIMIT } from '../../http/values'
import { readMediaName, writeMediaReference } from './media-file'
import { countMediaBytes, getMedia, listMedia, type MediaRow, mediaTable } from './store'

const mediaExample = {
  id: '01980000-0000-7000-8000-0000000000d0',
  revision: 1,
  created_at: '2026-03-01T08:15:00.000Z',
  updated_at: '2026-03-01T08:15:00.000Z',
  name: 'lisbon map.png',
  reference: 'media:lisbon%20map.png',
  content_type: 'image/png',
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  size_bytes: 48_213,
}

const Media = t.Object(
  {
    ...STAMPS,
    name: t.String({ description: '1 to 255 bytes.' }),
    reference: t.String({ description: 'The address of the medium in Markdown.' }),
    content_type: t.String({
      description: 'The type that was detected from the bytes, not the name. It is served with this type.',
    }),
    sha256: t.String({ description: 'Of the bytes, in hex.' }),
    size_bytes: Type.Integer({ minimum: 0 }),
  },
  { examples: [mediaExample] },
)

const MediaPage = pageOf(Media)

const ListMedia = t.Object({ cursor: t.Optional(Cursor), limit: t.Optional(Limit) }, { additionalProperties: false })

const MediaName = t.Object({
  name: t.String({
    description:
      '1 to 255 bytes without slash, backslash, control character and leading dot; to read, also the token of a signed address.',
    examples: [mediaExample.name],
  }),
})

type Media = Static<typeof Media>
type ListMedia = Static<typeof ListMedia>

const KIB = 1024
const MIB = 1024 * KIB

/** Bytes of one file, and of all, each content counted once. With a key, only the quota limits all files. */
export const MEDIA_LIMITS: Readonly<Record<Workspace['kind'], { readonly file: number; readonly all: number }>> = {
  key: { file: 8 * MIB, all: Number.POSITIVE_INFINITY },
  scratch: { file: 256 * KIB, all: 512 * KIB },
}

interface WriterDeps extends Pick<Context, 'now' | 'ids'> {
  readonly record: RecordChange
  readonly usage: (session: Session) => Promise<WorkspaceUsage>
}

interface MediaFile {
  readonly name: string
  readonly content: NewBlob
}

type StoredFile = MediaFile & Pick<MediaRow, 'id' | 'revision' | 'created_at' | 'updated_at'>

export type MediaWriter = ReturnType<typeof createMediaWriter>

/**
 * The only writer of media. Each call keeps blobs in step and records the change. `session.db` must be a transaction.
 */
export function createMediaWriter({ now, ids, record, usage }: WriterDeps) {
  async function requireRoom(session: Session): Promise<void> {
    const { all } = MEDIA_LIMITS[session.workspace.kind]
    // Counting is needed only if the whole workspace is larger than the limit for media.
    if ((await usage(session)).size_bytes <= all) return
    if ((await countMediaBytes(session)) > all)
      throw new ApiError('quota_exceeded', `The media of this workspace may have at most ${all} bytes together.`)
  }

  /** Stores an archived file and replaces `old`, whose revision must be lower. Throws quota_exceeded. */
  async function putStored(
    session: Session,
    { content, ...members }: StoredFile,
    old: MediaRow | null,
  ): Promise<MediaRow> {
    const { sha256, size_bytes, head } = content
    const file = { ...members, sha256, content_type: detectMediaType(head), size_bytes }
    const added = await useBlob(session, content)
    const row = await (old ? mediaTable.update(session, { ...old, ...file }) : mediaTable.insert(session, file))
    if (!row) throw new Error(`there is a medium ${file.id} already`)
    const freed = old ? await releaseBlob(session, old.sha256) : 0
    await record(session, changeOf('media', row, old ? 0 : 1, added - freed + (old ? 0 : Buffer.byteLength(row.name))))
    await requireRoom(session)
    return row
  }

  return {
    putStored,

    /** Stores the file under its name and replaces `old`. Throws quota_exceeded. */
    async put(session: Session, file: MediaFile, old: MediaRow | null): Promise<MediaRow> {
      if (old?.sha256 === file.content.sha256) return old
      const at = now()
      const stamps = old
        ? { id: old.id, revision: old.revision + 1, created_at: old.created_at }
        : { id: ids(), revision: 1, created_at: at }
      return putStored(session, { ...file, ...stamps, updated_at: at }, old)
    },

    /** Erases the name, and its bytes unless another name has them. */
    async erase(session: Session, media: MediaRow): Promise<void> {
      await mediaTable.erase(session, media.id)
      const freed = await releaseBlob(session, media.sha256)
      await record(session, changeOfErased('media', media, now(), freed + Buffer.byteLength(media.name)))
    },
  }
}

type MediaService = ReturnType<typeof createMedia>

/** Every write is one transaction. */
export function createMedia({ mediaWriter, blobs }: { mediaWriter: MediaWriter; blobs: BlobStaging }) {
  return {
    /** Returns one page of media, by name. Throws invalid_cursor. */
    async list(session: Session, { cursor, limit: asked }: ListMedia): Promise<Page<Media>> {
      const limit = Number(asked ?? DEFAULT_LIMIT)
      const [after = null] = cursor === undefined ? [] : readCursor(cursor, 'media', ['string'])
      const rows = await listMedia(session, { after: after === null ? null : String(after), limit: limit + 1 })
      const keys = ({ name }: MediaRow) => [name]
      return toPage(rows, limit, 'media', keys, (row) => toMedia(row).resource)
    },

    /** Returns a medium. Throws not_found, invalid_request for an invalid name. */
    async get(session: Session, name: string): Promise<Tagged<Media>> {
      return toMedia(await requireMedia(session, name))
    },

    /** Throws not_found. */
    async getById(session: Session, id: string): Promise<Tagged<Media>> {
      const media = await mediaTable.get(session, id)
      if (!media) throw missing()
      return toMedia(media)
    },

    /**
     * Stores bytes under a name, and replaces those that it had.
     * @param onlyNew whether to refuse an existing name, as `If-None-Match: *` does
     * @throws ApiError precondition_failed, too_large for one file, quota_exceeded for all together
     */
    async put(session: Session, raw: string, bytes: Uint8Array, precondition: Precondition, onlyNew: boolean) {
      const name = readMediaName(raw)
      const { file } = MEDIA_LIMITS[session.workspace.kind]
      if (bytes.length > file) throw new ApiError('too_large', `A medium may have at most ${file} bytes.`)
      const content = await blobs.stage(session, [bytes], file)
      try {
        return await session.db.transaction(async (db): Promise<{ isNew: boolean; media: Tagged<Media> }> => {
          const tx = { ...session, db }
          const old = await getMedia(tx, name)
          if (!old && precondition !== null)
            throw new ApiError('precondition_failed', 'There is no medium with this name.', { current: null })
          if (old) requireRevision(onlyNew ? [] : precondition, toMedia(old).resource)
          const row = await mediaWriter.put(tx, { name, content }, old)
          return { isNew: old === null, media: toMedia(row) }
        })
      } finally {
        // Of a content that was not needed, or is there already, nothing must stay.
        await blobs.discard(session, content)
      }
    },

    /** Erases a medium: media have no trash. Throws not_found, precondition_failed. */
    erase(session: Session, name: string, precondition: Precondition): Promise<void> {
      return session.db.transaction(async (db) => {
        const tx = { ...session, db }
        const media = await requireMedia(tx, name)
        requireRevision(precondition, toMedia(media).resource)
        await mediaWriter.erase(tx, media)
      })
    },
  }
}

async function requireMedia(session: Session, raw: string): Promise<MediaRow> {
  const media = await getMedia(session, readMediaName(raw))
  if (!media) throw missing()
  return media
}

const missing = () => new ApiError('not_found', 'There is no medium with this name.')

function toMedia(row: MediaRow): Tagged<Media> {
  const { name, content_type, sha256, size_bytes } = row
  return {
    resource: { ...writeStamps(row), name, reference: writeMediaReference(name), content_type, sha256, size_bytes },
    // A name that was erased and reused starts at revision 1 again, with other bytes.
    etag: writeEtag(row.revision).replace(/"$/, `-${sha256.slice(0, 16)}"`),
  }
}

const COLLECTION = '/api/flashcards/media'

/** The prefix of signed addresses, and of names. A name of the form of a token is none that this server signed. */
export const SIGNED_MEDIA_PATH = `${COLLECTION}/`

/** The path whose bodies are bytes, and are not parsed as JSON. */
export const MEDIA_PATH = `${COLLECTION}/:name`

const BYTES = { schema: { type: 'string', format: 'binary', description: 'The file as it is.' } } as const

nameSchemas({ Media, MediaPage })

interface RoutesDeps {
  readonly media: MediaService
  readonly addresses: Pick<SignedAddresses, 'read'>
  readonly api: RequestPlugin
}

export function mediaRoutes({ media, addresses, api }: RoutesDeps) {
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
        response: { 200: Media, 201: Media },
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
        response: { 204: NoContent, 404: Problem },
        detail: {
          operationId: 'deleteMedia',
          summary: 'Delete a medium',
          description: 'Erases it: media have no trash. Facts that refer to it stay unchanged.',
        },
      },
    )
}
