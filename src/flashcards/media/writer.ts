import { type NewBlob, releaseBlob, useBlob } from '../../blobs/blob'
import { detectMediaType } from '../../blobs/media-type'
import type { RecordChange } from '../../db/change-feed'
import type { Context } from '../../db/context'
import type { Session, Workspace } from '../../db/database'
import { changeOf, changeOfErased } from '../../http/resource'
import { deleteMedia, insertMedia, type MediaRow, updateMedia } from './store'

const KIB = 1024
const MIB = 1024 * KIB

/**
 * The most bytes of one file, and of all files of a workspace, each content counted once. With a key, the quota of the
 * workspace is the only limit for all files.
 */
export const MEDIA_LIMITS: Readonly<Record<Workspace['kind'], { readonly file: number; readonly all: number }>> = {
  key: { file: 8 * MIB, all: Number.POSITIVE_INFINITY },
  scratch: { file: 256 * KIB, all: 512 * KIB },
}

interface Deps extends Pick<Context, 'now' | 'ids'> {
  readonly record: RecordChange
}

export interface MediaFile {
  /** A name that readMediaName returned. */
  readonly name: string
  readonly content: NewBlob
}

/** A file with the id, revision and instants of an archive. */
export type StoredFile = MediaFile & Pick<MediaRow, 'id' | 'revision' | 'created_at' | 'updated_at'>

type Unkeyed = Omit<MediaRow, 'key'>

/**
 * The only writer of media. Each call keeps blobs in step and records the change. `session.db` must be a transaction.
 */
export interface MediaWriter {
  /** Stores the file under its name and replaces `old`. The caller checks the limits. */
  put(session: Session, file: MediaFile, old: MediaRow | null): Promise<Unkeyed>
  /** Stores an archived file and replaces `old`, whose revision must be lower. The caller checks the limits. */
  putStored(session: Session, file: StoredFile, old: MediaRow | null): Promise<Unkeyed>
  /** Erases the name, and its bytes unless another name has them. */
  erase(session: Session, media: MediaRow): Promise<void>
}

export function createMediaWriter({ now, ids, record }: Deps): MediaWriter {
  async function putStored(
    session: Session,
    { content, ...members }: StoredFile,
    old: MediaRow | null,
  ): Promise<Unkeyed> {
    const { db, workspace } = session
    const { sha256, size_bytes, head } = content
    const row = { ...members, sha256, content_type: detectMediaType(head).type, size_bytes }
    const added = await useBlob(db, workspace.id, content)
    await (old ? updateMedia : insertMedia)(db, workspace.id, row)
    const freed = old ? await releaseBlob(db, workspace.id, old.sha256) : 0
    await record(session, changeOf('media', row, old ? 0 : 1, added - freed + (old ? 0 : Buffer.byteLength(row.name))))
    return row
  }

  return {
    putStored,

    async put(session, file, old) {
      if (old?.sha256 === file.content.sha256) return old
      const at = now()
      const stamps = old
        ? { id: old.id, revision: old.revision + 1, created_at: old.created_at }
        : { id: ids(), revision: 1, created_at: at }
      return putStored(session, { ...file, ...stamps, updated_at: at }, old)
    },

    async erase(session, media) {
      await deleteMedia(session.db, session.workspace.id, media.key)
      const freed = await releaseBlob(session.db, session.workspace.id, media.sha256)
      await record(session, changeOfErased('media', media, now(), freed + Buffer.byteLength(media.name)))
    },
  }
}
