import { Type } from '@sinclair/typebox'
import { type Static, t } from 'elysia'
import { AS_FLAG, Cursor, Flag, Id, Instant, Limit, nullable, pageOf, Revision } from '../../http/schema'

const closed = { additionalProperties: false }

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
  id: Id,
  revision: Revision,
  created_at: Instant,
  updated_at: Instant,
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

export const UpdateAttachmentQuery = t.Object(
  {
    update_links: t.Optional(
      t.Union(Flag.anyOf, {
        ...AS_FLAG,
        description: '`false` does not rewrite the links to the attachment.',
      }),
    ),
  },
  closed,
)

export const OneAttachment = t.Object({ id: Id })

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
