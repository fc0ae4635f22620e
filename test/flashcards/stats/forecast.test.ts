import { afterAll, beforeAll, expect, test } from 'bun:test'
import { slow } from '../../support/full'
import type { As } from '../../support/world'
import { ANSWER, type CardColumns, fill, NEW_CARD, type ReviewColumns } from '../log-rows'
import { makeStudyWorld, type Shown } from '../support'

let world: Awaited<ReturnType<typeof makeStudyWorld>>
beforeAll(async () => {
  world = await makeStudyWorld()
})
afterAll(() => world.close())

const DAY = 86_400_000
const NOON = Date.parse('2026-03-02T12:00:00.000Z')
const NOW_DAY = Math.floor(NOON / DAY)
const NAMES = ['reviews', 'new', 'learning', 'total', 'minutes'] as const

const reviewCard = (due: number, more: Partial<CardColumns> = {}): CardColumns => ({
  ...NEW_CARD,
  state: 'review',
  due_day: due,
  stability: 30,
  difficulty: 5,
  scheduled_days: 30,
  reps: 3,
  last_reviewed_at: (due - 30) * DAY,
  ...more,
})

const sum = (rows: readonly Shown[], name: string): number => rows.reduce((total, row) => total + row[name], 0)

async function filled(cards: readonly CardColumns[], settings: object = {}): Promise<{ me: As; id: string }> {
  const me = world.stranger()
  const { id } = await world.deck(me, { settings })
  await fill(world.folder, id, cards, [])
  return { me, id }
}

test('a forecast has no answers without cards, and none of what is suspended or in the trash', async () => {
  const nothing = { reviews: 0, new: 0, learning: 0, total: 0, minutes: 0 }
  const cards = [
    reviewCard(NOW_DAY, { suspended: 1 }),
    reviewCard(NOW_DAY, { deleted_at: 1 }),
    { ...NEW_CARD, suspended: 1 },
  ]
  for (const { me } of [await filled([]), await filled(cards)])
    for (const day of (await world.read(me, '/stats/forecast')).days) expect(day).toMatchObject(nothing)
})

test('a forecast has the new cards of each day, their repeats and what is in the backlog', async () => {
  const cards = [...Array(40).fill(NEW_CARD), ...Array(10).fill(reviewCard(NOW_DAY - 3))]
  const { me } = await filled(cards, { new_limit_per_day: 15 })
  const { backlog, days } = await world.read(me, '/stats/forecast')
  expect(backlog).toBe(10)
  expect(days.map((day: Shown) => day.new).slice(0, 4)).toEqual([15, 15, 10, 0])
  expect(days[0]).toMatchObject({ count: 0, reviews: 10 })
  expect(days[0].learning).toBeGreaterThan(10)
  expect(sum(days.slice(1), 'reviews')).toBeGreaterThan(100)
  for (const day of days) {
    expect(day.total).toBeCloseTo(day.reviews + day.new + day.learning, 6)
    expect(day.minutes === 0).toBe(day.total === 0)
  }
})

test('a forecast has new cards on its last days too, though siblings hide each other', async () => {
  const me = world.stranger()
  const { id } = await world.deck(me, { settings: { new_limit_per_day: 3 } })
  const facts = Array.from({ length: 40 }, (_, i) => ({ deck_id: id, type: 'reversed', front: `f${i}`, back: 'b' }))
  await world.call(me, 'POST', '/facts/batch', { items: facts })
  const { days } = await world.read(me, '/stats/forecast?to=2026-03-15')
  expect(days.map((day: Shown) => day.new)).toEqual(Array(14).fill(3))
})

test('a step that outlasts a sitting comes on the next day, if the log says so of as long ones', async () => {
  const nextDay = async (more: Partial<ReviewColumns> = {}, minutes = 60) => {
    const me = world.stranger()
    const settings = { new_limit_per_day: 40, learning_steps_minutes: [1, 60], relearning_steps_minutes: [] }
    const { id } = await world.deck(me, { settings })
    const at = NOON - DAY
    const before = { stability: 1, difficulty: 5, last_reviewed_at: at, due_at: at + minutes * 60_000 }
    const none = { predicted_retrievability: null, undone_at: null, interval_days: 0 }
    const step = { ...ANSWER, ...none, kind: 'learning', elapsed_days: 1, before, ...more } as const
    const answers = Array.from({ length: 300 }, (_, i) => ({
      ...step,
      card: i % 40,
      reviewed_at: at + i,
      study_day: NOW_DAY - 1,
    }))
    await fill(world.folder, id, Array(40).fill(NEW_CARD), answers)
    return (await world.read(me, '/stats/forecast?to=2026-03-03')).days[1].learning
  }
  expect(await nextDay()).toBeGreaterThan(15)
  expect(await nextDay({ kind: 'relearning' })).toBeGreaterThan(15)
  expect(await nextDay({}, 21)).toBeGreaterThan(15)
  expect(await nextDay({ elapsed_days: 0 })).toBe(0)
  expect(await nextDay({}, 20)).toBe(0)
  expect(await nextDay({}, 61)).toBe(0)
  expect(await nextDay({ undone_at: 1 })).toBe(0)
  expect(await nextDay({ was_new: 1 })).toBe(0)
})

test('a forecast is null before today and from 366 days after it on', async () => {
  const { me } = await filled([reviewCard(NOW_DAY)])
  const { days } = await world.read(me, '/stats/forecast?from=2026-03-01&to=2027-03-04')
  const known = days.filter(({ total }: Shown) => total !== null).map(({ day }: Shown) => day)
  expect([known[0], known.at(-1), known.length]).toEqual(['2026-03-02', '2027-03-02', 366])
  for (const name of NAMES) expect([days[0][name], days.at(-1)[name]]).toEqual([null, null])
  const later = await world.read(me, '/stats/forecast?from=2030-01-01&to=2030-01-02')
  expect(later.days.map(({ total }: Shown) => total)).toEqual([null, null])
})

test('a forecast of a deck is of its cards, and the same when it is read again', async () => {
  const { me, id } = await filled(Array(30).fill(NEW_CARD), { new_limit_per_day: 5 })
  const other = await world.deck(me)
  await fill(world.folder, other.id, Array(9).fill(NEW_CARD), [])
  const of = (query: string) => world.read(me, `/stats/forecast?${query}`)
  expect((await of(`deck_id=${id}`)).days[0].new).toBe(5)
  expect((await of(`deck_id=${other.id}`)).days[0].new).toBe(9)
  expect((await of('')).days[0].new).toBe(14)
  expect(await of('')).toEqual(await of(''))
})

slow('a large collection is sampled, and its forecast is about that of all', async () => {
  const forecast = async (thirds: number) => {
    const cards = Array.from({ length: thirds * 7000 }, (_, i) =>
      i % 4 === 0 ? NEW_CARD : reviewCard(NOW_DAY + 1 + (i % 20)),
    )
    const { me } = await filled(cards, { new_limit_per_day: thirds * 30, review_limit_per_day: 9999 })
    return (await world.read(me, '/stats/forecast?to=2026-03-15')).days
  }
  const [third, all] = [await forecast(1), await forecast(3)]
  for (const name of NAMES) expect(Math.abs(sum(all, name) / sum(third, name) / 3 - 1)).toBeLessThan(0.1)
})

test('today.left is what the queue gives: within the limits, one of the siblings, new cards too', async () => {
  const { me, id } = await filled([...Array(9).fill(reviewCard(NOW_DAY)), ...Array(9).fill(NEW_CARD)], {
    review_limit_per_day: 4,
    new_limit_per_day: 3,
    new_ignores_review_limit: true,
  })
  expect((await world.read(me, '/stats/today')).left).toBe(7)
  const other = await world.deck(me)
  await world.fact(me, { deck_id: other.id, type: 'reversed' })
  expect((await world.read(me, '/stats/today')).left).toBe(8)
  expect((await world.read(me, `/stats/today?deck_id=${id}`)).left).toBe(7)
  const [{ card }] = (await world.read(me, `/queue?deck_id=${other.id}`)).items
  await world.call(me, 'POST', `/cards/${card.id}/reviews`, { rating: 1 })
  // In learning it is shown again today.
  expect((await world.read(me, '/stats/today')).left).toBe(8)
  await world.call(me, 'POST', `/cards/${card.id}/reviews`, { rating: 4 })
  expect((await world.read(me, '/stats/today')).left).toBe(7)
})

slow('a greater retention takes more work for more knowledge, and the best takes the least for each card', async () => {
  const cards = Array.from({ length: 400 }, (_, i) => (i % 2 === 0 ? NEW_CARD : reviewCard(NOW_DAY + (i % 30))))
  const { me } = await filled(cards)
  const { days, cards: count, retentions, best_retention } = await world.read(me, '/stats/workload')
  expect([days, count, retentions.length]).toEqual([365, 400, 26])
  expect([retentions[0].retention, retentions[25].retention]).toEqual([0.7, 0.95])
  const [low, middle, high] = [retentions[0], retentions[15], retentions[25]]
  for (const name of ['minutes_per_day', 'answers_per_day', 'memorized_cards', 'memorized'])
    expect([low[name] < middle[name], middle[name] < high[name]]).toEqual([true, true])
  const seconds = retentions.map((row: Shown) => row.seconds_per_card)
  expect(retentions[seconds.indexOf(Math.min(...seconds))].retention).toBe(best_retention)
  for (const row of retentions) {
    expect(row.memorized_cards).toBeCloseTo(row.memorized * 400, 6)
    expect(row.seconds_per_card).toBeCloseTo((row.minutes_per_day * 60 * 365) / row.memorized_cards, 6)
  }
})

test('the workload of given retentions is of each once, and above 0.95 none is the best', async () => {
  const { me } = await filled(Array(20).fill(NEW_CARD))
  const read = (retentions: string) => world.read(me, `/stats/workload?retentions=${retentions}`)
  const { retentions } = await read('0.9,0.80,0.9')
  expect(retentions.map(({ retention }: Shown) => retention)).toEqual([0.8, 0.9])
  expect((await read('0.97,0.99')).best_retention).toBeNull()
  expect((await read('0.95')).best_retention).toBe(0.95)
})

slow('the workload of one card takes no more of the processor than that of many', async () => {
  const cost = async (count: number) => {
    const { me } = await filled(Array(count).fill(reviewCard(NOW_DAY)))
    const before = process.cpuUsage()
    await world.read(me, '/stats/workload')
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
  const many = await cost(1000)
  expect((await cost(1)) / many).toBeLessThan(2)
})

test('the workload of nothing is nothing, and has no best retention', async () => {
  const { me } = await filled([])
  const nothing = { minutes_per_day: 0, answers_per_day: 0, memorized_cards: 0, memorized: 0, seconds_per_card: null }
  const found = await world.read(me, '/stats/workload?retentions=0.9')
  expect(found).toEqual({ days: 365, cards: 0, best_retention: null, retentions: [{ retention: 0.9, ...nothing }] })
})

test('retentions that are none are refused', async () => {
  const me = world.stranger()
  const many = Array.from({ length: 27 }, (_, i) => (0.7 + i / 100).toFixed(2)).join(',')
  for (const retentions of ['', '0.69', '0.995', '1', 'x', '0.9,', '0.8;0.9', '-0.9', many])
    expect((await world.call(me, 'GET', `/stats/workload?retentions=${retentions}`)).status).toBe(400)
  for (const retentions of ['0.7', '0.99', '0.8,0.9'])
    expect((await world.call(me, 'GET', `/stats/workload?retentions=${retentions}`)).status).toBe(200)
})
