/** What a row of the table is: something measured, held against a target. */
export interface Figure {
  readonly name: string
  readonly target: string
  /** The measured value, in words. */
  readonly measured: string
  readonly reached: boolean
}

/** How much is measured: `quick` only proves that a row runs. */
export interface Effort {
  readonly quick: boolean
  readonly rounds: number
  /** Of load in each round. */
  readonly seconds: number
}

export type Row = (effort: Effort) => Promise<Figure>

export function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN
}

/** The value that `share` (0..1) of the numbers do not exceed. */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
