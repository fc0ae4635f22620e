import type { Session } from '../../db/database'
import { invalid } from '../../http/api-error'
import { type Key, type Page, readCursor, toPage } from '../../http/cursor'
import { DEFAULT_LIMIT, readCivilDate, readIds } from '../../http/values'
import { toDay } from '../../lib/civil/day'
import { listDecksDownwards } from '../deck-store'
import { loadDeck } from '../deck-tree'
import { factTagKey } from '../fact'
import { DAY_MS, startOfStudyDay } from '../scheduling/study-day'
import type { Study } from '../study'
import { readCardQuery } from './query'
import type { CardSortKey, ListCards, ListStudy, StudyFilters } from './schema'
import type { CardSort, StudyFilter } from './store'

/** Reads the filters of a request. Throws not_found for an unknown deck, invalid_request. */
export async function readStudyFilter(session: Session, asked: StudyFilters, study: Study): Promise<StudyFilter> {
  const { deck_id, tag, type, state, due_before, leech, suspended, flag, q, note_id, source_system, source_id } = asked
  if (source_id !== undefined && source_system === undefined)
    throw invalid('/source_system', 'required', 'source_id needs source_system beside it')
  const { clock, today } = study
  const start = (of: number) => ({ day: of, at: startOfStudyDay(of, clock) })
  const day = due_before === undefined ? null : toDay(readCivilDate(due_before, '/due_before'))
  return {
    decks: deck_id === undefined ? null : await requireDeckKeys(session, deck_id),
    tagKey: tag === undefined ? null : factTagKey(tag),
    type: type ?? null,
    query: q === undefined ? null : readCardQuery(q, { today, start }),
    note: note_id ?? null,
    sourceSystem: source_system ?? null,
    sourceId: source_id ?? null,
    state: state ?? null,
    dueBefore: day === null ? null : start(day),
    leech: leech === undefined ? null : leech === 'true',
    suspended: suspended === undefined ? null : suspended === 'true',
    flag: flag === undefined ? null : Number(flag),
  }
}

/** Returns the keys of a deck and its descendants. Throws not_found. */
export async function requireDeckKeys(session: Session, id: string): Promise<number[]> {
  const deck = await loadDeck(session, id)
  const decks = await listDecksDownwards(session.db, session.workspace.id, deck.key)
  return decks.map(({ key }) => key)
}

/** The most bytes of texts in one page, which ends early when they are reached. */
const PAGE_BYTES = 8 * 1024 * 1024

interface StudyPageRequest {
  readonly binding: string
  readonly trashed: boolean
  /** Only these; null: all. */
  readonly ids: readonly string[] | null
  /** The last id of the page before, or null for the first page. */
  readonly after: string | null
  readonly limit: number
}

/** Reads the paging of a request, and its `ids`. Throws invalid_cursor, invalid_request. */
export function readPage(kind: 'facts' | 'cards', { cursor, limit, ...filters }: ListStudy): StudyPageRequest {
  const binding = JSON.stringify([kind, Object.entries(filters).toSorted()])
  const [after = null] = cursor === undefined ? [] : readCursor(cursor, binding, ['string'])
  return {
    binding,
    trashed: filters.trashed === 'true',
    ids: filters.ids === undefined ? null : readIds(filters.ids),
    after: after === null ? null : String(after),
    limit: Number(limit ?? DEFAULT_LIMIT),
  }
}

interface SortedCardPage {
  readonly sort: CardSort
  readonly page: Omit<StudyPageRequest, 'after'> & { readonly after: readonly [value: number, id: string] | null }
}

/** Reads the paging and the sort of a list of cards; null if it is by id. Throws invalid_cursor. */
export function readSortedPage({ sort, ...query }: ListCards, { clock, today }: Study): SortedCardPage | null {
  if (sort === undefined) return null
  const { cursor, ...asked } = query
  const unpaged = readPage('cards', asked)
  const binding = JSON.stringify([unpaged.binding, sort])
  const [value, id] = cursor === undefined ? [] : readCursor(cursor, binding, ['number', 'string'])
  return {
    page: { ...unpaged, binding, after: typeof value === 'number' && typeof id === 'string' ? [value, id] : null },
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
