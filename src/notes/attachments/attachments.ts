import { Type } from '@sinclair/typebox'
import { type Static, t } from 'elysia'
import type { NewBlob } from '../../blobs/blob'
import type { Session } from '../../db/database'
import { type Page, readCursor, toPage } from '../../http/cursor'
import { createResourceReader, hasMembers } from '../../http/resource'
import { type Precondition, type Tagged, writeEtag } from '../../http/responses'
import { Cursor, closed, Id, Limit, nullable, pageOf, STAMPS } from '../../http/schema'
import { DEFAULT_LIMIT, writeInstant } from '../../http/values'
import { titleKey } from '../../lib/text'
import type { LinksUpdated } from '../links-updated'
import { checkFolder } from '../note'
import type { AttachmentContext, RelinkOutcome } from './file-links'
import { makeSafeName } from './names'
import { type AttachmentRow, attachmentTable, listAttachments } from './store'

const example = {
  id: '01980000-0000-7000-8000-0000000000e0',
  revision: 1,
  created_at: '2026-03-01T08:15:00.000Z',
  updated_at: '2026-03-01T08:15:00.000Z',
  name: 'lisbon map.png',
  folder: 'Travel/img',
  content_type: 'image/png',
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  size_bytes: 48_213,
}

const members = {
  ...STAMPS,
  name: t.String({ description: '1 to 255 bytes.' }),
  folder: nullable(t.String()),
  content_type: t.String({
    description: 'The type that was detected from the bytes, not the name. It is served with this type.',
  }),
  sha256: t.String({ description: 'Of the bytes, in hex.' }),
  size_bytes: Type.Integer({ minimum: 0 }),
}

const NameWarnings = t.Array(t.Object({ code: t.String(), detail: t.String() }), {
  description:
    'What was changed about the name so that it is safe, and which notes have links that a rename could not rewrite; empty if nothing.',
})

export const Attachment = t.Object(members, { examples: [example] })
export const AttachmentPage = pageOf(Attachment)
export const SavedAttachment = t.Object(
  { ...members, warnings: NameWarnings },
  { examples: [{ ...example, warnings: [] }] },
)

const Name = t.String({
  description:
    'A file name with its ending. What is not safe in a name is changed, and reported in `warnings`: folders, control characters, marks of direction, leading dots, more than 255 bytes.',
})
const Folder = t.String({ description: 'A path such as `Travel/img`.' })

export const CreateAttachmentQuery = t.Object(
  { id: t.Optional(Id), name: t.Optional(Name), folder: t.Optional(Folder) },
  closed,
)

export const ListAttachments = t.Object(
  {
    folder: t.Optional(t.String({ description: 'Only those in this folder; empty: those outside of folders.' })),
    name: t.Optional(t.String({ description: 'Only those with this name; case is ignored.' })),
    cursor: t.Optional(Cursor),
    limit: t.Optional(Limit),
  },
  closed,
)

export const UpdateAttachment = t.Object(
  { name: t.Optional(Name), folder: t.Optional(nullable(Folder)) },
  {
    ...closed,
    description: 'A JSON merge patch (RFC 7396): absent members stay, null clears.',
    examples: [{ name: 'map.png', folder: null }],
  },
)

/** The id of an attachment, or the token of a signed address: both have the same route. */
export const AttachmentOrToken = t.Object({
  id: t.String({
    pattern: `${Id.pattern}|^[\\w-]{70}$`,
    description: 'The id of an attachment, or the token of a signed address.',
    error: 'must be a UUIDv7 in lower case, or a token',
  }),
})

export type CreateAttachmentQuery = Static<typeof CreateAttachmentQuery>
export type Attachment = Static<typeof Attachment>
export type SavedAttachment = Static<typeof SavedAttachment>
export type ListAttachments = Static<typeof ListAttachments>
export type UpdateAttachment = Static<typeof UpdateAttachment>

interface NewFile {
  readonly id?: string | undefined
  /** As it was sent. */
  readonly name: string
  readonly folder: string | null
  readonly content: NewBlob
}

export type Attachments = ReturnType<typeof createAttachments>

/** Every write is one transaction. */
export function createAttachments({ ids, attachmentWriter: writer, relink }: AttachmentContext) {
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
    async list(session: Session, query: ListAttachments): Promise<Page<Attachment>> {
      const limit = Number(query.limit ?? DEFAULT_LIMIT)
      const { folder, name } = query
      const nameKey = name === undefined ? undefined : titleKey(name)
      const binding = JSON.stringify(['attachments', folder, nameKey])
      const read = query.cursor === undefined ? null : readCursor(query.cursor, binding, ['string', 'string'])
      const after = read && ([String(read[0]), String(read[1])] as const)
      const rows = await listAttachments(session, { folder, nameKey, after, limit: limit + 1 })
      const keys = (row: AttachmentRow) => [row.folder ?? '', row.name]
      return toPage(rows, limit, binding, keys, (row) => toAttachment(row).resource)
    },

    /**
     * Applies a merge patch. If the path changes, rewrites the links of notes to the attachment unless `updateLinks` is
     * false; see RelinkOutcome for the members besides. Throws not_found, precondition_failed, conflict if the new path is
     * taken, rewrite_impossible.
     */
    update(
      session: Session,
      id: string,
      patch: UpdateAttachment,
      precondition: Precondition,
      updateLinks = true,
    ): Promise<Tagged<SavedAttachment> & { linksUpdated: number; run: string | null }> {
      const safe = patch.name === undefined ? null : makeSafeName(patch.name)
      if (patch.folder !== undefined) checkFolder(patch.folder)
      return reader.withRow(session, id, precondition, async (tx, old) => {
        const members = { name: safe?.name ?? old.name, folder: patch.folder === undefined ? old.folder : patch.folder }
        const isSame = hasMembers(old, members)
        const row = isSame ? old : await writer.replace(tx, old, members, null)
        const links = isSame || !updateLinks ? NO_LINKS : await relink(tx, old, row)
        const warnings = [...(safe?.warnings ?? []), ...warnOfLinks(links.notes_left)]
        return { ...withWarnings(row, warnings), linksUpdated: links.links_updated, run: links.run }
      })
    },

    /** Returns an attachment whose links a run rewrote. Throws not_found. */
    async getRelinked(session: Session, id: string, { notes_left }: LinksUpdated): Promise<Tagged<SavedAttachment>> {
      const { resource, etag } = await reader.get(session, id)
      return { resource: { ...resource, warnings: warnOfLinks(notes_left) }, etag }
    },

    /** Erases an attachment: there is no trash for them. Throws not_found, precondition_failed. */
    erase(session: Session, id: string, precondition: Precondition): Promise<void> {
      return reader.withRow(session, id, precondition, (tx, row) => writer.erase(tx, row))
    },
  }
}

const reader = createResourceReader({ noun: 'attachment', show: toAttachment, get: attachmentTable.get })

const NO_LINKS: RelinkOutcome = { links_updated: 0, notes_left: [], run: null }

const MAX_NOTES_NAMED = 10

function warnOfLinks(notes: readonly string[]): SavedAttachment['warnings'] {
  if (notes.length === 0) return []
  const named = notes.slice(0, MAX_NOTES_NAMED).join(', ')
  const detail = `${notes.length} notes have links that cannot be written with the new name, and stay as they are: ${named}`
  return [{ code: 'links_left', detail }]
}

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
