import { expect } from 'bun:test'
import fc from 'fast-check'
import { reviewCard } from '../../../src/flashcards/reviews/review'
import { type LogEntry, previewRatings, replay, type ScheduledCard } from '../../../src/flashcards/scheduling/scheduler'
import { DEFAULT_SETTINGS, type DeckSettings, WEIGHT_RANGES } from '../../../src/flashcards/scheduling/settings'
import { memoryOf, NEW_SNAPSHOT, RATINGS } from '../../../src/flashcards/scheduling/snapshot'
import { type StudyClock, startOfStudyDay, studyDay } from '../../../src/flashcards/scheduling/study-day'
import { toDay } from '../../../src/lib/civil/day'

/** What must hold for all cards, settings, clocks and ratings; test/slow runs the same for longer. */

const DAY = 86_400_000
const ZONES = ['UTC', 'America/New_York', 'America/St_Johns', 'Australia/Lord_Howe', 'Pacific/Apia', 'Asia/Kathmandu']

const clocks: fc.Arbitrary<StudyClock> = fc.record({
  time_zone: fc.constantFrom(...ZONES),
  day_starts_at_hour: fc.integer({ min: 0, max: 23 }),
})
/** About changes of clocks in one of the zones, among them Samoa's that skipped a day. */
const CHANGES = ['2010-03-14', '2010-11-07', '2011-12-30', '2026-03-08', '2026-04-05', '2026-10-04', '2026-11-01']
const days = fc.oneof(
  fc.integer({ min: toDay('2000-01-01'), max: toDay('2030-12-31') }),
  fc.tuple(fc.constantFrom(...CHANGES), fc.integer({ min: -1, max: 1 })).map(([date, by]) => toDay(date) + by),
)
const ratings = fc.constantFrom(...RATINGS)
const steps = fc.array(fc.integer({ min: 1, max: 1439 }), { maxLength: 10 })
const weights = fc.tuple(...WEIGHT_RANGES.map(([min, max]) => fc.double({ min, max, noNaN: true })))

export const anySettings: fc.Arbitrary<DeckSettings> = fc
  .record({
    fuzz: fc.boolean(),
    desired_retention: fc.double({ min: 0.7, max: 0.99, noNaN: true }),
    maximum_interval_days: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 36_500 })),
    learning_steps_minutes: steps,
    relearning_steps_minutes: steps,
    leech_threshold: fc.integer({ min: 1, max: 99 }),
    weights: fc.option(weights),
  })
  .map((given) => ({ ...DEFAULT_SETTINGS, ...given }))

/** Any card that answers, imports and changes of settings may have left; last answered on or before 2030-12-31. */
export const anyCard: fc.Arbitrary<ScheduledCard> = fc
  .record({
    id: fc.uuid(),
    state: fc.constantFrom('learning' as const, 'review' as const, 'relearning' as const),
    stability: fc.oneof(fc.double({ min: 0.001, max: 100, noNaN: true }), fc.constantFrom(0.001, 36_500)),
    difficulty: fc.double({ min: 1, max: 10, noNaN: true }),
    scheduled_days: fc.integer({ min: 0, max: 36_500 }),
    step: fc.integer({ min: 0, max: 9 }),
    reps: fc.integer({ min: 0, max: 500 }),
    lapses: fc.integer({ min: 0, max: 100 }),
    last_reviewed_at: days.map((day) => day * DAY),
    suspended: fc.boolean(),
    leech: fc.boolean(),
    buried_until: fc.option(days),
  })
  .chain((card) => fc.constantFrom<ScheduledCard>({ ...NEW_SNAPSHOT, ...card }, { ...NEW_SNAPSHOT, id: card.id }))

/** The first instant of a study day is in it, or in the next one there is; the instant before is in an earlier one. */
export function expectFirstInstants(numRuns: number): void {
  fc.assert(
    fc.property(clocks, days, (clock, day) => {
      const start = startOfStudyDay(day, clock)
      // Only Samoa skipped a day, that of 30 December 2011.
      const skipped = clock.time_zone === 'Pacific/Apia' && day === toDay('2011-12-30')
      expect(studyDay(start, clock) - day).toBeOneOf(skipped ? [0, 1] : [0])
      for (let before = start - 1; before > start - 2 * DAY; before -= 7 * 60_000 + 1)
        expect(studyDay(before, clock)).toBeLessThan(day)
    }),
    { numRuns },
  )
}

/** A preview says what an answer later on that study day does, and no interval is beyond the maximum. */
export function expectPreviewIsAnswer(numRuns: number): void {
  const waits = fc.record({
    since: fc.integer({ min: 0, max: 3 * 365 * DAY }),
    later: fc.integer({ min: 0, max: DAY }),
  })
  fc.assert(
    fc.property(anyCard, anySettings, clocks, ratings, waits, (card, settings, clock, rating, { since, later }) => {
      const shown = (card.last_reviewed_at ?? toDay('2026-03-01') * DAY) + since
      const today = studyDay(shown, clock)
      const answered = Math.min(shown + later, startOfStudyDay(today + 1, clock) - 1)
      // Where clocks go back over the rollover, the next day has begun for a moment already.
      fc.pre(answered >= shown && studyDay(answered, clock) === today)
      const name = (['again', 'hard', 'good', 'easy'] as const)[rating - 1] ?? 'again'
      const expected = previewRatings(card, shown, settings, clock)[name]
      const { after } = reviewCard(card, { now: answered, rating }, settings, clock)
      expect([after.state, after.scheduled_days]).toEqual([expected.state, expected.scheduled_days])
      expect(after.scheduled_days).toBeLessThanOrEqual(settings.maximum_interval_days)
      if (after.state === 'review') expect(after).toMatchObject({ due_day: expected.due_day, due_at: expected.due_at })
      else expect(((after.due_at ?? 0) - answered) / 1000).toBe(expected.interval_seconds ?? Number.NaN)
    }),
    { numRuns },
  )
}

/** In review, each better rating has a longer interval, as far as the maximum lets it. */
export function expectBetterIsLater(numRuns: number): void {
  fc.assert(
    fc.property(anyCard, anySettings, clocks, fc.integer({ min: 0, max: 9999 }), (card, settings, clock, wait) => {
      fc.pre(card.state === 'review')
      const now = (card.last_reviewed_at ?? 0) + wait * DAY
      const { hard, good, easy } = previewRatings(card, now, settings, clock)
      const most = settings.maximum_interval_days
      expect(hard.scheduled_days).toBeGreaterThanOrEqual(1)
      expect(good.scheduled_days).toBeGreaterThanOrEqual(Math.min(hard.scheduled_days + 1, most))
      expect(easy.scheduled_days).toBeGreaterThanOrEqual(Math.min(good.scheduled_days + 1, most))
    }),
    { numRuns },
  )
}

/** Memory replayed from the log is the memory that the answers left, whatever the other settings were. */
export function expectReplayIsMemory(numRuns: number): void {
  const waits = fc.oneof(fc.integer({ min: 0, max: DAY / 24 }), fc.integer({ min: 0, max: 60 * DAY }))
  const answers = fc.array(fc.tuple(ratings, waits, anySettings), { maxLength: 12 })
  fc.assert(
    fc.property(clocks, answers, fc.option(weights), (clock, given, weights) => {
      let card: ScheduledCard = { ...NEW_SNAPSHOT, id: 'a' }
      let now = toDay('2026-03-01') * DAY
      const log: LogEntry[] = []
      for (const [rating, wait, settings] of given) {
        now += wait
        const { after, study_day } = reviewCard(card, { now, rating }, { ...settings, weights }, clock)
        log.push({ day: study_day, rating })
        card = { ...after, id: 'a' }
      }
      expect(replay(log, weights)).toEqual(memoryOf(card))
    }),
    { numRuns },
  )
}
