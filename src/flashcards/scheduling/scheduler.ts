import {
  BasicLearningStepsStrategy,
  type Card,
  FSRS,
  forgetting_curve,
  GenSeedStrategyWithCardId,
  type Grade,
  StrategyMode,
  type TLearningStepsStrategy,
} from 'ts-fsrs'
import { DEFAULT_SETTINGS, DEFAULT_WEIGHTS, MAX_STEP_MINUTES, type SchedulingSettings } from './settings'
import { CARD_STATES, type CardSnapshot, isRating, type Memory, memoryOf, RATINGS, type Rating } from './snapshot'
import { countStudyDays, DAY_MS, pseudoTime, type StudyClock, startOfStudyDay, studyDay } from './study-day'

/**
 * FSRS-6: computes the next state of a card from a rating. This is the only file that uses ts-fsrs; it has no clock and
 * no database. What the library does otherwise than one would think, each with a test in scheduling/traps.test.ts:
 * - It counts days in UTC and recall in blocks of 24 hours: it gets the time of the study clock, and whole study days.
 * - `rollback` and `reschedule` are unused: undo restores what the review stored, and replay is a loop of ours.
 * - Steps of a day or more skip steps and count false lapses: settings refuse them, and `hard` stays below a day.
 * - A card on a step that is missing from the settings would graduate on `again`: it moves to the last step there is.
 * - `good` and `easy` exceed the maximum interval: they are clamped after it, in previews and answers alike.
 * - The fuzz is seeded by the time, so a preview is not the answer: here by the card's id and its count of answers.
 * - Assigning parameters resets the others, and clips bad ones: requests with such are refused, and each set has its instance.
 * - Given two relearning steps or more, it lowers w17 and w18: it gets steps by its strategy instead.
 */

// The library adds four methods to every Date. They are hidden from listings of a Date's members.
for (const name of Object.keys(Date.prototype)) Object.defineProperty(Date.prototype, name, { enumerable: false })

/** A card to schedule. Its id seeds the fuzz. */
export type ScheduledCard = CardSnapshot & { readonly id: string }

/**
 * The result that a rating would have. `interval_seconds` is null in `review`, where the interval is `scheduled_days`.
 */
export type ScheduledOutcome = Pick<CardSnapshot, 'state' | 'due_at' | 'due_day' | 'scheduled_days'> & {
  readonly interval_seconds: number | null
}

export type SchedulerPreview = Readonly<Record<'again' | 'hard' | 'good' | 'easy', ScheduledOutcome>>

/** An answer of the log, or memory that was set by an import, or to null by a reset. `day` is the study day. */
export type LogEntry =
  | { readonly day: number; readonly rating: Rating }
  | { readonly day: number; readonly memory: Memory | null }

/** The size of the cache of FSRS instances, one for each set of settings. The oldest is removed first. */
const MAX_INSTANCES = 256
const instances = new Map<string, FSRS>()

/** Computes the result of each of the four ratings now. The intervals are valid for the rest of the study day. */
export function previewRatings(
  card: ScheduledCard,
  now: number,
  settings: SchedulingSettings,
  clock: StudyClock,
): SchedulerPreview {
  const of = (rating: Rating): ScheduledOutcome => {
    const { state, due_at, due_day, scheduled_days } = nextSnapshot(card, { now, rating }, settings, clock)
    const interval_seconds = state === 'review' ? null : ((due_at ?? now) - now) / 1000
    return { state, due_at, due_day, scheduled_days, interval_seconds }
  }
  return { again: of(1), hard: of(2), good: of(3), easy: of(4) }
}

/**
 * Computes the chance of recall on a study day, 0..1; null for a card without memory. Weights null: the default ones.
 */
export function retrievability(
  card: Pick<CardSnapshot, 'stability' | 'last_reviewed_at'>,
  today: number,
  weights: readonly number[] | null,
  clock: StudyClock,
): number | null {
  if (card.last_reviewed_at === null || card.stability === null) return null
  const elapsed = Math.max(0, today - studyDay(card.last_reviewed_at, clock))
  return recallChance(elapsed, card.stability, weights)
}

/**
 * The forgetting curve: computes the chance of recall, 0..1, `elapsedDays` after an answer that left this stability.
 */
export function recallChance(elapsedDays: number, stability: number, weights: readonly number[] | null): number {
  return forgetting_curve(weights ?? DEFAULT_WEIGHTS, elapsedDays, stability)
}

/** Yields memory after each entry of one card's log, oldest first. */
export function* replayStates(log: Iterable<LogEntry>, weights: readonly number[] | null): Generator<Memory | null> {
  const fsrs = getInstance({ ...DEFAULT_SETTINGS, weights: weights && [...weights] })
  let memory: Memory | null = null
  let last: number | null = null
  for (const entry of log) {
    const elapsed = Math.max(0, entry.day - (last ?? entry.day))
    memory = 'rating' in entry ? fsrs.next_state(memory, elapsed, entry.rating) : entry.memory
    last = entry.day
    yield memory
  }
}

/** Computes memory after the whole log under these weights; null if nothing was answered since the last reset. */
export function replay(log: Iterable<LogEntry>, weights: readonly number[] | null): Memory | null {
  let last: Memory | null = null
  for (const memory of replayStates(log, weights)) last = memory
  return last
}

/** Recomputes the due day of a card in `review` from its memory. Returns any other card unchanged. */
export function reschedule(card: ScheduledCard, settings: SchedulingSettings, clock: StudyClock): CardSnapshot {
  const { id: _, ...snapshot } = card
  if (card.state !== 'review' || card.stability === null || card.last_reviewed_at === null) return snapshot
  const fsrs = getInstance(settings)
  fsrs.seed = `${card.id}${card.reps}`
  const days = Math.min(fsrs.next_interval(card.stability, 0), settings.maximum_interval_days)
  return { ...snapshot, ...dueAfterDays(days, studyDay(card.last_reviewed_at, clock), clock) }
}

/**
 * Computes the card after an answer.
 * @param now milliseconds since 1970
 * @throws RangeError for an invalid rating, or a `now` before the last answer; callers refuse both before
 */
export function nextSnapshot(
  card: ScheduledCard,
  { now, rating }: { readonly now: number; readonly rating: Rating },
  settings: SchedulingSettings,
  clock: StudyClock,
): CardSnapshot {
  if (!isRating(rating)) throw new RangeError(`${rating} is no rating`)
  if (card.last_reviewed_at !== null && now < card.last_reviewed_at) throw new RangeError('an answer before the last')
  const pseudoNow = pseudoTime(now, clock)
  const given = toLibrary(card, pseudoNow, countElapsedDays(card, now, clock), settings)
  const { card: next } = getInstance(settings).next(given, pseudoNow, rating as Grade)
  const state = CARD_STATES[next.state] ?? 'new'
  const days = Math.min(next.scheduled_days, settings.maximum_interval_days)
  const due =
    state === 'review'
      ? dueAfterDays(days, studyDay(now, clock), clock)
      : dueAtInstant(now + (next.due.getTime() - pseudoNow), clock)
  return {
    state,
    ...due,
    stability: next.stability,
    difficulty: next.difficulty,
    step: next.learning_steps,
    reps: next.reps,
    lapses: next.lapses,
    last_reviewed_at: now,
    ...markLeech(card, next.lapses, settings),
    buried_until: null,
  }
}

function dueAfterDays(days: number, from: number, clock: StudyClock) {
  return { due_day: from + days, due_at: startOfStudyDay(from + days, clock), scheduled_days: days }
}

function dueAtInstant(at: number, clock: StudyClock) {
  return { due_at: at, due_day: studyDay(at, clock), scheduled_days: 0 }
}

/** At the threshold a card becomes a leech, and is suspended again each half threshold of lapses later. */
function markLeech(card: CardSnapshot, lapses: number, { leech_threshold, leech_action }: SchedulingSettings) {
  const strikes = lapses > card.lapses && isLeechLapse(lapses, leech_threshold)
  return { leech: card.leech || strikes, suspended: card.suspended || (strikes && leech_action === 'suspend') }
}

/** Whether a card becomes a leech, again or for the first time, by the last of so many lapses. */
function isLeechLapse(lapses: number, threshold: number): boolean {
  return lapses >= threshold && (lapses - threshold) % Math.ceil(threshold / 2) === 0
}

/** Counts the study days since the last answer; 0 for a new card. */
export function countElapsedDays({ last_reviewed_at }: CardSnapshot, now: number, clock: StudyClock): number {
  return last_reviewed_at === null ? 0 : countStudyDays(last_reviewed_at, now, clock)
}

/** The library counts days by UTC dates: it gets study time, and the last answer as many whole days back. */
function toLibrary(card: ScheduledCard, pseudoNow: number, elapsed: number, settings: SchedulingSettings) {
  const memory = memoryOf(card)
  const known: Card & { id: string } = {
    id: card.id,
    due: new Date(pseudoNow),
    // Zeros tell the library that there is no memory yet.
    stability: memory?.stability ?? 0,
    difficulty: memory?.difficulty ?? 0,
    elapsed_days: 0,
    scheduled_days: card.scheduled_days,
    learning_steps: clampStep(card, settings),
    reps: card.reps,
    lapses: card.lapses,
    state: CARD_STATES.indexOf(card.state),
  }
  if (card.last_reviewed_at !== null) known.last_review = new Date(pseudoNow - elapsed * DAY_MS)
  return known
}

/** Clamps the step, since steps may have been removed: on a missing one, the library graduates on `again`, too. */
function clampStep({ state, step }: CardSnapshot, settings: SchedulingSettings): number {
  const steps = state === 'relearning' ? settings.relearning_steps_minutes : settings.learning_steps_minutes
  return state === 'review' ? 0 : clamp(step, 0, Math.max(0, steps.length - 1))
}

/**
 * Returns the cached instance for these settings. Instances are never changed: setting one parameter resets the others.
 */
function getInstance(settings: SchedulingSettings): FSRS {
  const id = instanceId(settings)
  const known = instances.get(id)
  if (known) return known
  const [oldest] = instances.keys()
  if (instances.size >= MAX_INSTANCES && oldest !== undefined) instances.delete(oldest)
  const made = createInstance(settings)
  instances.set(id, made)
  return made
}

function instanceId(settings: SchedulingSettings): string {
  const { desired_retention, maximum_interval_days, learning_steps_minutes, relearning_steps_minutes } = settings
  const { fuzz, weights } = settings
  const steps = [learning_steps_minutes, relearning_steps_minutes]
  return JSON.stringify([weights, desired_retention, maximum_interval_days, steps, fuzz])
}

function createInstance(settings: SchedulingSettings): FSRS {
  const fsrs = new FSRS({
    request_retention: settings.desired_retention,
    maximum_interval: settings.maximum_interval_days,
    w: settings.weights ?? DEFAULT_WEIGHTS,
    enable_fuzz: settings.fuzz,
    enable_short_term: true,
    // Left empty: with more than one relearning step, the library would lower w17 and w18. The strategy has the steps.
    relearning_steps: [],
  })
  return fsrs
    .useStrategy(StrategyMode.SEED, GenSeedStrategyWithCardId('id'))
    .useStrategy(StrategyMode.LEARNING_STEPS, createStepsStrategy(settings))
}

/** Creates the library's strategy for steps, limited so that `hard` on a single long step stays under a day, too. */
function createStepsStrategy(settings: SchedulingSettings): TLearningStepsStrategy {
  const minutes = (step: number) => `${step}m` as const
  const learning_steps = settings.learning_steps_minutes.map(minutes)
  const relearning_steps = settings.relearning_steps_minutes.map(minutes)
  return (params, state, step) => {
    const found = BasicLearningStepsStrategy({ ...params, learning_steps, relearning_steps }, state, step)
    for (const rating of RATINGS) {
      const next = found[rating as Grade]
      if (next) next.scheduled_minutes = Math.min(next.scheduled_minutes, MAX_STEP_MINUTES)
    }
    return found
  }
}

export function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max)
}
