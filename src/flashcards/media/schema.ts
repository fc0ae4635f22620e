import { Type } from '@sinclair/typebox'
import { type Static, t } from 'elysia'
import { Cursor, Id, Instant, Limit, pageOf, Revision } from '../../http/schema'

export const mediaExample = {
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

export const Media = t.Object(
  {
    id: Id,
    revision: Revision,
    created_at: Instant,
    updated_at: Instant,
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

export const MediaPage = pageOf(Media)

export const ListMedia = t.Object(
  { cursor: t.Optional(Cursor), limit: t.Optional(Limit) },
  { additionalProperties: false },
)

export const MediaName = t.Object({
  name: t.String({
    description:
      '1 to 255 bytes without slash, backslash, control character and leading dot; to read, also the token of a signed address.',
    examples: [mediaExample.name],
  }),
})

export type Media = Static<typeof Media>
export type ListMedia = Static<typeof ListMedia>
