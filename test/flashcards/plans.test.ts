import { afterAll, expect } from 'bun:test'
import type { Queries, Value, WorkspaceId } from '../../src/db/database'
import { countCardsByDeck, getCardsByKeys, listCardsWithMemory } from '../../src/flashcards/cards/card-store'
import { listFactKeysInDeck } from '../../src/flashcards/facts/fact-store'
import { listCards, listFacts, type StudyFilter } from '../../src/flashcards/filter/store'
import {
  listAllDueWithMemory,
  listAnsweredOn,
  listFirstDue,
  listFirstNew,
  listLearningCards,
} from '../../src/flashcards/queue/store'
import {
  getLastPlace,
  getLatestReview,
  getLatestReviewOfCard,
  isSuspendedByAnswer,
  listLogOfCards,
  listReviewsAfter,
  updateReviews,
} from '../../src/flashcards/reviews/review-store'
import { countByDay, countByHour, countDue, countRetention } from '../../src/flashcards/stats/store'
import { onSqlite as test } from '../support/full'
import { makeStudyWorld } from './support'

/** How SQLite goes about lists: with 100,000 cards, an index more or less is seconds. */

const world = await makeStudyWorld()
afterAll(world.close)
const workspace = '1'.repeat(32) as WorkspaceId

const ALL: StudyFilter = {
  decks: null,
  tagKey: null,
  type: null,
  query: null,
  note: null,
  sourceSystem: null,
  sourceId: null,
  state: null,
  dueBefore: null,
  leech: null,
  suspended: null,
  flag: null,
}

interface Step {
  /** In a query plan. */
  readonly detail: string
  /** In a program: see sqlite.org/opcode.html. */
  readonly opcode: string
  readonly p1: number
  readonly p2: number
}

/** The plans of all statements that `work` asks. */
async function plansOf(work: (db: Queries) => Promise<unknown>): Promise<string[]> {
  return (await asked(work, 'EXPLAIN QUERY PLAN')).map((rows) => rows.map(({ detail }) => detail).join('\n'))
}

async function asked(
  work: (db: Queries) => Promise<unknown>,
  how: 'EXPLAIN' | 'EXPLAIN QUERY PLAN',
): Promise<Step[][]> {
  const statements: [string, readonly Value[]][] = []
  const { db } = world
  await work({
    run(sql, params = []) {
      statements.push([sql, params])
      return db.run(sql, params)
    },
    transaction: (inner) => db.transaction(inner),
    afterCommit: (name, tell) => db.afterCommit(name, tell),
    all(sql, params = []) {
      statements.push([sql, params])
      return db.all(sql, params)
    },
    get(sql, params = []) {
      statements.push([sql, params])
      return db.get(sql, params)
    },
  })
  return Promise.all(statements.map(([sql, params]) => db.all<Step>(`${how} ${sql}`, params)))
}

const listing = (filter: Partial<StudyFilter>, trashed = false, ids: string[] | null = null) => ({
  filter: { ...ALL, ...filter },
  trashed,
  ids,
  after: 'x',
  limit: 50,
})

const FILTERS: Partial<StudyFilter>[] = [
  {},
  { decks: [1] },
  { decks: [1, 2] },
  { tagKey: 'a' },
  { type: 'cloze' },
  { query: { kind: 'facts', keys: [1] } },
  { note: 'a' },
  { sourceSystem: 'a' },
  { sourceSystem: 'a', sourceId: 'a' },
  { state: 'new' },
  { dueBefore: { day: 1, at: 1 } },
  { leech: true },
  { suspended: true },
  { flag: 3 },
  { decks: [1], tagKey: 'a', state: 'review', query: { kind: 'facts', keys: [1] }, suspended: false },
]

test.each(FILTERS)('%o reads no table from end to end', async (filter) => {
  for (const trashed of [false, true])
    for (const list of [listCards, listFacts]) {
      const [plan = ''] = await plansOf((db) => list(db, workspace, listing(filter, trashed)))
      expect(plan).toContain('SEARCH study_')
      expect(plan).not.toMatch(/SCAN (study_\w+)|AUTOMATIC/)
    }
})

test.each([
  [{ leech: true }, 'study_cards_leeches'],
  [{ suspended: true }, 'study_cards_suspended'],
  [{ flag: 3 }, 'study_cards_flagged'],
  [{ state: 'learning' as const }, 'study_cards_by_state'],
  [{ sourceSystem: 'a', sourceId: 'a' }, 'study_facts_by_source (workspace=? AND source_system=? AND source_id=?)'],
  [{ sourceSystem: 'a', sourceId: 'a' }, 'fact=?'],
  [{ note: 'a' }, 'SEARCH study_fact_note_uses USING PRIMARY KEY (workspace=? AND note_id=?)'],
  [{ note: 'a' }, 'fact=?'],
])('few cards are found by what they are: %o', async (filter, index) => {
  const [plan] = await plansOf((db) => listCards(db, workspace, listing(filter)))
  expect(plan).toContain(index)
})

test('cards and facts are found by their ids, however many others there are', async () => {
  for (const list of [listCards, listFacts]) {
    const [plan] = await plansOf((db) => list(db, workspace, listing({}, false, ['x', 'y'])))
    expect(plan).toMatch(/SEARCH study_(cards|facts) USING INDEX \S+ \(.*id=\?.*\)/)
  }
})

test('cards are found by their keys, however many others there are', async () => {
  const [plan] = await plansOf((db) => getCardsByKeys(db, workspace, [1, 2]))
  expect(plan).toContain('SEARCH study_cards USING INTEGER PRIMARY KEY (rowid=?)')
})

test('an order by recall reads an index, and no row of a card', async () => {
  const [program] = await asked((db) => listAllDueWithMemory(db, workspace, 1, [1, 2]), 'EXPLAIN')
  const table = await world.db.get<{ rootpage: number }>(
    "SELECT rootpage FROM sqlite_schema WHERE name = 'study_cards'",
  )
  const cursor = program?.find(({ opcode, p2 }) => opcode === 'OpenRead' && p2 === table?.rootpage)?.p1
  const columns = program?.filter(({ opcode }) => opcode === 'Column').map(({ p1 }) => p1)
  expect(columns?.length).toBeGreaterThan(5)
  expect(columns).not.toContain(cursor)
})

test('counts of a deck read an index alone', async () => {
  const [plan] = await plansOf((db) => countCardsByDeck(db, workspace, [1, 2], { today: 1, dayEndsAt: 1 }))
  expect(plan).toContain('USING COVERING INDEX study_cards_by_deck (workspace=? AND deck=?)')
})

test('what memory is replayed from is found by deck, by fact and by card', async () => {
  const page = { after: 'x', limit: 200 }
  const [facts] = await plansOf((db) => listFactKeysInDeck(db, workspace, 1, page))
  expect(facts).toBe('SEARCH study_facts USING INDEX study_facts_by_deck (deck=? AND id>?)')
  const [cards] = await plansOf((db) => listCardsWithMemory(db, workspace, [1, 2]))
  expect(cards).toContain('SEARCH study_cards USING INDEX sqlite_autoindex_study_cards_2 (fact=?)')
  const [log] = await plansOf((db) => listLogOfCards(db, workspace, [1, 2]))
  expect(log).toContain('SEARCH study_reviews USING INDEX study_reviews_by_card (card=?)')
})

test('undo finds the last review without looking at others', async () => {
  const [ofCard] = await plansOf((db) => getLatestReviewOfCard(db, workspace, 1))
  expect(ofCard).toContain('SEARCH study_reviews USING INDEX study_reviews_by_card (card=?)')
  const [ofAll] = await plansOf((db) => getLatestReview(db, workspace))
  expect(ofAll).toContain('SEARCH study_reviews USING INDEX study_reviews_by_arrival (workspace=?)')
  for (const plan of [ofCard, ofAll]) expect(plan).not.toContain('TEMP B-TREE')
})

test('late answers find what is later by the card alone, and store it by its keys', async () => {
  const place = { reviewed_at: 1, id: 'x' }
  for (const find of [
    (db: Queries) => listReviewsAfter(db, workspace, 1, place, 9),
    (db: Queries) => getLastPlace(db, workspace, 1),
    (db: Queries) => isSuspendedByAnswer(db, workspace, 1),
  ]) {
    const [plan] = await plansOf(find)
    expect(plan).toContain('SEARCH study_reviews USING INDEX study_reviews_by_card (card=?)')
  }
  const [plan] = await plansOf((db) => updateReviews(db, workspace, []))
  expect(plan).toContain('SEARCH study_reviews USING INTEGER PRIMARY KEY (rowid=?)')
})

test('the queue reads the first cards of a deck from an index, in their order', async () => {
  for (const first of [listFirstDue, listFirstNew]) {
    const [plan] = await plansOf((db) => first(db, workspace, 1, { deck: 1, limit: 36 }))
    expect(plan).toMatch(/^SEARCH study_cards USING INDEX study_cards_\w+ \(workspace=\? AND deck=\?/)
    expect(plan).not.toContain('TEMP B-TREE')
  }
  const [learning] = await plansOf((db) => listLearningCards(db, workspace, 1))
  expect(learning).toBe('SEARCH study_cards USING INDEX study_cards_learning (workspace=?)')
  const [today] = await plansOf((db) => listAnsweredOn(db, workspace, 1))
  expect(today).toContain('study_reviews_by_day (workspace=? AND study_day=?)')
})

test('statistics of a deck over many days read its cards and their answers from indexes, and no row', async () => {
  const part = { deck: 1, after: 0, upTo: null, days: { from: 0, to: 365 } }
  const plans = await plansOf(async (db) => {
    for (const count of [countByDay, countRetention]) await count(db, workspace, part)
    await countByHour(db, workspace, part, [{ from: 0, offset: 0 }])
  })
  expect(plans).toHaveLength(3)
  for (const plan of plans) {
    expect(plan).toContain('study_cards USING COVERING INDEX study_cards_of_deck (deck=? AND rowid>? AND rowid<?)')
    expect(plan).toContain('study_reviews USING COVERING INDEX study_reviews_by_card (card=?)')
  }
})

test('a forecast reads an index alone', async () => {
  const [plan] = await plansOf((db) => countDue(db, workspace, 1))
  expect(plan).toContain(
    'USING COVERING INDEX study_cards_by_deck (workspace=? AND deck=? AND state=? AND suspended=?)',
  )
})
