import type { PredictedAnswer, Prediction } from './history.ts'

// Metrics of how well predictions fit the outcomes.

/** The predictions from `from` up to `from` + 0.05. Both means are null if there are none. */
export interface CalibrationBin {
  readonly from: number
  readonly count: number
  /** The mean of the predictions. */
  readonly predicted: number | null
  /** The share that was recalled. */
  readonly observed: number | null
}

export const BINS = 20
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

/** Returns 20 bins of predictions, each 0.05 wide, from 0 up. A prediction of 1 is in the last. */
export function calibration(judged: readonly Prediction[]): CalibrationBin[] {
  const bins: Prediction[][] = Array.from({ length: BINS }, () => [])
  for (const one of judged) bins[Math.min(BINS - 1, Math.floor(one.predicted * BINS))]?.push(one)
  return bins.map((bin, i) => ({ from: i / BINS, ...toBin(bin) }))
}

function toBin(bin: readonly Prediction[]): Omit<CalibrationBin, 'from'> {
  return {
    count: bin.length,
    predicted: mean(bin.map(({ predicted }) => predicted)),
    observed: mean(bin.map(({ recalled }) => Number(recalled))),
  }
}

/**
 * Returns RMSE(bins), by which FSRS is compared everywhere: the root mean square difference of predicted and observed
 * recall in bins of alike items, weighted by count; null without data. Lower is better.
 */
export function rmseBins(judged: readonly PredictedAnswer[]): number | null {
  return rmseOf([...Map.groupBy(judged, binOf).values()].map(toBin))
}

/**
 * Names the bin of an item: its interval, the number of items and that of lapses, each rounded down to a power. The
 * bases are those of fsrs-rs, whose other factors only label the bins.
 */
export function binOf({ elapsed, items, lapses }: PredictedAnswer): string {
  const level = (value: number, base: number) => Math.floor(Math.log(value) / Math.log(base))
  return `${level(elapsed, 3.62)} ${level(items + 1, 1.89)} ${lapses === 0 ? '' : level(lapses, 1.73)}`
}

/**
 * Returns the root mean square difference of predicted and observed recall in bins, weighted by count; null without
 * data.
 */
export function rmseOf(bins: readonly Omit<CalibrationBin, 'from'>[]): number | null {
  const count = bins.reduce((sum, bin) => sum + bin.count, 0)
  if (count === 0) return null
  const squares = bins.map((bin) => bin.count * ((bin.predicted ?? 0) - (bin.observed ?? 0)) ** 2)
  return Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / count)
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length
}
