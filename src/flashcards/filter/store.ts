import { Bindings, type Reader } from '../../db/database'
import { byIndex, elementsIn, integersIn, valuesIn } from '../../db/dialect'
import { keysOf, readInSteps, type Walk } from '../../db/table'
import type { Key } from '../../http/cursor'
import { type CardRow, getCardsByKeys } from '../cards/card-store'
import { type FactRow, getFactsByKeys } from '../facts/fact-store'
import { asksForCards, type CardCondition, type CardQuery } from './query'

/** The filter of cards, or of facts with such a card. Null: any value matches. */
export interface StudyFilter {
  /** Keys. */
  readonly decks: readonly number[] | null
  readonly type: FactRow['type'] | null
  /** All conditions that a query can have, also where parameters of their own ask for them. */
  readonly query: CardQuery | null
  readonly note: string | null
  readonly sourceSystem: string | null
  /** Null if the system is null. */
  readonly sourceId: string | null
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
  /** The sort keys of the last one of the page before: its id, and before it the value of a sort. Null: the first page. */
  readonly after: readonly Key[] | null
  readonly limit: number
}

/** Where a filter looks: at cards, or at facts. */
interface QueryTable {
  readonly name: 'study_cards' | 'study_facts'
  /** The key of the fact. */
  readonly fact: string
  /** The index of a deck, by id. */
  readonly ofDeck: string
}
const CARDS: QueryTable = { name: 'study_cards', fact: 'study_cards.fact', ofDeck: 'study_cards_in_deck' }
const FACTS: QueryTable = { name: 'study_facts', fact: 'study_facts.key', ofDeck: 'study_facts_by_deck' }

type Listed = Pick<CardRow, 'key' | 'id'> & { readonly sort_value: number }

/** Returns the cards of a page, by id or sorted. */
export async function listCards(
  session: Reader,
  listing: StudyListing,
  sort: CardSort | null = null,
): Promise<(CardRow & Listed)[]> {
  const page = await listPage(session, CARDS, listing, sort)
  const rows = new Map((await getCardsByKeys(session, keysOf(page))).map((row) => [row.key, row]))
  return page.flatMap(({ key, sort_value }) => [rows.get(key) ?? []].flat().map((row) => ({ ...row, sort_value })))
}

/** Returns the facts of a page, by id. Facts that were trashed with a deck are part of that entry, and not listed. */
export async function listFacts(session: Reader, listing: StudyListing): Promise<FactRow[]> {
  const page = await listPage(session, FACTS, listing, null)
  return (await getFactsByKeys(session, keysOf(page))).sort((a, b) => (a.id < b.id ? -1 : 1))
}

/**
 * Lists a page without reading texts. Few facts that an index finds are read by key. More are met often on the way through
 * all cards by id, which is taken in steps: a filter may match none of very many. A sort takes all the way.
 */
async function listPage(
  session: Reader,
  table: QueryTable,
  listing: StudyListing,
  sort: CardSort | null,
): Promise<readonly Listed[]> {
  const facts = await findFacts(session, table, listing)
  if (facts?.length === 0) return []
  const { limit, after } = listing
  const select = (from: Walk['from'], best: readonly Listed[] = []) =>
    listWithin(session, table, { ...listing, limit: sort ? limit : limit - best.length }, sort, from, best)
  if (facts)
    return select((bind) => {
      const held = integersIn(bind.add(JSON.stringify(facts)))
      return `${table.name} WHERE +workspace = $1 AND ${table.fact} IN ${held}`
    })
  const walk: Walk = { from: (bind) => buildWalk(table, listing, bind), columns: ['id'] }
  if (!sort && isUnfiltered(listing)) return select(walk.from)
  return readInSteps<Listed>(
    session,
    walk,
    sort ? null : after,
    async (best, within) => {
      const both = [...best, ...(await select(within, best))]
      return sort ? both.sort(compareSorted).slice(0, limit) : both
    },
    ({ length }) => !sort && length === limit,
  )
}

const compareSorted = (a: Listed, b: Listed) => a.sort_value - b.sort_value || (a.id < b.id ? -1 : 1)

function isUnfiltered({ filter, trashed }: StudyListing): boolean {
  return !trashed && Object.values(filter).every((value) => value === null)
}

/** @param best sorted cards of other steps: what comes after `limit` of them is left out */
function listWithin(
  { db, workspace }: Reader,
  table: QueryTable,
  listing: StudyListing,
  sort: CardSort | null,
  from: Walk['from'],
  best: readonly Listed[],
): Promise<Listed[]> {
  const { after, limit } = listing
  const bind = new Bindings(workspace.id)
  const value = sort ? buildSortValue(sort, bind) : '0'
  const last = sort && best.length === limit ? best.at(-1) : undefined
  const keys = sort ? `(${value}, id)` : '(id)'
  const where = [
    from(bind),
    ...(after === null ? [] : [`${keys} > (${after.map((key) => bind.add(key)).join(', ')})`]),
    ...(last ? [`${keys} < (${bind.add(last.sort_value)}, ${bind.add(last.id)})`] : []),
    ...buildConditions(table, listing, bind),
  ]
  return db.all<Listed>(
    `SELECT key, id, ${value} AS sort_value FROM ${where.join(' AND ')}
     ORDER BY ${sort ? 'sort_value, ' : ''}id LIMIT ${bind.add(limit)}`,
    bind.values,
  )
}

/** Leads by id through the trash, through one deck, or through all of the workspace. */
function buildWalk({ name, ofDeck }: QueryTable, { trashed, filter: { decks } }: StudyListing, bind: Bindings): string {
  if (trashed) return `${name} ${byIndex(`${name}_in_trash`)} WHERE workspace = $1 AND deleted_at IS NOT NULL`
  const [deck] = decks?.length === 1 ? decks : []
  if (deck === undefined) return `${name} WHERE workspace = $1`
  const living = name === 'study_cards' ? 'AND deleted_at IS NULL' : ''
  return `${name} ${byIndex(ofDeck)} WHERE +workspace = $1 AND deck = ${bind.add(deck)} ${living}`
}

function buildSortValue({ key, isDescending, dayOffset }: CardSort, bind: Bindings): string {
  const sign = isDescending ? '-' : ''
  return `coalesce(CAST(${sign}(${SORT_VALUES[key](() => bind.add(dayOffset))}) AS double precision), 1e300)`
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

/** Returns the conditions that are compared for each card or fact. The plus keeps the planner from their indexes. */
function buildConditions(table: QueryTable, { filter, trashed, ids }: StudyListing, bind: Bindings): string[] {
  const { decks, query, type, note, sourceSystem, sourceId } = filter
  const living = trashed ? 'deleted_at IS NOT NULL' : 'deleted_at IS NULL'
  const isOfCards = table === FACTS && query !== null && asksForCards(query)
  const condition = query && queryCondition(query, bind, isOfCards ? CARDS : table)
  const matches = isOfCards
    ? `EXISTS (SELECT 1 FROM study_cards WHERE fact = study_facts.key AND ${living} AND ${condition})`
    : condition
  const member = (column: string) =>
    table === FACTS ? `+study_facts.${column}` : `(SELECT ${column} FROM study_facts WHERE key = study_cards.fact)`
  return [
    trashed && table === FACTS ? `${living} AND trashed_with IS NULL` : living,
    ...(ids === null ? [] : [`id IN ${valuesIn(bind.add(JSON.stringify(ids)))}`]),
    ...(decks === null ? [] : [`+deck IN ${integersIn(bind.add(JSON.stringify(decks)))}`]),
    ...(type === null ? [] : [`${member('type')} = ${bind.add(type)}`]),
    ...(sourceSystem === null ? [] : [`${member('source_system')} = ${bind.add(sourceSystem)}`]),
    ...(sourceId === null ? [] : [`${member('source_id')} = ${bind.add(sourceId)}`]),
    ...(matches === null ? [] : [matches]),
    ...(note === null
      ? []
      : [
          `EXISTS (SELECT 1 FROM study_fact_note_uses AS own WHERE own.fact = ${table.fact} AND note_id = ${bind.add(note)})`,
        ]),
  ]
}

/** Facts that are read by key: sorting them takes as long as meeting a page of more on the way. */
const MAX_FOUND = 2000

/** Returns SQL that selects the keys of the facts of a condition, and maybe others, from an index. */
type Finder = (bind: Bindings) => string

/** Returns the keys of a few facts that include all that match; null if there are more, or no index finds them. */
async function findFacts(
  { db, workspace }: Reader,
  table: QueryTable,
  listing: StudyListing,
): Promise<number[] | null> {
  for (const finders of listFinders(table, listing)) {
    const bind = new Bindings(workspace.id)
    const selects = finders.map((find) => `SELECT fact FROM (${find(bind)}) AS found`).join(' UNION ALL ')
    const sql = `${selects} LIMIT ${bind.add(MAX_FOUND + 1)}`
    const rows = await db.all<{ fact: number }>(sql, bind.values)
    if (rows.length <= MAX_FOUND) return rows.map(({ fact }) => fact)
  }
  return null
}

/** Lists finders that together find all that match. */
function listFinders({ name, fact }: QueryTable, { filter, trashed, ids }: StudyListing): Finder[][] {
  const { decks, type, note, sourceSystem, sourceId, query } = filter
  const finders: (Finder | false)[] = [
    ids !== null &&
      ((bind) =>
        `SELECT ${fact} AS fact FROM ${name} WHERE workspace = $1 AND id IN ${valuesIn(bind.add(JSON.stringify(ids)))}`),
    note !== null &&
      ((bind) => `SELECT fact FROM study_fact_note_uses WHERE workspace = $1 AND note_id = ${bind.add(note)}`),
    sourceSystem !== null &&
      ((bind) =>
        `SELECT key AS fact FROM study_facts ${byIndex('study_facts_by_source')} WHERE workspace = $1
         AND source_system = ${bind.add(sourceSystem)} ${sourceId === null ? '' : `AND source_id = ${bind.add(sourceId)}`}`),
    decks !== null && decks.length > 1 && ((bind) => deckFinder(integersIn(bind.add(JSON.stringify(decks))))),
    type !== null &&
      ((bind) =>
        `SELECT key AS fact FROM study_facts ${byIndex('study_facts_by_type')} WHERE workspace = $1 AND type = ${bind.add(type)}`),
  ]
  return [...finders.flatMap((find) => (find ? [[find]] : [])), ...(query ? listQueryFinders(query, trashed) : [])]
}

function listQueryFinders(query: CardQuery, trashed: boolean): Finder[][] {
  if (query.kind === 'not') return []
  if ('parts' in query) {
    const parts = query.parts.map((part) => listQueryFinders(part, trashed))
    if (query.kind === 'and') return parts.flat()
    return parts.every(([first]) => first !== undefined) ? [parts.flatMap(([first = []]) => first)] : []
  }
  // The indexes of what cards are have only those outside the trash.
  const find = trashed && asksForCards(query) ? null : findByCondition(query)
  return find ? [[find]] : []
}

function findByCondition(
  condition: Exclude<CardQuery, { readonly parts: unknown } | { readonly kind: 'not' }>,
): Finder | null {
  switch (condition.kind) {
    case 'facts':
      return (bind) =>
        `SELECT CAST(value AS bigint) AS fact FROM ${elementsIn(bind.add(JSON.stringify(condition.keys)))} AS held`
    case 'tag':
      return (bind) => `SELECT fact FROM study_fact_tags WHERE workspace = $1 AND ${isTag(condition.text, bind)}`
    case 'deck':
      return (bind) => deckFinder(buildDecksAt(condition.path, bind))
    case 'due':
      return dueFinder(condition.from, condition.until)
    case 'is':
      return findByState(condition)
    case 'rated':
      return (bind) =>
        `SELECT fact FROM study_reviews ${byIndex('study_reviews_by_day')} CROSS JOIN study_cards ON study_cards.key = card
         WHERE study_reviews.workspace = $1 AND undone_at IS NULL AND study_day >= ${bind.add(condition.from.day)}`
    case 'number':
      return condition.column === 'flag' && condition.comparison === '=' && condition.value > 0
        ? (bind) => `${cardsBy('flagged')} AND flag > 0 AND flag = ${bind.add(condition.value)}`
        : null
    default:
      return null
  }
}

/** Reads an index of few cards. */
const cardsBy = (what: string) => `SELECT fact FROM study_cards ${byIndex(`study_cards_${what}`)} WHERE workspace = $1`

const SUSPENDED = `${cardsBy('suspended')} AND suspended = 1`

function findByState({ what, tomorrow }: CardCondition & { kind: 'is' }): Finder | null {
  switch (what) {
    case 'due':
      return dueFinder(null, tomorrow)
    case 'suspended':
      return () => SUSPENDED
    case 'leech':
      return () => `${cardsBy('leeches')} AND leech = 1`
    case 'buried':
      return null
    default:
      return (bind) => `${cardsBy('by_state')} AND deleted_at IS NULL AND state = ${bind.add(what)}`
  }
}

const deckFinder = (decks: string) =>
  `SELECT key AS fact FROM study_facts ${byIndex('study_facts_by_deck')} WHERE +workspace = $1 AND deck IN ${decks}`

/** Finds the cards that are due in a time by the indexes of the queue, deck by deck, and all that are suspended. */
const dueFinder =
  (from: DueBound, until: DueBound): Finder =>
  (bind) => {
    const within = (column: string, member: 'day' | 'at') => isWithin(column, from?.[member], until?.[member], bind)
    return `SELECT fact FROM study_decks CROSS JOIN study_cards ${byIndex('study_cards_review')} ON study_cards.deck = study_decks.key
      WHERE study_decks.workspace = $1 AND study_cards.workspace = $1 AND study_cards.deleted_at IS NULL AND suspended = 0
        AND state = 'review' AND ${within('due_day', 'day')}
      UNION ALL ${cardsBy('learning')} AND deleted_at IS NULL AND suspended = 0 AND state IN ('learning', 'relearning')
        AND ${within('due_at', 'at')}
      UNION ALL ${SUSPENDED}`
  }

type DueBound = Extract<CardCondition, { kind: 'due' }>['from']

function isWithin(column: string, from: number | undefined, until: number | undefined, bind: Bindings): string {
  return [
    `${column} IS NOT NULL`,
    ...(from === undefined ? [] : [`${column} >= ${bind.add(from)}`]),
    ...(until === undefined ? [] : [`${column} < ${bind.add(until)}`]),
  ].join(' AND ')
}

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
      return `+${table.name}.deck IN ${buildDecksAt(query.path, bind)}`
    case 'number':
      return `${query.column} ${query.comparison} ${bind.add(query.value)}`
    case 'due': {
      const { from, until } = query
      const within = (column: string, member: 'day' | 'at') => isWithin(column, from?.[member], until?.[member], bind)
      return `((${within('due_day', 'day')}) OR (${within('due_at', 'at')}))`
    }
    case 'is':
      return isCondition(query, bind)
    case 'added':
      return `created_at >= ${bind.add(query.from.at)}`
    case 'rated': {
      const rating = query.rating === null ? '' : `AND rating = ${bind.add(query.rating)}`
      return `EXISTS (SELECT 1 FROM study_reviews ${byIndex('study_reviews_by_card')} WHERE card = study_cards.key
        AND undone_at IS NULL AND study_day >= ${bind.add(query.from.day)} AND rating IS NOT NULL AND kind <> 'import' ${rating})`
    }
  }
}

function isCondition({ what, tomorrow }: CardCondition & { kind: 'is' }, bind: Bindings): string {
  const day = () => bind.add(tomorrow.day)
  switch (what) {
    case 'due':
      return `(+suspended = 0 AND coalesce(buried_until, 0) < ${day()}
        AND (due_day < ${day()} OR due_at < ${bind.add(tomorrow.at)}))`
    case 'suspended':
      return '+suspended = 1'
    case 'leech':
      return '+leech = 1'
    case 'buried':
      return `buried_until >= ${day()}`
    default:
      return `+state = ${bind.add(what)}`
  }
}

/** Returns the keys of the decks at a path, which may begin below any deck, with their subdecks. */
function buildDecksAt(path: readonly string[], bind: Bindings): string {
  const named = path.reduce(
    (above, name) =>
      `SELECT key FROM study_decks WHERE workspace = $1 AND deleted_at IS NULL AND name_key = ${bind.add(name)}
        ${above === '' ? '' : `AND parent IN (${above})`}`,
    '',
  )
  return `(WITH RECURSIVE down (key) AS (SELECT key FROM (${named}) AS listed
    UNION SELECT study_decks.key FROM study_decks JOIN down ON study_decks.parent = down.key) SELECT key FROM down)`
}

function tagCondition(tagKey: string, bind: Bindings, key: string): string {
  return `EXISTS (SELECT 1 FROM study_fact_tags AS own WHERE own.fact = ${key} AND +own.workspace = $1 AND ${isTag(tagKey, bind)})`
}

/**
 * Returns the condition for a tag or one nested in it: these begin with it and `::`, and `;` sorts after `:`. The first
 * two comparisons follow from the third, but form a range that SQLite can read from an index.
 */
function isTag(tagKey: string, bind: Bindings): string {
  const [tag, from, to] = [tagKey, `${tagKey}::`, `${tagKey}:;`].map((text) => bind.add(text))
  return `(tag_key >= ${tag} AND tag_key < ${to} AND (tag_key = ${tag} OR tag_key >= ${from}))`
}
