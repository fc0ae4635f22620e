import type { Session } from '../../db/database'
import { invalid } from '../../http/api-error'
import { type Page, readCursor, toPage } from '../../http/cursor'
import { DEFAULT_LIMIT, readCivilDate, requireLength } from '../../http/values'
import { toDay } from '../../lib/civil/day'
import { titleKey } from '../../lib/text'
import { listDecksDownwards } from '../deck-store'
import { loadDeck } from '../deck-tree'
import { factTagKey } from '../fact'
import { startOfStudyDay } from '../scheduling/study-day'
import type { Study } from '../study'
import { type ListStudy, MAX_QUERY_CHARS, type StudyFilters } from './schema'
import type { StudyFilter } from './store'

/** Reads the filters of a request. Throws not_found for an unknown deck, invalid_request. */
export async function readStudyFilter(session: Session, asked: StudyFilters, { clock }: Study): Promise<StudyFilter> {
  const { deck_id, tag, type, state, due_before, leech, suspended, flag, q, note_id, source_system, source_id } = asked
  if (source_id !== undefined && source_system === undefined)
    throw invalid('/source_system', 'required', 'source_id needs source_system beside it')
  const day = due_before === undefined ? null : toDay(readCivilDate(due_before, '/due_before'))
  return {
    decks: deck_id === undefined ? null : await requireDeckKeys(session, deck_id),
    tagKey: tag === undefined ? null : factTagKey(tag),
    type: type ?? null,
    text: q === undefined ? null : readText(q),
    note: note_id ?? null,
    sourceSystem: source_system ?? null,
    sourceId: source_id ?? null,
    state: state ?? null,
    dueBefore: day === null ? null : { day, at: startOfStudyDay(day, clock) },
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

function readText(q: string): string {
  requireLength(q, MAX_QUERY_CHARS, '/q')
  const text = titleKey(q)
  if (text === '') throw invalid('/q', 'too_short', 'q must not be blank')
  return text
}

/** The most bytes of texts in one page, which ends early when they are reached. */
const PAGE_BYTES = 8 * 1024 * 1024

interface StudyPageRequest {
  readonly binding: string
  readonly trashed: boolean
  /** The last id of the page before, or null for the first page. */
  readonly after: string | null
  readonly limit: number
}

/** Reads the paging of a request. Throws invalid_cursor. */
export function readPage(kind: 'facts' | 'cards', { cursor, limit, ...filters }: ListStudy): StudyPageRequest {
  const binding = JSON.stringify([kind, Object.entries(filters).toSorted()])
  const [after = null] = cursor === undefined ? [] : readCursor(cursor, binding, ['string'])
  return {
    binding,
    trashed: filters.trashed === 'true',
    after: after === null ? null : String(after),
    limit: Number(limit ?? DEFAULT_LIMIT),
  }
}

interface Sized {
  readonly resource: { readonly id: string }
  readonly bytes: number
}

/** Makes a page of up to `limit + 1` items. It ends early at PAGE_BYTES, with at least one item. */
export function toStudyPage<Item extends Sized>(items: readonly Item[], { binding, limit }: StudyPageRequest) {
  let bytes = 0
  const beyond = items.findIndex((item, i) => {
    bytes += item.bytes
    return bytes > PAGE_BYTES && i > 0
  })
  const shown = beyond < 0 ? limit : Math.min(limit, beyond)
  const page = toPage(
    items,
    shown,
    binding,
    ({ resource }) => [resource.id],
    ({ resource }) => resource,
  )
  return page as Page<Item['resource']>
}
