import { type Static, t } from 'elysia'
import { asInteger, asOneOf, Cursor, dayParam, Flag, Id, idsParam, Limit } from '../../http/schema'
import { FactType } from '../fact-schema'

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
    due_before: t.Optional(dayParam('Due before this study day, a civil date; new cards never are.')),
    leech: t.Optional(Flag),
    suspended: t.Optional(Flag),
    flag: t.Optional(
      t.String({
        pattern: '^[0-7]$',
        ...asInteger({ minimum: 0, maximum: 7 }),
        error: 'must be a whole number from 0 to 7',
      }),
    ),
    q: t.Optional(
      t.String({
        description:
          'Words and "phrases" that the texts of the fact hold, and conditions: `lapses`, `reps`, `stability`, `difficulty`, `interval` and `flag` with `:`, `<`, `<=`, `>`, `>=` and a number; `due` with a date, `today` or a number of days from today; `state:`, `tag:`, `deck:` (a name or a path `A::B`), `is:due`, `is:new`, `is:learning`, `is:review`, `is:relearning`, `is:suspended`, `is:leech`, `is:buried`. All must hold; `OR`, `-` and brackets as in the search.',
        examples: ['lapses>3 tag:verb is:due'],
      }),
    ),
    note_id: asked(t.String({ ...Id, description: 'Belongs to this note.' })),
    source_system: t.Optional(t.String({ description: 'Came from this program.' })),
    source_id: t.Optional(t.String({ description: 'Its id in that program; only together with `source_system`.' })),
  },
  { additionalProperties: false },
)

/** The keys by which cards can be sorted. */
const CARD_SORT_KEYS = ['due', 'lapses', 'reps', 'stability', 'difficulty', 'interval', 'position'] as const
export type CardSortKey = (typeof CARD_SORT_KEYS)[number]

/** The sorts of the list of cards: each key, and with a minus the other way round. */
const SORTS = CARD_SORT_KEYS.flatMap((key) => [key, `-${key}`])

const paging = {
  ids: t.Optional(idsParam('.')),
  trashed: t.Optional(Flag),
  limit: t.Optional(Limit),
  cursor: t.Optional(Cursor),
}

export const ListStudy = t.Object({ ...StudyFilters.properties, ...paging }, { additionalProperties: false })

export const ListCards = t.Object(
  {
    ...ListStudy.properties,
    sort: t.Optional(
      t.String({
        pattern: `^-?(${CARD_SORT_KEYS.join('|')})$`,
        ...asOneOf(SORTS),
        description: `By one of ${CARD_SORT_KEYS.join(', ')}; with a minus the largest first. Cards without a value come last. By id if absent.`,
        error: `must be one of ${SORTS.join(', ')}`,
      }),
    ),
  },
  { additionalProperties: false },
)

export type ListCards = Static<typeof ListCards>
export type StudyFilters = Static<typeof StudyFilters>
export type ListStudy = Static<typeof ListStudy>
