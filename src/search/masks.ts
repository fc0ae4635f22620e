/** Sets of documents: for each part of the index a 1 for each document that is in the set. */
import type { Documents } from './segment'
import { TYPES, type Type } from './source'
import type { View } from './view'

export type Masks = readonly Uint8Array[]

/** Keeps in the first masks what is in both, or adds what is in the others. */
export function combine(masks: Masks, others: Masks, how: 'and' | 'or'): void {
  masks.forEach((mask, part) => {
    const other = others[part]
    if (!other) return
    for (let i = 0; i < mask.length; i++)
      mask[i] = how === 'and' ? (mask[i] as number) & (other[i] as number) : (mask[i] as number) | (other[i] as number)
  })
}

/** Puts documents into the masks. @param docs in any order */
export function setDocs(masks: Masks, parts: readonly Documents[], docs: readonly number[]): void {
  const ascending = Float64Array.from(docs).sort()
  parts.forEach((documents, part) => {
    const mask = masks[part]
    if (!mask) return
    let at = 0
    for (let i = 0; i < documents.count; i++) {
      const doc = documents.docs[i] as number
      while (at < ascending.length && (ascending[at] as number) < doc) at++
      if (ascending[at] === doc) mask[i] = 1
    }
  })
}

/** What of some types stands for something yet, and is no newer than a document. */
export function masksOf(view: View, types: readonly Type[], newest = Number.POSITIVE_INFINITY): Masks {
  const wanted = TYPES.map((type) => types.includes(type))
  return view.parts.map(({ docs, types: own }, part) => {
    const mask = new Uint8Array(own.length)
    const living = view.living[part]
    for (let i = 0; i < own.length; i++)
      if (wanted[own[i] as number] && (docs[i] as number) <= newest) mask[i] = living?.[i] as number
    return mask
  })
}

/** The documents in the masks, ascending. */
export function docsOf({ parts }: View, masks: Masks): Float64Array {
  return Float64Array.from(parts.flatMap(({ docs }, part) => Array.from(docs.filter((_, i) => masks[part]?.[i] === 1))))
}

/** How many documents are in the masks. */
export function count(masks: Masks): number {
  return masks.reduce((sum, mask) => sum + mask.reduce((own, one) => own + one, 0), 0)
}
