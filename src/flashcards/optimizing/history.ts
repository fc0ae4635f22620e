import { type LogEntry, recallChance, replayStates } from '../scheduling/scheduler'
import type { Rating } from '../scheduling/snapshot'

/**
 * What training and its measures are made of: the answers of one card from its first one on, with the study days
 * between. An item is one answer at least a day after the one before, together with all answers up to it: earlier on
 * the same day a card is not forgotten yet.
 */

/** An answer on a study day, and the study days since the one before: 0 for the first, never below 0. */
export interface HistoryStep {
  readonly day: number
  readonly rating: Rating
  readonly elapsed: number
}

/** The answer at `length` − 1, with all before it. Items of one card share their steps. */
export interface TrainingItem {
  readonly steps: readonly HistoryStep[]
  readonly length: number
}

/** A prediction, and what came of it. */
export interface PredictedAnswer {
  /** The chance of recall before the answer, 0..1. */
  readonly predicted: number
  readonly recalled: boolean
}

/**
 * The histories in one card's log, oldest first. A reset begins a new one; answers on memory that was imported are left
 * out, since nobody knows what led to it. Those without an item are left out, too.
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

/** The items of histories, oldest first: the trainer trusts later ones more. */
export function listItems(all: readonly (readonly HistoryStep[])[]): TrainingItem[] {
  const items = all.flatMap((steps) =>
    steps.flatMap((step, i) => (isTrainingItem(step) ? [{ day: step.day, item: { steps, length: i + 1 } }] : [])),
  )
  return items.toSorted((one, other) => one.day - other.day).map(({ item }) => item)
}

/** What these weights predict for each item, history by history, and what came of it. */
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

/** Whether an answer is one that is predicted, and the last of an item. */
export function isTrainingItem({ elapsed }: HistoryStep): boolean {
  return elapsed >= 1
}
