/** What turns texts into vectors, wherever it runs. */

/** Texts of one call. */
export const EMBED_BATCH_TEXTS = 64

export interface Encoder {
  /** Names the model: vectors made under another name are replaced. */
  readonly name: string
  /** Texts that a job sends at once, where a question of somebody would wait for them too long otherwise. */
  readonly batchTexts?: number
  /**
   * One vector of unit length for each text, all of one length, in the order of the texts; at most EMBED_BATCH texts,
   * none of them empty. Rejects with EncoderUnavailable, or with the reason of `signal` once that is aborted.
   */
  embed(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]>
}

/**
 * Why there are no vectors: `missing` stays until the operator changes something, `timeout` and `failed` may pass.
 */
export type UnavailableReason = 'missing' | 'failed' | 'timeout'

/** There are no vectors now. The message is one plain sentence, which holds no key and nothing that a server sent. */
export class EncoderUnavailable extends Error {
  override readonly name = 'EncoderUnavailable'

  constructor(
    message: string,
    readonly why: UnavailableReason,
    /** Milliseconds after which another try makes sense; null where that is unknown. */
    readonly retryAfterMs: number | null = null,
  ) {
    super(message)
  }
}

/** Numbers of one vector: what no honest model exceeds. */
const MAX_VECTOR_NUMBERS = 8192

/**
 * The vectors as the interface promises them: each of unit length. Null where `count` vectors of one length with a
 * direction cannot be had from these.
 */
export function toUnitVectors(
  vectors: readonly (ArrayLike<number> | undefined)[],
  count: number,
): Float32Array[] | null {
  const length = vectors[0]?.length ?? 0
  if (vectors.length !== count || length > MAX_VECTOR_NUMBERS) return null
  const units: Float32Array[] = []
  // Not map: it passes over the holes of an array, and nothing promises that there are none.
  for (const vector of vectors) {
    const made = vector?.length === length ? toUnitVector(vector) : null
    if (!made) return null
    units.push(made)
  }
  return units
}

/** Null for what has no direction: no numbers, only zeros, or any that is not finite. */
function toUnitVector(vector: ArrayLike<number>): Float32Array | null {
  const values = Array.from(vector)
  if (!values.every((value) => Number.isFinite(value))) return null
  const norm = Math.hypot(...values)
  return norm > 0 && Number.isFinite(norm) ? Float32Array.from(values, (value) => value / norm) : null
}
