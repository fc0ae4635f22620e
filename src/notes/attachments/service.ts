import type { NewBlob } from '../../blobs/blob'
import type { Context } from '../../db/context'
import type { Session } from '../../db/database'
import { type Precondition, type Tagged, writeEtag } from '../../http/conditional'
import { type Page, readCursor, toPage } from '../../http/cursor'
import { createResourceReader, hasMembers } from '../../http/resource'
import { DEFAULT_LIMIT, writeInstant } from '../../http/values'
import { titleKey } from '../../lib/text'
import { checkFolder } from '../note'
import { makeSafeName } from './names'
import type { Attachment, ListAttachments, SavedAttachment, UpdateAttachment } from './schema'
import { type AttachmentRow, attachmentTable, listAttachments } from './store'
import type { AttachmentWriter } from './writer'

interface Deps extends Pick<Context, 'ids'> {
  readonly writer: AttachmentWriter
}

interface NewFile {
  readonly id?: string | undefined
  /** As it was sent. */
  readonly name: string
  readonly folder: string | null
  readonly content: NewBlob
}

export type Attachments = ReturnType<typeof createAttachments>

/** Creates the service for attachments, the files that notes show and link to. Every write is one transaction. */
export function createAttachments({ ids, writer }: Deps) {
  return {
    /**
     * Stores a file under a name that is made safe. Throws conflict if the id is taken or the folder has another one of the name,
     * invalid_request, quota_exceeded.
     */
    create(session: Session, { id = ids(), name: sent, folder, content }: NewFile): Promise<Tagged<SavedAttachment>> {
      const { name, warnings } = makeSafeName(sent)
      checkFolder(folder)
      return session.db.transaction(async (db) => {
        const row = await writer.insert({ ...session, db }, { id, name, folder, content })
        return withWarnings(row, warnings)
      })
    },

    /** Returns an attachment without its bytes. Throws not_found. */
    get: reader.get,

    /** Lists attachments by folder and name. Throws invalid_cursor. */
    async list({ db, workspace }: Session, query: ListAttachments): Promise<Page<Attachment>> {
      const limit = Number(query.limit ?? DEFAULT_LIMIT)
      const { folder, name } = query
      const nameKey = name === undefined ? undefined : titleKey(name)
      const binding = JSON.stringify(['attachments', folder, nameKey])
      const read = query.cursor === undefined ? null : readCursor(query.cursor, binding, ['string', 'string'])
      const after = read && ([String(read[0]), String(read[1])] as const)
      const rows = await listAttachments(db, workspace.id, { folder, nameKey, after, limit: limit + 1 })
      const keys = (row: AttachmentRow) => [row.folder ?? '', row.name]
      return toPage(rows, limit, binding, keys, (row) => toAttachment(row).resource)
    },

    /** Applies a merge patch. Throws not_found, precondition_failed, conflict if the new path is taken. */
    update(
      session: Session,
      id: string,
      patch: UpdateAttachment,
      precondition: Precondition,
    ): Promise<Tagged<SavedAttachment>> {
      const safe = patch.name === undefined ? null : makeSafeName(patch.name)
      if (patch.folder !== undefined) checkFolder(patch.folder)
      return reader.withRow(session, id, precondition, async (tx, old) => {
        const members = { name: safe?.name ?? old.name, folder: patch.folder === undefined ? old.folder : patch.folder }
        const row = hasMembers(old, members) ? old : await writer.replace(tx, old, members, null)
        return withWarnings(row, safe?.warnings ?? [])
      })
    },

    /** Erases an attachment: there is no trash for them. Throws not_found, precondition_failed. */
    erase(session: Session, id: string, precondition: Precondition): Promise<void> {
      return reader.withRow(session, id, precondition, (tx, row) => writer.erase(tx, row))
    },
  }
}

const reader = createResourceReader({ noun: 'attachment', show: toAttachment, get: attachmentTable.get })

function withWarnings(row: AttachmentRow, warnings: SavedAttachment['warnings']): Tagged<SavedAttachment> {
  const { resource, etag } = toAttachment(row)
  return { resource: { ...resource, warnings }, etag }
}

function toAttachment({ key: _, name_key: __, created_at, updated_at, ...members }: AttachmentRow): Tagged<Attachment> {
  const { revision, sha256 } = members
  return {
    resource: { ...members, created_at: writeInstant(created_at), updated_at: writeInstant(updated_at) },
    // An id that was erased and used again starts at revision 1 again, with other bytes.
    etag: writeEtag(revision).replace(/"$/, `-${sha256.slice(0, 16)}"`),
  }
}
