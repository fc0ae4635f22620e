import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { ParsedCard, ParsedReview } from '../../../src/flashcards/formats/parsed'
import { type ImportedSchedule, importSchedule } from '../../../src/flashcards/import/schedule'
import { splitHistories } from '../../../src/flashcards/optimizing/history'
import { toLogEntries } from '../../../src/flashcards/reviews/review'
import { replay } from '../../../src/flashcards/scheduling/scheduler'
import { memoryOf } from '../../../src/flashcards/scheduling/snapshot'
import { runs } from '../../support/full'

const DAY = 86_400_000
const NOW = Date.parse('2026-03-02T12:00:00.000Z')
const AROUND = {
  clock: { time_zone: 'America/New_York', day_starts_at_hour: 4 },
  weights: null,
  steps: { learning: 3, relearning: 1 },
  now: NOW,
}

const CARD: ParsedCard = {
  ...{ ordinal: 0, state: 'review', due_day: '2026-03-20', due_at: null, stability: 10, difficulty: 5, ease: null },
  ...{ scheduled_days: 10, step: 0, reps: 3, lapses: 0, last_reviewed_at: NOW - 8 * DAY, suspended: false },
  ...{ buried_until: null, flag: 0, leech: false, position: null },
}

const answer = (daysAgo: number, kind: ParsedReview['kind'], rating: ParsedReview['rating'] = 3): ParsedReview => ({
  ...{ ordinal: 0, reviewed_at: NOW - daysAgo * DAY, kind, rating: kind === 'manual' ? null : rating },
  duration_ms: 1000,
})

/** What a card is here, and what its log comes to when it is replayed as it is read: by time, then by arrival. */
function both(card: ParsedCard, log: readonly ParsedReview[]) {
  const known = importSchedule(card, log, AROUND)
  return { card: memoryOf(known.snapshot), log: replay(entriesOf(known), null) }
}

function entriesOf({ log, seed }: ImportedSchedule) {
  const stored = [...log, ...(seed ? [seed] : [])].toSorted((a, b) => a.reviewed_at - b.reviewed_at)
  return toLogEntries(
    stored.map((row) => ({ ...row, card: 1, before: JSON.stringify(row.before), after: JSON.stringify(row.after) })),
  )
}

const anyLog = fc
  .array(
    fc.record({
      kind: fc.constantFrom('learning', 'review', 'relearning', 'manual'),
      rating: fc.constantFrom(1, 2, 3, 4),
      // Some stand in the future.
      daysAgo: fc.integer({ min: -20, max: 4000 }).map((tenths) => tenths / 10),
    }),
    { maxLength: 12 },
  )
  .map((rows) =>
    rows
      .map(({ kind, rating, daysAgo }) => answer(daysAgo, kind, rating))
      .toSorted((a, b) => a.reviewed_at - b.reviewed_at),
  )

test('a card that learns without a log keeps its state and date, with the memory of a forgotten one', () => {
  const due_at = NOW + 600_000
  const unknown = {
    stability: null,
    difficulty: null,
    scheduled_days: 0,
    last_reviewed_at: null,
    due_day: null,
    due_at,
  }
  const { snapshot, seed } = importSchedule({ ...CARD, ...unknown, state: 'learning', reps: 2 }, [], AROUND)
  expect(snapshot).toMatchObject({ state: 'learning', due_at, reps: 2, stability: 0.212 })
  expect(seed?.after).toEqual(snapshot)
})

test('an interval is at most a hundred years, and no less than none', () => {
  const imported = (scheduled_days: number) => importSchedule({ ...CARD, scheduled_days }, [], AROUND).snapshot
  expect([36_500, 36_501, -1].map((days) => imported(days).scheduled_days)).toEqual([36_500, 36_500, 0])
})

test('replaying any log that was imported gives the memory that the card got from it', () => {
  const card = fc.record({
    state: fc.constantFrom('learning', 'review', 'relearning'),
    stability: fc.constantFrom(null, 10),
  })
  fc.assert(
    fc.property(card, anyLog, (more, log) => {
      const { card: memory, log: replayed } = both({ ...CARD, ...more }, log)
      expect(replayed).toEqual(memory)
    }),
    { numRuns: runs(300) },
  )
})

test('a card that began again without a reset is replayed from its last beginning', () => {
  const { card, log } = both(CARD, [answer(90, 'learning'), answer(80, 'review'), answer(9, 'learning')])
  expect(card?.stability).toBe(2.3065)
  expect(log).toEqual(card)
})

test('a log whose beginning is lost tells nothing, and nothing is learnt from it', () => {
  const known = importSchedule(CARD, [answer(40, 'review'), answer(20, 'review'), answer(3, 'manual')], AROUND)
  expect(known.snapshot).toMatchObject({ stability: 10, difficulty: 5 })
  expect(replay(entriesOf(known), null)).toEqual({ stability: 10, difficulty: 5 })
  expect(splitHistories(entriesOf(known))).toEqual([])
})

test.each([
  ['learning', 2, 1],
  ['learning', 1, 2],
  ['learning', 9, 0],
  ['relearning', 1, 0],
  ['learning', undefined, 0],
] as const)('a card in %s with %p steps left is at step %i', (state, left, step) => {
  const card = { ...CARD, state, due_at: NOW, ...(left === undefined ? {} : { steps_left: left }) }
  expect(importSchedule(card, [], AROUND).snapshot.step).toBe(step)
})

test('what was answered in the future was not answered', () => {
  expect(importSchedule(CARD, [answer(20, 'learning'), answer(-1, 'review')], AROUND).log).toHaveLength(1)
})
