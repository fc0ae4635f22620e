import type { PredictedAnswer } from './history'

/** How well predictions fit what came: plain arithmetic over pairs of the two. */

/** Predictions from `from` up to `from` + 0.05. Both means are null where there are none. */
export interface CalibrationBin {
  readonly from: number
  readonly count: number
  /** The mean of the predictions. */
  readonly predicted: number | null
  /** The share that was recalled. */
  readonly observed: number | null
}

export const BINS = 20
/** Predictions are rounded to 8 decimals, and may be 1: no single answer shall cost more than this one would. */
export const MIN_CHANCE = 1e-8

/** The mean of −ln of the chance that was given to what came; null without data. Lower is better. */
export function logLoss(judged: readonly PredictedAnswer[]): number | null {
  return mean(
    judged.map(({ predicted, recalled }) => -Math.log(Math.max(MIN_CHANCE, recalled ? predicted : 1 - predicted))),
  )
}

/** 20 bins of predictions, each 0.05 wide, from 0 up; a prediction of 1 is in the last. */
export function calibration(judged: readonly PredictedAnswer[]): CalibrationBin[] {
  const bins: PredictedAnswer[][] = Array.from({ length: BINS }, () => [])
  for (const one of judged) bins[Math.min(BINS - 1, Math.floor(one.predicted * BINS))]?.push(one)
  return bins.map((bin, i) => ({
    from: i / BINS,
    count: bin.length,
    predicted: mean(bin.map(({ predicted }) => predicted)),
    observed: mean(bin.map(({ recalled }) => Number(recalled))),
  }))
}

/**
 * The root of the mean square of how far predicted and observed lie apart in the bins of the calibration, each by its
 * count; null without data. Lower is better.
 */
export function rmse(judged: readonly PredictedAnswer[]): number | null {
  return rmseOf(calibration(judged))
}

/** The same of bins that were counted before. */
export function rmseOf(bins: readonly CalibrationBin[]): number | null {
  const count = bins.reduce((sum, bin) => sum + bin.count, 0)
  if (count === 0) return null
  const squares = bins.map((bin) => bin.count * ((bin.predicted ?? 0) - (bin.observed ?? 0)) ** 2)
  return Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / count)
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length
}
