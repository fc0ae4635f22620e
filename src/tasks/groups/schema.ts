import { t } from 'elysia'
import { Cursor, closed, Flag, Id, Instant, Limit, nullable, stampMembers } from '../../http/schema'

/** Schemas that projects, sections, labels and saved filters share. */

export const GroupName = t.String({
  description: 'One line of at most 100 characters; unique outside the trash, without regard to case.',
})
export const Color = nullable(
  t.String({
    pattern: '^#[0-9A-Fa-f]{6}$',
    description: 'As `#rrggbb`.',
    examples: ['#3366cc'],
    error: 'must be null or a colour such as #3366cc',
  }),
)
export const GroupPosition = t.String({ description: 'Sorts it among the others; set it with `after` or `before`.' })

export const groupMembers = {
  ...stampMembers,
  deleted_at: nullable(Instant),
  name: t.String(),
}

/** The members that set the position; at most one of the two. */
export const groupMove = {
  after: t.Optional(
    t.Union([Id, t.Null()], { description: 'The id of the one to put it after; null: it becomes the first.' }),
  ),
  before: t.Optional(
    t.Union([Id, t.Null()], { description: 'The id of the one to put it before; null: it becomes the last.' }),
  ),
}

export const groupPaging = { limit: t.Optional(Limit), cursor: t.Optional(Cursor), trashed: t.Optional(Flag) }

export const OneGroup = t.Object({ id: Id })
export const DeleteGroup = t.Object({ permanent: t.Optional(Flag) }, closed)
export const MERGE_PATCH = 'A JSON merge patch (RFC 7396): absent members stay, null clears.'
