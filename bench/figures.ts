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
