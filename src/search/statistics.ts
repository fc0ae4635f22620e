import { countOne } from './masks'
import type { Documents } from './segment'
import type { IndexView } from './view'

/** How many documents of a workspace there are, and how long their title, tags and body are in the mean, in words. */
export interface Lengths {
  readonly documents: number
  readonly averages: readonly number[]
}

/** How many words each field of all documents of a segment has: segments never change. */
const totals = new WeakMap<Documents, readonly number[]>()

/** Of the documents that stand for something yet. */
export function statisticsOf({ parts, living }: Pick<IndexView, 'parts' | 'living'>): Lengths {
  let documents = 0
  const words = [0, 0, 0]
  parts.forEach((part, i) => {
    const mask = living[i] as Uint8Array
    const own = countOne(mask)
    documents += own
    const all = totalsOf(part)
    part.lengths.forEach((list, field) => {
      let gone = 0
      if (own < part.count)
        for (let n = 0; n < mask.length; n++) gone += (1 - (mask[n] as number)) * (list[n] as number)
      words[field] = (words[field] as number) + (all[field] as number) - gone
    })
  })
  return { documents, averages: words.map((total) => Math.max(1, total / Math.max(1, documents))) }
}

function totalsOf(part: Documents): readonly number[] {
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
export function wordsOutside(mask: Uint8Array, { lengths }: Documents): number {
  let words = 0
  for (const list of lengths)
    for (let doc = 0; doc < mask.length; doc++) if (mask[doc] === 0) words += list[doc] as number
  return words
}
