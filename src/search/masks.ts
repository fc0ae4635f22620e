/** Sets of documents: for each part of the index a 1 for each document that is in the set. */
import type { Documents } from './segment'

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
