import { expect, test } from 'bun:test'
import { columnsOf } from '../support/database'
import { slow } from '../support/full'
import { recounted } from '../support/recounted'
import { makeStudyWorld, type Shown } from './support'

/** Actions on many cards: all of them or none, and a dry run that changes nothing. */

const world = recounted(await makeStudyWorld())

const START = Date.parse('2026-03-02T12:00:00.000Z')

/** Three basic cards and the two of a reversed fact, in one deck. */
async function fiveCards() {
  const me = world.stranger()
  world.clock.now = START
  const deck = await world.deck(me, { settings: { fuzz: false } })
  for (const [i, tag] of ['a', 'a', 'b'].entries())
    await world.fact(me, { deck_id: deck.id, front: `f${i}`, tags: [tag] })
  await world.fact(me, { deck_id: deck.id, front: 'r', type: 'reversed' })
  const cards = await world.all(me, '/cards')
  const act = async (body: object): Promise<Shown> => world.call(me, 'POST', '/cards/actions', body)
  const seq = async () => (await world.callAny(me, 'GET', '/api/changes?limit=1')).body.latest_seq
  const all = () => world.all(me, '/cards')
  return { me, deck, cards, ids: cards.map(({ id }) => id), act, seq, all }
}

test('each action does what it says to what it matches, and says how many it changed', async () => {
  const { me, ids, act, all, cards } = await fiveCards()
  const other = await world.deck(me)
  const acted = async (action: string, value?: unknown, which: object = { ids: ids.slice(0, 2) }) => {
    const { status, body } = await act({ ...which, action, ...(value === undefined ? {} : { value }) })
    return status === 200 ? [body.matched, body.changed] : body
  }
  const state = async () => (await all()).slice(0, 2)
  expect(await acted('suspend')).toEqual([2, 2])
  expect(await acted('suspend', null, { filter: { suspended: true } })).toEqual([2, 0])
  expect((await state()).map(({ suspended }) => suspended)).toEqual([true, true])
  expect(await acted('unsuspend')).toEqual([2, 2])
  expect(await acted('bury')).toEqual([2, 2])
  expect((await state()).map(({ buried_until }) => buried_until)).toEqual(['2026-03-03', '2026-03-03'])
  expect(await acted('unbury')).toEqual([2, 2])
  expect(await acted('flag', 3)).toEqual([2, 2])
  expect(await acted('flag', 3, { filter: { flag: 3, leech: false } })).toEqual([2, 0])
  expect(await acted('tag_add', 'x::y', { filter: { tag: 'a' } })).toEqual([2, 2])
  expect(await acted('tag_add', 'X::Y', { filter: {} })).toEqual([5, 3])
  expect(await acted('tag_remove', 'x::Y', { filter: { tag: 'x' } })).toEqual([5, 5])
  expect(await acted('reposition', 50, { ids: [ids[3], ids[0], ids[3]] })).toEqual([2, 2])
  expect((await all()).map(({ position }) => position).slice(0, 4)).toEqual([51, 2, 3, 50])
  expect(await acted('reposition', 60, { filter: {} })).toEqual([5, 5])
  // A filter goes by where they stood: 2, 3, 5, 50, 51.
  const places = ids.map((id) => cards.findIndex((card) => card.id === id))
  expect((await all()).map(({ position }) => position)).toEqual(places.map((i) => [64, 60, 61, 63, 62][i]))
  expect(await acted('suspend', null, { filter: { tag: 'nobody' } })).toEqual([0, 0])
  expect(await acted('move', other.id, { ids: [ids[3]] })).toEqual([1, 1])
  // The sibling has moved along.
  expect((await all()).map(({ deck_id }) => deck_id === other.id)).toEqual([false, false, false, true, true])
  expect(cards).toHaveLength(5)
})

test('reset and set_due write manual reviews, and undo takes them back', async () => {
  const { me, ids, act, all } = await fiveCards()
  const [id = ''] = ids
  await world.call(me, 'POST', `/cards/${id}/reviews`, { rating: 4 })
  const answered = (await all())[0]
  expect((await act({ ids: [id, ids[1]], action: 'reset' })).body).toMatchObject({ matched: 2, changed: 1 })
  expect((await all())[0]).toMatchObject({ state: 'new', reps: 0, stability: null, last_reviewed_at: null })
  expect((await act({ ids: [ids[1]], action: 'set_due', value: '2026-05-01' })).body.changed).toBe(1)
  const due = { state: 'review', due_day: '2026-05-01', scheduled_days: 60, stability: null }
  expect((await all())[1]).toMatchObject(due)
  const log = await world.all(me, '/reviews?kind=manual')
  expect(log.map(({ rating, duration_ms, predicted_retrievability: p }) => [rating, duration_ms, p])).toEqual([
    [null, 0, null],
    [null, 0, null],
  ])
  await world.call(me, 'POST', '/reviews/undo')
  expect((await all())[1]).toMatchObject({ state: 'new', due_day: null })
  const { body } = await world.call(me, 'POST', '/reviews/undo')
  expect({ ...body.card, revision: 0, updated_at: '' }).toEqual({ ...answered, revision: 0, updated_at: '' })
  // Neither counts towards the limits of the day.
  expect((await world.read(me, '/queue')).remaining).toEqual({ new: 19, review: 200 })
})

test('a card that was set due without ever being answered takes its first answer', async () => {
  const { me, ids, act } = await fiveCards()
  await act({ ids: [ids[0]], action: 'set_due', value: '2026-03-02' })
  // Two basic cards are left and one of the reversed two: its sibling stands earlier.
  expect((await world.read(me, '/queue')).counts).toEqual({ new: 3, learning: 0, review: 1 })
  const { status, body } = await world.call(me, 'POST', `/cards/${ids[0]}/reviews`, { rating: 3 })
  expect([status, body.review.kind, body.review.predicted_retrievability]).toEqual([201, 'review', null])
})

test('all or nothing: an id that is none, and a value that is none, change nothing', async () => {
  const { me, ids, act, all, seq } = await fiveCards()
  const [gone = ''] = ids
  await world.call(me, 'DELETE', `/facts/${(await world.read(me, `/cards/${gone}`)).fact_id}`)
  const [before, at] = [await all(), await seq()]
  const living = { ids: ids.slice(1) }
  expect((await act({ ids, action: 'suspend' })).status).toBe(404)
  expect((await act({ filter: { deck_id: gone }, action: 'suspend' })).status).toBe(404)
  const bad: object[] = [
    { action: 'suspend' },
    { ...living, filter: {}, action: 'suspend' },
    { ...living, action: 'explode' },
    { ...living, action: 'suspend', value: 1 },
    { ...living, action: 'flag', value: 8 },
    { ...living, action: 'flag' },
    { ...living, action: 'move', value: gone },
    { ...living, action: 'tag_add', value: 'a b' },
    { ...living, action: 'tag_add', value: '' },
    { ...living, action: 'reposition', value: 1_000_000_000 },
    { ...living, action: 'set_due', value: '2025-02-30' },
    { ...living, action: 'set_due', value: '9999-12-31' },
    { ...living, action: 'set_due', value: '1900-01-01' },
    { ids: [], action: 'suspend' },
    { filter: { colour: 'red' }, action: 'suspend' },
    { filter: { due_before: '2026-02-30' }, action: 'suspend' },
  ]
  for (const body of bad) expect([body, (await act(body)).status]).toEqual([body, 400])
  expect([await all(), await seq()]).toEqual([before, at])
})

slow('a filter that matches more than 10,000 cards is refused, and nothing is changed', async () => {
  const { me, ids, act, seq } = await fiveCards()
  const columns = (await columnsOf(world.db, 'study_cards'))
    .filter((name) => !['key', 'id', 'ordinal'].includes(name))
    .join(', ')
  await world.db.run(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9996)
     INSERT INTO study_cards (id, ordinal, ${columns}) SELECT 'copy ' || i, i + 1, ${columns} FROM n, study_cards WHERE id = $1`,
    [ids[4] ?? ''],
  )
  const at = await seq()
  const { status, body } = await act({ filter: {}, action: 'bury' })
  expect([body.code, status, await seq()]).toEqual(['too_many_affected', 409, at])
  await world.db.run("DELETE FROM study_cards WHERE id = 'copy 1'")
  expect((await act({ filter: {}, action: 'suspend', dry_run: true })).body.matched).toBe(10_000)
  await world.db.run("DELETE FROM study_cards WHERE id LIKE 'copy %'")
  expect((await world.call(me, 'GET', `/cards/${ids[4]}`)).body.buried_until).toBeNull()
})

test('a dry run says what the real one does, and leaves content and seq as they were', async () => {
  const { me, act, all, seq } = await fiveCards()
  const other = await world.deck(me)
  const asked = [
    { action: 'set_due', value: '2026-03-09' },
    { action: 'reset' },
    { action: 'move', value: other.id },
    { action: 'tag_add', value: 'dry' },
    { action: 'bury' },
  ]
  for (const one of asked) {
    const [cards, facts, at] = [await all(), await world.all(me, '/facts'), await seq()]
    const dry = (await act({ filter: {}, ...one, dry_run: true })).body
    expect([await all(), await world.all(me, '/facts'), await seq()]).toEqual([cards, facts, at])
    expect((await act({ filter: {}, ...one })).body).toEqual({ ...dry, dry_run: false })
  }
})
