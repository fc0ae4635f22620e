/** The weights of BM25F, and the statistics of the workspace's own texts that ranking uses. */
import { countDocs, type IndexParts } from './masks'
import type { Documents } from './segment'

/** The k1 of BM25F: how soon further occurrences of a word stop counting. */
export const K1 = 1.8
/** The weight of an occurrence in title, tags and body. */
export const FIELD_WEIGHTS = [5, 2.5, 1] as const
/** The b of BM25F for title, tags and body: how much a long field counts against its words, from 0 to 1. */
export const LENGTH_WEIGHTS = [0.75, 0.3, 0.75] as const

/** The number of documents of a workspace, and the mean length of title, tags and body in words. */
export interface Lengths {
  readonly documents: number
  readonly averages: readonly number[]
}

/** The figures that ranks depend on. A cursor holds them, so that writes between pages do not reorder results. */
export interface Statistics extends Lengths {
  /** The number of documents with each word, then with each name. */
  readonly frequencies: readonly number[]
  /** The last document (by words alone) whose closeness was measured; null if all were measured. */
  readonly measured: Rank | null
}

/** A document with its score. Higher scores come first; of equal ones, the document written last. */
export interface Rank {
  readonly score: number
  readonly doc: number
}

/** The position of a document in the index: the part, and the number in it. */
export interface RankedDocument {
  readonly part: number
  readonly number: number
}

/** One of the best documents: closeness and feedback raise its score. */
export interface MeasuredRank extends RankedDocument {
  readonly doc: number
  score: number
  /** The score by words alone. */
  readonly base: number
}

/** The number of words of each field of a segment, cached since segments never change. */
const totals = new WeakMap<Documents, readonly number[]>()

/** Computes the lengths over the current documents. */
export function computeLengths({ parts, current: living }: IndexParts): Lengths {
  let documents = 0
  const words = [0, 0, 0]
  parts.forEach((part, i) => {
    const mask = living[i] as Uint8Array
    const currentDocs = countDocs(mask)
    documents += currentDocs
    const all = countWords(part)
    part.lengths.forEach((list, field) => {
      let gone = 0
      if (currentDocs < part.count)
        for (let n = 0; n < mask.length; n++) gone += (1 - (mask[n] as number)) * (list[n] as number)
      words[field] = (words[field] as number) + (all[field] as number) - gone
    })
  })
  return { documents, averages: words.map((total) => Math.max(1, total / Math.max(1, documents))) }
}

function countWords(part: Documents): readonly number[] {
  const known = totals.get(part)
  if (known) return known
  const words = part.lengths.map((list) => {
    let sum = 0
    for (let n = 0; n < list.length; n++) sum += list[n] as number
    return sum
  })
  totals.set(part, words)
  return words
}

/** Counts the words of the documents that are not in a mask. */
export function countWordsOutside(mask: Uint8Array, { lengths }: Documents): number {
  let words = 0
  for (const list of lengths)
    for (let doc = 0; doc < mask.length; doc++) if (mask[doc] === 0) words += list[doc] as number
  return words
}
