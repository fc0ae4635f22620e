import type { Judged } from './history'

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

const BINS = 20
/** Predictions are rounded to 8 decimals, and may be 1: no single answer shall cost more than this one would. */
const SMALLEST = 1e-8

/** The mean of −ln of the chance that was given to what came; null without data. Lower is better. */
export function logLoss(judged: readonly Judged[]): number | null {
  return mean(
    judged.map(({ predicted, recalled }) => -Math.log(Math.max(SMALLEST, recalled ? predicted : 1 - predicted))),
  )
}

/** 20 bins of predictions, each 0.05 wide, from 0 up; a prediction of 1 is in the last. */
export function calibration(judged: readonly Judged[]): CalibrationBin[] {
  const bins: Judged[][] = Array.from({ length: BINS }, () => [])
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
export function rmse(judged: readonly Judged[]): number | null {
  if (judged.length === 0) return null
  const squares = calibration(judged).map(
    ({ count, predicted, observed }) => count * ((predicted ?? 0) - (observed ?? 0)) ** 2,
  )
  return Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / judged.length)
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length
}
