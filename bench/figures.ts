/** A row of the table: something to measure, held against a target. */
export interface Row {
  /** The same on every run, and the beginning of no other: the table is kept by it. */
  readonly name: string
  readonly target: string
  measure(effort: Effort): Promise<Figure>
}

export interface Figure {
  /** What the name leaves open, such as how many there were; it follows the name in the table. */
  readonly of?: string
  /** The measured value, in words. */
  readonly measured: string
  readonly reached: boolean
}

/** Something outside this repository that a row needs is not to be had here; the message says what. */
export class NotMeasured extends Error {
  override readonly name = 'NotMeasured'
}

/** How much is measured: `quick` only proves that a row runs. */
export interface Effort {
  readonly quick: boolean
  readonly rounds: number
  /** Of load in each round. */
  readonly seconds: number
}

export function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN
}

/** The value that `share` (0..1) of the numbers do not exceed. */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** The median, with the least and the most: `2.1 s (1.9 to 2.3)`. */
export function spread(numbers: readonly number[], unit: string, digits = 0): string {
  const [middle, least, most] = [median(numbers), Math.min(...numbers), Math.max(...numbers)]
  return `${middle.toFixed(digits)} ${unit} (${least.toFixed(digits)} to ${most.toFixed(digits)})`
}
