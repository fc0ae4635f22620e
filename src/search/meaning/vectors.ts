/** The stored form of vectors: 8 bits for each number, and codes with the sign bits alone, which are fast to scan. */

/** Dimensions of a vector, at most; encoders with more are refused. */
export const MAX_DIMENSIONS = 4096

/**
 * Quantizes the vectors of a document, passage by passage. Each has its own scale, since only directions are compared.
 */
export function quantize(vectors: readonly Float32Array[]): { vectors: Uint8Array; codes: Uint8Array } {
  const dimensions = vectors[0]?.length ?? 0
  const width = codeBytes(dimensions)
  const numbers = new Int8Array(vectors.length * dimensions)
  const codes = new Uint8Array(vectors.length * width)
  for (const [n, vector] of vectors.entries()) {
    const most = vector.reduce((max, number) => Math.max(max, Math.abs(number)), 0) || 1
    for (let i = 0; i < dimensions; i++) {
      const number = Math.round(((vector[i] as number) / most) * 127)
      numbers[n * dimensions + i] = number
      const at = n * width + (i >> 3)
      if (number > 0) codes[at] = (codes[at] as number) | (1 << (i & 7))
    }
  }
  return { vectors: new Uint8Array(numbers.buffer), codes }
}

/** Returns the number of bytes of the code of a vector. */
export const codeBytes = (dimensions: number) => Math.ceil(dimensions / 8)

/** Reads the vectors of a document, each of length 1. @param bytes as `quantize` made them */
export function readVectors(bytes: Uint8Array, dimensions: number): Float32Array[] {
  return splitVectors(bytes, dimensions).map((numbers) => {
    const vector = new Float32Array(numbers)
    const length = Math.sqrt(dot(numbers, numbers)) || 1
    for (let i = 0; i < dimensions; i++) vector[i] = (vector[i] as number) / length
    return vector
  })
}

/** Returns the largest cosine between any passage of a document and any of the queries, which have length 1. */
export function computeNearness(queries: readonly Float32Array[], bytes: Uint8Array, dimensions: number): number {
  let most = -1
  for (const passage of splitVectors(bytes, dimensions)) {
    const length = Math.sqrt(dot(passage, passage)) || 1
    for (const query of queries) most = Math.max(most, dot(query, passage) / length)
  }
  return most
}

function splitVectors(bytes: Uint8Array, dimensions: number): Int8Array[] {
  const numbers = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const count = Math.floor(numbers.length / dimensions)
  return Array.from({ length: count }, (_, n) => numbers.subarray(n * dimensions, (n + 1) * dimensions))
}

function dot(a: Float32Array | Int8Array, b: Int8Array): number {
  let sum = 0
  for (let i = 0; i < b.length; i++) sum += (a[i] as number) * (b[i] as number)
  return sum
}

/** Estimates how near codes are to a query, by a table of what each byte of a code adds to the score. */
export class CodeTable {
  readonly #width: number
  readonly #sums: Float32Array

  constructor(query: Float32Array) {
    this.#width = codeBytes(query.length)
    this.#sums = new Float32Array(this.#width * 256)
    for (let at = 0; at < this.#width; at++)
      for (let byte = 0; byte < 256; byte++) {
        let sum = 0
        for (let bit = 0; bit < 8; bit++) sum += (query[at * 8 + bit] ?? 0) * ((byte >> bit) & 1 ? 1 : -1)
        this.#sums[(at << 8) | byte] = sum
      }
  }

  /** Returns the score of the nearest passage of a document. */
  scoreNearest(codes: Uint8Array): number {
    const [width, sums] = [this.#width, this.#sums]
    let most = Number.NEGATIVE_INFINITY
    for (let start = 0; start + width <= codes.length; start += width) {
      let sum = 0
      for (let at = 0; at < width; at++) sum += sums[(at << 8) | (codes[start + at] as number)] as number
      if (sum > most) most = sum
    }
    return most
  }
}
