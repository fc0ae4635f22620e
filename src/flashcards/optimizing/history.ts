import { type LogEntry, recallChance, replayStates } from '../scheduling/scheduler'
import type { Rating } from '../scheduling/snapshot'

/**
 * The data of training and its metrics: the answers of one card from its first one on, with the study days between
 * them. An item is one answer at least a day after the one before, together with all answers before it: on the same
 * day, a card is not forgotten yet.
 *
 * The metrics are ours, since those of the trainer leave out cards that begin in a rare way, and fail where few remain.
 */

/** An answer on a study day, and the study days since the one before: 0 for the first, never below 0. */
export interface HistoryStep {
  readonly day: number
  readonly rating: Rating
  readonly elapsed: number
}

/** The answer at index `length` − 1, with all before it. Items of one card share their steps. */
export interface TrainingItem {
  readonly steps: readonly HistoryStep[]
  readonly length: number
}

interface Prediction {
  /** The chance of recall before the answer, 0..1. */
  readonly predicted: number
  readonly recalled: boolean
}

export interface PredictedAnswer extends Prediction {
  readonly day: number
  /** Study days since the answer before, at least 1. */
  readonly elapsed: number
  /** The items of the history up to and including this one. */
  readonly items: number
  /** Those before this one that were forgotten. */
  readonly lapses: number
}

/**
 * Splits the log of one card, oldest first, into histories. A reset begins a new one. Answers after imported memory are
 * left out, since the answers that led to it are unknown. Histories without an item are left out, too.
 */
export function splitHistories(log: readonly LogEntry[]): HistoryStep[][] {
  const found: HistoryStep[][] = [[]]
  let known = true
  let last: number | null = null
  for (const entry of log) {
    if ('rating' in entry) {
      if (known) found.at(-1)?.push({ ...entry, elapsed: Math.max(0, entry.day - (last ?? entry.day)) })
      last = entry.day
    } else {
      known = entry.memory === null
      last = null
      found.push([])
    }
  }
  return found.filter((steps) => steps.some(isTrainingItem))
}

/** Returns the items of histories, oldest first: the trainer gives later ones more weight. */
export function listItems(all: readonly (readonly HistoryStep[])[]): TrainingItem[] {
  const items = all.flatMap((steps) =>
    steps.flatMap((step, i) => (isTrainingItem(step) ? [{ day: step.day, item: { steps, length: i + 1 } }] : [])),
  )
  return items.toSorted((one, other) => one.day - other.day).map(({ item }) => item)
}

/** Returns what these weights predict for each item, in the order of `listItems`, and the actual outcome. */
export function predictAnswers(
  all: readonly (readonly HistoryStep[])[],
  weights: readonly number[] | null,
): PredictedAnswer[] {
  const found = all.flatMap((steps) => {
    const known = [...replayStates(steps, weights)]
    let [items, lapses] = [0, 0]
    return steps.flatMap(({ day, elapsed, rating }, i) => {
      const before = known[i - 1]
      if (!before || !isTrainingItem({ elapsed })) return []
      const recalled = rating > 1
      const predicted = recallChance(elapsed, before.stability, weights)
      const one = { predicted, recalled, day, elapsed, items: ++items, lapses }
      if (!recalled) lapses++
      return [one]
    })
  })
  return found.toSorted((one, other) => one.day - other.day)
}

/** Whether the answer is the last of an item, and therefore predicted. */
export function isTrainingItem({ elapsed }: Pick<HistoryStep, 'elapsed'>): boolean {
  return elapsed >= 1
}

/** The smallest chance in a logarithm: predictions are rounded and may be 1, so one answer could cost infinity. */
const MIN_CHANCE = 1e-8

/** Returns the mean of −ln of the chance that was predicted for the outcome; null without data. Lower is better. */
export function logLoss(judged: readonly Prediction[]): number | null {
  return mean(
    judged.map(({ predicted, recalled }) => -Math.log(Math.max(MIN_CHANCE, recalled ? predicted : 1 - predicted))),
  )
}

/**
 * RMSE(bins), by which FSRS is compared everywhere: the root mean square difference of predicted and observed recall in
 * bins of alike items, weighted by count; null without data. Lower is better.
 */
export function rmseBins(judged: readonly PredictedAnswer[]): number | null {
  let squares = 0
  for (const bin of Map.groupBy(judged, binOf).values()) {
    const gap = bin.reduce((sum, { predicted, recalled }) => sum + predicted - Number(recalled), 0)
    squares += gap ** 2 / bin.length
  }
  return judged.length === 0 ? null : Math.sqrt(squares / judged.length)
}

/** Interval, number of items and of lapses, each rounded down to a power; the bases are those of fsrs-rs. */
export function binOf({ elapsed, items, lapses }: PredictedAnswer): string {
  const level = (value: number, base: number) => Math.floor(Math.log(value) / Math.log(base))
  return `${level(elapsed, 3.62)} ${level(items + 1, 1.89)} ${lapses === 0 ? '' : level(lapses, 1.73)}`
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length
}
