import { Type } from '@sinclair/typebox'
import { type Static, t } from 'elysia'
import { Cursor, Flag, Id, Limit, nullable, pageOf } from '../../http/schema'

const offset = Type.Integer({ minimum: 0 })

const link = {
  target: 'Trip',
  heading: 'Costs',
  alias: null,
  embed: false,
  note_id: null,
  ambiguous: false,
  start: 4,
  end: 18,
}

export const NoteLink = t.Object(
  {
    target: t.String({
      description: 'The target as written, decoded in a Markdown link; empty for a heading of the note itself.',
    }),
    heading: nullable(t.String()),
    alias: nullable(t.String({ description: 'The text that is shown instead of the target.' })),
    embed: t.Boolean({ description: 'Whether it begins with `!`.' }),
    note_id: nullable(Id),
    ambiguous: t.Boolean({ description: 'Whether other notes match the target, too.' }),
    start: offset,
    end: offset,
  },
  { description: 'A link to a note. `start` and `end` are code points of the body.', examples: [link] },
)
export const NoteLinkPage = pageOf(NoteLink)

const backlink = {
  note_id: '01980000-0000-7000-8000-000000000001',
  title: 'Plans',
  text: 'see [[Trip]]',
  ranges: [[4, 12]],
}

export const Backlink = t.Object(
  {
    note_id: Id,
    title: t.String(),
    text: t.String({ description: 'The line around the first link, at most 240 characters of the body.' }),
    ranges: t.Array(t.Array(offset, { minItems: 2, maxItems: 2 }), {
      description: 'The links in `text`, each as [start, end) in code points.',
    }),
  },
  { examples: [backlink] },
)
export const BacklinkPage = pageOf(Backlink)

const wanted = {
  target: 'Packing list',
  kind: 'note' as const,
  count: 1,
  note_ids: ['01980000-0000-7000-8000-000000000001'],
}

export const UnresolvedLink = t.Object(
  {
    target: t.String({ description: 'The target as the oldest link spells it.' }),
    kind: t.Union([t.Literal('note'), t.Literal('attachment')], {
      description: '`attachment` for the name of a file, such as `map.png`.',
    }),
    count: Type.Integer({ minimum: 1, description: 'The number of notes that link to it.' }),
    note_ids: t.Array(Id, { maxItems: 5, description: 'The first of these notes.' }),
  },
  { examples: [wanted] },
)

export const UnresolvedLinkPage = pageOf(UnresolvedLink)

const paging = { limit: t.Optional(Limit), cursor: t.Optional(Cursor) }

export const ListLinksQuery = t.Object(paging, { additionalProperties: false })
export const ListBacklinksQuery = t.Object({ ...paging, unlinked: t.Optional(Flag) }, { additionalProperties: false })
/** The query of the list of unresolved links. Its cursor contains a target, which can be as long as a path. */
export const ListUnresolvedQuery = t.Object(
  {
    kind: t.Optional(t.Union([t.Literal('note'), t.Literal('attachment')], { error: 'must be note or attachment' })),
    limit: t.Optional(Limit),
    cursor: t.Optional(t.String({ description: '`next_cursor` of the page before.', maxLength: 16_384 })),
  },
  { additionalProperties: false },
)

export type NoteLink = Static<typeof NoteLink>
export type Backlink = { note_id: string; title: string; text: string; ranges: [number, number][] }
export type UnresolvedLink = Static<typeof UnresolvedLink>
export type ListUnresolvedQuery = Static<typeof ListUnresolvedQuery>
export type ListLinksQuery = Static<typeof ListLinksQuery>
export type ListBacklinksQuery = Static<typeof ListBacklinksQuery>
