import { afterAll, expect } from 'bun:test'
import type { Queries, WorkspaceId } from '../../src/db/database'
import { countCardsByDeck, getCardsByKeys, listCardsWithMemory } from '../../src/flashcards/cards/card-store'
import { listFactKeysInDeck } from '../../src/flashcards/facts/fact-store'
import { listAllQueued, listAnsweredOn, listFirstQueued, listLearningCards } from '../../src/flashcards/queue/store'
import {
  getLastPlace,
  getLatestReview,
  getLatestReviewOfCard,
  isSuspendedByAnswer,
  listLogOfCards,
  listReviewsAfter,
  reviewTable,
} from '../../src/flashcards/reviews/review-store'
import { countByDay, countByHour, countDue, countRetention } from '../../src/flashcards/stats/store'
import { onSqlite as test } from '../support/full'
import { explain, plansOf } from '../support/plans'
import { makeStudyWorld } from './support'

/** How SQLite finds what a study asks for: with 100,000 cards, an index more or less is seconds. */

const world = await makeStudyWorld()
afterAll(world.close)
const workspace = { id: '1'.repeat(32) as WorkspaceId, kind: 'key' } as const

const BY_CARD = 'study_reviews_by_card (card=?)'
const OF_DECK = /study_cards_\w+ \(workspace=\? AND deck=\?/
const page = { after: 'x', limit: 200 }
const place = { reviewed_at: 1, id: 'x' }
const first = { deck: 1, limit: 36 }
const day = { today: 1, dayEndsAt: 1 }
const byDeck = (more: string) => `USING COVERING INDEX study_cards_by_deck (workspace=? AND deck=?${more})`

type Plan = [what: string, ask: (db: Queries) => Promise<unknown>, index: string | RegExp]
const IN_ORDER: Plan[] = [
  ['facts to replay', (db) => listFactKeysInDeck({ db, workspace }, 1, page), 'study_facts_by_deck (deck=? AND id>?)'],
  ['the last review of a card', (db) => getLatestReviewOfCard({ db, workspace }, 1), BY_CARD],
  ['the last review', (db) => getLatestReview({ db, workspace }), 'study_reviews_by_arrival (workspace=?)'],
  ['the first due cards', (db) => listFirstQueued({ db, workspace }, 'due', 1, first), OF_DECK],
  ['the first new cards', (db) => listFirstQueued({ db, workspace }, 'new', 1, first), OF_DECK],
  ['cards in learning', (db) => listLearningCards({ db, workspace }, 1), 'study_cards_learning (workspace=?)'],
]
const FOUND: Plan[] = [
  ['cards by keys', (db) => getCardsByKeys({ db, workspace }, [1, 2]), 'study_cards USING INTEGER PRIMARY KEY'],
  ['counts of a deck', (db) => countCardsByDeck({ db, workspace }, [1, 2], day), byDeck('')],
  ['a forecast', (db) => countDue({ db, workspace }, 1), byDeck(' AND state=? AND suspended=?')],
  ['cards to replay', (db) => listCardsWithMemory({ db, workspace }, [1, 2]), 'autoindex_study_cards_2 (fact=?)'],
  ['the log to replay', (db) => listLogOfCards({ db, workspace }, [1, 2]), BY_CARD],
  ['what follows a late answer', (db) => listReviewsAfter({ db, workspace }, 1, place, 9), BY_CARD],
  ['the last place in the log', (db) => getLastPlace({ db, workspace }, 1), BY_CARD],
  ['what suspended a card', (db) => isSuspendedByAnswer({ db, workspace }, 1), BY_CARD],
  ['reviews to store', (db) => reviewTable.updateAll({ db, workspace }, []), 'study_reviews USING INTEGER PRIMARY KEY'],
  ['the answers of a day', (db) => listAnsweredOn({ db, workspace }, 1), 'by_day (workspace=? AND study_day=?)'],
]

test.each([...IN_ORDER, ...FOUND])('an index finds %s, however many others there are', async (what, ask, index) => {
  const [plan = ''] = await plansOf(world.db, ask)
  expect(plan).toContain('SEARCH study_')
  if (typeof index === 'string') expect(plan).toContain(index)
  else expect(plan).toMatch(index)
  if (IN_ORDER.some(([name]) => name === what)) expect(plan).not.toContain('TEMP B-TREE')
})

test('an order by recall reads an index, and no row of a card', async () => {
  const [program] = await explain(world.db, (db) => listAllQueued({ db, workspace }, 'due', 1, [1, 2]), 'EXPLAIN')
  const table = await world.db.get<{ rootpage: number }>(
    "SELECT rootpage FROM sqlite_schema WHERE name = 'study_cards'",
  )
  const cursor = program?.find(({ opcode, p2 }) => opcode === 'OpenRead' && p2 === table?.rootpage)?.p1
  const columns = program?.filter(({ opcode }) => opcode === 'Column').map(({ p1 }) => p1)
  expect(columns?.length).toBeGreaterThan(5)
  expect(columns).not.toContain(cursor)
})

test('statistics of a deck over many days read its cards and their answers from indexes, and no row', async () => {
  const part = { deck: 1, after: 0, upTo: null, days: { from: 0, to: 365 } }
  const plans = await plansOf(world.db, async (db) => {
    for (const count of [countByDay, countRetention]) await count({ db, workspace }, part)
    await countByHour({ db, workspace }, part, [{ from: 0, offset: 0 }])
  })
  expect(plans).toHaveLength(3)
  for (const plan of plans) {
    expect(plan).toContain('study_cards USING COVERING INDEX study_cards_of_deck (deck=? AND rowid>? AND rowid<?)')
    expect(plan).toContain('study_reviews USING COVERING INDEX study_reviews_by_card (card=?)')
  }
})
