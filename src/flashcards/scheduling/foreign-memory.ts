import { DEFAULT_WEIGHTS } from './settings'
import type { Memory } from './snapshot'

/** Memory of cards that were scheduled elsewhere. */

/** The range of stability in FSRS-6, in days. */
const MIN_STABILITY = 0.001
const MAX_STABILITY = 36_500

/**
 * Memory from the ease and interval of SM-2, for cards that come without a log: an interval of SM-2 is taken for one at
 * a retention of 0.9, and the difficulty is the one at which `good` would lengthen it by the ease (fsrs-rs,
 * memory_state_from_sm2).
 * @param ease 1.3 and up, e.g. 2.5
 * @param interval days
 */
export function fromEase(ease: number, interval: number, weights: readonly number[] | null): Memory {
  const stability = clamp(interval, MIN_STABILITY, MAX_STABILITY)
  const [w8 = 0, w9 = 0, w10 = 0] = (weights ?? DEFAULT_WEIGHTS).slice(8, 11)
  const growth = Math.exp(w8) * stability ** -w9 * Math.expm1(0.1 * w10)
  return { stability, difficulty: clamp(11 - (ease - 1) / growth, 1, 10) }
}

/** Memory that comes from elsewhere, brought into the range of FSRS; null if it is not of numbers. */
export function foreignMemory(stability: number, difficulty: number): Memory | null {
  if (!Number.isFinite(stability) || !Number.isFinite(difficulty) || stability <= 0) return null
  return { stability: clamp(stability, MIN_STABILITY, MAX_STABILITY), difficulty: clamp(difficulty, 1, 10) }
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max)
}
