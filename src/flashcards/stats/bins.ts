/** How values are spread over bins, and their mean. */
export class BinnedValues {
  readonly #edges: readonly number[]
  readonly #counts: number[]
  #sum = 0
  #count = 0

  /** @param edges where each bin begins, ascending from the least value; the last one has no end */
  constructor(edges: readonly number[]) {
    this.#edges = edges
    this.#counts = edges.map(() => 0)
  }

  add(value: number): void {
    let bin = 0
    while (bin + 1 < this.#edges.length && value >= (this.#edges[bin + 1] ?? value)) bin++
    this.#counts[bin] = (this.#counts[bin] ?? 0) + 1
    this.#sum += value
    this.#count++
  }

  /** `mean` is null without values; `to` of a bin is where the next begins. */
  shown() {
    return {
      count: this.#count,
      mean: this.#count === 0 ? null : this.#sum / this.#count,
      bins: this.#edges.map((from, i) => ({ from, to: this.#edges[i + 1] ?? null, count: this.#counts[i] ?? 0 })),
    }
  }
}

/** In days, for stability and intervals. */
export const DAY_EDGES = [0, 1, 2, 4, 7, 14, 21, 30, 60, 90, 180, 365, 730, 1825, 3650]
export const DIFFICULTY_EDGES = [1, 2, 3, 4, 5, 6, 7, 8, 9]
/** As the bins of the calibration. */
export const CHANCE_EDGES = Array.from({ length: 20 }, (_, i) => i / 20)
