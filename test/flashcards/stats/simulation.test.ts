import { describe, expect, test } from 'bun:test'
import { QueueDecks } from '../../../src/flashcards/queue/limits'
import type { AnsweredCard } from '../../../src/flashcards/queue/store'
import { DEFAULT_SETTINGS, type DeckSettings, type Overrides } from '../../../src/flashcards/scheduling/settings'
import { type HabitCount, habitsOf, type StudyHabits } from '../../../src/flashcards/stats/habits'
import { type SimulatedCard, Simulation, type SimulationSetup } from '../../../src/flashcards/stats/simulation'

const TODAY = 20_000
/** Recalls all, and rates it good. */
const GOOD = [0, 0, 1, 0] as const
const ALWAYS_GOOD: StudyHabits = {
  shares: { first: GOOD, learning: GOOD, review: GOOD, relearning: GOOD },
  durations: {
    first: [1000, 1000, 1000, 1000],
    learning: [100, 100, 100, 100],
    review: [10, 10, 10, 10],
    relearning: [1, 1, 1, 1],
  },
  forgetting: 0,
  returns: [1, 1, 0],
}

/** Two decks at the top, 1 and 2, and 3 in 1. */
function decksOf(defaults: Partial<DeckSettings> = {}, own: Readonly<Record<number, Overrides>> = {}) {
  const deck = (key: number, parent: number | null) => ({
    key,
    id: `d${key}`,
    parent,
    settings: JSON.stringify(own[key] ?? {}),
  })
  return new QueueDecks([deck(1, null), deck(2, null), deck(3, 1)], null, {
    ...DEFAULT_SETTINGS,
    fuzz: false,
    ...defaults,
  })
}

const newCards = (count: number, more: Partial<SimulatedCard> = {}): SimulatedCard[] =>
  Array.from({ length: count }, (_, i) => ({
    place: i + 1,
    key: i + 1,
    fact: i + 1,
    deck: 1,
    state: 'new',
    due: TODAY,
    memory: null,
    answered: null,
    step: 0,
    lapses: 0,
    draws: 0,
    ...more,
  }))

const reviewCards = (count: number, more: Partial<SimulatedCard> = {}): SimulatedCard[] =>
  newCards(count, { state: 'review', memory: { stability: 10, difficulty: 5 }, answered: TODAY - 10, ...more })

function simulate(cards: readonly SimulatedCard[], changes: Partial<SimulationSetup> = {}) {
  const setup: SimulationSetup = {
    today: TODAY,
    days: 3,
    habits: ALWAYS_GOOD,
    seed: 1,
    decks: decksOf(),
    reviewOrder: 'due',
    share: 1,
    learnAhead: 20,
    answered: [],
    ...changes,
  }
  const simulation = new Simulation(setup, cards)
  for (const _ of simulation.run());
  return simulation
}

const column = ({ results }: Simulation, name: 'reviews' | 'new' | 'learning' | 'duration_ms') =>
  results.map((day) => day[name])
const answered = (count: number, more: Partial<AnsweredCard>): AnsweredCard[] =>
  Array.from({ length: count }, (_, i) => ({
    key: 900 + i,
    fact: 900 + i,
    deck: 1,
    first_seen: 0,
    reviewed: 0,
    ...more,
  }))

describe('a simulation', () => {
  test('of nothing is nothing', () => {
    expect(simulate([]).results).toEqual(Array(3).fill({ reviews: 0, new: 0, learning: 0, duration_ms: 0 }))
  })

  test('answers new cards up to the limit of the day, with the steps, and again when they are due', () => {
    const found = simulate(newCards(50), { days: 5 })
    expect(column(found, 'new')).toEqual([20, 20, 10, 0, 0])
    // Good twice: one step, then stability 2.3 is due after two days.
    expect(column(found, 'learning')).toEqual([20, 20, 10, 0, 0])
    expect(column(found, 'reviews')).toEqual([0, 0, 20, 20, 10])
    expect(column(found, 'duration_ms')).toEqual([22_000, 22_000, 11_200, 200, 100])
  })

  test('takes off the limits of today, and of today alone, what was answered', () => {
    const found = simulate(newCards(50), { answered: answered(15, { first_seen: 1 }) })
    expect(column(found, 'new')).toEqual([5, 20, 20])
    const decks = decksOf({ review_limit_per_day: 10 })
    expect(column(simulate(reviewCards(30), { decks, answered: answered(4, { reviewed: 1 }) }), 'reviews')).toEqual([
      6, 10, 10,
    ])
  })

  test('keeps the limits of every deck above', () => {
    const own = { 1: { new_limit_per_day: 6 }, 3: { new_limit_per_day: 4 } }
    const cards = [...newCards(50), ...newCards(50)].map((card, i) => ({
      ...card,
      key: i + 1,
      fact: i + 1,
      deck: i < 50 ? 3 : i % 2 === 0 ? 1 : 2,
    }))
    expect(column(simulate(cards, { decks: decksOf({}, own), days: 2 }), 'new')).toEqual([6 + 20, 6 + 5])
  })

  test('gives new cards places as the queue does, read again: as long as the reviews of the day leave one', () => {
    const cards = (reviews: number) => [
      ...reviewCards(reviews),
      ...newCards(8).map((card) => ({ ...card, key: 100 + card.key, fact: 100 + card.fact })),
    ]
    const of = (reviews: number, more: Partial<DeckSettings> = {}) =>
      simulate(cards(reviews), { days: 1, decks: decksOf({ review_limit_per_day: 10, ...more }) }).results[0]
    expect(of(9)).toMatchObject({ reviews: 9, new: 8 })
    expect(of(10)).toMatchObject({ reviews: 10, new: 0 })
    expect(of(12)).toMatchObject({ reviews: 10, new: 0 })
    expect(of(12, { new_ignores_review_limit: true })).toMatchObject({ reviews: 10, new: 8 })
  })

  test('shows one of the siblings a day, unless they are not buried', () => {
    const siblings = () => newCards(6).map((card) => ({ ...card, fact: Math.ceil(card.key / 2) }))
    expect(column(simulate(siblings()), 'new')).toEqual([3, 3, 0])
    expect(column(simulate(siblings(), { decks: decksOf({ bury_siblings: false }) }), 'new')).toEqual([6, 0, 0])
    expect(column(simulate(siblings(), { answered: answered(1, { fact: 1 }) }), 'new')).toEqual([2, 3, 1])
  })

  test('works off a backlog, the earliest due first or the least remembered first', () => {
    const cards = () =>
      [
        ...reviewCards(2, { due: TODAY - 1, memory: { stability: 1, difficulty: 5 } }),
        ...reviewCards(2, { due: TODAY - 9, memory: { stability: 100, difficulty: 5 } }),
      ].map((card, i) => ({ ...card, key: i + 1, fact: i + 1 }))
    const decks = decksOf({ review_limit_per_day: 2 })
    const first = (reviewOrder: DeckSettings['review_order']) => {
      const studied = cards()
      simulate(studied, { decks, reviewOrder, days: 1 })
      return studied.filter(({ answered: day }) => day === TODAY).map(({ key }) => key)
    }
    expect(first('due')).toEqual([3, 4])
    expect(first('retrievability')).toEqual([1, 2])
    expect(first('random')).toHaveLength(2)
  })

  test('shows a card no earlier than it comes up', () => {
    expect(column(simulate([...reviewCards(1, { due: TODAY + 1 })]), 'reviews')).toEqual([0, 1, 0])
    expect(column(simulate([...newCards(1, { due: TODAY + 2 })]), 'new')).toEqual([0, 0, 1])
    const step = { state: 'relearning', step: 0, due: TODAY + 1 } as const
    expect(column(simulate([...reviewCards(1, step)]), 'learning')).toEqual([0, 1, 0])
  })

  test('forgets as often as recall says, repeats what is forgotten, and suspends leeches', () => {
    const always = { ...ALWAYS_GOOD, forgetting: Number.POSITIVE_INFINITY }
    const forgotten = simulate(reviewCards(5), { habits: always })
    expect(forgotten.results[0]).toMatchObject({ reviews: 5, learning: 5 })
    expect(forgotten.results[1]?.reviews).toBe(5)
    const leeches = simulate(reviewCards(5, { lapses: 7 }), { habits: always })
    expect(leeches.results).toMatchObject([{ reviews: 5, learning: 0 }, { reviews: 0 }, { reviews: 0 }])
    const kept = simulate(reviewCards(5, { lapses: 7 }), { habits: always, decks: decksOf({ leech_action: 'none' }) })
    expect(kept.results).toMatchObject([{ reviews: 5, learning: 5 }, { reviews: 5 }, { reviews: 5 }])
    const usual = simulate(reviewCards(4000), {
      habits: { ...ALWAYS_GOOD, forgetting: 1 },
      decks: decksOf({ review_limit_per_day: 9999 }),
      days: 1,
    })
    // Of stability 10 after 10 days a tenth is forgotten.
    expect((usual.results[0]?.learning ?? 0) / 4000).toBeCloseTo(0.1, 1)
  })

  test('begins the steps again with what is not known in them', () => {
    const habits = { ...ALWAYS_GOOD, shares: { ...ALWAYS_GOOD.shares, learning: [0.5, 0, 0.5, 0] as const } }
    const found = simulate(reviewCards(2000, { state: 'learning', step: 1 }), { habits, days: 1 })
    // From the last of two steps: one answer, and in half of the cases two steps of two answers each, and so on.
    expect(Math.abs((found.results[0]?.learning ?? 0) / 2000 - 4)).toBeLessThan(0.4)
  })

  test('rates what is recalled as it is rated, however little that is', () => {
    const { shares, durations } = ALWAYS_GOOD
    const habits: StudyHabits = {
      shares: { ...shares, review: [0, 0.5, 0.5, 0] },
      durations: { ...durations, review: [0, 0, 1, 0], relearning: [0, 0, 0, 0] },
      forgetting: 1,
      returns: [1, 1, 0],
    }
    const decks = decksOf({ review_limit_per_day: 9999 })
    const cards = reviewCards(4000, { memory: { stability: 0.5, difficulty: 5 } })
    const [day] = simulate(cards, { habits, decks, days: 1 }).results
    const recalled = 4000 - (day?.learning ?? 0)
    expect(recalled).toBeLessThan(3200)
    expect(Math.abs((day?.duration_ms ?? 0) / recalled - 0.5)).toBeLessThan(0.05)
  })

  test('waits for the next day for a step for which the person does not come back', () => {
    const learning = (minutes: number, returns: StudyHabits['returns'], learnAhead = 20) => {
      const decks = decksOf({ learning_steps_minutes: [1, minutes] })
      const found = simulate(newCards(3), { decks, learnAhead, habits: { ...ALWAYS_GOOD, returns } })
      expect(column(found, 'new')).toEqual([3, 0, 0])
      return column(found, 'learning')
    }
    expect(learning(600, [1, 1, 0])).toEqual([0, 3, 0])
    expect(learning(241, [1, 1, 0])).toEqual([0, 3, 0])
    expect(learning(61, [1, 0, 1])).toEqual([0, 3, 0])
    expect(learning(21, [0, 1, 1])).toEqual([0, 3, 0])
    expect(learning(600, [0, 0, 1])).toEqual([3, 0, 0])
    expect(learning(240, [0, 1, 0])).toEqual([3, 0, 0])
    expect(learning(60, [1, 0, 0])).toEqual([3, 0, 0])
    expect(learning(20, [0, 0, 0])).toEqual([3, 0, 0])
    expect(learning(60, [0, 0, 0], 60)).toEqual([3, 0, 0])
  })

  test('waits for a hard step as long as the scheduler says', () => {
    const hard = [0, 1, 0, 0] as const
    const habits = { ...ALWAYS_GOOD, shares: { ...ALWAYS_GOOD.shares, first: hard }, returns: [0, 0, 0] }
    const learning = (steps: number[]) =>
      column(simulate(newCards(3), { decks: decksOf({ learning_steps_minutes: steps }), habits }), 'learning')
    // Half as long again for a single step, else the mean of the first two.
    expect(learning([13])).toEqual([3, 0, 0])
    expect(learning([14])).toEqual([0, 3, 0])
    expect(learning([1, 39])).toEqual([3, 3, 0])
    expect(learning([1, 41])).toEqual([0, 3, 3])
  })

  test('needs no steps', () => {
    const decks = decksOf({ learning_steps_minutes: [], relearning_steps_minutes: [] })
    expect(column(simulate(newCards(3), { decks }), 'learning')).toEqual([0, 0, 0])
    const habits = { ...ALWAYS_GOOD, forgetting: Number.POSITIVE_INFINITY }
    expect(simulate(reviewCards(3), { decks, habits }).results[0]).toMatchObject({ reviews: 3, learning: 0 })
  })

  test('of a part has that part of the limits, over days where it is less than a card', () => {
    const found = simulate(newCards(100), { share: 0.02, days: 10 })
    expect(column(found, 'new').reduce((sum, count) => sum + count)).toBe(4)
    const half = simulate(newCards(100), { share: 0.5, answered: answered(10, { first_seen: 1 }) })
    expect(column(half, 'new')).toEqual([5, 10, 10])
  })

  test('is the same again, and another with another seed', () => {
    const habits = habitsOf([])
    const of = (seed: number) => simulate(newCards(60), { habits, seed, days: 20 }).results
    expect(of(5)).toEqual(of(5))
    expect(of(5)).not.toEqual(of(6))
  })

  test('gives others their turn', () => {
    const setup = {
      today: TODAY,
      days: 1,
      habits: ALWAYS_GOOD,
      seed: 1,
      reviewOrder: 'due',
      share: 1,
      learnAhead: 20,
      answered: [],
    } as const
    const decks = decksOf({ review_limit_per_day: 9999 })
    expect([...new Simulation({ ...setup, decks }, reviewCards(3500)).run()]).toHaveLength(4)
  })
})

describe('habits', () => {
  const count = (more: Partial<HabitCount>): HabitCount => ({
    phase: 'review',
    rating: 3,
    count: 0,
    timed: 0,
    duration_ms: 0,
    predicted: 0,
    predicted_sum: 0,
    ...more,
  })

  test('without answers are those of people in general', () => {
    const { shares, durations, forgetting } = habitsOf([])
    for (const own of Object.values(shares)) expect(own.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9)
    expect(shares.first[2]).toBeCloseTo(0.495, 9)
    expect(durations.review[0]).toBe(19_380)
    expect(forgetting).toBe(1)
  })

  test('with many answers are one’s own', () => {
    const found = habitsOf([
      count({
        rating: 3,
        count: 90_000,
        timed: 90_000,
        duration_ms: 90_000 * 4000,
        predicted: 90_000,
        predicted_sum: 85_500,
      }),
      count({ rating: 1, count: 10_000, timed: 0, predicted: 10_000, predicted_sum: 9500 }),
    ])
    expect(found.shares.review[2]).toBeCloseTo(1, 2)
    expect(found.durations.review[2] / 1000).toBeCloseTo(4, 1)
    // Without a stored duration, an answer says nothing of how long it takes.
    expect(found.durations.review[0]).toBe(19_380)
    expect(found.forgetting).toBeCloseTo(2, 2)
  })

  test('come back for steps as often as the log says of steps that waited as long', () => {
    expect(habitsOf([]).returns).toEqual([1, 1, 0])
    const of = (minutes: number, count: number, same_day: number) =>
      habitsOf([], [{ minutes, count, same_day }]).returns.map((share) => Math.round(share * 100) / 100)
    expect(of(30, 20, 0)).toEqual([0.5, 1, 0])
    expect(of(60, 9980, 0)).toEqual([0, 1, 0])
    expect(of(61, 9980, 4980)).toEqual([1, 0.5, 0])
    expect(of(600, 80, 80)).toEqual([1, 1, 0.8])
  })

  test('take recall into account only in review, and never beyond four times', () => {
    expect(habitsOf([count({ phase: 'learning', rating: 1, predicted: 99, predicted_sum: 99 })]).forgetting).toBe(1)
    expect(habitsOf([count({ rating: 1, predicted: 9999, predicted_sum: 9998 })]).forgetting).toBe(4)
    expect(habitsOf([count({ rating: 3, predicted: 9999, predicted_sum: 1 })]).forgetting).toBe(0.25)
  })
})
