import { describe, expect, test } from 'bun:test'
import { clampMemory, estimateEase, estimateMemory } from '../../../src/flashcards/import/schedule'
import { haveSameWeights, paramsId, reviewCard } from '../../../src/flashcards/reviews/review'
import {
  recallChance,
  replay,
  replayStates,
  reschedule,
  retrievability,
  type ScheduledCard,
} from '../../../src/flashcards/scheduling/scheduler'
import { DEFAULT_SETTINGS, DEFAULT_WEIGHTS } from '../../../src/flashcards/scheduling/settings'
import {
  memoryOf,
  NEW_SNAPSHOT,
  RATINGS,
  type Rating,
  resetSnapshot,
  setDue,
} from '../../../src/flashcards/scheduling/snapshot'
import type { StudyClock } from '../../../src/flashcards/scheduling/study-day'
import { toDay } from '../../../src/lib/civil/day'
import { expectBetterIsLater, expectPreviewIsAnswer, expectReplayIsMemory } from './properties'

const plain = { ...DEFAULT_SETTINGS, fuzz: false }
const utc: StudyClock = { time_zone: 'UTC', day_starts_at_hour: 4 }
const newYork: StudyClock = { time_zone: 'America/New_York', day_starts_at_hour: 4 }
const NOON = Date.parse('2026-03-01T12:00:00Z')
const DAY = 86_400_000

const fresh = (id = 'a'): ScheduledCard => ({ ...NEW_SNAPSHOT, id })

/** A fresh card answered again and again, each time when it is due. */
function study(given: readonly Rating[], settings = plain, id = 'a') {
  let card = fresh(id)
  return given.map((rating) => {
    const { after } = reviewCard(card, { now: card.due_at ?? NOON, rating }, settings, utc)
    card = { ...after, id }
    return after
  })
}

/** A log of these ratings, with so many days before each. */
function log(given: readonly Rating[], gaps: readonly number[]) {
  let day = 0
  return given.map((rating, i) => {
    day += gaps[i] ?? 0
    return { day, rating }
  })
}

describe('the figures of FSRS-6', () => {
  test('good six times, again twice, good five times, each when due', () => {
    const days = study([3, 3, 3, 3, 3, 3, 1, 1, 3, 3, 3, 3, 3]).map((after) => after.scheduled_days)
    expect(days).toEqual([0, 2, 11, 46, 163, 498, 0, 0, 2, 4, 7, 12, 21])
  })

  test('first answers', () => {
    const found = RATINGS.map((rating) => study([rating])[0])
    expect(found.map((after) => after?.stability)).toEqual([0.212, 1.2931, 2.3065, 8.2956])
    expect(found.map((after) => after?.difficulty)).toEqual([6.4133, 5.11217071, 2.11810397, 1])
  })

  test('memory from a log', () => {
    const [given, gaps] = [[1, 3, 3, 3, 3, 3] as const, [0, 0, 1, 3, 8, 21]]
    const memory = replay(log(given, gaps), null)
    expect(memory?.stability).toBeCloseTo(53.62691, 4)
    expect(memory?.difficulty).toBeCloseTo(6.3574867, 4)
  })

  test('the forgetting curve', () => {
    const expected = [1, 0.9403443, 0.9253786, 0.9185229, 0.9, 0.8261359]
    const stabilities = [1, 2, 3, 4, 4, 2]
    for (const [t, stability] of stabilities.entries())
      expect(recallChance(t, stability, null)).toBeCloseTo(expected[t] ?? Number.NaN, 6)
  })

  test.each([
    [0.7, 9],
    [0.8, 3],
    [0.9, 1],
  ])('a stability of 1 at a retention of %f is an interval of %i', (desired_retention, days) => {
    const card: ScheduledCard = { ...fresh(), state: 'review', stability: 1, difficulty: 5, last_reviewed_at: NOON }
    expect(reschedule(card, { ...plain, desired_retention }, utc).scheduled_days).toBe(days)
  })

  test('memory from ease and interval', () => {
    const [usual, hardest] = [estimateMemory(2.5, 10, null), estimateMemory(1.3, 20, null)]
    expect(usual.stability).toBe(10)
    expect(usual.difficulty).toBeCloseTo(6.9140563, 5)
    expect(hardest).toEqual({ stability: 20, difficulty: 10 })
    expect(estimateMemory(2.5, 0, null).stability).toBe(0.001)
  })

  test('ease from memory, which gives the same memory again', () => {
    for (const ease of [1.5, 2.1, 2.5, 3])
      expect(estimateEase(estimateMemory(ease, 10, null), null)).toBeCloseTo(ease, 10)
    expect(estimateEase({ stability: 36_500, difficulty: 10 }, null)).toBe(1.3)
    expect(estimateEase({ stability: 0.001, difficulty: 1 }, null)).toBeLessThanOrEqual(20)
  })
})

describe('for any card, settings, clock and rating', () => {
  test('a preview says what the answer does, and no interval is beyond the maximum', () => expectPreviewIsAnswer(400))
  test('in review a better rating is a longer interval, up to the maximum', () => expectBetterIsLater(300))
  test('memory replayed from the log is the memory that the answers left', () => expectReplayIsMemory(150))
})

describe('leeches', () => {
  const settings = { ...plain, leech_threshold: 5, relearning_steps_minutes: [] }
  /** Lapses after which an answer suspended the card, which is taken up again each time. */
  const strikes = (leech_action: 'suspend' | 'none') => {
    let card: ScheduledCard = { ...fresh(), ...study([4])[0] }
    return Array.from({ length: 14 }, () => {
      const { after } = reviewCard(card, { now: card.due_at ?? NOON, rating: 1 }, { ...settings, leech_action }, utc)
      card = { ...after, id: 'a', suspended: false }
      return after
    })
  }

  test('are suspended at the threshold, then every half threshold of lapses', () => {
    const suspended = strikes('suspend').filter((after) => after.suspended)
    expect(suspended.map(({ lapses }) => lapses)).toEqual([5, 8, 11, 14])
  })

  test('stay marked from the threshold on, also if they are not to be suspended', () => {
    const after = strikes('none')
    expect(after.filter(({ leech }) => leech).map(({ lapses }) => lapses)).toEqual([5, 6, 7, 8, 9, 10, 11, 12, 13, 14])
    expect(after.some(({ suspended }) => suspended)).toBe(false)
  })

  test('are not struck by an answer that is no lapse', () => {
    const card: ScheduledCard = { ...fresh(), ...study([4])[0], lapses: 5 }
    expect(reviewCard(card, { now: NOON + DAY, rating: 2 }, settings, utc).after).toMatchObject({
      leech: false,
      suspended: false,
    })
  })
})

test('a card of unknown memory in review is answered like a first time', () => {
  const card: ScheduledCard = {
    ...fresh(),
    state: 'review',
    last_reviewed_at: NOON - 9 * DAY,
    scheduled_days: 9,
    reps: 4,
  }
  const { after, predicted_retrievability } = reviewCard(card, { now: NOON, rating: 3 }, plain, utc)
  expect(predicted_retrievability).toBeNull()
  expect(after).toMatchObject({ state: 'review', stability: 2.3065, difficulty: 2.11810397, reps: 5 })
})

test('retrievability is that of the study day, whole', () => {
  const card = { ...NEW_SNAPSHOT, stability: 4, difficulty: 5, last_reviewed_at: NOON }
  expect(retrievability(card, toDay('2026-03-05'), null, utc)).toBe(0.9)
  expect(retrievability(card, toDay('2026-02-20'), null, utc)).toBe(1)
  expect(retrievability(NEW_SNAPSHOT, toDay('2026-03-05'), null, utc)).toBeNull()
})

describe('replay', () => {
  test('begins again behind a reset, and goes on from memory that was imported', () => {
    const [again, good] = [
      { day: 0, rating: 1 },
      { day: 9, rating: 3 },
    ] as const
    expect(replay([again, { day: 5, memory: null }, good], null)).toEqual(replay([good], null))
    expect(replay([again, { day: 5, memory: null }], null)).toBeNull()
    const memory = { stability: 10, difficulty: 5 }
    const imported: ScheduledCard = { ...fresh(), state: 'review', ...memory, last_reviewed_at: NOON }
    const { after } = reviewCard(imported, { now: NOON + 4 * DAY, rating: 3 }, plain, utc)
    expect(replay([{ day: 5, memory }, good], null)).toEqual(memoryOf(after))
  })

  test('tells the memory after each entry', () => {
    const found = [...replayStates(log([3, 3], [0, 2]), null)]
    expect(found.map((memory) => memory?.stability)).toEqual([2.3065, replay(log([3, 3], [0, 2]), null)?.stability])
  })
})

test('a card in review is due again by its memory, any other stays as it is', () => {
  const [learning, , review] = study([3, 3, 3])
  const card: ScheduledCard = { ...fresh(), ...review, stability: 20 }
  const { due_day, scheduled_days, ...rest } = reschedule(card, plain, utc)
  expect(scheduled_days).toBe(20)
  expect(due_day).toBe(toDay('2026-03-23'))
  expect(rest).toEqual({ ...rest, stability: 20, last_reviewed_at: card.last_reviewed_at })
  expect(reschedule({ ...fresh(), ...learning }, plain, utc)).toEqual({ ...NEW_SNAPSHOT, ...learning })
})

test('a due day, computed again, is the day of the answer, with its fuzz', () => {
  const settings = { ...plain, fuzz: true }
  for (const id of ['a', 'b', 'c'])
    for (const after of study([3, 3, 3, 3, 3], settings, id).slice(2))
      expect(reschedule({ ...after, id }, settings, utc)).toEqual(after)
})

test('memory from elsewhere is brought into the range, or refused', () => {
  expect(clampMemory(90_000, 0.5)).toEqual({ stability: 36_500, difficulty: 1 })
  expect(clampMemory(Number.NaN, 5)).toBeNull()
  expect(clampMemory(0, 5)).toBeNull()
})

describe('params_id', () => {
  test('is the same for the same scheduling, and another for each setting that changes it', () => {
    const changes = [
      { desired_retention: 0.91 },
      { maximum_interval_days: 99 },
      { learning_steps_minutes: [10] },
      { relearning_steps_minutes: [] },
      { fuzz: true },
      { weights: DEFAULT_WEIGHTS.with(0, 0.3) },
    ]
    const ids = changes.map((change) => paramsId({ ...plain, ...change }))
    expect(new Set([paramsId(plain), ...ids]).size).toBe(7)
    expect(paramsId({ ...plain, weights: [...DEFAULT_WEIGHTS], leech_threshold: 3 })).toBe(paramsId(plain))
    expect(ids.map((id) => haveSameWeights(id, paramsId(plain)))).toEqual([true, true, true, true, true, false])
  })

  test('is stable over processes and versions', () => {
    expect(paramsId(plain)).toBe('a00444e09ca114a3.0a449d8b8c7d72a5')
  })
})

test('a reset forgets all but suspension and burial', () => {
  const before = { ...NEW_SNAPSHOT, ...study([1, 3, 3])[2], leech: true, suspended: true, buried_until: 9 }
  expect(resetSnapshot(before)).toEqual({ ...NEW_SNAPSHOT, suspended: true, buried_until: 9 })
})

describe('a due day that was asked for', () => {
  test('puts a card in review, with the memory that it has', () => {
    const [learning = NEW_SNAPSHOT] = study([3])
    const set = setDue(learning, toDay('2026-03-20'), toDay('2026-03-05'), newYork)
    expect(set).toEqual({
      ...learning,
      state: 'review',
      step: 0,
      scheduled_days: 19,
      due_day: toDay('2026-03-20'),
      due_at: Date.parse('2026-03-20T08:00:00Z'),
    })
    expect(reviewCard({ ...set, id: 'a' }, { now: set.due_at ?? 0, rating: 3 }, plain, newYork).elapsed_days).toBe(19)
  })

  test('of a fresh card counts from today, and lies in the past only as a day', () => {
    expect(setDue(NEW_SNAPSHOT, toDay('2026-03-09'), toDay('2026-03-05'), utc)).toMatchObject({
      scheduled_days: 4,
      reps: 0,
    })
    const overdue = setDue(NEW_SNAPSHOT, toDay('2026-03-01'), toDay('2026-03-05'), utc)
    expect(overdue).toMatchObject({ scheduled_days: 0, due_day: toDay('2026-03-01') })
    const { after } = reviewCard({ ...overdue, id: 'a' }, { now: NOON + 9 * DAY, rating: 3 }, plain, utc)
    expect(after).toMatchObject({ state: 'review', stability: 2.3065, reps: 1 })
  })
})
