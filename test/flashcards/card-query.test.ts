import { afterAll, describe, expect, test } from 'bun:test'
import { paged } from '../support/paged'
import type { As } from '../support/world'
import { makeStudyWorld, type Shown } from './support'

/** The query language and the sorts of lists of cards and facts. */

const world = await makeStudyWorld()
const { call, stranger, deck, fact, read, cards, study, all } = world
afterAll(world.close)

/** 2026-03-02, the study day of the clock. */
const TODAY = 20_514
const REVIEW = { state: 'review', stability: 10, difficulty: 5, scheduled_days: 10, reps: 3 }

/** Cards named by their fronts, in two decks, one in the other. */
async function library() {
  const me = stranger()
  const top = await deck(me, { name: 'French' })
  const sub = await deck(me, { name: 'Verbs', parent_id: top.id })
  const other = await deck(me, { name: 'Verbs' })
  const add = async (deck_id: string, front: string, columns: object, more: object = {}) => {
    const [card] = await cards(me, await fact(me, { deck_id, front, back: `back of ${front}`, ...more }))
    if (Object.keys(columns).length > 0) await study(card.id, columns)
  }
  await add(top.id, 'fresh', {})
  await add(top.id, 'hard', { ...REVIEW, due_day: TODAY, lapses: 5, stability: 2 }, { tags: ['verb::irregular'] })
  await add(sub.id, 'easy', { ...REVIEW, due_day: TODAY + 7, difficulty: 1, scheduled_days: 40 }, { tags: ['verb'] })
  await add(sub.id, 'asleep', { ...REVIEW, due_day: TODAY - 1, suspended: 1, lapses: 4 })
  await add(other.id, 'later', { ...REVIEW, due_day: TODAY - 3, buried_until: TODAY + 1, flag: 2, leech: 1 })
  const due_at = Date.parse('2026-03-02T13:00:00.000Z')
  await add(other.id, 'step', { state: 'relearning', stability: 1, difficulty: 9, due_at, reps: 8 })
  return me
}

const me = await library()
const fronts = async (path: string, as: As = me) =>
  (await all(as, path)).map(({ prompt, front }: Shown) => prompt ?? front)
const search = (q: string, list = 'cards') => fronts(`/${list}?q=${encodeURIComponent(q)}`)

describe('a query', () => {
  test.each([
    ['lapses>3', ['hard', 'asleep']],
    ['lapses>=5 is:due', ['hard']],
    ['lapses:5', ['hard']],
    ['reps>3', ['step']],
    ['stability<2.5', ['hard', 'step']],
    ['difficulty<=1', ['easy']],
    ['interval>=40', ['easy']],
    ['flag:2', ['later']],
    ['is:due', ['hard', 'step']],
    ['is:new', ['fresh']],
    ['state:relearning', ['step']],
    ['is:suspended OR is:buried', ['asleep', 'later']],
    ['is:leech', ['later']],
    ['due:today', ['hard', 'step']],
    ['due<0', ['asleep', 'later']],
    ['due>2026-03-02 due<=7', ['easy']],
    ['tag:verb', ['hard', 'easy']],
    ['tag:verb -tag:verb::irregular', ['easy']],
    ['deck:french', ['fresh', 'hard', 'easy', 'asleep']],
    ['deck:verbs', ['easy', 'asleep', 'later', 'step']],
    ['deck:French::Verbs', ['easy', 'asleep']],
    ['-stability>0', ['fresh']],
    ['NOT (is:review OR is:new)', ['step']],
    ['back later', ['later']],
    ['"of easy"', ['easy']],
    ['"back easy"', []],
    ['backs asl*', ['asleep']],
    ['-"of easy" stability>5', ['asleep', 'later']],
    ['hard OR later', ['hard', 'later']],
    ['prop:ivl>=40', ['easy']],
    ['prop:lapses>3 prop:s<3', ['hard']],
    ['prop:due=7', ['easy']],
    ['added:1 is:new', ['fresh']],
    ['rated:7', []],
    ['is: lapses', []],
    ['deck:none', []],
  ])('%s', async (q, expected) => {
    expect(await search(q)).toEqual(expected)
    // Each fact here has one card.
    expect(await search(q, 'facts')).toEqual(expected)
  })

  test.each([
    'prop:ease>2',
    'prop:ivl',
    'rated:0',
    'rated:1:5',
    'added:today',
    'edited:3',
    'nid:1',
    'lapses>many',
    'is:odd',
    'state:due',
    'due<yesterday',
    'due<2026-02-30',
    'tag>a',
    ' ',
    'a '.repeat(40),
  ])('that is wrong is refused: %p', async (q) => {
    const { status, body } = await call(me, 'GET', `/cards?q=${encodeURIComponent(q)}`)
    expect([status, body.errors?.[0]?.pointer]).toEqual([q === 'tag>a' ? 200 : 400, q === 'tag>a' ? undefined : '/q'])
  })

  test('chooses the cards of an action, and nothing of another workspace', async () => {
    const action = { filter: { q: 'lapses>3 -is:suspended' }, action: 'flag', value: 1, dry_run: true }
    expect((await call(me, 'POST', '/cards/actions', action)).body).toMatchObject({ matched: 1, changed: 1 })
    expect((await read(stranger(), '/cards?q=deck:verbs')).items).toEqual([])
  })
})

test('an action finds words though it is one transaction, and though much is to be indexed', async () => {
  const me = stranger()
  const { id } = await deck(me)
  for (let n = 0; n < 20; n++) await fact(me, { deck_id: id, front: `card ${n}`, back: 'of many' })
  const action = { filter: { q: 'many card' }, action: 'flag', value: 1, dry_run: true }
  for (const headers of [{ 'Idempotency-Key': 'words' }, {}])
    expect((await call(me, 'POST', '/cards/actions', action, headers)).body).toMatchObject({ matched: 20 })
})

test('answers are found by day and button, and no words in the trash', async () => {
  const me = stranger()
  const [card] = await cards(me, await fact(me, { deck_id: (await deck(me)).id, front: 'seen', back: 'b' }))
  await call(me, 'POST', `/cards/${card.id}/reviews`, { rating: 3 })
  for (const [q, expected] of [
    ['rated:1', ['seen']],
    ['rated:1:3', ['seen']],
    ['rated:1:1', []],
    ['-rated:1', []],
  ] as const)
    expect([q, await fronts(`/cards?q=${q}`, me)]).toEqual([q, [...expected]])
  for (const list of ['cards', 'facts'])
    expect((await call(me, 'GET', `/${list}?trashed=true&q=seen`)).body.errors[0].pointer).toBe('/q')
})

describe('a sort', () => {
  test.each([
    ['due', ['later', 'asleep', 'hard', 'step', 'easy', 'fresh']],
    ['-due', ['easy', 'step', 'hard', 'asleep', 'later', 'fresh']],
    ['-lapses', ['hard', 'asleep', 'fresh', 'easy', 'later', 'step']],
    ['stability', ['step', 'hard', 'easy', 'asleep', 'later', 'fresh']],
    ['-difficulty', ['step', 'hard', 'asleep', 'later', 'easy', 'fresh']],
    ['-interval', ['easy', 'hard', 'asleep', 'later', 'fresh', 'step']],
    ['-reps', ['step', 'hard', 'easy', 'asleep', 'later', 'fresh']],
  ])('%s, whole and page by page', async (sort, expected) => {
    expect(await fronts(`/cards?sort=${sort}`)).toEqual(expected)
    const singly = await paged((to) => call(me, 'GET', to), `/cards?sort=${sort}&limit=1`)
    expect(singly.map(({ prompt }) => prompt)).toEqual(expected)
  })

  test('goes with filters, and a cursor is good for its own sort only', async () => {
    expect(await fronts('/cards?sort=-lapses&q=is:due')).toEqual(['hard', 'step'])
    const { next_cursor } = await read(me, '/cards?sort=due&limit=1')
    for (const query of ['sort=-due', 'sort=due&q=is:due', 'limit=1'])
      expect((await call(me, 'GET', `/cards?${query}&cursor=${next_cursor}`)).status).toBe(400)
    for (const sort of ['', 'front', '--due', 'due,lapses', 'due;'])
      expect((await call(me, 'GET', `/cards?sort=${encodeURIComponent(sort)}`)).status).toBe(400)
  })
})
