import { Database } from 'bun:sqlite'
import { afterAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import { studyDay } from '../../../src/flashcards/scheduling/study-day'
import { onSqlite, runs, slow } from '../../support/full'
import type { As } from '../../support/world'
import { ANSWER, type CardColumns, fill, NEW_CARD, type ReviewColumns } from '../log-rows'
import { makeStudyWorld, type Shown } from '../support'
import * as naive from './naive'

const world = await makeStudyWorld()
afterAll(world.close)

const DAY = 86_400_000
/** The day on which the tests stand, in UTC. */
const NOON = Date.parse('2026-03-02T12:00:00.000Z')
const NOW_DAY = Math.floor(NOON / DAY)
const NEAR = 40

/** Numbers that differ in their last digits make other sums in another order: close is all that can be said. */
function expectClose(got: Shown, wanted: Shown): void {
  const round = (value: unknown): unknown => (typeof value === 'number' ? Number(value.toFixed(9)) : value)
  const rounded = (value: Shown) => JSON.parse(JSON.stringify(value, (_, inner) => round(inner)))
  expect(rounded(got)).toEqual(rounded(wanted))
}

async function expectNaive(me: As, deck: string | null, all: naive.Counted, from: number, to: number): Promise<void> {
  const own = deck === null ? '' : `deck_id=${deck}&`
  const days = `from=${naive.dayText(from)}&to=${naive.dayText(to)}`
  const { counts } = await world.read(me, `/queue?${own}`)
  expectClose(await world.read(me, `/stats?${own}${days}&forecast_days=${NEAR}`), {
    study_day: naive.dayText(studyDay(all.now, all.clock)),
    from: naive.dayText(from),
    to: naive.dayText(to),
    today: { ...naive.today(all), left: counts.new + counts.learning + counts.review },
    hours: naive.hours(all, from, to),
    retention: naive.retention(all, from, to),
    forecast: naive.forecast(all, NEAR),
    streak: naive.streak(all),
    heatmap: naive.heatmap(all, from, to),
  })
  // Each part alone is the same: the log is read otherwise for both of these.
  const alone = await Promise.all(
    ['streak', 'heatmap'].map((part) => world.read(me, `/stats?${own}${days}&parts=${part}`)),
  )
  expect([alone[0].streak, alone[1].heatmap]).toEqual([naive.streak(all), naive.heatmap(all, from, to)])
}

const near = fc.integer({ min: NOW_DAY - NEAR, max: NOW_DAY + NEAR })
const instant = fc.integer({ min: (NOW_DAY - NEAR) * DAY, max: NOON })
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 2 })
const clocks = fc.record({
  time_zone: fc.constantFrom('UTC', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'Pacific/Kiritimati'),
  day_starts_at_hour: fc.integer({ min: 0, max: 23 }),
})

const studied = fc
  .record({
    state: fc.constantFrom('learning', 'review', 'relearning'),
    due: near,
    at: instant,
    stability: fc.double({ min: 0.01, max: 5000, noNaN: true }),
    difficulty: fc.double({ min: 1, max: 10, noNaN: true }),
    scheduled_days: fc.integer({ min: 0, max: 60 }),
    last_reviewed_at: instant,
    suspended: fc.constantFrom(0, 0, 0, 1),
    buried_until: orNull(near),
    deleted_at: fc.constantFrom(null, null, null, 1),
  })
  .map(({ due, at, state, scheduled_days, ...rest }): CardColumns => {
    const inReview = state === 'review'
    const when = { due_day: inReview ? due : null, due_at: inReview ? null : at }
    return { ...NEW_CARD, ...rest, ...when, state, scheduled_days: inReview ? scheduled_days : 0, reps: 1 }
  })

const review = fc.record({
  kind: fc.constantFrom(
    'learning' as const,
    'review' as const,
    'review' as const,
    'relearning' as const,
    'import' as const,
  ),
  rating: fc.constantFrom(1, 2, 3, 4),
  at: instant,
  duration_ms: fc.integer({ min: 0, max: 120_000 }),
  elapsed_days: fc.integer({ min: 0, max: 3 }),
  predicted_retrievability: orNull(fc.oneof(fc.constantFrom(0, 1), fc.double({ min: 0, max: 1, noNaN: true }))),
  was_new: fc.constantFrom(0, 1),
  interval_days: fc.constantFrom(0, 1, 20, 21, 100),
  undone_at: fc.constantFrom(null, null, null, 1),
  manual: fc.constantFrom(false, false, false, true),
})

const logs = fc.array(review, { maxLength: 150 })

/** Each answer at an instant of its own, the card by its place. */
function rowsOf(
  drawn: readonly (typeof logs extends fc.Arbitrary<(infer One)[]> ? One : never)[],
  cards: number,
  clock: naive.Counted['clock'],
): ReviewColumns[] {
  return drawn.map(({ at, manual, ...rest }, i) => {
    const reviewed_at = at - (at % 1000) + i
    const byHand = manual ? { kind: 'manual' as const, rating: null } : {}
    return { ...ANSWER, ...rest, ...byHand, card: i % cards, reviewed_at, study_day: studyDay(reviewed_at, clock) }
  })
}

describe('statistics', () => {
  test('equal a plain count over any log, in any zone, for a deck with its subdecks and for all', async () => {
    const anything = fc.record({
      clock: clocks,
      cards: fc.array(studied, { minLength: 2, maxLength: 40 }),
      drawn: logs,
    })
    await fc.assert(
      fc.asyncProperty(
        anything,
        near,
        fc.integer({ min: 0, max: NEAR }),
        async ({ clock, cards, drawn }, from, length) => {
          const me = world.stranger()
          await world.call(me, 'PATCH', '/settings', clock)
          const top = await world.deck(me)
          const sub = await world.deck(me, { parent_id: top.id })
          const apart = await world.deck(me)
          const reviews = rowsOf(drawn, cards.length, clock)
          const middle = Math.floor(cards.length / 2)
          const inSub = reviews.filter(({ card }) => card < middle)
          const elsewhere = reviews.filter(({ card }) => card >= middle)
          await fill(world.folder, sub.id, cards.slice(0, middle), inSub)
          await fill(
            world.folder,
            apart.id,
            cards.slice(middle),
            elsewhere.map((one) => ({ ...one, card: one.card - middle })),
          )
          const common = { clock, now: NOON }
          await expectNaive(me, null, { ...common, cards, reviews }, from, from + length)
          await expectNaive(
            me,
            top.id,
            { ...common, cards: cards.slice(0, middle), reviews: inSub },
            from,
            from + length,
          )
        },
      ),
      { numRuns: runs(15) },
    )
  })

  slow('count a log of many parts as one, also where one card fills a part in a day', async () => {
    const me = world.stranger()
    const { id } = await world.deck(me)
    const cards = Array.from({ length: 5200 }, (_, i): CardColumns => {
      const memory = {
        stability: 1 + (i % 50),
        difficulty: 5,
        scheduled_days: 1 + (i % 50),
        last_reviewed_at: NOON - DAY,
      }
      return { ...NEW_CARD, ...memory, state: 'review', due_day: NOW_DAY - 3 + (i % 9) }
    })
    const reviews = Array.from({ length: 21_000 }, (_, i): ReviewColumns => {
      const study_day = i < 10_500 ? NOW_DAY : NOW_DAY - (i % 3)
      const columns = { rating: 1 + (i % 4), predicted_retrievability: (i % 101) / 100, interval_days: i % 40 }
      return {
        ...ANSWER,
        ...columns,
        card: i < 10_500 ? 2 : i % 5200,
        study_day,
        reviewed_at: study_day * DAY + DAY / 2 + i,
      }
    })
    await fill(world.folder, id, cards, reviews)
    const clock = { time_zone: 'UTC', day_starts_at_hour: 4 }
    await expectNaive(me, null, { clock, now: NOON, cards, reviews }, NOW_DAY - 3, NOW_DAY)
    await expectNaive(me, id, { clock, now: NOON, cards, reviews }, NOW_DAY - 3, NOW_DAY)
    // Of one deck among others, the log of few days is read, and of many its cards.
    await world.deck(me)
    for (const days of [3, 60]) await expectNaive(me, id, { clock, now: NOON, cards, reviews }, NOW_DAY - days, NOW_DAY)
  })

  test.each([
    ['America/New_York', '2025-03-09', '-05:00', '-04:00'],
    ['Europe/Berlin', '2025-03-30', '+01:00', '+02:00'],
    ['Australia/Lord_Howe', '2025-10-05', '+10:30', '+11:00'],
    ['America/New_York', '2025-11-02', '-04:00', '-05:00'],
  ])('of a streak count study days over the change of the clock in %s on %s', async (time_zone, day, before, after) => {
    const me = world.stranger()
    await world.call(me, 'PATCH', '/settings', { time_zone })
    const deck = await world.deck(me)
    const [card] = await world.cards(me, await world.fact(me, { deck_id: deck.id }))
    const change = Date.parse(day) / DAY
    // A day begins at 4: the last minute of one, the first of the next, and so on over the change at about 2.
    const days = [naive.dayText(change - 1), day, naive.dayText(change + 1)]
    const seen: number[] = []
    for (const local of [
      `${days[0]}T03:59:00.000${before}`,
      `${days[0]}T04:00:00.000${before}`,
      `${days[1]}T04:00:00.000${after}`,
      `${days[2]}T03:59:00.000${after}`,
      `${days[2]}T04:00:00.000${after}`,
    ]) {
      const body = { rating: 3, reviewed_at: new Date(local).toISOString() }
      expect((await world.call(me, 'POST', `/cards/${card.id}/reviews`, body)).status).toBe(201)
      const { longest, runs } = (await world.read(me, '/stats?parts=streak')).streak
      expect(runs).toHaveLength(1)
      seen.push(longest)
    }
    expect(seen).toEqual([1, 2, 3, 3, 4])
  })

  test('of a streak keep the days on which answers were given when the zone or the first hour changes', async () => {
    const me = world.stranger()
    const deck = await world.deck(me)
    const [card] = await world.cards(me, await world.fact(me, { deck_id: deck.id }))
    const answer = (reviewed_at: string) =>
      world.call(me, 'POST', `/cards/${card.id}/reviews`, { rating: 3, reviewed_at })
    for (const day of ['26', '27', '28']) await answer(`2026-02-${day}T12:00:00.000Z`)
    const { streak: before } = await world.read(me, '/stats?parts=streak')
    expect(before).toMatchObject({ days_studied: 3, longest: 3, current: 0 })
    for (const settings of [
      { time_zone: 'Pacific/Kiritimati' },
      { time_zone: 'Pacific/Pago_Pago', day_starts_at_hour: 23 },
    ]) {
      await world.call(me, 'PATCH', '/settings', settings)
      expect((await world.read(me, '/stats?parts=streak')).streak).toEqual({ ...before, current: expect.any(Number) })
    }
    // Flown west, it is a day earlier there, the one after the run.
    expect(await world.read(me, '/stats?parts=streak')).toMatchObject({
      study_day: '2026-03-01',
      streak: { current: 3 },
    })
  })

  test('of nothing are zeros, and rates without data null', async () => {
    const me = world.stranger()
    const { id } = await world.deck(me)
    const retained = { count: 0, correct: 0, retention: null, expected: null }
    for (const query of ['', `?deck_id=${id}`])
      expect(await world.read(me, `/stats${query}`)).toMatchObject({
        today: { answered: 0, new_seen: 0, left: 0 },
        retention: { young: retained, all: retained },
        forecast: { backlog: 0 },
        streak: { days_studied: 0, current: 0, longest: 0, runs: [] },
      })
  })

  test('are of 365 days up to today and of 30 from today on by default', async () => {
    const me = world.stranger()
    const { from, to, heatmap, forecast } = await world.read(me, '/stats')
    expect([from, to, heatmap[0].day, heatmap.length]).toEqual(['2025-03-03', '2026-03-02', '2025-03-03', 365])
    expect([forecast.days[0].day, forecast.days.length]).toEqual(['2026-03-02', 30])
    expect(await world.read(me, '/stats?to=2020-02-29')).toMatchObject({ from: '2019-03-02' })
  })

  test('have the parts of a request alone', async () => {
    const me = world.stranger()
    const shown = async (query: string) =>
      Object.entries(await world.read(me, `/stats${query}`)).flatMap(([name, part]) =>
        part === null || typeof part === 'string' ? [] : [name],
      )
    const all = ['today', 'hours', 'retention', 'forecast', 'streak', 'heatmap']
    expect(await shown('')).toEqual(all)
    for (const name of all) expect(await shown(`?parts=${name}`)).toEqual([name])
    expect(await shown('?parts=heatmap,today')).toEqual(['today', 'heatmap'])
    for (const parts of ['', 'workload', 'today,', 'today,today', 'Today', 'today;streak'])
      expect((await world.call(me, 'GET', `/stats?parts=${parts}`)).status).toBe(400)
  })

  test('refuse days that are none, too many, or in the wrong order', async () => {
    const me = world.stranger()
    const status = async (query: string) => (await world.call(me, 'GET', `/stats?${query}`)).status
    for (const days of ['from=2026-02-30', 'to=x', 'from=2026-01-02&to=2026-01-01', 'from=2010-01-01&to=2020-01-09'])
      expect(await status(days)).toBe(400)
    for (const days of ['', '0', '3661', '1.5', '-1', 'x']) expect(await status(`forecast_days=${days}`)).toBe(400)
    expect(await status('from=2010-01-01&to=2020-01-08&forecast_days=3660')).toBe(200)
  })

  test('have what the queue gives as left: within the limits, one of the siblings, new cards too', async () => {
    const me = world.stranger()
    const limits = { review_limit_per_day: 4, new_limit_per_day: 3, new_ignores_review_limit: true }
    const { id } = await world.deck(me, { settings: limits })
    const due: CardColumns = {
      ...NEW_CARD,
      ...{ state: 'review', due_day: NOW_DAY, stability: 30, difficulty: 5, scheduled_days: 30, reps: 3 },
      last_reviewed_at: (NOW_DAY - 30) * DAY,
    }
    await fill(world.folder, id, [...Array(9).fill(due), ...Array(9).fill(NEW_CARD)], [])
    const left = async (query = '') => (await world.read(me, `/stats?parts=today${query}`)).today.left
    expect(await left()).toBe(7)
    const other = await world.deck(me)
    await world.fact(me, { deck_id: other.id, type: 'reversed' })
    expect(await left()).toBe(8)
    expect(await left(`&deck_id=${id}`)).toBe(7)
    const [{ card }] = (await world.read(me, `/queue?deck_id=${other.id}`)).items
    await world.call(me, 'POST', `/cards/${card.id}/reviews`, { rating: 1 })
    // In learning it is shown again today.
    expect(await left()).toBe(8)
    await world.call(me, 'POST', `/cards/${card.id}/reviews`, { rating: 4 })
    expect(await left()).toBe(7)
  })

  // Counts the commits of SQLite.
  onSqlite('write nothing', async () => {
    const me = world.stranger()
    const { id } = await world.deck(me)
    await fill(world.folder, id, [NEW_CARD], [{ ...ANSWER, card: 0, study_day: NOW_DAY, reviewed_at: NOON }])
    const db = new Database(join(world.folder, 'satchel.db'), { readonly: true })
    const version = () => db.query('PRAGMA data_version').get()
    const before = version()
    expect((await world.call(me, 'GET', `/stats?deck_id=${id}`)).status).toBe(200)
    expect(version()).toEqual(before)
    await world.deck(me)
    expect(version()).not.toEqual(before)
    db.close()
  })
})
