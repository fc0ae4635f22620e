/** Encoders turn texts into vectors. */

/** Texts of one call, at most. */
export const EMBED_BATCH_TEXTS = 64

/** A model that turns texts into vectors. */
export interface Encoder {
  /** The name of the model: vectors that were made under another name are replaced. */
  readonly name: string
  /**
   * Returns a unit vector for each text, in order, all with the same number of dimensions. Takes at most
   * EMBED_BATCH_TEXTS texts, none of them empty. Rejects with EncoderUnavailable, or with the reason of `signal` once
   * that is aborted.
   */
  embed(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]>
}

/** Thrown when an encoder fails. The message is one sentence without keys and without anything that a server sent. */
export class EncoderUnavailable extends Error {
  override readonly name = 'EncoderUnavailable'

  constructor(
    message: string,
    readonly why: 'failed' | 'timeout',
    /** Milliseconds after which another try makes sense; null where that is unknown. */
    readonly retryAfterMs: number | null = null,
  ) {
    super(message)
  }
}

/** Numbers of one vector, at most: more than any real model has. */
const MAX_VECTOR_NUMBERS = 8192

/**
 * Normalizes vectors to unit length. Returns null unless there are `count` of them, with equally many numbers each, all
 * finite and not all zero.
 */
export function toUnitVectors(
  vectors: readonly (ArrayLike<number> | undefined)[],
  count: number,
): Float32Array[] | null {
  const length = vectors[0]?.length ?? 0
  if (vectors.length !== count || length > MAX_VECTOR_NUMBERS) return null
  const units: Float32Array[] = []
  // Not `map`, which skips the holes of a sparse array: the input may have some.
  for (const vector of vectors) {
    const made = vector?.length === length ? toUnitVector(vector) : null
    if (!made) return null
    units.push(made)
  }
  return units
}

/** Normalizes a vector; null if it has no direction: no numbers, only zeros, or any that is not finite. */
function toUnitVector(vector: ArrayLike<number>): Float32Array | null {
  const values = Array.from(vector)
  if (!values.every((value) => Number.isFinite(value))) return null
  const norm = Math.hypot(...values)
  return norm > 0 && Number.isFinite(norm) ? Float32Array.from(values, (value) => value / norm) : null
}
