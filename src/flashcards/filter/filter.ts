import { type Static, t } from 'elysia'
import type { Session } from '../../db/database'
import { keysOf } from '../../db/table'
import { invalid } from '../../http/api-error'
import { type Key, type Page, readCursor, toPage } from '../../http/cursor'
import { asInteger, asOneOf, Cursor, dayParam, Flag, Id, idsParam, Limit } from '../../http/schema'
import { DEFAULT_LIMIT, readCivilDate, readIds } from '../../http/values'
import { toDay } from '../../lib/civil/day'
import type { Query } from '../../search/query'
import { CardState } from '../cards/card-schema'
import { loadDeck } from '../decks/deck'
import { listPairsDownwards } from '../decks/deck-store'
import type { Study } from '../decks/study'
import { factTagKey } from '../facts/fact'
import { FactType } from '../facts/fact-schema'
import { DAY_MS, startOfStudyDay } from '../scheduling/study-day'
import { type CardQuery, type FindFacts, findWords, readCardQuery } from './query'
import { CARD_SORT_KEYS, type CardSort, type CardSortKey, type StudyFilter } from './store'

/** The filters of lists of facts and of cards. A fact matches if one of its cards does. */
export const StudyFilters = t.Object(
  {
    deck_id: t.Optional(t.String({ ...Id, description: 'In this deck or one of its subdecks.' })),
    tag: t.Optional(
      t.String({ minLength: 1, description: 'With this tag or one nested in it; case makes no difference.' }),
    ),
    type: t.Optional(FactType),
    state: t.Optional(CardState),
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
          'Words, "phrases" and beginnings (word*) that the fact holds, as in `GET /api/search`, and conditions: `lapses`, `reps`, `stability`, `difficulty`, `interval` and `flag` with `:`, `<`, `<=`, `>`, `>=` and a number; `due` with a date, `today` or a number of days from today; `state:`, `tag:`, `deck:` (a name or a path `A::B`), `is:due`, `is:new`, `is:learning`, `is:review`, `is:relearning`, `is:suspended`, `is:leech`, `is:buried`; `added:7` and `rated:7` for the last seven days, `prop:ivl>=10`. All must hold; `OR`, `-` and brackets as in the search. Words are not searched in the trash.',
        examples: ['lapses>3 tag:verb is:due'],
      }),
    ),
    note_id: t.Optional(t.String({ ...Id, description: 'Belongs to this note.' })),
    source_system: t.Optional(t.String({ description: 'Came from this program.' })),
    source_id: t.Optional(t.String({ description: 'Its id in that program; only together with `source_system`.' })),
  },
  { additionalProperties: false },
)

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

/** Reads the filters of a request. Throws not_found for an unknown deck, invalid_request. */
export async function readStudyFilter(
  session: Session,
  asked: StudyFilters & { readonly trashed?: 'true' | 'false' },
  study: Study,
  findFacts: FindFacts,
): Promise<StudyFilter> {
  const { deck_id, tag, type, state, due_before, leech, suspended, flag, q, note_id, source_system, source_id } = asked
  if (source_id !== undefined && source_system === undefined)
    throw invalid('/source_system', 'required', 'source_id needs source_system beside it')
  const start = startOfDays(study)
  const find = (words: Query) => {
    if (asked.trashed === 'true') throw invalid('/q', 'invalid_value', 'words are not searched in the trash')
    return findFacts(session, words, '/q')
  }
  const tomorrow = start(study.today + 1)
  const is = (what: Extract<CardQuery, { kind: 'is' }>['what'], value: 'true' | 'false' | undefined): CardQuery[] => {
    const part = { kind: 'is', what, tomorrow } as const
    return value === undefined ? [] : [value === 'true' ? part : { kind: 'not', part }]
  }
  const until = due_before === undefined ? null : start(toDay(readCivilDate(due_before, '/due_before')))
  const parts: CardQuery[] = [
    ...(tag === undefined ? [] : [{ kind: 'tag', text: factTagKey(tag) } as const]),
    ...is('leech', leech),
    ...is('suspended', suspended),
    ...(flag === undefined ? [] : [{ kind: 'number', column: 'flag', comparison: '=', value: Number(flag) } as const]),
    ...(state === undefined ? [] : is(state, 'true')),
    ...(until === null ? [] : [{ kind: 'due', from: null, until } as const]),
    ...(q === undefined ? [] : [await findWords(readCardQuery(q, { today: study.today, start }), find)]),
  ]
  return {
    decks: deck_id === undefined ? null : await requireDeckKeys(session, deck_id),
    type: type ?? null,
    query: parts.length === 0 ? null : { kind: 'and', parts },
    note: note_id ?? null,
    sourceSystem: source_system ?? null,
    sourceId: source_id ?? null,
  }
}

const startOfDays =
  ({ clock }: Study) =>
  (day: number) => ({ day, at: startOfStudyDay(day, clock) })

/** Finds now what the words of a query need, for a transaction, in which nothing is searched. */
export async function findAhead(session: Session, q: string, study: Study, findFacts: FindFacts): Promise<FindFacts> {
  const found = new Map<string, readonly number[]>()
  await findWords(readCardQuery(q, { today: study.today, start: startOfDays(study) }), async (words) => {
    const keys = await findFacts(session, words, '/filter/q')
    found.set(JSON.stringify(words), keys)
    return keys
  })
  return async (_, words) => found.get(JSON.stringify(words)) ?? []
}

/** Returns the keys of a deck and its descendants. Throws not_found. */
export async function requireDeckKeys(session: Session, id: string): Promise<number[]> {
  const deck = await loadDeck(session, id)
  return keysOf(await listPairsDownwards(session, [deck.key]))
}

/** The most bytes of texts in one page, which ends early when they are reached. */
const PAGE_BYTES = 8 * 1024 * 1024

interface StudyPageRequest {
  readonly binding: string
  readonly trashed: boolean
  /** Only these; null: all. */
  readonly ids: readonly string[] | null
  /** The sort keys of the last one of the page before, or null for the first page. */
  readonly after: readonly Key[] | null
  readonly limit: number
}

/** Reads the paging of a request, and its `ids`. Throws invalid_cursor, invalid_request. */
export function readPage(
  kind: 'facts' | 'cards',
  { cursor, limit, ...filters }: ListStudy,
  sort?: string,
): StudyPageRequest {
  const unsorted = JSON.stringify([kind, Object.entries(filters).toSorted()])
  const binding = sort === undefined ? unsorted : JSON.stringify([unsorted, sort])
  return {
    binding,
    trashed: filters.trashed === 'true',
    ids: filters.ids === undefined ? null : readIds(filters.ids),
    after:
      cursor === undefined ? null : readCursor(cursor, binding, sort === undefined ? ['string'] : ['number', 'string']),
    limit: Number(limit ?? DEFAULT_LIMIT),
  }
}

/** Reads the paging and the sort of a list of cards; null if it is by id. Throws invalid_cursor. */
export function readSortedPage(
  { sort, ...query }: ListCards,
  { clock, today }: Study,
): StudyPageRequest & { readonly sort: CardSort | null } {
  const page = readPage('cards', query, sort)
  if (sort === undefined) return { ...page, sort: null }
  return {
    ...page,
    sort: {
      key: sort.replace('-', '') as CardSortKey,
      isDescending: sort.startsWith('-'),
      dayOffset: startOfStudyDay(today, clock) - today * DAY_MS,
    },
  }
}

interface Sized {
  readonly resource: { readonly id: string }
  readonly bytes: number
}

/**
 * Makes a page of up to `limit + 1` items. It ends early at PAGE_BYTES, with at least one item.
 * @param keysOf the sort keys of an item, for the cursor
 */
export function toStudyPage<Item extends Sized>(
  items: readonly Item[],
  { binding, limit }: Pick<StudyPageRequest, 'binding' | 'limit'>,
  keysOf: (item: Item) => readonly Key[] = ({ resource }) => [resource.id],
) {
  let bytes = 0
  const beyond = items.findIndex((item, i) => {
    bytes += item.bytes
    return bytes > PAGE_BYTES && i > 0
  })
  const shown = beyond < 0 ? limit : Math.min(limit, beyond)
  const page = toPage(items, shown, binding, keysOf, ({ resource }) => resource)
  return page as Page<Item['resource']>
}
