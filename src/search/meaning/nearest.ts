import type { Session } from '../../db/database'
import { yieldTurn } from '../../lib/steps'
import type { DocRow } from '../read.sqlite'
import { getVectors } from './vector-store'

/** Texts whose vectors are read at once. */
const TEXTS_PER_READ = 200
/** Bytes of vectors that a search compares, those of the newest texts: about 50 ms, in turns of about 1 ms. */
const MAX_COMPARED_BYTES = 16 * 1024 * 1024

/** A document with the cosine of its nearest passage. */
interface NearDocument extends DocRow {
  readonly score: number
}

/**
 * Finds the documents whose passages are nearest to any of the queries, best first, of equals the newest.
 * @param allowed the documents that may be found
 * @param least how near they must be, on a scale from 0 (the mean of all) to 1 (the nearest one)
 */
export async function findNearest(
  { db, workspace }: Session,
  queries: readonly Float32Array[],
  allowed: readonly DocRow[],
  count: number,
  least: number | null = null,
): Promise<NearDocument[]> {
  const newest = allowed.toSorted((a, b) => b.doc - a.doc)
  const near: NearDocument[] = []
  let bytes = 0
  for (let at = 0; at < newest.length && bytes < MAX_COMPARED_BYTES; at += TEXTS_PER_READ) {
    const some = newest.slice(at, at + TEXTS_PER_READ)
    for (const [type, ofType] of Map.groupBy(some, (row) => row.type)) {
      const rows = new Map(ofType.map((row) => [row.key, row]))
      for (const { key, vectors } of await getVectors(db, workspace.id, type, [...rows.keys()])) {
        const row = rows.get(key)
        const score = computeNearness(queries, vectors)
        if (row && score !== null) near.push({ ...row, score })
        bytes += vectors.byteLength * queries.length
      }
    }
    await yieldTurn()
  }
  const best = near.reduce((max, { score }) => Math.max(max, score), -1)
  const mean = near.reduce((sum, { score }) => sum + score, 0) / near.length
  const limit = least === null ? -1 : Math.min(best, mean + least * (best - mean))
  return near
    .filter(({ score }) => score >= limit)
    .sort((a, b) => b.score - a.score || b.doc - a.doc)
    .slice(0, count)
}

/** Quantizes vectors to 8 bits for each number. Each has its own scale, since only directions are compared. */
export function quantize(vectors: readonly Float32Array[]): Uint8Array {
  const numbers = vectors.flatMap((vector) => {
    const most = vector.reduce((max, number) => Math.max(max, Math.abs(number)), 0) || 1
    return Array.from(vector, (number) => Math.round((number / most) * 127))
  })
  return new Uint8Array(Int8Array.from(numbers).buffer)
}

/** Reads the vectors of a text, each of length 1. @param bytes as `quantize` made them */
export function readVectors(bytes: Uint8Array, dimensions: number): Float32Array[] {
  const numbers = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Array.from({ length: Math.floor(numbers.length / dimensions) }, (_, n) => {
    const vector = numbers.subarray(n * dimensions, (n + 1) * dimensions)
    const length = Math.hypot(...vector) || 1
    return Float32Array.from(vector, (number) => number / length)
  })
}

/** Returns the largest cosine between any passage of a text and any of the queries; null for a text without passages. */
export function computeNearness(queries: readonly Float32Array[], bytes: Uint8Array): number | null {
  const numbers = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let most: number | null = null
  for (const query of queries)
    for (let at = 0; at + query.length <= numbers.length; at += query.length)
      most = Math.max(most ?? -1, computeCosine(query, numbers, at))
  return most
}

/** The cosine of a vector of length 1 and the one that begins at `from`. */
function computeCosine(query: Float32Array, numbers: Int8Array, from: number): number {
  let [product, square] = [0, 0]
  for (let i = 0; i < query.length; i++) {
    const number = numbers[from + i] as number
    product += (query[i] as number) * number
    square += number * number
  }
  return product / Math.sqrt(square || 1)
}
