import { type LogEntry, recallChance, replayStates } from '../scheduling/scheduler'
import type { Rating } from '../scheduling/snapshot'

/**
 * The data of training and its metrics: the answers of one card from its first one on, with the study days between
 * them. An item is one answer at least a day after the one before, together with all answers before it: on the same
 * day, a card is not forgotten yet.
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

/** A prediction, and whether it came true. */
export interface PredictedAnswer {
  /** The chance of recall before the answer, 0..1. */
  readonly predicted: number
  readonly recalled: boolean
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

/** Returns what these weights predict for each item, history by history, and the actual outcome. */
export function predictAnswers(
  all: readonly (readonly HistoryStep[])[],
  weights: readonly number[] | null,
): PredictedAnswer[] {
  return all.flatMap((steps) => {
    const known = [...replayStates(steps, weights)]
    return steps.flatMap((step, i) => {
      const before = known[i - 1]
      if (!before || !isTrainingItem(step)) return []
      return [{ predicted: recallChance(step.elapsed, before.stability, weights), recalled: step.rating > 1 }]
    })
  })
}

/** Whether the answer is the last of an item, and therefore predicted. */
export function isTrainingItem({ elapsed }: HistoryStep): boolean {
  return elapsed >= 1
}
