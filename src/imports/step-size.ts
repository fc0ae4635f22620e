/**
 * How long the writer is held by a step, in milliseconds, at best; twice that is the limit, but for one large item or
 * resource.
 */
const STEP_MS = 10

/**
 * How many the next step takes: at most twice as many, so that one quick step does not make the next a slow one.
 * @param size how many the last one took, in `took` milliseconds
 * @param most how many any may take
 */
export function nextSize(size: number, took: number, most: number): number {
  const fitting = size * Math.min(2, STEP_MS / Math.max(took, 0.1))
  return Math.max(1, Math.min(most, Math.floor(fitting)))
}
