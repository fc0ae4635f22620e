import { type Static, t } from 'elysia'
import { asCommaList, Cursor, closed, Flag, Id, idsParam, Limit, repeatableParam } from '../http/schema'
import { archivedQuery, asOfQuery, filterQuery, MAX_PAGE_SUBTASKS } from './schema'

/** The parameters of lists of tasks. */

export const SORT_NAMES = ['due', 'start', 'priority', 'position', 'created', 'updated', 'title'] as const
export type SortName = (typeof SORT_NAMES)[number]
const MAX_SORT_KEYS = 3
const sortKey = `-?(?:${SORT_NAMES.join('|')})`

export const SortBy = t.String({
  // The lookahead refuses a name that comes twice.
  pattern: `^(?!.*\\b(\\w+)\\b.*\\b\\1\\b)${sortKey}(?:,${sortKey}){0,${MAX_SORT_KEYS - 1}}$`,
  description: `Up to ${MAX_SORT_KEYS} of ${SORT_NAMES.join(', ')}, separated by commas, such as \`-priority,due\`. A leading \`-\` sorts in descending order. Ties are sorted by id. Default: \`due\`; tasks without a date come last.`,
  error: `must be up to ${MAX_SORT_KEYS} different ones of ${SORT_NAMES.join(', ')}, each with or without a leading -`,
  examples: ['due', '-priority,due,title'],
})

const SORT_KEYS = asCommaList(
  { type: 'string', enum: SORT_NAMES.flatMap((name) => [name, `-${name}`]) },
  { maxItems: MAX_SORT_KEYS, uniqueItems: true },
)

const STATUSES = ['open', 'in_progress', 'done', 'cancelled'] as const
const statuses = STATUSES.join('|')

const Include = t.Optional(
  t.Literal('subtasks', {
    description: `Returns the direct parts of each task outside the trash, by position, in \`subtasks.items\`. A page then ends early at ${MAX_PAGE_SUBTASKS.toLocaleString('en')} parts or 8 MiB.`,
  }),
)

export const GetTaskQuery = t.Object({ include: Include }, closed)

export const ListTasks = t.Object(
  {
    limit: t.Optional(Limit),
    cursor: t.Optional(Cursor),
    sort: t.Optional({ ...SortBy, ...SORT_KEYS, examples: [['-priority', 'due']] }),
    trashed: t.Optional(Flag),
    archived: archivedQuery('Default: `false`; `any` in the trash or with `ids`.'),
    ids: t.Optional(idsParam('. Lists tasks of any status.')),
    parent_id: t.Optional({ ...Id, description: 'Only the direct parts of this task.' }),
    project_id: t.Optional({ ...Id, description: 'Only tasks of this project.' }),
    section_id: t.Optional({ ...Id, description: 'Only tasks of this section.' }),
    label: t.Optional(
      repeatableParam('The name of a label, without case. Repeat the parameter to list tasks that have all of them.'),
    ),
    status: t.Optional(
      t.String({
        pattern: `^(any|(${statuses})(,(${statuses})){0,3})$`,
        ...asCommaList({ type: 'string', enum: [...STATUSES, 'any'] }, { maxItems: STATUSES.length }),
        description:
          'One or more of `open`, `in_progress`, `done` and `cancelled`, separated by commas, or `any`. Default: `open,in_progress` unless the filter names a status.',
        error: 'must be any, or open, in_progress, done and cancelled separated by commas',
        examples: [['open', 'done']],
      }),
    ),
    q: t.Optional(
      t.String({
        description:
          'Only tasks with all of these words, read as in `GET /api/search`, in the title, the labels or the notes; at most 1,000 characters. Not for the trash.',
      }),
    ),
    include: Include,
    ...filterQuery,
    ...asOfQuery,
  },
  closed,
)

export type ListTasks = Static<typeof ListTasks>
