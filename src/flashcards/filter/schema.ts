import { type Static, t } from 'elysia'
import { Cursor, Flag, Id, Limit } from '../../http/schema'
import { FactType } from '../fact-schema'

/** The longest `q`, in code points. */
export const MAX_QUERY_CHARS = 200

const asked = (schema: typeof Id) => t.Optional(t.String({ ...schema, error: 'must be a UUIDv7 in lower case' }))

/** The filters of lists of facts and of cards. A fact matches if one of its cards does. */
export const StudyFilters = t.Object(
  {
    deck_id: asked(t.String({ ...Id, description: 'In this deck or one of its subdecks.' })),
    tag: t.Optional(
      t.String({ minLength: 1, description: 'With this tag or one nested in it; case makes no difference.' }),
    ),
    type: t.Optional(FactType),
    state: t.Optional(
      t.Union([t.Literal('new'), t.Literal('learning'), t.Literal('review'), t.Literal('relearning')], {
        error: 'must be new, learning, review or relearning',
      }),
    ),
    due_before: t.Optional(t.String({ description: 'Due before this study day, a civil date; new cards never are.' })),
    leech: t.Optional(Flag),
    suspended: t.Optional(Flag),
    flag: t.Optional(t.String({ pattern: '^[0-7]$', error: 'must be a whole number from 0 to 7' })),
    q: t.Optional(
      t.String({ description: 'Occurs in one of the texts; case and the amount of white space make no difference.' }),
    ),
    note_id: asked(t.String({ ...Id, description: 'Belongs to this note.' })),
    source_system: t.Optional(t.String({ description: 'Came from this program.' })),
    source_id: t.Optional(t.String({ description: 'Its id in that program; only together with `source_system`.' })),
  },
  { additionalProperties: false },
)

const paging = { trashed: t.Optional(Flag), limit: t.Optional(Limit), cursor: t.Optional(Cursor) }

export const ListStudy = t.Object({ ...StudyFilters.properties, ...paging }, { additionalProperties: false })

export type StudyFilters = Static<typeof StudyFilters>
export type ListStudy = Static<typeof ListStudy>
