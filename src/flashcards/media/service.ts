import type { BlobStaging } from '../../blobs/staging'
import type { Session } from '../../db/database'
import { ApiError } from '../../http/api-error'
import { type Precondition, requireRevision, type Tagged, writeEtag } from '../../http/conditional'
import { type Page, readCursor, toPage } from '../../http/cursor'
import { DEFAULT_LIMIT, writeInstant } from '../../http/values'
import { readMediaName, writeMediaReference } from './media-file'
import type { ListMedia, Media } from './schema'
import { countMediaBytes, getMedia, getMediaById, listMedia, type MediaRow } from './store'
import { MEDIA_LIMITS, type MediaWriter } from './writer'

interface Deps {
  readonly mediaWriter: MediaWriter
  readonly blobs: BlobStaging
}

export type MediaService = ReturnType<typeof createMedia>

/** Every write is one transaction. */
export function createMedia({ mediaWriter, blobs }: Deps) {
  return {
    /** Returns one page of media, by name. Throws invalid_cursor. */
    async list({ db, workspace }: Session, { cursor, limit: asked }: ListMedia): Promise<Page<Media>> {
      const limit = Number(asked ?? DEFAULT_LIMIT)
      const [after = null] = cursor === undefined ? [] : readCursor(cursor, 'media', ['string'])
      const rows = await listMedia(db, workspace.id, { after: after === null ? null : String(after), limit: limit + 1 })
      const keys = ({ name }: MediaRow) => [name]
      return toPage(rows, limit, 'media', keys, (row) => toMedia(row).resource)
    },

    /** Returns a medium. Throws not_found, invalid_request for an invalid name. */
    async get(session: Session, name: string): Promise<Tagged<Media>> {
      return toMedia(await requireMedia(session, name))
    },

    /** Throws not_found. */
    async getById({ db, workspace }: Session, id: string): Promise<Tagged<Media>> {
      const media = await getMediaById(db, workspace.id, id)
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
      const { file, all } = MEDIA_LIMITS[session.workspace.kind]
      if (bytes.length > file) throw new ApiError('too_large', `A medium may have at most ${file} bytes.`)
      const content = await blobs.stage(session, [bytes], file)
      try {
        return await session.db.transaction(async (db): Promise<{ isNew: boolean; media: Tagged<Media> }> => {
          const tx = { ...session, db }
          const old = await getMedia(db, session.workspace.id, name)
          if (!old && precondition !== null)
            throw new ApiError('precondition_failed', 'There is no medium with this name.', { current: null })
          if (old) requireRevision(onlyNew ? [] : precondition, toMedia(old).resource)
          const row = await mediaWriter.put(tx, { name, content }, old)
          if (row !== old && all < Number.POSITIVE_INFINITY && (await countMediaBytes(db, session.workspace.id)) > all)
            throw new ApiError('quota_exceeded', `The media of this workspace may have at most ${all} bytes together.`)
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

async function requireMedia({ db, workspace }: Session, raw: string): Promise<MediaRow> {
  const media = await getMedia(db, workspace.id, readMediaName(raw))
  if (!media) throw missing()
  return media
}

const missing = () => new ApiError('not_found', 'There is no medium with this name.')

function toMedia({ id, revision, created_at, updated_at, ...row }: Omit<MediaRow, 'key'>): Tagged<Media> {
  const { name, content_type, sha256, size_bytes } = row
  return {
    resource: {
      id,
      revision,
      created_at: writeInstant(created_at),
      updated_at: writeInstant(updated_at),
      name,
      reference: writeMediaReference(name),
      content_type,
      sha256,
      size_bytes,
    },
    // A name that was erased and reused starts at revision 1 again, with other bytes.
    etag: writeEtag(revision).replace(/"$/, `-${sha256.slice(0, 16)}"`),
  }
}
