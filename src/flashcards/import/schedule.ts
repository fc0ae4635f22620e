import { toDay } from '../../lib/civil/day'
import { MAX_POSITION } from '../cards/card-schema'
import type { ParsedCard, ParsedReview } from '../formats/parsed'
import type { LogRow } from '../reviews/review-writer'
import { clamp, recallChance, replayStates } from '../scheduling/scheduler'
import { DEFAULT_WEIGHTS } from '../scheduling/settings'
import { type CardSnapshot, type Memory, NEW_SNAPSHOT } from '../scheduling/snapshot'
import { type StudyClock, startOfStudyDay, studyDay } from '../scheduling/study-day'

const MIN_STABILITY_DAYS = 0.001
const MAX_STABILITY_DAYS = 36_500

/**
 * Estimates memory from the ease and interval of SM-2, for cards without a log. It assumes that intervals of SM-2 have
 * a retention of 0.9, and takes the difficulty at which `good` lengthens the interval by the ease (fsrs-rs,
 * memory_state_from_sm2).
 * @param ease 1.3 and up, e.g. 2.5
 * @param interval days
 */
export function estimateMemory(ease: number, interval: number, weights: readonly number[] | null): Memory {
  const stability = clamp(interval, MIN_STABILITY_DAYS, MAX_STABILITY_DAYS)
  return { stability, difficulty: clamp(11 - (ease - 1) / growthOf(stability, weights), 1, 10) }
}

/** Returns the ease of SM-2, 1.3 to 20, from which estimateMemory gives this memory. */
export function estimateEase({ stability, difficulty }: Memory, weights: readonly number[] | null): number {
  return clamp(1 + (11 - difficulty) * growthOf(stability, weights), 1.3, 20)
}

/** By how much `good` lengthens the interval for each point of difficulty below 11. */
function growthOf(stability: number, weights: readonly number[] | null): number {
  const [w8 = 0, w9 = 0, w10 = 0] = (weights ?? DEFAULT_WEIGHTS).slice(8, 11)
  return Math.exp(w8) * stability ** -w9 * Math.expm1(0.1 * w10)
}

/**
 * Clamps the memory of another program to the range of FSRS; null if it is not finite, or stability is not positive.
 */
export function clampMemory(stability: number, difficulty: number): Memory | null {
  if (!Number.isFinite(stability) || !Number.isFinite(difficulty) || stability <= 0) return null
  return { stability: clamp(stability, MIN_STABILITY_DAYS, MAX_STABILITY_DAYS), difficulty: clamp(difficulty, 1, 10) }
}

// The schedule of a card from elsewhere: memory from its log, else as stored, else from ease and interval.

/** The ease of SM-2 that every card begins with. */
const DEFAULT_EASE = 2.5
const MAX_COUNT = 1_000_000
const MAX_DAYS = 36_500
const MAX_ANSWER_MS = 3_600_000
/** How far in the future an answer may be, as in requests. */
const MAX_CLOCK_SKEW_MS = 5 * 60 * 1000

export interface ScheduleContext {
  readonly clock: StudyClock
  /** The weights of the card's deck; null: the default ones. */
  readonly weights: readonly number[] | null
  readonly steps: { readonly learning: number; readonly relearning: number }
  /** Milliseconds since 1970. */
  readonly now: number
}

export interface ImportedSchedule {
  readonly snapshot: CardSnapshot
  readonly log: readonly LogRow[]
  /** A row without rating that sets memory if the log gives none. A replay of the log restarts with it. */
  readonly seed: LogRow | null
}

/** Computes the schedule and the log of a card. `given` is its log in the file, ascending by time. */
export function importSchedule(
  card: ParsedCard,
  given: readonly ParsedReview[],
  context: ScheduleContext,
): ImportedSchedule {
  const log = given.filter(
    (review) => (review.rating !== null || review.kind === 'manual') && isImportable(review, context.now),
  )
  const steps = replayLog(log, context)
  const last = log.findLastIndex(({ rating }) => rating !== null)
  const snapshot = makeSnapshot(card, last < 0 ? null : (steps[last] ?? null), context)
  const isTold = last >= 0 && steps[last]?.memory !== null
  return {
    snapshot,
    log: toLogRows(log, steps, snapshot, context),
    seed: isTold ? null : makeSeed(snapshot, log.at(-1)?.reviewed_at ?? 0, context.clock),
  }
}

/** Whether a review is of a time at which it can have been. @param now milliseconds since 1970 */
export function isImportable({ reviewed_at: at }: Pick<ParsedReview, 'reviewed_at'>, now: number): boolean {
  return at >= 0 && at <= now + MAX_CLOCK_SKEW_MS
}

/**
 * Makes the seed; null if the card has no memory.
 * @param end the last instant of the log, since a replay must reach this row last
 */
function makeSeed(snapshot: CardSnapshot, end: number, clock: StudyClock): LogRow | null {
  const { stability, last_reviewed_at: seen } = snapshot
  if (stability === null || seen === null) return null
  return {
    rating: null,
    reviewed_at: Math.max(seen, end),
    study_day: studyDay(seen, clock),
    duration_ms: 0,
    elapsed_days: 0,
    predicted_retrievability: null,
    before: NEW_SNAPSHOT,
    after: snapshot,
  }
}

interface Step {
  readonly at: number
  readonly day: number
  readonly wasNew: boolean
  readonly elapsed: number
  /** Null if the log does not determine it. */
  readonly memory: Memory | null
  readonly memoryBefore: Memory | null
}

/** Computes memory after each row. It is known from the first answer on: a row `learning` after one of another kind. */
function replayLog(log: readonly ParsedReview[], { clock, weights }: ScheduleContext): Step[] {
  const steps: Step[] = []
  let before: Step | null = null
  let kind: ParsedReview['kind'] | null = null
  let block: { day: number; rating: 1 | 2 | 3 | 4 }[] = []
  let memory: Memory | null = null
  for (const { reviewed_at: at, rating, kind: now } of log) {
    const day = studyDay(at, clock)
    const counts = rating !== null
    const wasNew = counts && now === 'learning' && kind !== 'learning'
    const elapsed: number = before === null || wasNew ? 0 : Math.max(0, day - before.day)
    const memoryBefore: Memory | null = wasNew ? null : memory
    if (wasNew) block = []
    if (counts && (wasNew || block.length > 0)) {
      block.push({ day, rating })
      memory = computeNextMemory(memoryBefore, elapsed, rating, weights)
    }
    const step: Step = { at, day, wasNew, elapsed, memory, memoryBefore }
    steps.push(step)
    if (counts) before = step
    kind = now
  }
  return steps
}

function computeNextMemory(
  memory: Memory | null,
  elapsed: number,
  rating: 1 | 2 | 3 | 4,
  weights: ScheduleContext['weights'],
) {
  const [, after = null] = replayStates(
    [
      { day: 0, memory },
      { day: elapsed, rating },
    ],
    weights,
  )
  return after
}

function makeSnapshot(card: ParsedCard, last: Step | null, context: ScheduleContext): CardSnapshot {
  const { clock, weights, now } = context
  const held = {
    suspended: card.suspended,
    leech: card.leech,
    buried_until: card.buried_until === null ? null : toDay(card.buried_until),
  }
  const memory = last?.memory ?? readMemory(card, weights)
  if (card.state === 'new' || memory === null) return { ...NEW_SNAPSHOT, ...held }
  const isReview = card.state === 'review'
  const today = studyDay(now, clock)
  const days = isReview ? within(card.scheduled_days, 0, MAX_DAYS) : 0
  const day = card.due_day === null ? today : toDay(card.due_day)
  const due = isReview
    ? { due_day: day, due_at: startOfStudyDay(day, clock) }
    : { due_at: card.due_at ?? now, due_day: studyDay(card.due_at ?? now, clock) }
  const seen = last?.at ?? card.last_reviewed_at ?? startOfStudyDay((isReview ? day : today) - days, clock)
  return {
    state: card.state,
    ...due,
    ...memory,
    scheduled_days: days,
    step: within(readStep(card, context), 0, 9),
    reps: within(card.reps, 1, MAX_COUNT),
    lapses: within(card.lapses, 0, MAX_COUNT),
    // Answers before the last one are refused, so a last review in the future would block all others.
    last_reviewed_at: within(seen, 0, now),
    ...held,
  }
}

/** Returns the step of a card that is learned, counted from the end if the file does: its deck may have other steps. */
function readStep({ state, step, steps_left }: ParsedCard, { steps }: ScheduleContext): number {
  if (steps_left === undefined) return step
  return Math.max(0, (state === 'relearning' ? steps.relearning : steps.learning) - steps_left)
}

/** Memory as the file states it. A card in learning has none: it gets a forgotten one's, which shows it soonest. */
function readMemory(
  { state, stability, difficulty, ease, scheduled_days }: ParsedCard,
  weights: ScheduleContext['weights'],
) {
  const stored = stability === null || difficulty === null ? null : clampMemory(stability, difficulty)
  if (stored || state === 'new') return stored
  if (state === 'learning') return computeNextMemory(null, 0, 1, weights)
  return estimateMemory(ease ?? DEFAULT_EASE, Math.max(1, scheduled_days), weights)
}

/** Adds the states before and after to the rows of the log. Intervals are the days that passed. */
function toLogRows(
  log: readonly ParsedReview[],
  steps: readonly Step[],
  end: CardSnapshot,
  { clock, weights }: ScheduleContext,
): LogRow[] {
  let reps = 0
  let lapses = 0
  let lastAt: number | null = null
  return log.map((review, i): LogRow => {
    const { day, wasNew, elapsed, memory, memoryBefore, at } = steps[i] as Step
    const state = wasNew ? 'new' : review.kind === 'manual' ? end.state : review.kind
    const before = makePastSnapshot(
      { state, day, at, days: elapsed, memory: memoryBefore, reps, lapses, lastAt },
      clock,
    )
    const counts = review.rating !== null
    if (counts) {
      reps += 1
      lapses += state === 'review' && review.rating === 1 ? 1 : 0
      lastAt = at
    }
    const following = log.slice(i + 1, i + 2)[0]
    const then = following ? (following.kind === 'manual' ? end.state : following.kind) : end.state
    const until = following ? Math.max(0, (steps[i + 1]?.day ?? day) - day) : end.scheduled_days
    const after = makePastSnapshot(
      { state: then, day: day + until, at, days: until, memory, reps, lapses, lastAt },
      clock,
    )
    return {
      rating: review.rating,
      reviewed_at: at,
      study_day: day,
      duration_ms: within(review.duration_ms, 0, MAX_ANSWER_MS),
      elapsed_days: elapsed,
      predicted_retrievability: counts && memoryBefore ? recallChance(elapsed, memoryBefore.stability, weights) : null,
      before,
      after: following || !counts ? after : { ...end, buried_until: null },
    }
  })
}

interface PastState {
  readonly state: CardSnapshot['state']
  readonly day: number
  readonly at: number
  readonly days: number
  readonly memory: Memory | null
  readonly reps: number
  readonly lapses: number
  readonly lastAt: number | null
}

/** Makes the snapshot of the card at one row of the log, as far as it is known. */
function makePastSnapshot(
  { state, day, at, days, memory, reps, lapses, lastAt }: PastState,
  clock: StudyClock,
): CardSnapshot {
  if (state === 'new') return NEW_SNAPSHOT
  const isReview = state === 'review'
  const due = { due_day: day, due_at: isReview ? startOfStudyDay(day, clock) : at }
  const scheduled_days = isReview ? days : 0
  return { ...NEW_SNAPSHOT, state, ...due, ...memory, scheduled_days, reps, lapses, last_reviewed_at: lastAt }
}

/** Returns the position of an imported card, after those that existed before. */
export function positionAfter(last: number, position: number): number {
  return within(last + position, 0, MAX_POSITION)
}

const within = (value: number, min: number, max: number) => clamp(Math.trunc(value), min, max)
