import { type NewBlob, releaseBlob, useBlob } from '../../blobs/blob'
import { detectMediaType, isSvg, SVG_TYPE } from '../../blobs/media-type'
import type { RecordChange } from '../../db/change-feed'
import type { Context, Session, Workspace } from '../../db/database'
import { ApiError, invalid } from '../../http/api-error'
import { changeOf, changeOfErased, newStamps, revise, type StampedRow, taken, textBytes } from '../../http/resource'
import { isNoteFile } from '../../lib/file-target'
import { titleKey } from '../../lib/text'
import { recountLinksToFile } from '../links/recount-store'
import { MAX_ATTACHMENT_BYTES } from './names'
import {
  type AttachmentDraft,
  type AttachmentRow,
  attachmentTable,
  countAttachmentBytes,
  getAttachmentByPath,
} from './store'

const KIB = 1024

/**
 * The most bytes of one file, and of all attachments of a workspace, each content counted once. With a key, the quota of
 * the workspace is the only limit for all files.
 */
export const ATTACHMENT_LIMITS: Readonly<Record<Workspace['kind'], { readonly file: number; readonly all: number }>> = {
  key: { file: MAX_ATTACHMENT_BYTES, all: Number.POSITIVE_INFINITY },
  scratch: { file: 256 * KIB, all: 512 * KIB },
}

/** An attachment to be stored; its type is detected from its bytes. */
export type NewAttachment = Pick<AttachmentRow, 'id' | 'name' | 'folder'> & { readonly content: NewBlob }

export type AttachmentWriter = ReturnType<typeof createAttachmentWriter>

/**
 * Creates the only writer of attachments. Each call keeps blobs in step and records the change. `session.db` must be a
 * transaction. Names must be safe, see makeSafeName.
 */
export function createAttachmentWriter({ now, record }: Pick<Context, 'now'> & { record: RecordChange }) {
  /** Throws invalid_request for the name of a note, conflict if another attachment has the path. */
  async function checkPath(session: Session, next: Pick<AttachmentRow, 'id' | 'folder' | 'name'>) {
    if (isNoteFile(next.name))
      throw invalid('/name', 'invalid_name', 'a Markdown file is a note: send it to /api/notes/import')
    const holder = await getAttachmentByPath(session, next)
    if (holder && holder.id !== next.id)
      throw taken('An attachment with this name and folder exists already.', holder.id)
  }

  async function write(session: Session, old: AttachmentRow | null, next: AttachmentDraft, content: NewBlob | null) {
    const { workspace } = session
    await checkPath(session, next)
    const added = content ? await useBlob(session, content) : 0
    const row = old
      ? await attachmentTable.update(session, { ...next, key: old.key }, old)
      : await attachmentTable.insert(session, next)
    if (!row) throw taken('An attachment with this id exists already.', next.id)
    if (row.name_key !== old?.name_key) {
      if (old) await recountLinksToFile(session, old.name_key)
      await recountLinksToFile(session, row.name_key)
    }
    const freed = old && content ? await releaseBlob(session, old.sha256) : 0
    const bytes = added - freed + bytesOfPath(row) - (old ? bytesOfPath(old) : 0)
    await record(session, changeOf('attachment', row, old ? 0 : 1, bytes))
    const { all } = ATTACHMENT_LIMITS[workspace.kind]
    if (added > 0 && all < Number.POSITIVE_INFINITY && (await countAttachmentBytes(session)) > all)
      throw new ApiError('quota_exceeded', `The attachments of this workspace may have at most ${all} bytes together.`)
    return row
  }

  return {
    /** Stores a new attachment. Throws conflict if its id or its path is taken, quota_exceeded. */
    insert(session: Session, { content, ...file }: NewAttachment, stamps: StampedRow = newStamps(file.id, now())) {
      const { id, revision, created_at, updated_at } = stamps
      return write(
        session,
        null,
        { ...file, id, revision, created_at, updated_at, ...columnsOf(file.name, content) },
        content,
      )
    },

    /** Stores another content at the next revision, or what an archive has at a later one. Throws quota_exceeded. */
    replace(session: Session, old: AttachmentRow, members: Partial<AttachmentRow>, content: NewBlob | null) {
      const next = revise(old, members, now())
      const row = {
        ...next,
        ...members,
        ...(content ? columnsOf(next.name, content) : { name_key: titleKey(next.name) }),
      }
      return write(session, old, row, content)
    },

    /** Erases an attachment, and its bytes unless something else has them. */
    async erase(session: Session, row: AttachmentRow): Promise<void> {
      await attachmentTable.erase(session, row.id)
      await recountLinksToFile(session, row.name_key)
      const freed = await releaseBlob(session, row.sha256)
      await record(session, changeOfErased('attachment', row, now(), freed + bytesOfPath(row)))
    },
  }
}

function columnsOf(name: string, { sha256, size_bytes, head }: NewBlob) {
  return { name_key: titleKey(name), content_type: detectAttachmentType(head), sha256, size_bytes }
}

/** Detects the type to serve an attachment with: what browsers show without running anything, or unknown bytes. */
function detectAttachmentType(head: Uint8Array): string {
  if (Buffer.from(head.subarray(0, 5)).equals(Buffer.from('%PDF-'))) return 'application/pdf'
  return isSvg(head) ? SVG_TYPE : detectMediaType(head)
}

function bytesOfPath({ name, folder }: Pick<AttachmentRow, 'name' | 'folder'>): number {
  return textBytes(name, folder)
}
