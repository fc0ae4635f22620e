import { Bindings, type Reader, type Session } from '../../db/database'
import { integersIn, valuesIn } from '../../db/dialect'
import { CARD, type CardRow } from '../cards/card-store'
import { FACT, type FactRow } from '../facts/fact-store'
import { asksForCards, type CardCondition, type CardQuery } from './query'

/** The filter of cards, or of facts with such a card. Null: any value matches. */
export interface StudyFilter {
  /** Keys. */
  readonly decks: readonly number[] | null
  /** Folded. Tags nested in it match, too. */
  readonly tagKey: string | null
  readonly type: FactRow['type'] | null
  readonly query: CardQuery | null
  readonly note: string | null
  readonly sourceSystem: string | null
  /** Null if the system is null. */
  readonly sourceId: string | null
  readonly state: CardRow['state'] | null
  /** A study day (whole days since 1970-01-01), and the instant at which it begins. */
  readonly dueBefore: { readonly day: number; readonly at: number } | null
  readonly leech: boolean | null
  readonly suspended: boolean | null
  readonly flag: number | null
}

/** The keys by which cards can be sorted. */
export const CARD_SORT_KEYS = ['due', 'lapses', 'reps', 'stability', 'difficulty', 'interval', 'position'] as const
export type CardSortKey = (typeof CARD_SORT_KEYS)[number]

/** The order of a list of cards; ids break ties. Cards without a value come last. */
export interface CardSort {
  readonly key: CardSortKey
  readonly isDescending: boolean
  /** Milliseconds from the beginning of a UTC day to that of the study day. */
  readonly dayOffset: number
}

interface StudyListing {
  readonly filter: StudyFilter
  readonly trashed: boolean
  /** Only these; null: all. */
  readonly ids: readonly string[] | null
  /** The last id of the page before, or null for the first page. */
  readonly after: string | null
  readonly limit: number
}

/** Returns the cards of a page, by id. */
export function listCards({ db, workspace }: Reader, listing: StudyListing): Promise<CardRow[]> {
  const { after, limit } = listing
  const bind = new Bindings(workspace.id)
  const where = [...cardsWhere(listing, bind), ...(after === null ? [] : [`id > ${bind.add(after)}`])]
  const sql = `SELECT ${CARD} FROM study_cards WHERE ${where.join(' AND ')} ORDER BY id LIMIT ${bind.add(limit)}`
  return db.all<CardRow>(sql, bind.values)
}

interface SortedCard extends CardRow {
  readonly sort_value: number
}

/**
 * Returns the cards of a page in another order. It reads the cards that match, but only a few columns of them: the page
 * is read whole afterwards.
 * @param after the value and the id of the last card of the page before
 */
export function listCardsSorted(
  { db, workspace }: Session,
  listing: Omit<StudyListing, 'after'> & { readonly after: readonly [value: number, id: string] | null },
  { key, isDescending, dayOffset }: CardSort,
): Promise<SortedCard[]> {
  const bind = new Bindings(workspace.id)
  const sign = isDescending ? '-' : ''
  const value = `coalesce(CAST(${sign}(${SORT_VALUES[key](() => bind.add(dayOffset))}) AS double precision), 1e300)`
  const { after } = listing
  const from = after === null ? [] : [`(${value}, id) > (${bind.add(after[0])}, ${bind.add(after[1])})`]
  const where = [...cardsWhere(listing, bind), ...from].join(' AND ')
  return db.all<SortedCard>(
    `SELECT ${CARD}, page.sort_value FROM (SELECT key, id, ${value} AS sort_value FROM study_cards
       WHERE ${where} ORDER BY sort_value, id LIMIT ${bind.add(listing.limit)}) AS page
     JOIN study_cards ON study_cards.key = page.key WHERE +study_cards.workspace = $1
     ORDER BY page.sort_value, page.id`,
    bind.values,
  )
}

const SORT_VALUES: Readonly<Record<CardSortKey, (offset: () => string) => string>> = {
  due: (offset) => `coalesce(due_at, due_day * 86400000 + ${offset()})`,
  lapses: () => 'lapses',
  reps: () => 'reps',
  stability: () => 'stability',
  difficulty: () => 'difficulty',
  interval: () => 'scheduled_days',
  position: () => 'position',
}

function cardsWhere(listing: Pick<StudyListing, 'filter' | 'trashed' | 'ids'>, bind: Bindings): string[] {
  const { filter, trashed } = listing
  return [
    inWorkspace(filter),
    ...amongIds(listing, bind),
    trashed ? 'deleted_at IS NOT NULL' : 'deleted_at IS NULL',
    ...inDecks(filter, bind),
    ...cardConditions(filter, bind),
    ...factConditions(filter, bind, 'study_cards.fact'),
    ...(filter.type === null
      ? []
      : [`fact IN (SELECT key FROM study_facts WHERE workspace = $1 AND type = ${bind.add(filter.type)})`]),
    ...(filter.query === null ? [] : [queryCondition(filter.query, bind, CARDS)]),
  ]
}

/** Returns the facts of a page, by id. Facts that were trashed with a deck are part of that entry, and not listed. */
export function listFacts({ db, workspace }: Reader, listing: StudyListing): Promise<FactRow[]> {
  const { filter, trashed, after, limit } = listing
  const bind = new Bindings(workspace.id)
  const { query } = filter
  const ofCards = query !== null && asksForCards(query)
  const cards = [...cardConditions(filter, bind), ...(ofCards ? [queryCondition(query, bind, CARDS)] : [])]
  const living = trashed ? 'deleted_at IS NOT NULL' : 'deleted_at IS NULL'
  const having = `study_facts.key IN
    (SELECT fact FROM study_cards WHERE workspace = $1 AND ${living} AND ${cards.join(' AND ')})`
  const where = [
    inWorkspace(filter),
    ...amongIds(listing, bind),
    trashed ? `${living} AND trashed_with IS NULL` : living,
    ...(after === null ? [] : [`id > ${bind.add(after)}`]),
    ...inDecks(filter, bind),
    ...(cards.length > 0 ? [having] : []),
    ...factConditions(filter, bind, 'study_facts.key'),
    ...(filter.type === null ? [] : [`type = ${bind.add(filter.type)}`]),
    ...(query === null || ofCards ? [] : [queryCondition(query, bind, FACTS)]),
  ]
  const sql = `SELECT ${FACT} FROM study_facts WHERE ${where.join(' AND ')} ORDER BY id LIMIT ${bind.add(limit)}`
  return db.all<FactRow>(sql, bind.values)
}

function amongIds({ ids }: Pick<StudyListing, 'ids'>, bind: Bindings): string[] {
  return ids === null ? [] : [`id IN ${valuesIn(bind.add(JSON.stringify(ids)))}`]
}

/**
 * Returns the condition on the workspace. If few facts match, the plus keeps the planner from a scan of the workspace.
 */
function inWorkspace({ sourceId, note, query }: StudyFilter): string {
  return sourceId !== null || note !== null || (query !== null && !asksForCards(query))
    ? '+workspace = $1'
    : 'workspace = $1'
}

function inDecks({ decks }: StudyFilter, bind: Bindings): string[] {
  return decks === null ? [] : [`deck IN ${integersIn(bind.add(JSON.stringify(decks)))}`]
}

/**
 * Returns the conditions on columns of cards. Constants are literals, so that the planner can choose a partial index.
 */
function cardConditions({ state, dueBefore, leech, suspended, flag }: StudyFilter, bind: Bindings): string[] {
  const due = dueBefore && `(due_day < ${bind.add(dueBefore.day)} OR due_at < ${bind.add(dueBefore.at)})`
  return [
    ...(state === null ? [] : [`state = ${bind.add(state)}`]),
    ...(due === null ? [] : [due]),
    ...(leech === null ? [] : [`leech = ${leech ? 1 : 0}`]),
    ...(suspended === null ? [] : [`suspended = ${suspended ? 1 : 0}`]),
    ...(flag === null ? [] : [`flag = ${bind.add(flag)}${flag > 0 ? ' AND flag > 0' : ''}`]),
  ]
}

/** Returns the conditions on the tags, notes, source and text of a fact, whose key is in the column `key`. */
function factConditions(filter: StudyFilter, bind: Bindings, key: string): string[] {
  const { tagKey, note, sourceSystem, sourceId } = filter
  const withId = sourceId === null ? '' : ` AND source_id = ${bind.add(sourceId)}`
  return [
    ...(sourceSystem === null
      ? []
      : [
          `${key} IN (SELECT key FROM study_facts
            WHERE workspace = $1 AND source_system = ${bind.add(sourceSystem)}${withId})`,
        ]),
    ...(note === null
      ? []
      : [`${key} IN (SELECT fact FROM study_fact_note_uses WHERE workspace = $1 AND note_id = ${bind.add(note)})`]),
    ...(tagKey === null ? [] : [tagCondition(tagKey, bind, key)]),
  ]
}

/** Where a query looks: the columns of the key of the fact, and of the deck. */
interface QueryTable {
  readonly fact: string
  readonly deck: string
}
const CARDS: QueryTable = { fact: 'study_cards.fact', deck: 'study_cards.deck' }
const FACTS: QueryTable = { fact: 'study_facts.key', deck: 'study_facts.deck' }

/** Returns the condition of a query. Conditions on cards have the columns of `study_cards`. */
function queryCondition(query: CardQuery, bind: Bindings, table: QueryTable): string {
  switch (query.kind) {
    case 'and':
    case 'or': {
      const parts = query.parts.map((part) => queryCondition(part, bind, table))
      return `(${parts.join(query.kind === 'and' ? ' AND ' : ' OR ')})`
    }
    case 'not':
      // A card without stability, say, is not above any: without coalesce it would be neither.
      return `(${queryCondition(query.part, bind, table)}) IS NOT TRUE`
    case 'facts':
      return `${table.fact} IN ${integersIn(bind.add(JSON.stringify(query.keys)))}`
    case 'tag':
      return tagCondition(query.text, bind, table.fact)
    case 'deck':
      return deckCondition(query.path, bind, table.deck)
    case 'number':
      return `${query.column} ${query.comparison} ${bind.add(query.value)}`
    case 'due': {
      const { from, until } = query
      const within = (column: string, member: 'day' | 'at') =>
        [
          `${column} IS NOT NULL`,
          ...(from ? [`${column} >= ${bind.add(from[member])}`] : []),
          ...(until ? [`${column} < ${bind.add(until[member])}`] : []),
        ].join(' AND ')
      return `((${within('due_day', 'day')}) OR (${within('due_at', 'at')}))`
    }
    case 'is':
      return isCondition(query, bind)
    case 'added':
      return `created_at >= ${bind.add(query.from.at)}`
    case 'rated': {
      const rating = query.rating === null ? '' : `AND rating = ${bind.add(query.rating)}`
      return `study_cards.key IN (SELECT card FROM study_reviews WHERE workspace = $1 AND undone_at IS NULL
        AND study_day >= ${bind.add(query.from.day)} AND rating IS NOT NULL AND kind <> 'import' ${rating})`
    }
  }
}

function isCondition({ what, tomorrow }: CardCondition & { kind: 'is' }, bind: Bindings): string {
  const day = () => bind.add(tomorrow.day)
  switch (what) {
    case 'due':
      return `(suspended = 0 AND coalesce(buried_until, 0) < ${day()}
        AND (due_day < ${day()} OR due_at < ${bind.add(tomorrow.at)}))`
    case 'suspended':
      return 'suspended = 1'
    case 'leech':
      return 'leech = 1'
    case 'buried':
      return `buried_until >= ${day()}`
    default:
      return `state = ${bind.add(what)}`
  }
}

/** Returns the condition for the decks at a path, which may begin below any deck, with their subdecks. */
function deckCondition(path: readonly string[], bind: Bindings, column: string): string {
  const named = path.reduce(
    (above, name) =>
      `SELECT key FROM study_decks WHERE workspace = $1 AND deleted_at IS NULL AND name_key = ${bind.add(name)}
        ${above === '' ? '' : `AND parent IN (${above})`}`,
    '',
  )
  return `${column} IN (WITH RECURSIVE down (key) AS (SELECT key FROM (${named}) AS listed
    UNION SELECT study_decks.key FROM study_decks JOIN down ON study_decks.parent = down.key) SELECT key FROM down)`
}

/** Returns the condition for a tag or one nested in it. Nested tags begin with it and `::`, and `;` sorts after `:`. */
function tagCondition(tagKey: string, bind: Bindings, key: string): string {
  const [tag, from, to] = [tagKey, `${tagKey}::`, `${tagKey}:;`].map((text) => bind.add(text))
  return `${key} IN (SELECT fact FROM study_fact_tags
    WHERE workspace = $1 AND (tag_key = ${tag} OR (tag_key >= ${from} AND tag_key < ${to})))`
}
