import { Type } from '@sinclair/typebox'
import { type Static, t } from 'elysia'
import { Cursor, Limit, pageOf } from '../../http/schema'

const count = Type.Integer({ minimum: 0 })
const closed = { additionalProperties: false }

export const ListTagsQuery = t.Object({ limit: t.Optional(Limit), cursor: t.Optional(Cursor) }, closed)

export const TagPage = pageOf(
  t.Object(
    {
      tag: t.String(),
      count: Type.Integer({ minimum: 1, description: 'Notes with exactly this tag.' }),
      count_below: Type.Integer({ minimum: 0, description: 'Notes with a tag nested below it.' }),
      explicit: Type.Integer({ minimum: 0, description: 'The notes of `count` on which a client set the tag.' }),
      inline: Type.Integer({ minimum: 0, description: 'The notes of `count` with `#tag` in the body.' }),
    },
    { examples: [{ tag: 'travel', count: 2, count_below: 1, explicit: 2, inline: 1 }] },
  ),
)

export const FolderPage = pageOf(
  t.Object(
    {
      folder: t.String(),
      count: Type.Integer({ minimum: 1, description: 'Notes in the folder itself.' }),
      count_below: Type.Integer({ minimum: 0, description: 'Notes in folders below it.' }),
    },
    { examples: [{ folder: 'Work', count: 1, count_below: 3 }] },
  ),
)

export const RenameTag = t.Object(
  {
    from: t.String(),
    to: t.String(),
    inline: t.Optional(t.Boolean({ description: '`false` does not change `#tag` in bodies.' })),
  },
  { ...closed, examples: [{ from: 'travel', to: 'trips' }] },
)

export const RenameFolder = t.Object(
  { from: t.String(), to: t.String() },
  { ...closed, examples: [{ from: 'Work/Plans', to: 'Archive/Plans' }] },
)

export const RenameResult = t.Object(
  {
    notes_changed: count,
    merged: t.Boolean({ description: 'Whether the new name, or a name below it, was already in use.' }),
    attachments_moved: t.Optional(Type.Integer({ minimum: 1, description: 'For a folder with attachments.' })),
    notes_left: t.Optional(
      t.Array(t.String(), {
        description:
          'The ids of the first 100 notes that could not be changed, or have links that could not be written with the new name, and of attachments that could not be moved. For a rename of at most 200 notes and attachments only the links.',
      }),
    ),
  },
  { examples: [{ notes_changed: 3, merged: false }] },
)

export type ListTagsQuery = Static<typeof ListTagsQuery>
export type TagPage = Static<typeof TagPage>
export type FolderPage = Static<typeof FolderPage>
export type RenameTag = Static<typeof RenameTag>
export type RenameFolder = Static<typeof RenameFolder>
export type RenameResult = Static<typeof RenameResult>
