import { Type } from '@sinclair/typebox'
import { type Static, t } from 'elysia'
import { Cursor, Flag, Id, Instant, Limit, pageOf, Revision } from '../http/schema'

const nullable = <T extends Parameters<typeof t.Union>[0][number]>(schema: T) => t.Union([schema, t.Null()])

const Tags = t.Array(t.String(), { maxItems: 64, description: 'At most 64, each of at most 100 characters.' })
const Properties = t.Record(t.String(), t.Unknown(), { description: 'Free members, at most 64 KiB of JSON.' })

const summary = {
  id: Id,
  revision: Revision,
  created_at: Instant,
  updated_at: Instant,
  deleted_at: nullable(Instant),
  title: t.String({ description: 'One line of at most 500 characters.' }),
  folder: nullable(t.String({ examples: ['Work/Plans'] })),
  tags: Tags,
  pinned: t.Boolean(),
  archived_at: nullable(Instant),
  excerpt: t.String({ description: 'The beginning as plain text, at most 200 characters.' }),
  word_count: Type.Integer({ minimum: 0 }),
}

export const NoteSummary = t.Object(summary)
export const Note = t.Object({
  ...summary,
  body: t.String({ description: 'Markdown, at most 1 MiB, kept byte for byte.' }),
  properties: Properties,
})
export const NotePage = pageOf(NoteSummary)

const writable = {
  title: t.Optional(nullable(t.String())),
  body: t.Optional(t.String()),
  folder: t.Optional(nullable(t.String())),
  tags: t.Optional(Tags),
  pinned: t.Optional(t.Boolean()),
  archived_at: t.Optional(nullable(Instant)),
}

export const CreateNote = t.Object(
  { id: t.Optional(Id), ...writable, properties: t.Optional(Properties) },
  {
    additionalProperties: false,
    examples: [{ title: 'Trip to Lisbon', body: '# Plan\n\n- book the train\n', tags: ['travel'] }],
  },
)

export const UpdateNote = t.Object(
  { ...writable, properties: t.Optional(nullable(Properties)) },
  {
    additionalProperties: false,
    description: 'A JSON merge patch (RFC 7396): absent members stay, null clears.',
    examples: [{ title: 'Trip to Porto', pinned: true }],
  },
)

export const SORTS = ['updated', '-updated', 'created', '-created', 'title', '-title'] as const
export type Sort = (typeof SORTS)[number]

export const ListNotes = t.Object(
  {
    limit: t.Optional(Limit),
    cursor: t.Optional(Cursor),
    sort: t.Optional(
      t.Union(SORTS.map((sort) => t.Literal(sort)), {
        description: '`-` before a name descends; else `-updated`.',
        error: `must be one of ${SORTS.join(', ')}`,
      }),
    ),
    trashed: t.Optional(Flag),
  },
  { additionalProperties: false },
)

export const DeleteNote = t.Object({ permanent: t.Optional(Flag) }, { additionalProperties: false })

export type Note = Static<typeof Note>
export type NoteSummary = Static<typeof NoteSummary>
export type CreateNote = Static<typeof CreateNote>
export type UpdateNote = Static<typeof UpdateNote>
export type ListNotes = Static<typeof ListNotes>
