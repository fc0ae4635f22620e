import type { PredictedAnswer, Prediction } from './history.ts'

// Metrics of how well predictions fit the outcomes.

/**
 * The smallest chance in a logarithm. Predictions are rounded to 8 decimals and may be 1, so one answer could cost
 * infinity.
 */
export const MIN_CHANCE = 1e-8

/** Returns the mean of −ln of the chance that was predicted for the outcome; null without data. Lower is better. */
export function logLoss(judged: readonly Prediction[]): number | null {
  return mean(
    judged.map(({ predicted, recalled }) => -Math.log(Math.max(MIN_CHANCE, recalled ? predicted : 1 - predicted))),
  )
}

/**
 * RMSE(bins), by which FSRS is compared everywhere: the root mean square difference of predicted and observed recall in
 * bins of alike items, weighted by count. Lower is better.
 */
export class RmseBins {
  readonly #bins = new Map<string, { count: number; predicted: number; recalled: number }>()

  add(one: PredictedAnswer): void {
    const name = binOf(one)
    const bin = this.#bins.get(name) ?? { count: 0, predicted: 0, recalled: 0 }
    bin.count++
    bin.predicted += one.predicted
    bin.recalled += Number(one.recalled)
    this.#bins.set(name, bin)
  }

  /** Returns null without data. */
  value(): number | null {
    let [count, squares] = [0, 0]
    for (const bin of this.#bins.values()) {
      count += bin.count
      squares += (bin.predicted - bin.recalled) ** 2 / bin.count
    }
    return count === 0 ? null : Math.sqrt(squares / count)
  }
}

/** Returns RMSE(bins) of all of these; null without data. */
export function rmseBins(judged: readonly PredictedAnswer[]): number | null {
  const bins = new RmseBins()
  for (const one of judged) bins.add(one)
  return bins.value()
}

/**
 * Names the bin of an item: its interval, the number of items and that of lapses, each rounded down to a power. The
 * bases are those of fsrs-rs, whose other factors only label the bins.
 */
export function binOf({ elapsed, items, lapses }: PredictedAnswer): string {
  const level = (value: number, base: number) => Math.floor(Math.log(value) / Math.log(base))
  return `${level(elapsed, 3.62)} ${level(items + 1, 1.89)} ${lapses === 0 ? '' : level(lapses, 1.73)}`
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length
}
