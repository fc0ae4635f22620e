/** What the order of results is computed from: the weights of BM25F, and figures of the workspace's own texts. */
import { countDocs, type IndexParts } from './masks'
import type { Documents } from './segment'

/** BM25F: how soon more occurrences of a word stop counting, what one in each field counts, and how far length counts against it. */
export const K1 = 1.8
export const FIELD_WEIGHTS = [5, 2.5, 1] as const
export const LENGTH_WEIGHTS = [0.75, 0.3, 0.75] as const

/** How many documents of a workspace there are, and how long their title, tags and body are in the mean, in words. */
export interface Lengths {
  readonly documents: number
  readonly averages: readonly number[]
}

/** What ranks hang on beside a document itself: kept in a cursor, so that writing between pages moves nothing. */
export interface Statistics extends Lengths {
  /** For each word, then each name, how many documents have it. */
  readonly frequencies: readonly number[]
  /** The last of those in which closeness was measured, by words alone; null if these were all. */
  readonly measured: Rank | null
}

/** A document with its score: the better is first, and of equals the one written last. */
export interface Rank {
  readonly score: number
  readonly doc: number
}

/** Where the index has a document: the part, and the number in it. */
export interface RankedDocument {
  readonly part: number
  readonly number: number
}

/** One of the best, with what closeness and feedback add to its score. */
export interface MeasuredRank extends RankedDocument {
  readonly doc: number
  score: number
  /** The score by words alone. */
  readonly base: number
}

/** How many words each field of all documents of a segment has: segments never change. */
const totals = new WeakMap<Documents, readonly number[]>()

/** Of the current documents. */
export function computeLengths({ parts, current: living }: IndexParts): Lengths {
  let documents = 0
  const words = [0, 0, 0]
  parts.forEach((part, i) => {
    const mask = living[i] as Uint8Array
    const own = countDocs(mask)
    documents += own
    const all = countWords(part)
    part.lengths.forEach((list, field) => {
      let gone = 0
      if (own < part.count)
        for (let n = 0; n < mask.length; n++) gone += (1 - (mask[n] as number)) * (list[n] as number)
      words[field] = (words[field] as number) + (all[field] as number) - gone
    })
  })
  return { documents, averages: words.map((total) => Math.max(1, total / Math.max(1, documents))) }
}

function countWords(part: Documents): readonly number[] {
  const known = totals.get(part)
  if (known) return known
  const own = part.lengths.map((list) => {
    let sum = 0
    for (let n = 0; n < list.length; n++) sum += list[n] as number
    return sum
  })
  totals.set(part, own)
  return own
}

/** How many words the documents have that are not in a mask. */
export function countWordsOutside(mask: Uint8Array, { lengths }: Documents): number {
  let words = 0
  for (const list of lengths)
    for (let doc = 0; doc < mask.length; doc++) if (mask[doc] === 0) words += list[doc] as number
  return words
}
