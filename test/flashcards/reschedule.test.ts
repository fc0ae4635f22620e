import { afterAll, describe, expect, test } from 'bun:test'
import { DEFAULT_WEIGHTS } from '../../src/flashcards/scheduling/settings'
import { makeLongWorld } from '../support/long-changes'
import { paged } from '../support/paged'
import { contradictions } from '../support/recount'
import { stranger } from '../support/world'
import { fillSample } from './optimizing/studied'
import { makeStudyWorld, type Shown, STUDIED } from './support'

/** Due days follow the settings when that is asked for, and one request puts all of them back. */

const world = await makeStudyWorld()
const long = await makeLongWorld()
afterAll(async () => {
  expect(await contradictions(world.folder)).toEqual([])
  await world.close()
  await long.close()
})

const DAY = 86_400_000
/** The day of the last answer of each card. */
const ANSWERED = '2026-03-01'
const TODAY = Date.parse('2026-03-05T12:00:00.000Z')
const OTHER = DEFAULT_WEIGHTS.with(0, 0.9).with(2, 5.5).with(3, 12.5)
const after = (days: number) => new Date(Date.parse(ANSWERED) + days * DAY).toISOString().slice(0, 10)
const dayNumber = (days: number) => Math.floor(Date.parse(ANSWERED) / DAY) + days

/** The interval at which the default weights put recall at this retention. */
function intervalAt(stability: number, retention: number): number {
  const decay = -(DEFAULT_WEIGHTS[20] ?? 0)
  return Math.round((stability * (retention ** (1 / decay) - 1)) / (0.9 ** (1 / decay) - 1))
}

/** A deck with a card in review for each stability, due after as many days as it says, or else. */
async function studied(
  stabilities: readonly number[],
  { settings = {}, due = stabilities, me = world.stranger() } = {},
) {
  world.clock.now = TODAY
  const deck = await world.deck(me, { settings: { fuzz: false, ...settings } })
  const cards: Shown[] = []
  for (const [i, stability] of stabilities.entries()) {
    const [card] = await world.cards(me, await world.fact(me, { deck_id: deck.id, front: `${i}` }))
    const days = Math.round(due[i] ?? stability)
    await world.study(card.id, { ...STUDIED, stability, due_day: dayNumber(days), scheduled_days: days })
    cards.push(card)
  }
  const path = `/decks/${deck.id}`
  const call = (method: string, to: string, body?: unknown) => world.call(me, method, to, body)
  const read = (): Promise<Shown[]> => Promise.all(cards.map(({ id }) => world.read(me, `/cards/${id}`)))
  return {
    ...{ me, deck, path, cards, call, read },
    due: async () => (await read()).map(({ due_day }) => due_day),
    patch: (to: object, query = '?reschedule=true') => call('PATCH', path + query, { settings: to }),
    undo: () => call('POST', '/reschedule/undo'),
    seq: async () => (await world.callAny(me, 'GET', '/api/changes')).body.latest_seq,
  }
}

describe('due days of cards in review', () => {
  test('follow the retention, from the last answer on, and only when asked', async () => {
    const one = await studied([10, 100])
    const before = await one.read()
    expect((await one.patch({ desired_retention: 0.8 }, '')).status).toBe(200)
    expect(await one.read()).toEqual(before)
    await one.patch({ desired_retention: 0.9 }, '')
    const { status, body } = await one.patch({ desired_retention: 0.8 })
    expect([status, body.settings.desired_retention]).toEqual([200, 0.8])
    const cards = await one.read()
    const days = [10, 100].map((stability) => intervalAt(stability, 0.8))
    expect(cards.map(({ due_day, scheduled_days }) => [due_day, scheduled_days])).toEqual(
      days.map((interval) => [after(interval), interval]),
    )
    // Nothing else differs, and nothing is in the log.
    expect(cards.map(({ stability, reps, revision }) => [stability, reps, revision])).toEqual(
      before.map(({ stability, reps, revision }) => [stability, reps, revision + 1]),
    )
    expect((await world.read(one.me, '/reviews')).items).toEqual([])
  })

  test('are capped by the maximum interval, and cards that stay where they are keep their revision', async () => {
    const one = await studied([10, 100])
    await one.patch({ maximum_interval_days: 30 })
    expect(await one.due()).toEqual([after(10), after(30)])
    expect((await one.read()).map(({ revision }) => revision)).toEqual([1, 2])
  })

  test('are never before today, unless the card is due already', async () => {
    // Today is the fourth day after the answers.
    const one = await studied([1, 2, 10], { due: [20, 3, 20] })
    await one.patch({ desired_retention: 0.91 })
    expect(await one.due()).toEqual([after(4), after(2), after(intervalAt(10, 0.91))])
    expect((await one.read()).map(({ scheduled_days }) => scheduled_days).slice(0, 2)).toEqual([4, 2])
  })

  test('stay if the card is suspended, in the trash, new or in learning', async () => {
    const one = await studied([10, 10, 10, 10])
    const [suspended, trashed, fresh, learning] = one.cards
    await one.call('PATCH', `/cards/${suspended.id}`, { suspended: true })
    await one.call('DELETE', `/facts/${trashed.fact_id}`)
    await one.call('POST', '/cards/actions', { ids: [fresh.id, learning.id], action: 'reset' })
    await one.call('POST', `/cards/${learning.id}/reviews`, { rating: 3 })
    const before = await one.read()
    const { body } = await one.patch({ desired_retention: 0.8 }, '?reschedule=true&dry_run=true')
    expect(body).toMatchObject({ cards: 0, moved_later: 0 })
    await one.patch({ desired_retention: 0.8 })
    expect(await one.read()).toEqual(before)
  })

  test('of decks with settings of their own, and of settings that matter to no interval, stay', async () => {
    const one = await studied([10])
    const own = await studied([10], { me: one.me, settings: { desired_retention: 0.85 } })
    await one.call('PATCH', '/settings?reschedule=true', { deck_defaults: { desired_retention: 0.8 } })
    expect([await one.due(), await own.due()]).toEqual([[after(intervalAt(10, 0.8))], [after(10)]])
    const before = await own.read()
    await own.patch({ new_limit_per_day: 3, leech_threshold: 4 })
    await own.patch({ desired_retention: 0.85 })
    expect(await own.read()).toEqual(before)
  })

  test('are spread by the same seed each time', async () => {
    const one = await studied([100, 100, 100], { settings: { fuzz: true } })
    await one.patch({ desired_retention: 0.8 })
    const first = await one.due()
    expect(new Set(first).size).toBeGreaterThan(1)
    await one.patch({ desired_retention: 0.9 })
    await one.patch({ desired_retention: 0.8 })
    expect(await one.due()).toEqual(first)
  })
})

describe('a dry run', () => {
  const TO = { desired_retention: 0.8, maximum_interval_days: 60 }

  test('counts what the change does, and writes nothing', async () => {
    const one = await studied([2, 10, 100, 12], { due: [2, 10, 100, 500] })
    const [before, seq] = [await one.read(), await one.seq()]
    const { status, body } = await one.patch(TO, '?reschedule=true&dry_run=true')
    const counts = { cards: 4, moved_earlier: 2, moved_later: 2, due_today_before: 1, due_today_after: 0 }
    expect([status, body]).toEqual([200, { dry_run: true, ...counts }])
    expect([await one.read(), await one.seq()]).toEqual([before, seq])
    expect((await one.undo()).status).toBe(404)
    await one.patch(TO)
    const moved = (await one.due()).map((day, i) => Math.sign(Date.parse(day) - Date.parse(before[i].due_day)))
    expect(moved).toEqual([1, 1, -1, -1])
  })

  test.each([
    ['?dry_run=true', 400],
    ['?reschedule=yes', 400],
    ['?reschedule=true&dry_run=1', 400],
    ['?reschedule=false&dry_run=false', 200],
    ['?reschedule=true&dry_run=false', 200],
    ['?dry_run=false', 200],
  ])('%s is answered with %d', async (query, status) => {
    const one = await studied([])
    expect((await one.patch(TO, query)).status).toBe(status)
    expect((await one.call('PATCH', `/settings${query}`, { deck_defaults: TO })).status).toBe(status)
  })

  test('of a change that is refused is refused as well', async () => {
    const one = await studied([10])
    const query = '?reschedule=true&dry_run=true'
    expect((await one.patch({ desired_retention: 2 }, query)).status).toBe(400)
    const stale = await world.call(one.me, 'PATCH', one.path + query, { settings: TO }, { 'If-Match': '"9"' })
    expect(stale.status).toBe(412)
  })
})

describe('one undo', () => {
  test.each(['deck', 'deck_defaults'])('puts back due days and settings of the %s', async (where) => {
    const one = await studied([10, 100], where === 'deck' ? { settings: { maximum_interval_days: 200 } } : {})
    const before = await one.read()
    const to = { desired_retention: 0.8, maximum_interval_days: 60, weights: OTHER, new_limit_per_day: 3 }
    if (where === 'deck') await one.patch(to)
    else await one.call('PATCH', '/settings?reschedule=true', { deck_defaults: to })
    expect(await one.due()).not.toEqual(before.map(({ due_day }) => due_day))
    const { status, body } = await one.undo()
    const deck_id = where === 'deck' ? one.deck.id : null
    expect([status, body]).toEqual([200, { deck_id, settings_restored: true, cards: 2 }])
    const bare = ({ revision: _, updated_at: __, ...rest }: Shown) => rest
    expect((await one.read()).map(bare)).toEqual(before.map(bare))
    const { effective, overrides } = await world.read(one.me, `${one.path}/settings`)
    const max = where === 'deck' ? 200 : 36_500
    expect(effective).toMatchObject({ desired_retention: 0.9, maximum_interval_days: max, weights: null })
    expect(effective.new_limit_per_day).toBe(3)
    if (where === 'deck') expect(overrides).toMatchObject({ desired_retention: null, weights: null })
    expect((await one.undo()).status).toBe(404)
  })

  test('leaves what was answered, moved or changed since', async () => {
    const one = await studied([10, 20, 30])
    const [answered, moved] = one.cards
    await one.patch({ desired_retention: 0.8, maximum_interval_days: 60 })
    await one.call('POST', `/cards/${answered.id}/reviews`, { rating: 3 })
    await one.call('POST', '/cards/actions', { ids: [moved.id], action: 'set_due', value: '2026-04-01' })
    await one.patch({ desired_retention: 0.85 }, '')
    // It is due where it was moved to, but by another answer.
    const to = after(intervalAt(10, 0.8))
    await one.call('POST', '/cards/actions', { ids: [answered.id], action: 'set_due', value: to })
    expect((await one.undo()).body).toMatchObject({ settings_restored: true, cards: 3 })
    expect(await one.due()).toEqual([to, '2026-04-01', after(30)])
    const { overrides } = await world.read(one.me, `${one.path}/settings`)
    expect(overrides).toMatchObject({ desired_retention: 0.85, maximum_interval_days: null })
  })

  test('reaches only the last, and due days also where the deck is in the trash', async () => {
    const one = await studied([10, 100])
    await one.patch({ desired_retention: 0.8 })
    const first = await one.due()
    await one.patch({ desired_retention: 0.85 })
    await one.call('DELETE', one.path)
    expect((await one.undo()).body).toEqual({ deck_id: one.deck.id, settings_restored: false, cards: 2 })
    await one.call('POST', `${one.path}/restore`)
    expect(await one.due()).toEqual(first)
    expect((await one.undo()).status).toBe(404)
    expect((await world.call(world.stranger(), 'POST', '/reschedule/undo')).status).toBe(404)
  })

  test('is of cards that still exist', async () => {
    const one = await studied([10, 100])
    await one.patch({ desired_retention: 0.8 })
    await one.call('DELETE', `/facts/${one.cards[0].fact_id}?permanent=true`)
    expect((await one.undo()).body).toMatchObject({ cards: 1 })
  })
})

describe.each([
  ['few', 10],
  ['many', 300],
])('%s cards', (_, count) => {
  test('are moved and put back by one request each, in steps if they are many', async () => {
    const me = stranger()
    const deck = (await long.ok(me, 'POST', '/api/flashcards/decks', { name: 'Answered' })).body
    await fillSample(long.folder, deck.id, 0, count)
    const read = async () => {
      const items = await paged((to) => long.call(me, 'GET', to), '/api/flashcards/cards?limit=200')
      return items.map(({ due_day, scheduled_days, stability }) => [due_day, scheduled_days, stability])
    }
    const settings = { weights: OTHER, desired_retention: 0.8 }
    const path = `/api/flashcards/decks/${deck.id}`
    const before = await read()
    const { body: preview } = await long.ok(me, 'PATCH', `${path}?reschedule=true&dry_run=true`, { settings })
    expect(await read()).toEqual(before)
    const answer = await long.later(me, 'PATCH', `${path}?reschedule=true`, { settings })
    expect(answer.status).toBe(count === 300 ? 202 : 200)
    if (answer.status === 202) expect(await long.ended(me, answer)).toMatchObject({ state: 'done', done: count })
    const moved = await read()
    const later = moved.filter(([due], i) => String(due) > String(before[i]?.[0])).length
    const earlier = moved.filter(([due], i) => String(due) < String(before[i]?.[0])).length
    expect([preview.cards, preview.moved_later, preview.moved_earlier]).toEqual([count, later, earlier])
    expect(later + earlier).toBeGreaterThan(count / 2)
    // Memory followed the weights before the days did.
    expect(moved.filter(([, , stability], i) => stability !== before[i]?.[2]).length).toBeGreaterThan(count / 2)
    const undone = await long.later(me, 'POST', '/api/flashcards/reschedule/undo')
    expect(undone.status).toBe(count === 300 ? 202 : 200)
    const body = undone.status === 202 ? (await long.ended(me, undone)).result : undone.body
    expect(body).toEqual({ deck_id: deck.id, settings_restored: true, cards: later + earlier })
    // The log of the sample gives the memory that the cards had.
    expect(await read()).toEqual(before)
  })
})
