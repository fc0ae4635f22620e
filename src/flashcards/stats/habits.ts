import type { Rating } from '../scheduling/snapshot'

/** How a person answers, as simulations need it: which ratings, how long they take, how much is really recalled. */

/**
 * What an answer is for: the first to a card, one in learning or relearning, one to a card in review. Answers that were
 * imported count as what their intervals make of them.
 */
export const ANSWER_PHASES = ['first', 'learning', 'review', 'relearning'] as const
export type AnswerPhase = (typeof ANSWER_PHASES)[number]

/** A value for each rating from 1 (again) to 4 (easy). */
type ByRating = readonly [again: number, hard: number, good: number, easy: number]

export interface StudyHabits {
  /** How often each rating is given, 0..1, adding up to 1. `again` in review follows the chance of recall instead. */
  readonly shares: Readonly<Record<AnswerPhase, ByRating>>
  /** Milliseconds that an answer takes. */
  readonly durations: Readonly<Record<AnswerPhase, ByRating>>
  /** By how much forgetting in review exceeds what was predicted. */
  readonly forgetting: number
  /** How often one comes back on the same day for a step that outlasts a sitting, 0..1, by the ranges of WAIT_MINUTES. */
  readonly returns: readonly number[]
}

/** Where each range of waiting begins, ascending. */
const WAIT_MINUTES = [0, 60, 240]

/** Returns how often one comes back on the same day for a step of so many minutes, 0..1. */
export function returnsAfter({ returns }: StudyHabits, minutes: number): number {
  return returns[rangeOf(minutes)] ?? 0
}

function rangeOf(minutes: number): number {
  return WAIT_MINUTES.findLastIndex((from) => minutes > from)
}

/** The answers to cards that waited as long in their steps. */
export interface ReturnCount {
  readonly minutes: number
  readonly count: number
  /** How many were given on the study day of the answer before. */
  readonly same_day: number
}

/** The answers of one phase with one rating. */
export interface HabitCount {
  readonly phase: AnswerPhase
  readonly rating: Rating
  readonly count: number
  /** Of how many a duration was stored, and their sum in milliseconds. */
  readonly timed: number
  readonly duration_ms: number
  /** Of how many a prediction was stored, and their sum. */
  readonly predicted: number
  readonly predicted_sum: number
}

/**
 * The habits of people in general: the defaults of the simulator of fsrs-rs 6 (SimulatorConfig), whose ratings in the
 * steps depend on the rating before and are averaged here.
 */
const COMMON_SHARES: StudyHabits['shares'] = {
  first: [0.24, 0.094, 0.495, 0.171],
  learning: [0.16, 0.1, 0.68, 0.06],
  review: [0, 0.224, 0.631, 0.145],
  relearning: [0.18, 0.1, 0.66, 0.06],
}
const COMMON_DURATIONS: StudyHabits['durations'] = {
  first: [19_580, 18_790, 13_780, 10_710],
  learning: [19_580, 18_790, 13_780, 10_710],
  review: [19_380, 17_590, 12_380, 8940],
  relearning: [16_440, 15_250, 12_320, 8030],
}
/** How many answers the common habits are worth against one's own. */
const COMMON_WEIGHT = 20
/** What is taken as forgetting without data: a tenth, so that few answers cannot say much. */
const COMMON_FORGETTING = 0.1
const FORGETTING_RANGE = [0.25, 4] as const
/** Without data, one comes back for steps of up to four hours. */
const COMMON_RETURNS: StudyHabits['returns'] = [1, 1, 0]

/** Computes habits from the counts of a log: the fewer answers, the more as people in general. */
export function habitsOf(counts: readonly HabitCount[], returned: readonly ReturnCount[] = []): StudyHabits {
  const shares = mapPhases((phase) => {
    const own = byRating(counts, phase, 'count')
    // A review that was forgotten says nothing about the ratings of what is recalled.
    const given = own.map((count, i) => (phase === 'review' && i === 0 ? 0 : count))
    const all = given.reduce((sum, count) => sum + count, 0) + COMMON_WEIGHT
    return given.map((count, i) => (count + COMMON_WEIGHT * (COMMON_SHARES[phase][i] ?? 0)) / all)
  })
  const durations = mapPhases((phase) => {
    const [timed, sums] = [byRating(counts, phase, 'timed'), byRating(counts, phase, 'duration_ms')]
    return sums.map(
      (sum, i) => (sum + COMMON_WEIGHT * (COMMON_DURATIONS[phase][i] ?? 0)) / ((timed[i] ?? 0) + COMMON_WEIGHT),
    )
  })
  const returns = COMMON_RETURNS.map((share, range) => {
    let [back, all] = [COMMON_WEIGHT * share, COMMON_WEIGHT]
    for (const { minutes, count, same_day } of returned) {
      if (rangeOf(minutes) !== range) continue
      back += same_day
      all += count
    }
    return back / all
  })
  return { shares, durations, forgetting: forgettingOf(counts), returns }
}

/** Compares what was forgotten in review with what was predicted. */
function forgettingOf(counts: readonly HabitCount[]): number {
  let [forgotten, expected] = [COMMON_WEIGHT * COMMON_FORGETTING, COMMON_WEIGHT * COMMON_FORGETTING]
  for (const { phase, rating, predicted, predicted_sum } of counts) {
    if (phase !== 'review') continue
    if (rating === 1) forgotten += predicted
    expected += predicted - predicted_sum
  }
  const [least, most] = FORGETTING_RANGE
  return Math.min(Math.max(forgotten / expected, least), most)
}

function byRating(
  counts: readonly HabitCount[],
  phase: AnswerPhase,
  name: 'count' | 'timed' | 'duration_ms',
): ByRating {
  const values: [number, number, number, number] = [0, 0, 0, 0]
  for (const one of counts) if (one.phase === phase) values[one.rating - 1] = (values[one.rating - 1] ?? 0) + one[name]
  return values
}

function mapPhases(of: (phase: AnswerPhase) => number[]): Record<AnswerPhase, ByRating> {
  return Object.fromEntries(ANSWER_PHASES.map((phase) => [phase, of(phase)])) as unknown as Record<
    AnswerPhase,
    ByRating
  >
}
